"""Occupancy as stairs over one resource of a block, with the kernel's place and the next step."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.block_limits import (
    BlockResources,
    Resource,
    uses_shared,
    warps_of,
)
from workbench.core.analysis.occupancy import carveout_of, limit_of
from workbench.session.lenses.occupancy.block import TargetBlock

_KIB = 1024


@dataclass(frozen=True)
class Point:
    """A value of the resource, and the blocks and part of the warps that it allows."""

    value: int
    blocks: int
    fraction: float

    @property
    def key(self) -> tuple[int, float]:
        """What tells two places apart."""
        return self.value, self.fraction


@dataclass(frozen=True)
class Curve:
    """One target's stairs. `steps` are the last values of each, rising, with what they allow.

    `at` is the kernel's own place, None where its value is unknown; `before` the one that it had
    with the case's own arguments, where it was another. `better` is the nearest value that gives
    more, `worse` the first above that gives less. `at_most` says that registers are unknown and
    the stairs are what would fit without them.
    """

    label: str
    mark: int
    steps: tuple[Point, ...]
    at: Point | None
    before: Point | None = None
    better: Point | None = None
    worse: int | None = None
    at_most: bool = False

    def fraction_at(self, value: int) -> float:
        """The part of the warps at a value; beyond the last step that of the last."""
        return next((p.fraction for p in self.steps if p.value >= value), self.steps[-1].fraction)


class Scale(enum.Enum):
    """How the values of an axis are written."""

    COUNT = 1
    KIB = _KIB


@dataclass(frozen=True)
class Stair:
    """Stairs of all targets over one resource; the axis goes from 0 to `most`."""

    resource: Resource
    title: str
    scale: Scale
    most: int
    ticks: tuple[int, ...]
    curves: tuple[Curve, ...]
    line: int | None = None


@dataclass(frozen=True)
class _Knob:
    """How a resource of a block is read and changed, and the values that it can have."""

    resource: Resource
    title: str
    scale: Scale
    read: Callable[[BlockResources], int | None]
    use: Callable[[BlockResources, int], BlockResources]
    range: Callable[[TargetBlock], range]

    @property
    def falls(self) -> bool:
        """Whether more of it never lets in more blocks: all but threads, which bring warps."""
        return self.resource is not Resource.WARPS


def stairs(
    blocks: Sequence[TargetBlock], before: Sequence[TargetBlock | None]
) -> tuple[Stair, ...]:
    """The stairs over registers, shared memory and threads; no other resource is a choice."""
    return tuple(_stair(knob, blocks, before) for knob in _KNOBS)


def _stair(
    knob: _Knob, blocks: Sequence[TargetBlock], before: Sequence[TargetBlock | None]
) -> Stair:
    curves = tuple(
        _curve(knob, each, earlier) for each, earlier in zip(blocks, before, strict=True)
    )
    most = _axis_end(knob, blocks, curves)
    ticks = tuple(range(_tick(knob, most), most + 1, _tick(knob, most)))
    return Stair(knob.resource, knob.title, knob.scale, most, ticks, curves)


def _curve(knob: _Knob, found: TargetBlock, earlier: TargetBlock | None) -> Curve:
    point, values = _measure(knob, found), knob.range(found)
    points = _falling(values, point) if knob.falls else map(point, values)
    steps = tuple(_merged(points))
    value = knob.read(found.block)
    at = point(value) if value is not None else None
    return Curve(
        found.target.label,
        found.target.mark,
        steps,
        at,
        _ghost(knob, earlier, at) if earlier is not None else None,
        _better(knob, steps, at),
        _worse(steps, at) if knob.falls else None,
        at_most=not found.is_known and knob.resource is not Resource.REGISTERS,
    )


def _ghost(knob: _Knob, earlier: TargetBlock, at: Point | None) -> Point | None:
    """Where an earlier block stood, if elsewhere."""
    was = knob.read(earlier.block)
    if was is None:
        return None
    place = _measure(knob, earlier)(was)
    return None if at is not None and (place.value, place.fraction) == at.key else place


def _measure(knob: _Knob, found: TargetBlock) -> Callable[[int], Point]:
    """What each value of a resource allows.

    Of registers and shared memory alone the other limits stay what they are, and are asked once.
    """
    base, arch = found.block, found.arch
    most, warps = arch.limits.max_warps_per_sm, warps_of(base, arch)
    assert most is not None
    fixed = [
        limit.blocks
        for limit in found.with_block(base).limits
        if limit.resource is not knob.resource and limit.blocks is not None
    ]
    carveout = carveout_of(arch, found.carveout_bytes)

    def whole(value: int) -> Point:
        held = found.with_block(knob.use(base, value))
        return Point(value, held.most_blocks, held.most_warps / most)

    def single(value: int) -> Point:
        block = knob.use(base, value)
        used = knob.resource is not Resource.SHARED or uses_shared(block, arch)
        own = limit_of(knob.resource, block, arch, carveout) if used else None
        blocks = min(fixed) if own is None else min(own, *fixed)
        return Point(value, blocks, blocks * warps / most)

    return single if knob.falls else whole


def _falling(values: range, point: Callable[[int], Point]) -> Iterator[Point]:
    """The last value of each step of what never rises, found by halving."""

    def between(low: Point, high: Point) -> Iterator[Point]:
        """Ends of the steps from `low` on that lie before `high`."""
        if low.blocks == high.blocks:
            return
        if high.value - low.value == 1:
            yield low
            return
        middle = point((low.value + high.value) // 2)
        yield from between(low, middle)
        yield from between(middle, high)

    last = point(values[-1])
    yield from between(point(values[0]), last)
    yield last


def _merged(points: Iterator[Point]) -> Iterator[Point]:
    """One point for each run of equal ones: its last."""
    for _, group in itertools.groupby(points, key=lambda each: (each.blocks, each.fraction)):
        yield list(group)[-1]


def _better(knob: _Knob, steps: Sequence[Point], at: Point | None) -> Point | None:
    """The nearest value with more warps: below, and for threads above too."""
    if at is None:
        return None
    better = [each for each in steps if each.fraction > at.fraction]
    below = [each for each in better if each.value < at.value]
    above = [each for each in better if each.value > at.value]
    found = below[-1:] + (above[:1] if not knob.falls else [])
    return min(found, key=lambda each: abs(each.value - at.value), default=None)


def _worse(steps: Sequence[Point], at: Point | None) -> int | None:
    """The first value above the kernel's at which fewer warps fit."""
    if at is None:
        return None
    held = [each for each in steps if each.value >= at.value]
    return held[0].value + 1 if len(held) > 1 else None


