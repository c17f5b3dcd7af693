"""Every access of the lowered device IR to shared or global memory: a walk over its statements."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tilelang import ir as tile_ir

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import calls
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.expressions import Axis, Const, Node, apply, const, name
from workbench.engine.analysis.launch import Launch, LaunchAxes, launch_axes
from workbench.engine.analysis.pointers import Pointers
from workbench.engine.analysis.translation import Translator, class_of, dtype_bits
from workbench.engine.user_lines import is_document

WIDEST = 16  # bytes of one access of a thread; wider vectors are split


@dataclass(frozen=True)
class DeviceAccesses:
    """The accesses of one kernel, in the order of the code."""

    axes: LaunchAxes
    accesses: tuple[Access, ...]
    warp: int


def device_accesses(
    func: Any, document: str, warp: int, descriptors: calls.Descriptors
) -> DeviceAccesses:
    """The accesses of a device function. Raises ValueError where its launch is not constant."""
    walk = Walk(func, document, warp, descriptors)
    walk.statement(func.body)
    return DeviceAccesses(walk.axes, tuple(walk.found), warp)


def launch_of(func: Any, warp: int) -> Launch:
    """The launch of a device function. Raises ValueError where an extent is not constant."""
    extents = {str(tag): value for tag, value in dict(func.attrs.get("thread_extent", {})).items()}
    sizes = {}
    for tag, value in extents.items():
        try:
            sizes[tag] = int(value)
        except (TypeError, ValueError):
            raise ValueError(f"{tag} has {value} as its extent, known at launch only") from None
    grid, block = (
        (sizes.get(f"{k}.x", 1), sizes.get(f"{k}.y", 1), sizes.get(f"{k}.z", 1))
        for k in ("blockIdx", "threadIdx")
    )
    return Launch(grid, block, warp)


class Walk:
    """Visits statements and expressions and keeps the loops and conditions around them."""

    def __init__(self, func: Any, document: str, warp: int, descriptors: calls.Descriptors) -> None:
        self.axes = launch_axes(launch_of(func, warp))
        self.translate = Translator(self.axes)
        self.pointers = Pointers(self.translate)
        self.descriptors = descriptors
        self.found: list[Access] = []
        self._document = document
        self._line: int | None = None
        self._loops: tuple[Axis, ...] = ()
        self._conditions: tuple[Node, ...] = ()
        self._remaining: tuple[Node, ...] = ()  # holds for the threads that have not returned
        self._left_loop = False

    # -- what handlers of calls use ---------------------------------------------------------

    def add(self, access: Access) -> None:
        """Keep an access with the loops, conditions and line around it."""
        if access.memory in ("shared", "global"):
            kept = replace(
                access,
                loops=self._loops,
                conditions=(*self._remaining, *self._conditions, *access.conditions),
                line=self._line,
            )
            self.found.append(kept)

    def expression(self, node: Any) -> None:
        """Visit an expression for the loads and calls in it."""
        handler = _EXPRESSIONS.get(class_of(node))
        if handler is not None:
            handler(self, node)
            return
        for part in ("a", "b", "value", "base", "condition", "true_value", "false_value"):
            child = getattr(node, part, None)
            if child is not None and not isinstance(child, (int, float, str)):
                self.expression(child)

    @contextlib.contextmanager
    def under(self, condition: Node) -> Iterator[None]:
        """Hold what the block finds under a condition."""
        outer = self._conditions
        self._conditions = (*outer, condition)
        try:
            yield
        finally:
            self._conditions = outer

    # -- statements -------------------------------------------------------------------------

    def statement(self, node: Any) -> None:
        """Visit a statement."""
        outer = self._line
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if span is not None:
            self._line = span[1] if is_document(span[0], self._document) else None
        self._visit(node)
        self._line = outer

    def _visit(self, node: Any) -> None:
        """What a statement means, with the line known; a subclass may know more kinds."""
        _STATEMENTS.get(class_of(node), Walk._others)(self, node)

    def _others(self, node: Any) -> None:
        body = getattr(node, "body", None)
        if body is not None:
            self.statement(body)

    def _sequence(self, node: Any) -> None:
        for child in node.seq:
            self.statement(child)

    def _attribute(self, node: Any) -> None:
        if node.attr_key == "thread_extent":
            self._bind_index(node.node.var, str(node.node.thread_tag))
        self.statement(node.body)

    def _bind_index(self, variable: Any, tag: str) -> None:
        kind, _, dimension = tag.partition(".")
        if kind == "threadIdx":
            self.translate.bind_node(variable, self.translate.thread_index(dimension))
        elif kind == "blockIdx":
            axis = self.axes.grid[dimension]
            alone = isinstance(axis.extent, Const) and axis.extent.value == 1
            self.translate.bind_node(variable, const(0) if alone else name(axis))

    def _let(self, node: Any) -> None:
        self.translate.bind(node.var, node.value)
        if not str(node.var.dtype).startswith("handle"):
            self.expression(node.value)
        self._others(node)

    def _loop(self, node: Any) -> None:
        self.expression(node.min)
        self.expression(node.extent)
        first = self.translate(node.min)
        axis = Axis(node.loop_var.name, self.translate(node.extent))
        self.translate.bind_node(node.loop_var, apply("add", first, name(axis)))
        outer, left, begin = self._loops, self._left_loop, len(self.found)
        self._loops, self._left_loop = (*outer, axis), False
        self.statement(node.body)
        if self._left_loop:
            self.doubt(begin, "its loop may be left early")
        self._loops, self._left_loop = outer, left

    def _while(self, node: Any) -> None:
        begin = len(self.found)
        self.expression(node.condition)
        self.statement(node.body)
        self.doubt(begin, "it is in a while loop, whose turns depend on data")

    def _branch(self, node: Any) -> None:
        self.expression(node.condition)
        condition = self.translate(node.condition)
        with self.under(condition):
            self.statement(node.then_case)
        if node.else_case is not None:
            with self.under(apply("not", condition)):
                self.statement(node.else_case)

    def _evaluate(self, node: Any) -> None:
        self.expression(node.value)

    def _store(self, node: Any) -> None:
        self.expression(node.value)
        for index in node.indices:
            self.expression(index)
        self._element(SharedKind.STORE, node.buffer, node.indices, node.value.dtype)

    def doubt(self, begin: int, reason: str) -> None:
        """Say of all accesses found since `begin` that they are unknown."""
        for place in range(begin, len(self.found)):
            self.found[place] = replace(self.found[place], unknown=reason)

    def leave(self, operation: str) -> None:
        """A turn, a loop or the kernel ends here for the threads that come here."""
        if operation == "thread_return" and not self._loops:
            here: Node = const(1)
            for condition in self._conditions:
                here = apply("and", here, condition)
            self._remaining = (*self._remaining, apply("not", here))
        else:
            self._left_loop = True

    # -- expressions ------------------------------------------------------------------------

    def _load(self, node: Any) -> None:
        for index in node.indices:
            self.expression(index)
        self._element(SharedKind.LOAD, node.buffer, node.indices, node.dtype)

    def _element(self, kind: SharedKind, buffer: Any, indices: Any, dtype: Any) -> None:
        place = self.pointers.of(buffer.data)
        if place.memory not in ("shared", "global"):
            return
        bits, width = dtype_bits(buffer.dtype), max(1, dtype_bits(dtype) // 8)
        operation = "BufferLoad" if kind is SharedKind.LOAD else "BufferStore"
        if len(indices) != 1:
            reason = "an index of several dimensions is not understood"
            found = Access(kind, place.memory, place.name, str(dtype), width, operation, None)
            self.add(replace(found, unknown=reason))
            return
        for piece, address in _pieces(self.translate, indices[0], bits, dtype_bits(dtype)):
            start = apply("add", place.base, address)
            self.add(Access(kind, place.memory, place.name, str(dtype), piece, operation, start))

    def _called(self, node: Any) -> None:
        calls.visit(self, node)

    def _let_expression(self, node: Any) -> None:
        self.translate.bind(node.var, node.value)
        self.expression(node.value)
        self.expression(node.body)

    def _ramp(self, node: Any) -> None:
        self.expression(node.base)

    def _nothing(self, node: Any) -> None:
        """A leaf."""


def _pieces(
    translate: Translator, index: Any, element_bits: int, bits: int
) -> Iterator[tuple[int, Node]]:
    """Width and byte address of each instruction that a vector of `bits` bits takes."""
    kind = class_of(index)
    if kind != "Ramp":
        if kind == "Broadcast":
            index = index.value
        elif getattr(index, "dtype", None) is not None and "x" in str(index.dtype):
            lanes = int(str(index.dtype).rpartition("x")[2])
            width = max(1, element_bits // 8)
            yield from (
                (width, _bytes(each, element_bits)) for each in translate.lanes(index, lanes)
            )
            return
        yield max(1, min(bits, element_bits) // 8), _bytes(translate(index), element_bits)
        return
    start, stride, lanes = translate(index.base), translate(index.stride), int(index.lanes)
    if isinstance(stride, Const) and stride.value == 1:
        total = max(1, lanes * element_bits // 8)
        first = _bytes(start, element_bits)
        for offset in range(0, total, WIDEST):
            yield min(WIDEST, total - offset), apply("add", first, const(offset))
        return
    for lane in range(lanes):
        each = apply("add", start, apply("mul", stride, const(lane)))
        yield max(1, element_bits // 8), _bytes(each, element_bits)


def _bytes(index: Node, element_bits: int) -> Node:
    if element_bits % 8 == 0:
        return apply("mul", index, const(element_bits // 8))
    return apply("floordiv", apply("mul", index, const(element_bits)), const(8))


_STATEMENTS: dict[str, Callable[[Walk, Any], None]] = {
    "SeqStmt": Walk._sequence,
    "AttrStmt": Walk._attribute,
    "Bind": Walk._let,
    "LetStmt": Walk._let,
    "For": Walk._loop,
    "While": Walk._while,
    "IfThenElse": Walk._branch,
    "Evaluate": Walk._evaluate,
    "BufferStore": Walk._store,
}
_EXPRESSIONS: dict[str, Callable[[Walk, Any], None]] = {
    "BufferLoad": Walk._load,
    "Call": Walk._called,
    "Let": Walk._let_expression,
    "Ramp": Walk._ramp,
    "Var": Walk._nothing,
    "SizeVar": Walk._nothing,
    "IntImm": Walk._nothing,
    "FloatImm": Walk._nothing,
    "StringImm": Walk._nothing,
}
