"""Which regions of global tensors a block touches at each turn of its loops, by the source alone.

What is told is what lowering tells too; where the source leaves anything open, nothing is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import (
    BLOCK_NAMES,
    GlobalTensor,
    TileAccess,
    TileLoop,
    TileRegions,
)
from workbench.core.doctor.facts import Access, KernelFacts, Loop, LoopKind, Operation
from workbench.core.doctor.values import Buffer, Region, Scope, bits_of, buffer_of
from workbench.session.lenses.quick.forms import FormSpan, Names, UntoldError, span_of_form

_COPIES = frozenset({"copy", "async_copy", "tma_copy"})
_TURNING = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED})
_SPREAD = frozenset({LoopKind.PARALLEL, LoopKind.VECTORIZED})
_ORDERS = ("row", "column")


def regions_of(
    facts: KernelFacts, grid: tuple[int, int, int], names: Sequence[str], line: int
) -> TileRegions:
    """The regions of a kernel with one launch, whose indices have `names`. Raises UntoldError."""
    if not facts.complete or any(each.scope is Scope.GLOBAL for each in facts.escaped):
        raise UntoldError("something is written that the source does not tell")
    reader = _Reader(dict(zip(names, BLOCK_NAMES, strict=False)))
    found: list[Operation | Access] = [*facts.operations, *facts.accesses]
    for each in sorted(found, key=lambda found: found.order):
        if isinstance(each, Access):
            reader.element(each)
        else:
            reader.operation(each)
    tensors = (buffer for buffer in (*facts.tensors, *facts.results) if buffer.name in reader.used)
    return TileRegions(
        grid,
        tuple(names),
        tuple(_tensor(each) for each in dict.fromkeys(tensors)),
        tuple(reader.loops),
        tuple(reader.accesses),
        reader.swizzle,
        line,
    )


@dataclass
class _Reader:
    """Keeps what was found so far; `blocks` are the names of expressions by the document's."""

    blocks: dict[str, str]
    loops: list[TileLoop] = field(default_factory=list)
    accesses: list[TileAccess] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    swizzle: Rasterization | None = None
    places: dict[int, int] = field(default_factory=dict)

    def operation(self, found: Operation) -> None:
        """A tile operation: of those on global tensors copies alone are understood."""
        if found.name == "use_swizzle":
            self.swizzle = _swizzle(found)
            return
        operands = (*found.arguments, *found.keywords.values())
        if not any(_is_global(each) for each in operands):
            return
        if found.name.startswith("annotate_"):
            return
        if found.name not in _COPIES or found.conditional:
            raise UntoldError(f"T.{found.name} in line {found.node.lineno} is not read")
        source, target = found.operand(0, "src"), found.operand(1, "dst")
        if _is_global(source):
            self._add(found, source, _spans(source, target), reads=True, into=_shared(target))
        if _is_global(target):
            self._add(found, target, _spans(target, source), reads=False)

    def element(self, found: Access) -> None:
        """An element that a statement reads or writes, of all turns of the parallel loops."""
        if _is_global(found.region):
            spans = [(index, 1) for index in found.region.starts]
            self._add(found, found.region, spans, reads=not found.is_write)

    def _add(
        self,
        found: Operation | Access,
        value: object,
        spans: Iterable[tuple[object, int]],
        reads: bool,
        into: str | None = None,
    ) -> None:
        buffer = buffer_of(value)
        assert buffer is not None
        names = self._names(found.loops)
        told = [_widened(span_of_form(low, names), extent) for low, extent in spans]
        if len(told) != len(buffer.shape) or _leaves_gaps(told, names):
            raise UntoldError(f"{buffer.name} in line {found.node.lineno} is read in parts")
        access = TileAccess(
            buffer.name,
            reads,
            not reads,
            found.node.lineno,
            tuple(self.places[id(loop)] for loop in found.loops if loop.kind in _TURNING),
            tuple(each.low for each in told),
            tuple(str(each.extent) for each in told),
            into=into,
        )
        self.used.add(buffer.name)
        if access not in self.accesses[-8:]:
            self.accesses.append(access)

    def _names(self, loops: Sequence[Loop]) -> Names:
        """What the variables around an access stand for; new loops are kept."""
        texts, spread = dict(self.blocks), dict[str, int]()
        for loop in loops:
            if loop.kind in _SPREAD and loop.extents and all(type(n) is int for n in loop.extents):
                spread.update(zip(loop.variables, loop.extents, strict=True))
                continue
            if loop.kind not in _TURNING or len(loop.extents) != 1 or len(loop.variables) != 1:
                raise UntoldError(f"the turns of line {loop.node.lineno} are not known")
            texts[loop.variables[0]] = self._turning(loop)
        return Names(texts, spread)

    def _turning(self, loop: Loop) -> str:
        if id(loop) not in self.places:
            extent, stages = loop.extents[0], loop.num_stages
            if type(extent) is not int:
                raise UntoldError(f"the turns of line {loop.node.lineno} are not known")
            label = loop.variables[0].split("@")[0]
            self.places[id(loop)] = len(self.loops)
            stages = stages if type(stages) is int else 0
            name = f"turn_{len(self.loops)}"
            self.loops.append(TileLoop(name, label, "0", str(extent), stages, loop.node.lineno))
        return self.loops[self.places[id(loop)]].name


