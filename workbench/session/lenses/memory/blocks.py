"""What lies at each level of a GPU: tensors, shared buffers with their stages, fragments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from workbench.core.analysis.lifetimes import Lifetime
from workbench.core.analysis.tile_regions import GlobalTensor
from workbench.core.doctor.values import Scope
from workbench.core.figures import number, size
from workbench.session.lenses.memory.model import Flow, Level, MemoryBlock
from workbench.session.lenses.memory.source import SourceBuffer, SourceFacts
from workbench.session.lenses.subject import LensTarget

_AT_LAUNCH = "an extent is known at the launch only"
_REGISTER_BYTES = 4
_MADE = "not of the source, lowering makes it"


def tensor_blocks(target: LensTarget, source: SourceFacts) -> tuple[MemoryBlock, ...]:
    """The tensors of the kernel's parameters."""
    tiles = target.kernel.tiles if target.kernel is not None else None
    known = {each.name: _tensor(each, source) for each in (tiles.tensors if tiles else ())}
    declared = [each for each in source.buffers.values() if each.scope is Scope.GLOBAL]
    order = dict.fromkeys((*(each.name for each in declared), *known))
    # A tensor that no tile operation touches is in the source alone.
    made = {each.name: _declared(each) for each in declared} | known
    return tuple(made[name] for name in order)


def tensor_bytes(target: LensTarget, source: SourceFacts) -> float | None:
    """The bytes of all tensors; None where those of one are not known."""
    weights = [each.weight for each in tensor_blocks(target, source)]
    known = [weight for weight in weights if weight is not None]
    return sum(known) if known and len(known) == len(weights) else None


def l2_blocks(tensors: Sequence[MemoryBlock], flows: Iterable[Flow]) -> tuple[MemoryBlock, ...]:
    """What one block reads and writes of each tensor by way of the L2."""
    found = []
    for tensor in tensors:
        own = [f for f in flows if tensor.name in _beyond_l2(f)]
        known = [flow.moved for flow in own if flow.moved is not None]
        whole = len(known) == len(own) and own
        moved = sum(known) if whole else None
        why = "" if whole else next((f.why for f in own), "no access of it was found")
        text = _size(moved)
        found.append(
            MemoryBlock(
                tensor.name, (tensor.name,), moved, text, tensor.dtype, lines=tensor.lines, why=why
            )
        )
    return tuple(found)


def shared_blocks(target: LensTarget, source: SourceFacts) -> tuple[MemoryBlock, ...]:
    """The shared buffers; those at the same bytes are one block."""
    kernel = target.kernel
    lifetimes = kernel.lifetimes if kernel is not None else None
    if lifetimes is None:
        declared = [each for each in source.buffers.values() if each.scope is Scope.SHARED]
        return tuple(_declared(each) for each in declared)
    used = [each for each in lifetimes.buffers if each.used]
    blocks = [_shared(group, source) for group in _clusters(used)]
    beside = shared_total(target)
    rest = beside - sum(int(b.weight or 0) for b in blocks) if beside is not None else 0
    if rest > 0:
        note = "what alignment leaves empty between buffers and around barriers"
        blocks.append(MemoryBlock("alignment", (), rest, _size(rest), note=note))
    return tuple(blocks)


def shared_total(target: LensTarget) -> int | None:
    """Static and dynamic shared memory of a block."""
    block = target.kernel.block_resources if target.kernel is not None else None
    if block is not None:
        return block.shared_bytes
    return target.kernel.shared_dynamic_bytes if target.kernel is not None else None


def register_blocks(target: LensTarget, source: SourceFacts) -> tuple[MemoryBlock, ...]:
    """Fragments and local arrays by registers of a thread, and what the compiler adds to them."""
    fragments = list(_fragments(target, source))
    held = sum(each.weight or 0 for each in fragments)
    total = target.resources.registers if target.resources is not None else None
    if total is not None and total > held:
        rest = total - int(held)
        note = "addresses, indices and intermediate values that the compiler keeps"
        name = "other" if fragments else "temporaries"
        fragments.append(MemoryBlock(name, (), rest, number(rest), note=note))
    return tuple(fragments)


def tensor_memory_blocks(source: SourceFacts) -> tuple[MemoryBlock, ...]:
    """What is allocated in tensor memory."""
    declared = [each for each in source.buffers.values() if each.scope is Scope.TENSOR]
    return tuple(_declared(each) for each in declared)


