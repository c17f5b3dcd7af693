"""The nearest changes of a block's resources that raise its occupancy."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from workbench.core.analysis.block_limits import (
    BlockResources,
    Resource,
    need,
    round_up,
    shared_allocation,
)
from workbench.core.analysis.occupancy import Occupancy, carveout_of, limit_of, occupancy_of
from workbench.core.targets.model import Architecture


@dataclass(frozen=True)
class Change:
    """A resource and the value that it must not exceed; threads must be that value exactly.

    SHARED is static and dynamic shared memory together, in bytes.
    """

    resource: Resource
    value: int


@dataclass(frozen=True)
class Step:
    """Changes that together give so many blocks and warps on an SM."""

    changes: tuple[Change, ...]
    blocks: int
    warps: int
    fraction: float


def better_steps(
    block: BlockResources,
    arch: Architecture,
    carveout_bytes: int | None = None,
    count: int = 3,
) -> tuple[Step, ...]:
    """Up to `count` steps of using less, then other numbers of threads, nearest first.

    The carve-out is kept, though the driver may choose another one. No steps where the
    occupancy is unknown or full.
    """
    now = occupancy_of(block, arch, carveout_bytes)
    if now is None or now.fraction is None or now.fraction >= 1:
        return ()
    lower = _using_less(now, block, arch, carveout_bytes)
    steps = [step for step, _ in zip(lower, range(count), strict=False)]
    return (*steps, *_other_threads(now, block, arch, carveout_bytes))


def _using_less(
    now: Occupancy, block: BlockResources, arch: Architecture, carveout_bytes: int | None
) -> Iterator[Step]:
    """Steps to more and more blocks; each changes all resources that would limit earlier."""
    reached = now.most_blocks
    while (changed := _with_blocks(reached + 1, block, arch, carveout_bytes)) is not None:
        smaller, changes = changed
        after = occupancy_of(smaller, arch, carveout_bytes)
        assert after is not None
        assert after.blocks is not None
        yield _step(changes, after)
        reached = after.blocks


def _with_blocks(
    goal: int, block: BlockResources, arch: Architecture, carveout_bytes: int | None
) -> tuple[BlockResources, tuple[Change, ...]] | None:
    """The block made small enough for `goal` blocks; None where that cannot be."""
    smaller, changes = block, []
    now = occupancy_of(block, arch, carveout_bytes)
    assert now is not None
    for limit in now.limits:
        if limit.blocks is not None and limit.blocks >= goal:
            continue
        value = _largest(limit.resource, goal, block, arch, carveout_bytes)
        if value is None:
            return None
        changes.append(Change(limit.resource, value))
        smaller = _KNOBS[limit.resource].use(smaller, value)
    return smaller, tuple(changes)


def _largest(
    resource: Resource,
    goal: int,
    block: BlockResources,
    arch: Architecture,
    carveout_bytes: int | None,
) -> int | None:
    """The largest smaller value of one resource with which it holds `goal` blocks."""
    knob, carveout = _KNOBS.get(resource), carveout_of(arch, carveout_bytes)
    if knob is None:
        return None
    for value in knob.values(block, arch):
        blocks = limit_of(resource, knob.use(block, value), arch, carveout)
        if blocks is not None and blocks >= goal:
            return value
    return None


def _other_threads(
    now: Occupancy, block: BlockResources, arch: Architecture, carveout_bytes: int | None
) -> list[Step]:
    """The nearest smaller and the nearest larger block with more warps on an SM."""
    warp = need(arch.limits.warp_size)
    below = range(round_up(block.threads, warp) - warp, 0, -warp)
    above = range(round_up(block.threads, warp) + warp, _most_threads(arch) + 1, warp)
    found = (_first_better(sizes, now, block, arch, carveout_bytes) for sizes in (below, above))
    return [step for step in found if step is not None]


def _first_better(
    sizes: Iterable[int],
    now: Occupancy,
    block: BlockResources,
    arch: Architecture,
    carveout_bytes: int | None,
) -> Step | None:
    for threads in sizes:
        after = occupancy_of(dataclasses.replace(block, threads=threads), arch, carveout_bytes)
        if after is not None and after.most_warps > now.most_warps:
            return _step((Change(Resource.WARPS, threads),), after)
    return None


def _step(changes: tuple[Change, ...], after: Occupancy) -> Step:
    assert after.blocks is not None
    assert after.warps is not None
    assert after.fraction is not None
    return Step(changes, after.blocks, after.warps, after.fraction)


def _most_threads(arch: Architecture) -> int:
    return need(arch.limits.max_threads_per_block)


@dataclass(frozen=True)
class _Knob:
    """How to use less of a resource: smaller values, falling, and the block with one of them."""

    values: Callable[[BlockResources, Architecture], Iterable[int]]
    use: Callable[[BlockResources, int], BlockResources]


def _fewer_registers(block: BlockResources, arch: Architecture) -> Iterable[int]:
    return range((block.registers or 0) - 1, 0, -1)


def _use_registers(block: BlockResources, value: int) -> BlockResources:
    return dataclasses.replace(block, registers=value)


def _less_shared(block: BlockResources, arch: Architecture) -> Iterable[int]:
    """What fills whole allocation units beside the reserve."""
    limits = arch.limits
    unit = need(limits.shared_allocation_unit_bytes)
    reserve = need(limits.shared_bytes_reserved_per_block)
    taken = shared_allocation(block, limits)
    return (size - reserve for size in range(taken - unit, reserve - 1, -unit))


def _use_shared(block: BlockResources, value: int) -> BlockResources:
    static = min(block.static_shared_bytes, value)
    return dataclasses.replace(
        block, static_shared_bytes=static, dynamic_shared_bytes=value - static
    )


def _fewer_barriers(block: BlockResources, arch: Architecture) -> Iterable[int]:
    return range(block.barriers - 1, 0, -1)


def _use_barriers(block: BlockResources, value: int) -> BlockResources:
    return dataclasses.replace(block, barriers=value)


_KNOBS = {
    Resource.REGISTERS: _Knob(_fewer_registers, _use_registers),
    Resource.SHARED: _Knob(_less_shared, _use_shared),
    Resource.BARRIERS: _Knob(_fewer_barriers, _use_barriers),
}
