"""Reads off a tile-level function which regions of global tensors a block touches, turn by turn.

Source of the forms: TileLang 0.1.15, language/copy_op.py (`tl.region` of a load, an access mask and
extents), language/annotations.py (use_swizzle), language/kernel.py (the frames of T.Kernel).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tilelang import ir as tile_ir
from tvm import tirx

from workbench.core.analysis.index_expressions import FUNCTIONS
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import (
    BLOCK_NAMES,
    GlobalTensor,
    TileAccess,
    TileLoop,
    TileRegions,
)
from workbench.engine.analysis.expressions import Axis, Const, Node, apply, const, name
from workbench.engine.analysis.index_spans import Span, is_own, span_of
from workbench.engine.analysis.index_text import index_text
from workbench.engine.analysis.launch import Launch, launch_axes
from workbench.engine.analysis.translation import Translator, class_of, dtype_bits, operator
from workbench.engine.user_lines import is_document

_SERIAL, _PARALLEL, _VECTORIZED, _UNROLLED, _BOUND = range(5)  # tvm's ForKind
_READS, _WRITES = 1, 2  # bits of a region's access mask
_THREADS = "tl.launch_threads"
_SWIZZLE = "threadblock_swizzle_pattern"
_ORDERS = {
    "rasterization2DRow": "row",
    "rasterization2DColumn": "column",
    "rasterization2DMLX": "mlx",
}
_BODIES = ("block", "init", "body")
_PARTS = ("condition", "true_value", "false_value", "a", "b", "value", "base", "stride", "body")


def tile_regions(func: Any, document: str, place: int = 0) -> TileRegions:
    """What the blocks of the function's launch number `place` touch, with lines of `document`.

    Raises ValueError where there is no such launch, or where its grid is known at launch only.
    """
    launches = _launches(func.body)
    if place >= len(launches):
        raise ValueError("the kernel launches no grid of blocks")
    reader = _Reader(document, _threads(launches[place]))
    reader.statement(launches[place])
    return TileRegions(
        (reader.grid[0], reader.grid[1], reader.grid[2]),
        tuple(reader.names),
        tuple(reader.tensors.values()),
        tuple(reader.loops),
        tuple(reader.accesses),
        reader.swizzle,
        reader.line_of_launch,
    )


def _launches(body: Any) -> list[Any]:
    """The outermost loops over blocks, in the order of the code."""
    found: list[Any] = []

    def look(node: Any) -> None:
        if class_of(node) == "For" and _tag(node).startswith("blockIdx"):
            found.append(node)
            return
        for each in getattr(node, "seq", ()):
            look(each)
        for part in _BODIES:
            child = getattr(node, part, None)
            if child is not None:
                look(child)

    look(body)
    return found


def _tag(node: Any) -> str:
    binding = node.thread_binding if int(node.kind) == _BOUND else None
    return "" if binding is None else str(binding.thread_tag)


def _threads(launch: Any) -> tuple[int, int, int]:
    """The extents of a block."""
    found: list[tuple[int, ...]] = []

    def visit(node: Any) -> None:
        notes = getattr(node, "annotations", None) if class_of(node) == "SBlock" else None
        if notes and _THREADS in notes:
            found.append(tuple(int(each) for each in notes[_THREADS]))

    tirx.stmt_functor.post_order_visit(launch, visit)
    x, y, z = (*(found[0] if found else ()), 1, 1, 1)[:3]
    return x, y, z


def _tensor(buffer: Any) -> GlobalTensor:
    dtype = str(buffer.dtype)
    shape = tuple(_whole(extent) for extent in buffer.shape)
    return GlobalTensor(str(buffer.name), dtype, dtype_bits(dtype), shape)


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None  # known at launch only


class _Reader:
    """Walks a launch; what stands around a statement is kept while its inside is visited."""

    def __init__(self, document: str, threads: tuple[int, int, int]) -> None:
        self.grid = [1, 1, 1]
        self.names: list[str] = []
        self.loops: list[TileLoop] = []
        self.accesses: list[TileAccess] = []
        self.tensors: dict[str, GlobalTensor] = {}
        self.swizzle: Rasterization | None = None
        self.line_of_launch: int | None = None
        self._cluster = 1
        self._document = document
        axes = launch_axes(Launch((1, 1, 1), threads, 32))
        self._axes = axes
        self._translate = Translator(axes)
        self._line: int | None = None
        self._around: tuple[int, ...] = ()
        self._conditions: tuple[Node, ...] = ()
        self._reason: str | None = None
        self._into: str | None = None

    def statement(self, node: Any) -> None:
        """Visit a statement."""
        outer = self._line
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if span is not None and is_document(span[0], self._document):
            self._line = span[1]
        handler = _STATEMENTS.get(class_of(node), _Reader._children)
        handler(self, node)
        self._line = outer

    def _children(self, node: Any) -> None:
        for each in getattr(node, "seq", ()):
            self.statement(each)
        for part in _BODIES:
            child = getattr(node, part, None)
            if child is not None:
                self.statement(child)

    def block(self, node: Any) -> None:
        """A block of statements; that of T.Kernel says what it is launched with."""
        notes = dict(node.annotations or {})
        if _THREADS in notes:
            self.line_of_launch = self._line
        if "cluster_dims" in notes:
            self._cluster = int(notes["cluster_dims"][0])
        self._children(node)

    def attribute(self, node: Any) -> None:
        """An attribute; that of T.use_swizzle says in which order blocks are worked on."""
        if str(node.attr_key) == _SWIZZLE and class_of(node.value) == "Call":
            order, panel = node.value.args[0].value, int(node.value.args[1])
            found = _ORDERS.get(str(order), str(order))
            self.swizzle = Rasterization(found, panel, self._cluster)
        self._children(node)

    def bind(self, node: Any) -> None:
        """A name for a value."""
        value = node.value
        if class_of(value) == "Call" and operator(value) == "launch_thread_idx":
            index = self._translate.thread_index("xyz"[int(value.args[0])])
            self._translate.bind_node(node.var, index)
        else:
            self.expression(value)
            self._translate.bind(node.var, value)
        self._children(node)

    def loop(self, node: Any) -> None:
        """A loop over blocks, over threads at once, or of turns one after the other."""
        tag = _tag(node)
        if tag.startswith("blockIdx"):
            self._grid_axis(node, tag)
        elif tag or int(node.kind) in (_PARALLEL, _VECTORIZED):
            axis = Axis(str(node.loop_var.name), self._translate(node.extent), thread=True)
            first = self._translate(node.min)
            self._translate.bind_node(node.loop_var, apply("add", name(axis), first))
            self.statement(node.body)
        else:
            self._serial(node)

    def _grid_axis(self, node: Any, tag: str) -> None:
        extent = _whole(node.extent)
        if extent is None:
            raise ValueError("the grid is known at the launch only")
        place = "xyz".index(tag[-1])
        self.grid[place] = extent
        self.names.append(str(node.loop_var.name))
        self._translate.bind_node(node.loop_var, name(Axis(BLOCK_NAMES[place], const(extent))))
        self.statement(node.body)

    def _serial(self, node: Any) -> None:
        outer = self._around, self._reason
        start, extent = self._translate(node.min), self._translate(node.extent)
        stages = _whole(dict(node.annotations or {}).get("num_stages", 0)) or 0
        label = str(node.loop_var.name)
        own = self._name_for(label)
        self._translate.bind_node(node.loop_var, name(Axis(own, extent)))
        try:
            texts = [index_text(each) for each in (start, extent)]
        except ValueError as error:
            texts, self._reason = ["0", "1"], f"how often the loop turns: {error}"
        self.loops.append(TileLoop(own, label, texts[0], texts[1], stages, self._line))
        self._around = (*self._around, len(self.loops) - 1)
        self.statement(node.body)
        self._around, self._reason = outer

    def _name_for(self, label: str) -> str:
        base = re.sub(r"\W", "_", label)
        taken = {*FUNCTIONS, *BLOCK_NAMES, "and", "or", "not", *(each.name for each in self.loops)}
        free = (f"{base}_{n}" if n else base for n in range(len(taken) + 1))
        return next(each for each in free if each not in taken)

    def repeat(self, node: Any) -> None:
        """A while loop, of which nobody knows how often it turns."""
        outer, self._reason = self._reason, "a while loop decides how often it is done"
        self.expression(node.condition)
        self.statement(node.body)
        self._reason = outer

    def branch(self, node: Any) -> None:
        """A condition over statements."""
        self.expression(node.condition)
        condition = self._translate(node.condition)
        self._under(condition, lambda: self.statement(node.then_case))
        if node.else_case is not None:
            self._under(apply("not", condition), lambda: self.statement(node.else_case))

    def _under(self, condition: Node, visit: Any) -> None:
        outer = self._conditions
        self._conditions = (*outer, condition)
        visit()
        self._conditions = outer

    def store(self, node: Any) -> None:
        """A store of one element."""
        self.expression(node.value)
        for index in node.indices:
            self.expression(index)
        self._element(node.buffer, node.indices, reads=False, writes=True)

    def evaluate(self, node: Any) -> None:
        """A call as a statement."""
        self.expression(node.value)

    def expression(self, node: Any) -> None:
        """Visit an expression for what it reads, and for operations on regions in it."""
        kind = class_of(node)
        if kind == "BufferLoad":
            for index in node.indices:
                self.expression(index)
            self._element(node.buffer, node.indices, reads=True, writes=False)
        elif kind == "Call":
            self._call(node)
        else:
            for part in _PARTS:
                child = getattr(node, part, None)
                if child is not None and isinstance(child, tirx.PrimExpr):
                    self.expression(child)

    def _call(self, call: Any) -> None:
        operation = operator(call)
        if operation == "if_then_else":
            self.expression(call.args[0])
            condition = self._translate(call.args[0])
            self._under(condition, lambda: self.expression(call.args[1]))
            self._under(apply("not", condition), lambda: self.expression(call.args[2]))
            return
        regions = [each for each in call.args if _is_region(each)]
        outer = self._into
        self._into = _shared_target(regions) if "copy" in operation else None
        for place, argument in enumerate(call.args):
            if _is_region(argument):
                self._region(argument, operation)
            elif operation.startswith("atomic_") and place == 0:
                self._atomic(argument)
            else:
                self.expression(argument)
        self._into = outer

    def _atomic(self, node: Any) -> None:
        """The first argument of an atomic operation: what it changes."""
        inner = node.args[0] if class_of(node) == "Call" and len(node.args) else node
        if class_of(inner) == "BufferLoad":
            self._element(inner.buffer, inner.indices, reads=True, writes=True)
        else:
            self.expression(node)

    def _region(self, region: Any, operation: str) -> None:
        load, mask = region.args[0], int(region.args[1])
        if not _is_global(load.buffer):
            return
        reads, writes = bool(mask & _READS), bool(mask & _WRITES)
        if "im2col" in operation:
            self._add(load.buffer, reads, writes, unknown="it gathers windows of an image")
            return
        extents = [self._translate(each) for each in region.args[2:]]
        extents = [const(1)] * (len(load.indices) - len(extents)) + extents
        spans = []
        try:
            for index, extent in zip(load.indices, extents, strict=True):
                span = span_of(self._translate(index), self._own())
                extra = apply("add", span.extra, apply("sub", extent, const(1)))
                spans.append(Span(span.low, extra))
            self._add(load.buffer, reads, writes, spans)
        except ValueError as error:
            self._add(load.buffer, reads, writes, unknown=str(error))

    def _element(self, buffer: Any, indices: Sequence[Any], reads: bool, writes: bool) -> None:
        if not _is_global(buffer):
            return
        nodes = [self._translate(each) for each in indices]
        try:
            spans = [span_of(node, self._own()) for node in nodes]
            self._add(buffer, reads, writes, spans, _leaves_gaps(nodes, spans, self._own()))
        except ValueError as error:
            self._add(buffer, reads, writes, unknown=str(error))

    def _own(self) -> tuple[Node, ...]:
        """The conditions around that parallel axes alone decide."""
        return tuple(each for each in self._conditions if each.unknown is None and is_own(each))

    def _add(
        self,
        buffer: Any,
        reads: bool,
        writes: bool,
        spans: Sequence[Span] = (),
        gaps: bool = False,
        unknown: str | None = None,
    ) -> None:
        """Keep an access; one that is the same as one just before is the same."""
        self.tensors.setdefault(str(buffer.name), _tensor(buffer))
        guards, partly = self._guards()
        reason = unknown or self._reason
        found = TileAccess(
            str(buffer.name), reads, writes, self._line, self._around, guards=guards,
            into=self._into if reads else None, bounded=gaps or partly, unknown=reason,
        )  # fmt: skip
        if reason is None:
            extents = [apply("add", span.extra, const(1)) for span in spans]
            try:
                found = replace(
                    found,
                    offset=tuple(index_text(span.low) for span in spans),
                    extent=tuple(index_text(each) for each in extents),
                )
            except ValueError as error:
                found = replace(found, unknown=str(error))
        if found not in self.accesses[-8:]:
            self.accesses.append(found)

    def _guards(self) -> tuple[tuple[str, ...], bool]:
        """Conditions that blocks and loops alone decide; whether there are others."""
        told, partly = [], False
        for each in self._conditions:
            if each.unknown is not None or any(axis.thread for axis in each.axes):
                partly = partly or not is_own(each)
                continue
            if not isinstance(each, Const) or not each.value:
                told.append(index_text(each))
        return tuple(told), partly


def _leaves_gaps(nodes: Sequence[Node], spans: Sequence[Span], conditions: Sequence[Node]) -> bool:
    """Whether fewer elements are touched than the box of all indices has."""
    axes = frozenset[Axis]().union(*(node.axes for node in nodes))
    turns = [span_of(name(axis), conditions).extra for axis in axes if axis.thread]
    extras = [span.extra for span in spans]
    sizes = [each.value + 1 for each in (*turns, *extras) if isinstance(each, Const)]
    if len(sizes) < len(turns) + len(extras):
        return True
    return math.prod(sizes[: len(turns)]) < math.prod(sizes[len(turns) :])


def _is_region(node: Any) -> bool:
    return class_of(node) == "Call" and operator(node) == "region"


def _is_global(buffer: Any) -> bool:
    return str(buffer.scope()) in ("", "global")


def _shared_target(regions: Sequence[Any]) -> str | None:
    """The shared buffer that a copy fills."""
    if len(regions) < 2:
        return None
    buffer = regions[1].args[0].buffer
    return str(buffer.name) if str(buffer.scope()).startswith("shared") else None


_STATEMENTS: dict[str, Any] = {
    "For": _Reader.loop,
    "SBlock": _Reader.block,
    "AttrStmt": _Reader.attribute,
    "Bind": _Reader.bind,
    "While": _Reader.repeat,
    "IfThenElse": _Reader.branch,
    "BufferStore": _Reader.store,
    "Evaluate": _Reader.evaluate,
}