def _tensor(tensor: GlobalTensor, source: SourceFacts) -> MemoryBlock:
    known = [extent for extent in tensor.shape if extent is not None]
    whole = len(known) == len(tensor.shape)
    weight = -(-prod(known) * tensor.bits // 8) if whole else None
    shape = "×".join("?" if n is None else str(n) for n in tensor.shape)
    return MemoryBlock(
        tensor.name,
        (tensor.name,),
        weight,
        _size(weight),
        tensor.dtype,
        lines=_line(tensor.name, source),
        note=shape,
        why="" if whole else _AT_LAUNCH,
    )


def _declared(buffer: SourceBuffer) -> MemoryBlock:
    return MemoryBlock(
        buffer.name,
        (buffer.name,),
        buffer.size_bytes,
        _size(buffer.size_bytes),
        buffer.dtype,
        lines=((buffer.name, buffer.line),),
        note=f"{buffer.shape}, as it is declared",
        why="" if buffer.size_bytes is not None else "the source does not fix its shape",
    )


def _beyond_l2(flow: Flow) -> tuple[str | None, ...]:
    """The tensor of a ribbon between L2 and the SM."""
    ends = (flow.source, flow.target)
    if any(end.level is Level.HBM for end in ends):
        return ()
    return tuple(end.buffer for end in ends if end.level is Level.L2)


def _clusters(buffers: Sequence[Lifetime]) -> Iterator[list[Lifetime]]:
    """Buffers that lie at the same bytes, also by way of another, in the order of their offsets."""
    beside = [each for each in buffers if each.offset is None]
    group: list[Lifetime] = []
    end = 0
    for each in sorted((b for b in buffers if b.offset is not None), key=lambda b: b.offset or 0):
        if group and (each.offset or 0) >= end:
            yield group
            group = []
        group.append(each)
        end = max(end, (each.offset or 0) + each.size_bytes)
    if group:
        yield group
    yield from ([each] for each in beside)


def _shared(group: Sequence[Lifetime], source: SourceFacts) -> MemoryBlock:
    ordered = sorted(group, key=lambda b: (b.first_line is None, b.first_line or 0))
    begin = min(each.offset or 0 for each in group)
    weight = max((each.offset or 0) + each.size_bytes for each in group) - begin
    copies = [_copies(each, source) for each in group if each.size_bytes == weight]
    stages = max(copies, default=1)
    text = f"{stages} × {size(weight // stages)}" if stages > 1 else _size(weight)
    shapes = [_shape(each.name, source) for each in ordered]
    return MemoryBlock(
        " ".join(each.name for each in ordered),
        tuple(each.name for each in ordered),
        weight,
        text,
        ordered[0].dtype,
        stages,
        tuple(line for each in ordered for line in _line(each.name, source)),
        "; ".join(shape for shape in shapes if shape),
    )


def _copies(each: Lifetime, source: SourceFacts) -> int:
    """How often a buffer's elements have room in what was allocated: the stages of a pipeline."""
    declared = source.buffers.get(each.name)
    once = declared.size_bytes if declared is not None else None
    if not once or each.size_bytes % once:
        return 1
    return each.size_bytes // once


def _shape(name: str, source: SourceFacts) -> str:
    declared = source.buffers.get(name)
    return f"{name} {declared.shape}" if declared is not None else f"{name}: {_MADE}"


def _fragments(target: LensTarget, source: SourceFacts) -> Iterator[MemoryBlock]:
    kernel = target.kernel
    layouts = kernel.layouts if kernel is not None else None
    known = {each.name: each.registers for each in layouts or () if each.registers is not None}
    for name, buffer in source.buffers.items():
        if buffer.scope not in (Scope.FRAGMENT, Scope.LOCAL):
            continue
        count = known.pop(name, None)
        yield _fragment(name, buffer, count if count is not None else _by_size(buffer, target))
    for name, count in known.items():
        yield _fragment(name, None, count)


def _by_size(buffer: SourceBuffer, target: LensTarget) -> int | None:
    """A fragment spread evenly over the threads; a local array is a thread's own."""
    extents = target.kernel.block if target.kernel is not None else (None,)
    if buffer.size_bytes is None or None in extents:
        return None
    threads = 1 if buffer.scope is Scope.LOCAL else prod(n for n in extents if n is not None)
    return -(-buffer.size_bytes // threads // _REGISTER_BYTES) or 1


def _fragment(name: str, buffer: SourceBuffer | None, count: int | None) -> MemoryBlock:
    return MemoryBlock(
        name,
        (name,),
        count,
        "" if count is None else number(count),
        buffer.dtype if buffer is not None else None,
        lines=((name, buffer.line),) if buffer is not None else (),
        note=buffer.shape if buffer is not None else "",
        why="" if count is not None else "neither its layout nor its size is known",
    )


def _line(name: str, source: SourceFacts) -> tuple[tuple[str, int], ...]:
    declared = source.buffers.get(name)
    return ((name, declared.line),) if declared is not None else ()


def _size(value: float | None) -> str:
    return "" if value is None else str(size(value))
