"""How many registers are live at the lines of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LineRegisters:
    """A line's machine instructions, and the most registers of a thread live at one of them.

    `line` is None for instructions that came from no line of the document.
    """

    line: int | None
    live: int
    instructions: int


def registers_by_line(
    live: Mapping[int, int], lines: Mapping[int, int | None]
) -> tuple[LineRegisters, ...]:
    """The figures of every line from those of instructions, both by the instruction's address."""
    groups: dict[int | None, list[int]] = {}
    for address, count in live.items():
        groups.setdefault(lines.get(address), []).append(count)
    return tuple(
        LineRegisters(line, max(counts), len(counts))
        for line, counts in sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or 0))
    )


def most_live(registers: Iterable[LineRegisters]) -> LineRegisters | None:
    """The line with the most live registers, the first of equals; None without lines."""
    return max(registers, key=lambda each: each.live, default=None)