def _widened(span: FormSpan, extent: int) -> FormSpan:
    return FormSpan(span.low, span.extent + extent - 1, span.steps)


def _leaves_gaps(spans: Sequence[FormSpan], names: Names) -> bool:
    """Whether elements of the box are left out: a step of a parallel loop passes over some."""
    turns = prod(names.spread.values())
    return bool(names.spread) and turns < prod(span.extent for span in spans)


def _spans(region: object, other: object) -> Iterator[tuple[object, int]]:
    """Where a copy begins in each dimension and how far it goes; a bare index takes the other's."""
    if isinstance(region, Buffer):
        yield from ((0, _whole(n)) for n in region.shape)
        return
    assert isinstance(region, Region)
    if None in region.indices:
        extents = [_whole(n) for n in region.extents]
    else:
        given = _extents(other)
        extents = [1] * (len(region.starts) - len(given)) + given[-len(region.starts) :]
    yield from zip(region.starts, extents, strict=True)


def _extents(value: object) -> list[int]:
    if isinstance(value, Buffer):
        return [_whole(n) for n in value.shape]
    if isinstance(value, Region) and None in value.indices:
        return [_whole(n) for n in value.extents]
    raise UntoldError("the size of a copy is not known before lowering")


def _whole(value: object) -> int:
    if type(value) is not int:
        raise UntoldError(f"{value} is not known before the launch")
    return value


def _swizzle(found: Operation) -> Rasterization | None:
    """What T.use_swizzle(panel_size, order="row", enable=True) asks for."""
    panel, order = found.operand(0, "panel_size"), found.operand(1, "order") or "row"
    enable = found.operand(2, "enable")
    if type(panel) is not int or order not in _ORDERS or enable not in (None, True, False):
        raise UntoldError("the order of the blocks is not known before lowering")
    return None if enable is False else Rasterization(order, panel)


def _is_global(value: object) -> bool:
    buffer = buffer_of(value)
    return buffer is not None and buffer.scope is Scope.GLOBAL


def _shared(value: object) -> str | None:
    buffer = buffer_of(value)
    return buffer.name if buffer is not None and buffer.scope is Scope.SHARED else None


def _tensor(buffer: Buffer) -> GlobalTensor:
    bits = bits_of(buffer.dtype)
    if bits is None or buffer.dtype is None:
        raise UntoldError(f"the dtype of {buffer.name} is not known")
    shape = tuple(n if type(n) is int else None for n in buffer.shape)
    return GlobalTensor(buffer.name, buffer.dtype, bits, shape)
