"""The tile map of one target, and what it shows while a block is at a step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.analysis.tile_reuse import Reuse, best_swizzle, mean_reuse, wave_reuse
from workbench.core.analysis.tile_steps import MOST_STEPS, Block, Box, TileStep, box_at, steps_of
from workbench.core.targets.model import Vendor
from workbench.session.lenses.subject import LensTarget
from workbench.session.lenses.tiles.launch_text import block_names
from workbench.session.lenses.tiles.panel import Panel, needless_share, panel_numbers, panel_of
from workbench.session.lenses.tiles.slots import Slots, slots_at
from workbench.session.lenses.tiles.tensors import TensorAt, TensorView, tensor_at, views_of
from workbench.session.lenses.tiles.waves import BlockWaves, block_waves
from workbench.session.lenses.tiles.words import Offer, conclusion_of

_SWIZZLES = (Vendor.NVIDIA, Vendor.AMD, Vendor.APPLE)  # back ends that know T.use_swizzle


@dataclass(frozen=True)
class TileMap:
    """What is the same for all blocks and steps of a kernel on one target.

    `names` are the document's of the block's indices, x first, as far as they were found.
    `why_no_waves` says why `waves` is None. `reuse` and `offer` are None where the waves or a
    region that is read are unknown, `needless` where the region written is.
    """

    regions: TileRegions
    label: str
    waves: BlockWaves | None
    why_no_waves: str
    panel: Panel
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    needless: float | None
    reuse: Reuse | None
    offer: Offer | None
    lifetimes: Lifetimes | None
    conclusion: str
    names: tuple[str, ...] = ()

    def numbers(self, which: int, preview: bool) -> npt.NDArray[np.int64]:
        """The launch numbers of the blocks in the cells of a slice, -1 where there is none."""
        return panel_numbers(self.regions, self.panel, self.swizzle(preview), which)

    def swizzle(self, preview: bool) -> Rasterization | None:
        """The kernel's order of blocks, or in a preview the one that is offered."""
        return self.offer.swizzle if preview and self.offer is not None else self.regions.swizzle


@dataclass(frozen=True)
class BlockWalk:
    """The steps of one block, with the regions of each access; `cut` says there are more."""

    block: Block
    steps: tuple[TileStep, ...]
    boxes: tuple[tuple[tuple[int, Box], ...], ...]
    cut: bool

    @cached_property
    def touched(self) -> tuple[tuple[TileStep, tuple[tuple[int, Box], ...]], ...]:
        """Each step with its regions."""
        return tuple(zip(self.steps, self.boxes, strict=True))


@dataclass(frozen=True)
class TilesAt:
    """One block at one step: its place in the launch, what it reads then, and what its wave reads.

    `step` is from 0 of `count`; `step_text` says it in the words of the loop. `number` is that of
    the launch, `wave` from 0. `reads` are bytes by tensor at the step, `writes` likewise; with
    `at_most` a part of them may be left out.
    """

    block: Block
    number: int
    wave: int | None
    wave_reuse: Reuse | None
    step: int
    count: int
    step_text: str
    cut: bool
    inputs: tuple[TensorAt, ...]
    outputs: tuple[TensorAt, ...]
    reads: tuple[tuple[str, int], ...]
    writes: tuple[tuple[str, int], ...]
    at_most: bool
    slots: Slots | None
    lines: tuple[int, ...]


def tile_map(target: LensTarget, text: str = "") -> TileMap | None:
    """The tile map of a target's kernel, in a document's words; None where it is unknown."""
    kernel = target.kernel
    if kernel is None or kernel.tiles is None:
        return None
    regions = kernel.tiles
    found = block_waves(target, math.prod(regions.grid))
    waves, why = (None, found) if isinstance(found, str) else (found, "")
    panel, needless = panel_of(regions), needless_share(regions)
    reuse = mean_reuse(regions, regions.swizzle, waves.capacity) if waves is not None else None
    offer = _offer(target, regions, waves, reuse)
    told = conclusion_of(
        target.label, math.prod(regions.grid), waves, why, panel, needless, reuse, offer
    )
    return TileMap(
        regions,
        target.label,
        waves,
        why,
        panel,
        views_of(regions),
        views_of(regions, reads=False),
        needless,
        reuse,
        offer,
        kernel.lifetimes,
        told,
        block_names(text, regions.line),
    )


