"""What each optimisation in a kernel does for a target: pipeline, roles, layouts, instructions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.figures import number, size
from workbench.core.targets.model import Vendor
from workbench.session.lenses.explain.model import Section, Sentence, Tone, joined, plural
from workbench.session.lenses.subject import LensTarget

_FORMATS = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}
_WIDE = 16  # bytes: the widest access of a thread
_NARROW = 4
_MATRIX = re.compile(r"mma|mfma|mmad|simdgroup")
_FORMATTED = re.compile(r"(.+) (\w+), \w+ -> (\w+)$")
_ARROW = " -> "
_KINDS = {"load": "loads of", "store": "stores to"}
_GLOBAL = re.compile(r"(load|store) (\d+) B (?:from|to) global")


def optimisations(target: LensTarget, kernel: KernelAnalysis) -> Section:
    """The section about what was done to be fast, and what it brings here."""
    parts = (
        *_pipelines(target, kernel),
        *_roles(kernel),
        *_copies(target, kernel),
        *_products(kernel),
        *_layouts(kernel),
        *_reductions(kernel),
        *_widths(kernel),
        *_order(kernel),
        *_merging(kernel),
    )
    if not parts:
        parts = (Sentence("Nothing is known in it that is there for speed alone."),)
    return Section("optimisations", f"What makes it fast on {target.label}", parts)


def _pipelines(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    facts = kernel.estimate.facts if kernel.estimate is not None else None
    for place, loop in enumerate(kernel.tiles.loops if kernel.tiles is not None else ()):
        if not loop.stages:
            continue
        yield Sentence(_stages(target, kernel, place, loop.stages), loop.line)
        if facts is not None and facts.waits and facts.depth != loop.stages:
            copies = f"{facts.depth} {'copy' if facts.depth == 1 else 'copies'}"
            text = f"As lowered for {target.label}, {copies} can be under way at once."
            yield Sentence(text, loop.line)


def _stages(target: LensTarget, kernel: KernelAnalysis, place: int, stages: int) -> str:
    """What the stages of a pipelined loop became: how many tiles its buffers hold."""
    held, total = _held(kernel, place)
    asked = f"T.Pipelined asks for {plural(stages, 'stage')}"
    if target.target.arch.vendor is Vendor.HUAWEI:
        return f"{asked}: room for {plural(stages, 'tile')} of each operand in a core's buffers."
    if not held:
        return f"{asked}; no tile of it lies in shared memory."
    room = f" They take {size(total)} of shared memory."
    if max(held) == 1:
        nothing = ", so none is loaded ahead into shared memory" if stages > 1 else ""
        return f"{asked}; on {target.label} each operand has one tile{nothing}.{room}"
    return (
        f"{asked}: {max(held)} tiles of each operand lie in shared memory, so that while one is "
        f"used {max(held) - 1} more can be on the way.{room}"
    )


def _held(kernel: KernelAnalysis, place: int) -> tuple[list[int], int]:
    """How many tiles each buffer holds that a loop fills, and the bytes of all."""
    tiles, found = kernel.tiles, kernel.lifetimes
    sizes = {each.name: each.size_bytes for each in found.buffers} if found is not None else {}
    held: dict[str, int] = {}
    for each in tiles.accesses if tiles is not None else ():
        known = all(extent.isdigit() for extent in each.extent) and each.extent
        if place not in each.loops or each.into not in sizes or not known or tiles is None:
            continue
        elements = math.prod(int(extent) for extent in each.extent)
        tile_bytes = elements * tiles.tensor(each.tensor).bits // 8
        held[each.into] = sizes[each.into] // max(1, tile_bytes)
    return [max(1, count) for count in held.values()], sum(sizes[name] for name in held)


def _roles(kernel: KernelAnalysis) -> Iterator[Sentence]:
    facts = kernel.estimate.facts if kernel.estimate is not None else None
    if facts is None or not facts.specialized:
        return
    line = kernel.tiles.line if kernel.tiles is not None else None
    text = (
        f"Warps have roles: of the {facts.threads} threads of a block 128 only start copies, "
        "so that those that compute never wait to start one"
    )
    if kernel.register_budget is not None:
        text += (
            f"; they hand registers on, and a thread that computes can hold {facts.most_registers}"
        )
    yield Sentence(f"{text}.", line)


def _copies(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    copies = [each for each in kernel.operations or () if each.kind == "copy" and each.instruction]
    bulk = [each for each in copies if (each.instruction or "").startswith("TMA")]
    background = [each for each in copies if each.instruction == "cp.async"]
    if bulk:
        names = joined(_outside(each.op, "store" in (each.instruction or "")) for each in bulk)
        text = (
            f"The tensor memory accelerator moves {names} in whole boxes: one thread starts a copy "
            "and no register holds its data."
        )
        yield Sentence(text, bulk[0].line)
    if background:
        names = joined(_outside(each.op, False) for each in background)
        text = (
            f"cp.async moves {names} past the registers, in the background of what "
            f"{target.label} computes meanwhile."
        )
        yield Sentence(text, background[0].line)


def _products(kernel: KernelAnalysis) -> Iterator[Sentence]:
    products = {
        (each.line, each.instruction): each
        for each in kernel.operations or ()
        if each.kind == "gemm" and _MATRIX.search(each.instruction or "")
    }
    for each in products.values():
        where = f"; {each.note}" if each.note else ""
        text = f"The product runs on {_matrix_words(each.instruction or '')}{where}."
        yield Sentence(text, each.line, buffer=each.buffers[-1] if each.buffers else None)


def _matrix_words(instruction: str) -> str:
    """A matrix instruction, with the formats that it tells."""
    told = _FORMATTED.match(instruction)
    if told is None:
        return f"the matrix units as {instruction}"
    operand, total = _FORMATS.get(told[2], told[2]), _FORMATS.get(told[3], told[3])
    return f"the tensor cores as {told[1]}: {operand} operands, summed in {total}"


def _layouts(kernel: KernelAnalysis) -> Iterator[Sentence]:
    swizzled = [each for each in kernel.layouts or () if "swizzle" in each.text]
    if not swizzled:
        return
    told = joined(f"{each.name} ({each.text})" for each in swizzled)
    clean = _without_conflicts(kernel)
    effect = f": {clean}" if clean else ""
    line = _first_line(kernel, swizzled[0].name)
    text = f"Tiles in shared memory are swizzled, {told}{effect}."
    yield Sentence(text, line, buffer=swizzled[0].name)


def _without_conflicts(kernel: KernelAnalysis) -> str:
    """What the swizzle brings: the reads of operands that have no conflict."""
    reads = (SharedKind.LDMATRIX, SharedKind.TENSOR)
    totals = kernel.shared.totals if kernel.shared is not None else ()
    known = [each for each in totals if each.kind in reads and each.wavefronts]
    if not known or any(each.conflicts for each in known):
        return ""
    count = sum(each.wavefronts or 0 for each in known)
    return f"the {number(count)} wavefronts that read operands have no bank conflict"


def _first_line(kernel: KernelAnalysis, name: str) -> int | None:
    buffers = kernel.lifetimes.buffers if kernel.lifetimes is not None else ()
    return next((each.first_line for each in buffers if each.name == name), None)


def _widths(kernel: KernelAnalysis) -> Iterator[Sentence]:
    wide = [each for each in _accesses(kernel) if each.width == _WIDE]
    if wide:
        names = joined(
            f"{kind} {joined(each.name for each in wide if each.kind == kind)}"
            for kind in dict.fromkeys(each.kind for each in wide)
        )
        text = f"{names} in global memory are {_WIDE} B wide, the most that a thread moves at once."
        yield Sentence(text[0].upper() + text[1:], wide[0].line)


def narrow_accesses(kernel: KernelAnalysis) -> Iterator[Sentence]:
    """The accesses to global memory that could be wider, for what limits the kernel."""
    for each in _accesses(kernel):
        if each.width <= _NARROW:
            fewer = _WIDE // each.width
            text = (
                f"{each.kind.capitalize()} {each.name} are only {each.width} B wide a thread; "
                f"with {_WIDE} B there would be {fewer} times fewer."
            )
            yield Sentence(text, each.line, Tone.LIMIT)


@dataclass(frozen=True)
class _Access:
    """Accesses of threads to global memory, `width` bytes each."""

    kind: str
    name: str
    width: int
    line: int | None


def _accesses(kernel: KernelAnalysis) -> Iterator[_Access]:
    for each in kernel.operations or ():
        for kind, width in _GLOBAL.findall(each.instruction or ""):
            name = _tensor(kernel, each, kind == "store")
            if name is not None:
                yield _Access(_KINDS[kind], name, int(width), each.line)


def _tensor(kernel: KernelAnalysis, operation: Operation, is_store: bool) -> str | None:
    """The tensor in global memory that an operation accesses; None where it does not tell."""
    if _ARROW in operation.op:
        return _outside(operation.op, is_store)
    tensors = kernel.tiles.tensors if kernel.tiles is not None else ()
    named = [each.name for each in tensors if each.name in operation.buffers]
    return named[0] if len(named) == 1 else None


def _outside(op: str, is_store: bool) -> str:
    """The tensor in global memory of a copy in the operation's own words."""
    source, _, into = op.removeprefix("T.copy ").partition(_ARROW)
    return into if is_store and into else source


def _reductions(kernel: KernelAnalysis) -> Iterator[Sentence]:
    for each in kernel.operations or ():
        if each.kind == "reduce" and each.instruction:
            text = f"{each.op} goes by {each.instruction}."
            yield Sentence(text, each.line, buffer=each.buffers[0] if each.buffers else None)


def _order(kernel: KernelAnalysis) -> Iterator[Sentence]:
    swizzle = kernel.tiles.swizzle if kernel.tiles is not None else None
    if swizzle is None or kernel.tiles is None:
        return
    text = (
        f"T.use_swizzle walks the blocks in panels of {swizzle.panel}, so that blocks which run at "
        "once share more of what lies in the L2."
    )
    yield Sentence(text, kernel.tiles.line)


def _merging(kernel: KernelAnalysis) -> Iterator[Sentence]:
    found = kernel.lifetimes
    sharing = [each for each in found.buffers if each.shares_with] if found is not None else []
    if found is None or not sharing or found.saved_bytes is None or found.saved_bytes <= 0:
        return
    first = sharing[0]
    text = (
        f"{first.name} lies where {joined(first.shares_with)} lay before, which saves "
        f"{size(found.saved_bytes)} of shared memory."
    )
    yield Sentence(text, first.first_line, buffer=first.name)
