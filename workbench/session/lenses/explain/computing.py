"""What a kernel computes, block by block: its grid, the tiles it reads and writes, its loops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.tile_regions import TileAccess, TileLoop, TileRegions
from workbench.core.analysis.work import WorkUnit
from workbench.core.figures import number
from workbench.core.targets.model import Vendor
from workbench.session.lenses.explain.model import (
    Section,
    Sentence,
    joined,
    plural,
    times,
    unknown,
)
from workbench.session.lenses.subject import LensSubject, LensTarget

_UNITS = {
    WorkUnit.FLOAT: "additions and products",
    WorkUnit.SPECIAL: "special functions",
    WorkUnit.CONVERSION: "conversions",
    WorkUnit.SHUFFLE: "shuffles",
}
_MATRIX_UNITS = {Vendor.NVIDIA: "tensor cores"}


def computing(subject: LensSubject, target: LensTarget, kernel: KernelAnalysis) -> Section:
    """The section about the launch, its tiles and its work."""
    sentences = [_launch(subject, target, kernel)]
    if kernel.tiles is None:
        sentences.append(unknown("Which tiles a block touches", target.why_missing("tiles")))
    else:
        sentences += _tiles(kernel.tiles)
    sentences += _work(target, kernel)
    return Section("computes", "What it computes", tuple(sentences))


def made(kernel: KernelAnalysis) -> str:
    """What each block makes, in words; "" where it is not known."""
    tiles = kernel.tiles
    for each in tiles.accesses if tiles is not None else ():
        if not each.writes or not shape_of(each):
            continue
        assert tiles is not None
        loop = tiles.loops[each.loops[-1]] if each.loops else _first_loop(tiles)
        turns = f"{int(loop.extent):,}" if loop is not None and loop.extent.isdigit() else ""
        if each.loops:
            every = f" in each of {turns} turns" if turns else " at each turn"
            return f"writing {shape_of(each)} of {each.tensor}{every}"
        return f"making {shape_of(each)} of {each.tensor}{f' in {turns} turns' if turns else ''}"
    return ""


def _first_loop(tiles: TileRegions) -> TileLoop | None:
    """The first loop that reads tiles."""
    walked = [each.loops[0] for each in tiles.accesses if each.reads and each.loops]
    return tiles.loops[walked[0]] if walked else None


def shape_of(access: TileAccess) -> str:
    """The extents of a tile in words, those of 1 left out; "" where they are unknown."""
    if access.unknown is not None or not access.extent:
        return ""
    extents: list[int | str] = [int(e) if e.isdigit() else e for e in access.extent if e != "1"]
    if not extents:
        return "one element"
    text = f"{times(extents)} elements" if len(extents) == 1 else f"a {times(extents)} tile"
    return f"at most {text}" if access.bounded else text


def _launch(subject: LensSubject, target: LensTarget, kernel: KernelAnalysis) -> Sentence:
    known = [each for each in kernel.grid if each is not None]
    threads = [each for each in kernel.block if each is not None]
    line = kernel.tiles.line if kernel.tiles is not None else None
    name = subject.kernel or kernel.name
    if len(known) < 3:
        return Sentence(f"How many blocks {name} launches is decided at the launch.", line)
    sizes = [each for each in known if each > 1]
    product = f"{times(sizes)} = " if len(sizes) > 1 else ""
    has_threads = len(threads) == 3 and target.target.arch.vendor is not Vendor.HUAWEI
    size = f" of {plural(math.prod(threads), 'thread')}" if has_threads else ""
    return Sentence(f"{name} launches {product}{plural(math.prod(known), 'block')}{size}.", line)


def _tiles(tiles: TileRegions) -> Iterator[Sentence]:
    outer = [each for each in tiles.accesses if not each.loops]
    yield from _outputs(tiles)
    alone = [each for each in outer if each.reads and shape_of(each)]
    if alone:
        line = alone[0].line
        yield Sentence(f"Outside its loops a block reads {_parts(alone)}.", line, buffer=None)
    for place, loop in enumerate(tiles.loops):
        yield from _loop(place, loop, tiles.accesses)
    for each in tiles.accesses:
        if each.unknown is not None:
            yield unknown(f"Which part of {each.tensor} a block touches", each.unknown)


def _outputs(tiles: TileRegions) -> Iterator[Sentence]:
    for each in tiles.accesses:
        if each.writes and shape_of(each) and not each.loops:
            tensor = tiles.tensor(each.tensor)
            sizes = [size if size is not None else "?" for size in tensor.shape]
            whole = f"{times(sizes)} {tensor.dtype}"
            text = f"Each block writes {shape_of(each)} of {each.tensor} ({whole})."
            yield Sentence(text, each.line, buffer=each.tensor)


def _loop(place: int, loop: TileLoop, accesses: Sequence[TileAccess]) -> Iterator[Sentence]:
    inside = [each for each in accesses if each.loops[-1:] == (place,) and shape_of(each)]
    reads = [each for each in inside if each.reads]
    writes = [each for each in inside if each.writes]
    what = [f"reads {_parts(reads)}"] if reads else []
    what += [f"writes {_parts(writes)}"] if writes else []
    if not what:
        return
    count = f"{int(loop.extent):,} turns" if loop.extent.isdigit() else f"{loop.extent} turns"
    text = f"The loop over {loop.label} takes {count}; each {joined(what)}."
    yield Sentence(text, loop.line)


def _parts(accesses: Sequence[TileAccess]) -> str:
    return joined(f"{shape_of(each)} of {each.tensor}" for each in accesses)


def _work(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    work = kernel.work
    if work is None:
        yield unknown("How much it computes", target.why_missing("work"))
        return
    tensor = [each for each in work.sites if each.unit is WorkUnit.TENSOR]
    if tensor and work.tensor_flops:
        flops = number(float(work.tensor_flops) / 1e9)
        units = _MATRIX_UNITS.get(target.target.arch.vendor, "matrix units")
        text = f"Its products take {flops} GFLOP of the {units} in one launch."
        yield Sentence(text, tensor[0].line)
    counts = [(name, work.operations(unit)) for unit, name in _UNITS.items()]
    told = [f"{number(count)} {name}" for name, count in counts if count]
    if told:
        yield Sentence(f"Its threads carry out {joined(told)} in one launch.")
    for reason in dict.fromkeys(each.unknown for each in work.sites if each.unknown):
        yield unknown("A part of its work", reason)