def block_walk(found: TileMap, block: Block) -> BlockWalk:
    """All steps of a block, to look at one after the other."""
    steps = steps_of(found.regions, block, MOST_STEPS + 1)
    cut, steps = len(steps) > MOST_STEPS, steps[:MOST_STEPS]
    boxes = []
    for step in steps:
        every = [(p, box_at(found.regions, p, block, step.turns)) for p in step.accesses]
        boxes.append(tuple((p, box) for p, box in every if box is not None))
    return BlockWalk(block, steps, tuple(boxes), cut)


def tiles_at(found: TileMap, walk: BlockWalk, step: int, number: int, preview: bool) -> TilesAt:
    """What the map shows while the block of a walk, launched as `number`, is at a step."""
    regions, waves = found.regions, found.waves
    step = min(max(0, step), max(0, len(walk.steps) - 1))
    here = walk.steps[step] if walk.steps else TileStep(())
    wave = waves.wave_of(number) if waves is not None else None
    reuse = (
        wave_reuse(regions, found.swizzle(preview), waves.capacity, wave)
        if waves is not None and wave is not None
        else None
    )
    inputs = tuple(tensor_at(regions, view, walk.touched, step) for view in found.inputs)
    outputs = tuple(tensor_at(regions, view, walk.touched, step, False) for view in found.outputs)
    own = [regions.accesses[p].line for p in here.accesses]
    return TilesAt(
        walk.block,
        number,
        wave,
        reuse,
        step,
        len(walk.steps),
        step_text(regions, here),
        walk.cut,
        inputs,
        outputs,
        _bytes(inputs),
        _bytes(outputs),
        any(regions.accesses[p].bounded for p in here.accesses),
        slots_at(regions, here, found.lifetimes),
        tuple(dict.fromkeys(line for line in own if line is not None)),
    )


def step_text(regions: TileRegions, step: TileStep) -> str:
    """A step in words: `k 23 of 64`, the turns of all loops around it from 0, or `no loop`."""
    turns = [f"{regions.loops[t.loop].label} {t.value}" for t in step.turns]
    if not turns and not any(access.loops for access in regions.accesses):
        return "all in one step"
    if not turns:
        does = {access.writes for access in (regions.accesses[p] for p in step.accesses)}
        return "writes, after the loops" if does == {True} else "outside of the loops"
    own = regions.loops[step.turns[-1].loop]
    namesakes = sum(each.label == own.label for each in regions.loops)
    where = f", line {own.line}" if namesakes > 1 and own.line is not None else ""
    return f"{', '.join(turns)} of {step.turns[-1].count}{where}"


def _offer(
    target: LensTarget, regions: TileRegions, waves: BlockWaves | None, reuse: Reuse | None
) -> Offer | None:
    if waves is None or reuse is None or target.target.arch.vendor not in _SWIZZLES:
        return None
    if target.quick or waves.count < 2 or _fits_l2(target):
        # All blocks run at once, or find each other's data whenever they run; or it is not yet
        # known whether they do.
        return None
    best = best_swizzle(regions, waves.capacity)
    return Offer(best[0], reuse, best[1]) if best is not None else None


def _fits_l2(target: LensTarget) -> bool:
    report = target.kernel.global_memory if target.kernel is not None else None
    return report is not None and report.traffic.fits_l2 is True


def _bytes(tensors: tuple[TensorAt, ...]) -> tuple[tuple[str, int], ...]:
    found = [(each.view.tensor.name, each.bytes_now) for each in tensors]
    return tuple((name, size) for name, size in found if size is not None)