def _axis_end(knob: _Knob, blocks: Sequence[TargetBlock], curves: Sequence[Curve]) -> int:
    """Where the axis ends: at what can be, for shared memory not far beyond what is used."""
    most = max(knob.range(each)[-1] for each in blocks)
    if knob.scale is not Scale.KIB:
        return most
    used = max((each.at.value for each in curves if each.at is not None), default=0)
    return min(most, max(2 * used, 96 * _KIB))


def _tick(knob: _Knob, most: int) -> int:
    """The distance of ticks: about six of them."""
    unit = knob.scale.value
    steps = (8, 16, 32, 48, 64, 128, 256)
    return unit * next(step for step in steps if most / (step * unit) <= 8)


def _registers(found: TargetBlock) -> range:
    limits = found.arch.limits
    most = limits.max_vgprs_per_thread or limits.max_registers_per_thread
    assert most is not None
    return range(1, most + 1)


def _shared(found: TargetBlock) -> range:
    most = found.arch.limits.most_shared_bytes
    assert most is not None
    return range(most + 2)  # and the first that does not fit


def _threads(found: TargetBlock) -> range:
    warp, most = found.arch.limits.warp_size, found.arch.limits.max_threads_per_block
    assert warp is not None
    assert most is not None
    return range(warp, most + 1, warp)


def _use_shared(block: BlockResources, value: int) -> BlockResources:
    static = min(block.static_shared_bytes, value)
    return replace(block, static_shared_bytes=static, dynamic_shared_bytes=value - static)


_KNOBS = (
    _Knob(
        Resource.REGISTERS,
        "Registers a thread",
        Scale.COUNT,
        lambda block: block.registers,
        lambda block, value: replace(block, registers=value),
        _registers,
    ),
    _Knob(
        Resource.SHARED,
        "Shared memory a block, KiB",
        Scale.KIB,
        lambda block: block.shared_bytes,
        _use_shared,
        _shared,
    ),
    _Knob(
        Resource.WARPS,
        "Threads a block",
        Scale.COUNT,
        lambda block: block.threads,
        lambda block, value: replace(block, threads=value),
        _threads,
    ),
)
