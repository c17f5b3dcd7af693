"""Reads the `workbench` block of a document; what is wrong in it becomes diagnostics."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from typing import Any

import tomllib

from workbench.core.diagnostics import Diagnostic, Related, Severity, TextRange
from workbench.core.documents.block import OPENING, Block, BlockScan, find_block, uncomment
from workbench.core.documents.fields import CASE_FIELDS, METADATA_FIELDS, Field
from workbench.core.documents.model import Case, Metadata
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.documents.syntax import LINE
from workbench.core.documents.toml_lines import Path, TomlLines

_TOML_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class Positions:
    """The lines of a document, from 1, at which the entries of its block stand."""

    toml: TomlLines
    first_line: int

    def line(self, path: Path) -> int:
        """The line of an entry, as `("case", 0, "args", "M")`, or of what is around it."""
        return self.first_line + self.toml.line(path)


@dataclass(frozen=True)
class MetadataReading:
    """A block as read: `metadata` is None where there is none or its TOML is wrong."""

    metadata: Metadata | None
    problems: tuple[Diagnostic, ...]
    positions: Positions | None = None


def read_metadata(text: str, in_string: Container[int] = frozenset()) -> MetadataReading:
    """Read the block; `in_string` are the lines of the text that lie in string literals."""
    lines = LINE.findall(text)
    scan = find_block(lines, in_string)
    problems = _block_problems(scan)
    if scan.block is None:
        return MetadataReading(None, problems)
    content = [uncomment(line) for line in lines[scan.block.opening + 1 : scan.block.closing]]
    try:
        table = tomllib.loads("\n".join(content) + "\n")
    # A ValueError that is no TOMLDecodeError is an integer with more digits than Python takes.
    except (ValueError, RecursionError) as error:
        return MetadataReading(None, (*problems, _toml_error(error, scan.block)))
    positions = Positions(TomlLines(content), scan.block.opening + 2)
    reader = _TableReader(positions)
    metadata = reader.metadata(table)
    return MetadataReading(metadata, (*problems, *reader.problems), positions)


def metadata_of(table: Mapping[str, Any]) -> Metadata:
    """The metadata that a block's parsed TOML says, without a word on what is wrong in it."""
    return _TableReader(Positions(TomlLines([]), 1)).metadata(table)


def _block_problems(scan: BlockScan) -> tuple[Diagnostic, ...]:
    unclosed = (
        Diagnostic(
            "metadata-unclosed-block",
            Severity.ERROR,
            f"The block that `{OPENING}` begins has no end, so it is not read.",
            TextRange(line + 1),
            help="End it with a line `# ///`; each line between must begin with `#`.",
        )
        for line in scan.unclosed
    )
    repeated = (
        Diagnostic(
            "metadata-repeated-block",
            Severity.ERROR,
            "A second workbench block, which is not read: a file has one.",
            TextRange(line + 1),
            help="Move its cases into the first.",
        )
        for line in scan.repeated
    )
    return (*unclosed, *repeated)


def _toml_error(error: Exception, block: Block) -> Diagnostic:
    message = str(error)
    position = _TOML_POSITION.search(message)
    line, column = block.closing + 1, 1
    if position and position[1]:
        # Two columns for the `# ` that was taken off.
        line, column = block.opening + 1 + int(position[1]), int(position[2]) + 2
    reason = "nested too deeply" if isinstance(error, RecursionError) else message
    reason = _TOML_POSITION.sub("", reason)
    return Diagnostic(
        "metadata-syntax",
        Severity.ERROR,
        f"The workbench block is not valid TOML: {reason}.",
        TextRange(min(line, block.closing + 1), column),
    )


class _TableReader:
    """Turns the block's table into `Metadata`; an entry that is wrong is left out and reported."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self.problems: list[Diagnostic] = []

    def metadata(self, table: Mapping[str, Any]) -> Metadata:
        fields = self._fields(table, METADATA_FIELDS, ())
        extra = self._extra(table, {*METADATA_FIELDS, "case"}, ())
        return Metadata(**fields, cases=self._cases(table.get("case", [])), extra=extra)

    def _cases(self, value: Any) -> tuple[Case, ...]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._wrong_type(("case",), "tables that each begin with `[[case]]`", value)
            return ()
        cases = tuple(self._case(table, index) for index, table in enumerate(value))
        self._report_repeated(cases)
        return cases

    def _case(self, table: Mapping[str, Any], index: int) -> Case:
        path: Path = ("case", index)
        fields = self._fields(table, CASE_FIELDS, path)
        if "name" not in table:
            self._wrong_type((*path, "name"), CASE_FIELDS["name"].expects, None)
        fields.setdefault("name", f"case{index + 1}")
        extra = self._extra(table, CASE_FIELDS, path)
        return Case(**fields, line=self._positions.line(path), extra=extra)

    def _fields(
        self, table: Mapping[str, Any], fields: Mapping[str, Field], path: Path
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, field in fields.items():
            if key in table and field.accepts(table[key]):
                found[key] = field.convert(table[key])
            elif key in table:
                self._wrong_type((*path, key), field.expects, table[key])
        return found

    def _extra(
        self, table: Mapping[str, Any], known: Collection[str], path: Path
    ) -> dict[str, Any]:
        extra = {key: value for key, value in table.items() if key not in known}
        for key in extra:
            message = f"The workbench block has no key `{key}`{did_you_mean(key, known)}"
            self._report("metadata-unknown-key", Severity.WARNING, message, (*path, key))
        return extra

    def _wrong_type(self, path: Path, expects: str, value: Any) -> None:
        key = f"`{path[-1]}`"
        given = "is missing" if value is None else f"is {_shown(value)}"
        message = f"{key} {given}; it must be {expects}."
        self._report("metadata-type", Severity.ERROR, message, path)

    def _report_repeated(self, cases: tuple[Case, ...]) -> None:
        first: dict[str, Case] = {}
        for index, case in enumerate(cases):
            earlier = first.setdefault(case.name, case)
            if earlier is not case:
                message = f"There is a case `{case.name}` already, so this one cannot be chosen."
                where = Related(TextRange(earlier.line or 1), "the first of that name")
                path = ("case", index, "name")
                self._report(
                    "metadata-repeated-case", Severity.ERROR, message, path, related=(where,)
                )

    def _report(
        self,
        code: str,
        severity: Severity,
        message: str,
        path: Path,
        related: tuple[Related, ...] = (),
    ) -> None:
        where = TextRange(self._positions.line(path))
        self.problems.append(Diagnostic(code, severity, message, where, related))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
