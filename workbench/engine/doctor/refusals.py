"""Explains why a compiler refuses generated source, at the document's line that it came from."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.core.targets.model import Target
from workbench.engine import lowering
from workbench.engine.analysis.ptx import Locations
from workbench.engine.doctor.complaints import COMPILE_STEP, Complaint, complaint_of
from workbench.engine.doctor.meanings import meaning_of
from workbench.engine.doctor.model import Finding, Translator, Trouble, translator
from workbench.engine.kernels import BuiltKernel
from workbench.engine.linked.generated_lines import generated_lines
from workbench.engine.user_lines import user_lines

REFUSED = "the generated source does not compile for"
_LONGEST = 200
_HERE = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
_OPTION = re.compile(r"[Uu]nknown option '?([^'\s]+)")
_STATIC = r"""scope\s*=\s*["']shared["']|__shared__"""
_MANGLED = re.compile(r"'_Z(\d+)(\w+)")


@dataclass(frozen=True)
class Unit:
    """Source that a compiler refused, and what it was generated of.

    `artifact` is what lowering made, None to lower once more; `ptx` what an assembler refused.
    """

    document: str
    document_text: str
    target: Target
    built: BuiltKernel
    source: str
    artifact: Any = None
    ptx: str | None = None

    @cached_property
    def lines(self) -> Mapping[int, int | None]:
        """The document's line by line of the source; empty where it is not the same source."""
        target = lowering.tvm_target(self.target)
        artifact = self.artifact
        if artifact is None:
            with user_lines(self.document):
                artifact = lowering.lower_modules(self.built, target)
        if artifact.kernel_source != self.source:
            return {}
        return generated_lines(self.built, artifact, target, self.document).lines


def explain(said: str, unit: Unit) -> Finding:
    """What a compiler's words mean: the document's line, the generated one, and what to do."""
    complaint = complaint_of(said) or Complaint(said.partition("\n")[0], said)
    line, quoted = _place(complaint, unit), _quoted(complaint, unit)
    is_own = (
        complaint.source_line is not None and _imported(complaint.source_line, unit) is not None
    )
    meaning = meaning_of(complaint, unit.document_text, unit.target.arch.name, is_own)
    reading = f"{meaning.reading}; " if meaning.reading else ""
    message = f"{reading}{REFUSED} {unit.target.name}: {complaint.text.strip()}"
    help_text = " ".join(part for part in (quoted, meaning.advice) if part)
    evidence = {"generated": quoted, "raw": said} if quoted else {"raw": said}
    return Finding(meaning.code, message, line, help=help_text or None, evidence=evidence)


def explain_trouble(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The same of an exception of TileLang's own compile step, which begins with the source."""
    subject = trouble.subject
    if subject is None or subject.built is None or complaint_of(match["said"]) is None:
        return None
    source = match["source"]
    return explain(
        match["said"],
        Unit(trouble.document, trouble.source, subject.target, subject.built, source),
    )


def _place(complaint: Complaint, unit: Unit) -> int | None:
    """The first line of the document that one of the ways leads to."""
    ways: tuple[Callable[[], int | None], ...] = (
        lambda: _line_of(complaint.source_line, unit),
        lambda: _of_ptx(complaint.ptx_line, unit),
        lambda: _of_name(complaint.said, unit),
    )
    return next((line for way in ways if (line := way()) is not None), None)


def _line_of(number: int | None, unit: Unit) -> int | None:
    """The document's line of one of the source."""
    if number is None:
        return None
    return _imported(number, unit) or unit.lines.get(number)


def _imported(number: int, unit: Unit) -> int | None:
    """The document's line of a text that T.import_source put into the source."""
    rows = unit.source.splitlines()
    for text, first in _long_texts(unit.document_text):
        place = unit.source.find(text)
        begin = unit.source.count("\n", 0, place) + 1
        if place < 0 or not begin <= number <= begin + text.count("\n"):
            continue
        line = first + number - begin
        written = unit.document_text.splitlines()[line - 1 : line]
        same = number <= len(rows) and rows[number - 1].strip() in "".join(written)
        return line if same else first
    return None


def _long_texts(text: str) -> Iterator[tuple[str, int]]:
    """The texts of a document that can be code of C, with the lines that they begin in."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{" in node.value:
            yield node.value, node.lineno


def _of_ptx(number: int | None, unit: Unit) -> int | None:
    """The document's line of one of the PTX: that of imported source, else of what called it."""
    if number is None or unit.ptx is None:
        return None
    places, here = Locations(unit.ptx), None
    for row in unit.ptx.splitlines()[: number - 1]:
        match = _HERE.match(row.strip())
        if match is not None:
            places.take(row.strip())
            here = int(match[2])
    own = _imported(here, unit) if here is not None else None
    return own or (_line_of(places.current[1], unit) if places.current is not None else None)


def _of_name(said: str, unit: Unit) -> int | None:
    """The document's first line with what a compiler names without a place."""
    if "too much shared data" in said:
        return _row_with(_STATIC, unit)
    option, mangled = _OPTION.search(said), _MANGLED.search(said)
    if mangled is not None:
        return _row_with(re.escape(f'"{mangled[2][: int(mangled[1])]}"'), unit)
    return _row_with(re.escape(option[1]), unit) if option is not None else None


def _row_with(pattern: str, unit: Unit) -> int | None:
    rows = enumerate(unit.document_text.splitlines(), 1)
    return next((number for number, row in rows if re.search(pattern, row)), None)


def _quoted(complaint: Complaint, unit: Unit) -> str:
    """The line that a compiler refuses, as a sentence; empty where it names none."""
    if complaint.source_line is not None:
        return _row(unit.source, complaint.source_line, "of the generated source")
    if complaint.ptx_line is not None and unit.ptx is not None:
        return _row(unit.ptx, complaint.ptx_line, "of the PTX")
    return ""


def _row(text: str, number: int, of: str) -> str:
    rows = text.splitlines()
    if number > len(rows):
        return ""
    row = rows[number - 1].strip()
    short = row if len(row) <= _LONGEST else f"{row[: _LONGEST - 1]}…"
    return f"Line {number} {of}: `{short}`."


REFUSALS: tuple[Translator, ...] = (
    translator(rf"^(?P<source>.*){COMPILE_STEP}(?P<said>.*?)(?:\nCommand: |$)", explain_trouble),
)
"""What TileLang's own compile step says."""
