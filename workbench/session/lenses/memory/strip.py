"""Which shared buffers are kept at which lines, where they are merged, and where the peak is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.session.lenses.memory.model import Strip, StripBar
from workbench.session.lenses.memory.source import Lines, SourceFacts


def strip_of(lifetimes: Lifetimes, source: SourceFacts) -> Strip | None:
    """The strip; None where no buffer's lines are known.

    A buffer that a loop uses is kept for all of the loop: the next turn may read it, and the copy
    of the next turn may be under way.
    """
    inside = [each for each in lifetimes.buffers if each.offset is not None and each.used]
    offsets = tuple(sorted({each.offset for each in inside if each.offset is not None}))
    bars = [bar for each in inside if (bar := _bar(each, offsets, source)) is not None]
    if not bars:
        return None
    first, last = min(b.first for b in bars), max(b.last for b in bars)
    return Strip(
        tuple(bars),
        offsets,
        first,
        last,
        tuple(sorted({edge for b in bars for edge in (b.first, b.last)})),
        lifetimes.peak_bytes,
        _peak(bars, lifetimes),
        lifetimes.saved_bytes,
        tuple(each.name for each in inside if each.first_line is None),
    )


def _bar(each: Lifetime, offsets: Sequence[int], source: SourceFacts) -> StripBar | None:
    if each.first_line is None or each.last_line is None or each.offset is None:
        return None
    first, last = _kept((each.first_line, each.last_line), source.loops)
    begin = offsets.index(each.offset)
    covered = [at for at in offsets if each.offset <= at < each.offset + each.size_bytes]
    declared = source.buffers.get(each.name)
    return StripBar(
        each.name,
        each.size_bytes,
        first,
        last,
        (begin, begin + len(covered)),
        each.shares_with,
        declared.line if declared is not None else None,
    )


def _kept(used: Lines, loops: Iterable[Lines]) -> Lines:
    """The lines of use with all of each loop in which a part of the use lies."""
    first, last = used
    for begin, end in loops:
        if (begin <= used[0] <= end) or (begin <= used[1] <= end):
            first, last = min(first, begin), max(last, end)
    return first, last


def _peak(bars: Sequence[StripBar], lifetimes: Lifetimes) -> Lines | None:
    """The lines over which the buffers of the peak are all kept."""
    own = [bar for bar in bars if bar.name in lifetimes.peak_buffers]
    if not own:
        return None
    first, last = max(bar.first for bar in own), min(bar.last for bar in own)
    return (first, last) if first <= last else None
