"""When the buffers of shared memory are in use, and where they need the most of it together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Allocation:
    """A buffer of shared memory; `offset` is where it begins, None for one beside the rest."""

    name: str
    dtype: str
    size_bytes: int
    offset: int | None


@dataclass(frozen=True)
class Touch:
    """A statement that uses a buffer; positions rise in the order of the code."""

    position: int
    buffer: str
    line: int | None


@dataclass(frozen=True)
class Lifetime:
    """A buffer and the lines of its first and last use, None where these came from no line.

    `shares_with` names the buffers that lie at the same bytes.
    """

    name: str
    dtype: str
    offset: int | None
    size_bytes: int
    first_line: int | None
    last_line: int | None
    shares_with: tuple[str, ...]
    used: bool = True


@dataclass(frozen=True)
class Lifetimes:
    """The buffers of a block; `allocated_bytes` is what they take after merging.

    `peak_bytes` is what the buffers with an offset that are in use at once need at most: those of
    `peak_buffers`, from `peak_line` on.
    """

    buffers: tuple[Lifetime, ...]
    allocated_bytes: int | None
    peak_bytes: int
    peak_line: int | None
    peak_buffers: tuple[str, ...]

    @property
    def saved_bytes(self) -> int:
        """What merging saves against buffers side by side."""
        total = sum(each.size_bytes for each in self.buffers if each.offset is not None)
        return 0 if self.allocated_bytes is None else total - self.allocated_bytes


Range = tuple[int, int]


def lifetimes_of(
    allocations: Sequence[Allocation],
    touches: Sequence[Touch],
    loops: Sequence[Range],
    allocated_bytes: int | None,
) -> Lifetimes:
    """The lifetimes of buffers from their uses; `loops` are the positions that each encloses.

    A buffer that a loop uses is in use for all of the loop: it may carry a value to the next turn.
    """
    by_name = {a.name: [t for t in touches if t.buffer == a.name] for a in allocations}
    inside = [each for each in allocations if each.offset is not None and by_name[each.name]]
    ranges = {each.name: _range(by_name[each.name], loops) for each in inside}
    peak, names = _peak(allocations, ranges)
    return Lifetimes(
        tuple(_lifetime(each, allocations, by_name[each.name]) for each in allocations),
        allocated_bytes,
        sum(each.size_bytes for each in allocations if each.name in names),
        None if peak is None else _line_from(peak, touches),
        names,
    )


def _range(touches: Sequence[Touch], loops: Sequence[Range]) -> Range:
    first = min(touch.position for touch in touches)
    last = max(touch.position for touch in touches)
    around = [loop for loop in loops if any(loop[0] <= t.position <= loop[1] for t in touches)]
    return min([first, *(begin for begin, _ in around)]), max([last, *(end for _, end in around)])


def _peak(
    allocations: Sequence[Allocation], ranges: Mapping[str, Range]
) -> tuple[int | None, tuple[str, ...]]:
    """The first position at which the most bytes are in use, and by which buffers."""
    sizes = {each.name: each.size_bytes for each in allocations}
    best: tuple[int, int | None, tuple[str, ...]] = (-1, None, ())
    for begin in sorted({begin for begin, _ in ranges.values()}):
        names = tuple(n for n, (first, last) in ranges.items() if first <= begin <= last)
        total = sum(sizes[name] for name in names)
        if total > best[0]:
            best = (total, begin, names)
    return best[1], best[2]


def _line_from(position: int, touches: Iterable[Touch]) -> int | None:
    later = (t for t in touches if t.position >= position and t.line is not None)
    return next((touch.line for touch in later), None)


def _lifetime(
    buffer: Allocation, allocations: Sequence[Allocation], touches: Sequence[Touch]
) -> Lifetime:
    lines = [touch.line for touch in touches if touch.line is not None]
    return Lifetime(
        buffer.name,
        buffer.dtype,
        buffer.offset,
        buffer.size_bytes,
        lines[0] if lines else None,
        lines[-1] if lines else None,
        tuple(each.name for each in allocations if each is not buffer and _overlap(each, buffer)),
        bool(touches),
    )


def _overlap(one: Allocation, other: Allocation) -> bool:
    if one.offset is None or other.offset is None:
        return False
    begin = max(one.offset, other.offset)
    return begin < min(one.offset + one.size_bytes, other.offset + other.size_bytes)
