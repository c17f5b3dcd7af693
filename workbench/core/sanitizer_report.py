"""Reads what NVIDIA's compute-sanitizer prints, and places its findings on a document's lines.

The form is that of Compute Sanitizer's documentation, 2022.1 to 2025.3: a finding is a block of
lines behind "=========", the first of which says what, the others where and by whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from workbench.core.diagnostics import Diagnostic, Related, Severity, TextRange

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")

_LEAD = re.compile(r"^=========(?: (?P<text>.*))?$")
# at kernel(int *)+0x90 in file.cu:42  |  at 0x90 in file.cu:42:kernel(int *)
_NEW_PLACE = re.compile(
    r"(?P<function>[^\s(]+)(?:\(.*?\))?\+0x[0-9a-f]+ in (?P<file>.+?):(?P<line>\d+)"
)
_OLD_PLACE = re.compile(r"0x[0-9a-f]+ in (?P<file>.+?):(?P<line>\d+):(?P<function>[^\s(]+)")
_BARE_PLACE = re.compile(r"\bat (?P<function>[^\s(+]+)(?:\(.*?\))?\+0x[0-9a-f]+\b(?! in )")
_BY = re.compile(r"by thread (\([\d,]+\)) in block (\([\d,]+\))")
_ACCESS = re.compile(r"(?:Access|Address) (?:at |to )?0x[0-9a-f]+ (.*)")
_NEAREST = re.compile(r"and is ([\d,]+) bytes? (after|before|inside) the nearest allocation(.*)")
_SIZE = re.compile(r"of size ([\d,]+) bytes")
_RACE = re.compile(r"Race reported between (\w+) access")
_AND = re.compile(r"and (\w+) access")
_SUMMARY = re.compile(r"(ERROR|RACECHECK) SUMMARY: (\d+)")
_NO_FINDING = re.compile(
    r"COMPUTE-SANITIZER|Target application|SUMMARY|Error: process|LEAK SUMMARY|Saved host|"
    r"Program hit|No attachable process|Internal Sanitizer|Warning: Patching|Error: Target"
)
_HELP = {
    "memcheck": "the access leaves the memory that the tensor has: guard it, or make the extents "
    "fit (T.ceildiv for the grid, a condition for the last tile)",
    "racecheck": "two threads of a block touch the same shared memory without a barrier between: "
    "T.sync_threads() between them, or buffers of their own",
    "initcheck": "the memory was never written: clear it first, or see why nobody writes it",
    "synccheck": "threads of a block or warp do not meet at the same barrier: take it out of the "
    "condition",
}


@dataclass(frozen=True)
class Place:
    """A place in code that a finding names."""

    function: str
    file: str
    line: int


@dataclass(frozen=True)
class Reported:
    """One finding of the tool, `count` times in all; `thread` and `block` are the first's.

    `is_cut` says that the tool did not print all that it found.
    """

    text: str
    is_error: bool
    places: tuple[Place, ...]
    functions: tuple[str, ...] = ()
    thread: str | None = None
    block: str | None = None
    detail: str | None = None
    count: int = 1
    is_cut: bool = False


def read_report(text: str) -> tuple[Reported, ...]:
    """The findings, equal ones at one place together, in the order of their first."""
    found: dict[tuple[object, ...], Reported] = {}
    for lines in _blocks(text):
        each = _reported(lines)
        if each is None:
            continue
        key = (each.text, each.places, each.functions)
        known = found.get(key)
        found[key] = each if known is None else replace(known, count=known.count + 1)
    is_cut = "were not printed" in text
    return tuple(replace(each, is_cut=is_cut) for each in found.values())


def is_complete(text: str) -> bool:
    """Whether the tool came to its end: it then prints how much it found."""
    return _SUMMARY.search(text) is not None


def diagnostics_of(
    tool: str,
    reported: Iterable[Reported],
    lines: Mapping[int, int],
    source_file: str,
    kernel_line: int,
) -> tuple[Diagnostic, ...]:
    """Findings as diagnostics on the lines of a document.

    `lines` maps lines of the generated source, whose file ends in `source_file`, to the document's.
    What has no line of its own is placed on `kernel_line`, and says so.
    """
    found: dict[tuple[str, int | None], Diagnostic] = {}
    for each in reported:
        made = _diagnostic(tool, each, lines, source_file, kernel_line)
        key = (made.message, made.range.line if made.range else None)
        found.setdefault(key, made)
    return tuple(found.values())


def _blocks(text: str) -> Iterable[list[str]]:
    """The lines of each finding, without their lead; the first is not indented, the others are."""
    lines: list[str] = []
    for row in text.splitlines():
        match = _LEAD.match(row)
        if match is None:
            continue
        said = match["text"] or ""
        if said and not said.startswith(" "):
            if _continues(said, lines):
                lines.append(said)
                continue
            if lines:
                yield lines
            lines = [] if _NO_FINDING.search(said) else [said]
        elif lines and said:
            lines.append(said)
    if lines:
        yield lines


def _continues(said: str, lines: Sequence[str]) -> bool:
    return bool(lines) and said.startswith(("and ", "at ", "by "))


def _reported(lines: Sequence[str]) -> Reported | None:
    host = next((i for i, line in enumerate(lines) if "Host Frame" in line), len(lines))
    body = [line for line in lines[:host] if "Saved host backtrace" not in line]
    places = tuple(place for line in body for place in _places(line))
    functions = tuple(m["function"] for line in body for m in _BARE_PLACE.finditer(line))
    by = next((m for line in body if (m := _BY.search(line))), None)
    if not places and not functions and by is None:
        return None
    return Reported(
        _what(body),
        not body[0].startswith("Warning"),
        places,
        functions,
        by[1] if by else None,
        by[2] if by else None,
        _detail(body),
    )


def _places(line: str) -> Iterable[Place]:
    for pattern in (_NEW_PLACE, _OLD_PLACE):
        matches = list(pattern.finditer(line))
        if matches:
            return [Place(m["function"], m["file"], int(m["line"])) for m in matches]
    return []


def _what(body: Sequence[str]) -> str:
    """The finding in words, without its place."""
    race = _RACE.search(body[0])
    if race is not None:
        other = next((m for line in body[1:] if (m := _AND.search(line))), None)
        kinds = [race[1].lower(), *([other[1].lower()] if other else [])]
        return f"race between {' and '.join(f'a {kind}' for kind in kinds)}"
    first = re.sub(r"^(Error|Warning|ERROR|WARNING): ", "", body[0])
    return re.split(r"\s+at (?:0x|\S+\+0x)", first)[0].rstrip(" :.")


def _detail(body: Sequence[str]) -> str | None:
    """Why an access is wrong: "out of bounds", and how far from the nearest allocation."""
    access = next((m for line in body if (m := _ACCESS.search(line))), None)
    near = next((m for line in body if (m := _NEAREST.search(line))), None)
    parts = []
    if access is not None:
        parts.append(re.sub(r"^is ", "", access[1].strip().rstrip(".")))
    if near is not None:
        size = _SIZE.search(near[3])
        of = f" of {size[1]} bytes" if size else ""
        unit = "byte" if near[1] == "1" else "bytes"
        parts.append(f"{near[1]} {unit} {near[2]} an allocation{of}")
    return ", ".join(parts) or None


def _diagnostic(
    tool: str, each: Reported, lines: Mapping[int, int], source_file: str, kernel_line: int
) -> Diagnostic:
    mapped = [lines.get(p.line) for p in each.places if PurePath(p.file).name == source_file]
    known = list(dict.fromkeys(line for line in mapped if line))
    where = known[0] if known else kernel_line
    severity = Severity.ERROR if each.is_error else Severity.WARNING
    related = tuple(Related(TextRange(line), "the other access") for line in known[1:])
    return Diagnostic(
        f"sanitizer-{tool}",
        severity,
        _message(each, bool(known)),
        TextRange(where),
        related,
        stage="simulate",
        evidence={
            "count": each.count,
            "places": [f"{PurePath(p.file).name}:{p.line}" for p in each.places],
        },
        help=_HELP.get(tool),
    )


def _message(each: Reported, has_line: bool) -> str:
    text = each.text[:1].lower() + each.text[1:]
    parts = [text if each.detail is None else f"{text}: {each.detail}"]
    if each.thread is not None:
        parts.append(f"first by thread {each.thread} of block {each.block}")
    if each.count > 1:
        parts.append(f"{each.count:,} times{' or more' if each.is_cut else ''}")
    if not has_line:
        parts.append(f"in {_inside(each)}, no line of the document is known")
    return "; ".join(parts)


def _inside(each: Reported) -> str:
    if each.places:
        place = each.places[0]
        return f"{place.function} at {PurePath(place.file).name}:{place.line}"
    return each.functions[0] if each.functions else "code without a name"
