"""The nearest thread counts, tiles and policies to a kernel's own that a rule allows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from workbench.engine.doctor.model import Trouble
from workbench.engine.doctor.tiles import POLICIES
from workbench.engine.doctor.trials import Choice

MOST_THREADS = 1024
"""Threads that a block can have on every GPU of the table."""


def thread_counts(present: int | None, warp: int, most: int = MOST_THREADS) -> tuple[int, ...]:
    """Other thread counts in whole warps, the nearest first; powers of two before the rest."""
    counts = [n for n in range(warp, most + 1, warp) if n != present]
    base = math.log2(present or 4 * warp)

    def distance(count: int) -> tuple[bool, float, int]:
        return count & (count - 1) != 0, abs(math.log2(count) - base), count

    return tuple(sorted(counts, key=distance))


def partitions(m: int, n: int, warps: int, rows: int, columns: int, group: int = 1) -> bool:
    """Whether warps can share a product so that each has whole instructions of `rows` x `columns`.

    Source: ComputeDefaultWarpPartition and ComputeWgmmaWarpPartition of TileLang 0.1.15: the
    warps along M times those along N are all warps, the former a multiple of `group`.
    """
    return any(
        warps % along_m == 0 and m % (along_m * rows) == 0 and n % (warps // along_m * columns) == 0
        for along_m in range(group, warps + 1, group)
    )


def nearest_tiles(
    m: int, n: int, warps: int, rows: int, columns: int, group: int = 1
) -> tuple[tuple[int, int], ...]:
    """The least tiles of at least m x n that the warps can share, those of least area first."""
    wide = [
        (round_up(m, along_m * rows), round_up(n, warps // along_m * columns))
        for along_m in range(group, warps + 1, group)
        if warps % along_m == 0
    ]
    return tuple(sorted(set(wide), key=lambda tile: (tile[0] * tile[1], abs(tile[0] - tile[1]))))


def round_up(value: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `value`."""
    return -(-value // unit) * unit


def round_down(value: int, unit: int) -> int | None:
    """The largest multiple of `unit` that is not above `value`, None where there is none."""
    return value // unit * unit or None


def that_lower(trouble: Trouble, threads: tuple[int, ...], most: int = 3) -> tuple[int, ...]:
    """Those of some thread counts with which the kernel was seen to lower, the first ones."""
    if trouble.trials is None:
        return ()
    found = trouble.trials.that_lower([Choice(threads=count) for count in threads], most)
    return tuple(choice.threads for choice in found if choice.threads is not None)


def agreeing(trouble: Trouble, most: int = 3) -> tuple[Choice, ...]:
    """Policies and thread counts with which the kernel was seen to lower, least changes first."""
    if trouble.trials is None:
        return ()
    return trouble.trials.that_lower(_changes(trouble), most)


def _changes(trouble: Trouble) -> Iterator[Choice]:
    program = trouble.program
    policies = POLICIES if program.of_kind("gemm") else ()
    counts = [
        count
        for count in thread_counts(program.threads, trouble.warp_size)
        if count & (count - 1) == 0
    ]
    yield from (Choice(policy=policy) for policy in policies)
    yield from (Choice(threads=count) for count in counts)
    yield from (Choice(count, policy) for count in counts[:2] for policy in policies)
