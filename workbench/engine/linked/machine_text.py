"""PTX and SASS with the document's line of each row, and the registers live there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from workbench.core.linked_code import NO_LINE, UNKNOWN_LIVE, LinkedText
from workbench.engine.analysis.ptx import Locations

_DIRECTIVE = re.compile(r"\s*\.(loc|file)\s")
_DEBUG = re.compile(r"\s*\.section\s+\.debug")
_NO_INSTRUCTION = re.compile(r"\s*(?:$|[.)$}]|//|\{\s*$)")
_SECTION = re.compile(r"\s*\.section\s+\.text\.([\w$.]+)")
_ADDRESS = re.compile(r"\s*/\*([0-9a-f]{4,})\*/")
_SOURCE = "kernel.cu"


def ptx_text(ptx: str, lines: Mapping[int, int | None]) -> LinkedText:
    """PTX with line information as it is without, `lines` being the document's by source line."""
    places = Locations(ptx)
    rows: list[str] = []
    found: list[int] = []
    for row in ptx.splitlines():
        if _DEBUG.match(row):
            break
        if _DIRECTIVE.match(row):
            places.take(row.strip())
            continue
        line = NO_LINE if _NO_INSTRUCTION.match(row) else _of(places.current, lines)
        rows.append(row)
        found.append(line)
    while rows and not rows[-1].strip():
        rows.pop()
        found.pop()
    return LinkedText("ptx", "\n".join(rows), tuple(found))


def sass_text(
    sass: str,
    kernels: Mapping[str, tuple[Mapping[int, int], Mapping[int, int]]],
    lines: Mapping[int, int | None],
) -> LinkedText:
    """SASS with the figures of `live_registers.by_address` of each of its kernels."""
    found: list[int] = []
    live: list[int] = []
    counts: Mapping[int, int] = {}
    sources: Mapping[int, int] = {}
    rows = sass.strip("\n").splitlines()
    for row in rows:
        section, address = _SECTION.match(row), _ADDRESS.match(row)
        if section is not None:
            counts, sources = kernels.get(section[1], ({}, {}))
        place = int(address[1], 16) if address is not None else -1
        found.append(lines.get(sources.get(place, 0)) or NO_LINE)
        live.append(counts.get(place, UNKNOWN_LIVE))
    return LinkedText("sass", "\n".join(rows), tuple(found), tuple(live))


def source_text(source: str, lines: Mapping[int, int | None]) -> LinkedText:
    """The generated source; what only closes a block belongs to no line."""
    rows = source.splitlines()
    return LinkedText("source", source, tuple(_source_lines(rows, lines)))


def with_copies(
    source: str, lines: Mapping[int, int | None], copies: list[int | None]
) -> dict[int, int | None]:
    """The lines of a source in which bulk copies have those of the IR's, in their order."""
    rows = [
        n
        for n, row in enumerate(source.splitlines(), 1)
        if re.search(r"\btl::tma_(load|store)\b", row)
    ]
    if len(rows) != len(copies):
        return dict(lines)
    return {**lines, **dict(zip(rows, copies, strict=True))}


def _source_lines(rows: list[str], lines: Mapping[int, int | None]) -> Iterable[int]:
    for number, row in enumerate(rows, 1):
        yield NO_LINE if row.strip() in ("", "}") else lines.get(number) or NO_LINE


def _of(place: tuple[str, int] | None, lines: Mapping[int, int | None]) -> int:
    if place is None or not place[0].endswith(_SOURCE):
        return NO_LINE
    return lines.get(place[1]) or NO_LINE
