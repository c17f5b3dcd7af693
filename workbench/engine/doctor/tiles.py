"""Reads off a tile-level function what a diagnosis speaks of: tiles, operations and accesses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tilelang import ir as tile_ir
from tvm import tirx

from workbench.engine.analysis.translation import class_of, operator
from workbench.engine.user_lines import is_document

POLICIES = ("Square", "FullRow", "FullCol")
"""The names of `T.GemmWarpPolicy` by their numbers."""

POLICY_ARGUMENT = 8
"""Where a product's policy stands among the arguments of its call."""

LAUNCH_THREADS = "tl.launch_threads"
_PARALLEL = 1  # tvm's ForKind of T.Parallel


@dataclass(frozen=True)
class Tile:
    """A buffer on the chip; a symbolic extent is None. `line` is that of its allocation."""

    name: str
    shape: tuple[int | None, ...]
    dtype: str
    scope: str
    line: int | None

    @property
    def label(self) -> str:
        """The tile with its shape, as a message names it."""
        extents = ", ".join("?" if extent is None else str(extent) for extent in self.shape)
        return f"`{self.name}` ({extents}{',' if len(self.shape) == 1 else ''})"


@dataclass(frozen=True)
class Product:
    """The shape of a product; `operands` are the names of A, B and C."""

    m: int
    n: int
    k: int
    policy: str | None
    operands: tuple[str, str, str]


@dataclass(frozen=True)
class Access:
    """One element that a statement reads or writes, and the loops that its indices run over."""

    tile: str
    indices: tuple[str, ...]
    variables: tuple[frozenset[str], ...]
    line: int | None
    serial: tuple[str, ...]


@dataclass(frozen=True)
class Operation:
    """One tile operation or nest of parallel loops, in the order of the document.

    `stages` and `pipeline_line` are of the pipelined loop around it. `shapes` are the extents of
    its regions (of a parallel nest, those of the loops), `dim` the dimension that is reduced.
    """

    kind: str
    line: int | None
    tiles: tuple[str, ...]
    shapes: tuple[tuple[int | None, ...], ...] = ()
    stages: int | None = None
    pipeline_line: int | None = None
    product: Product | None = None
    dim: int | None = None
    accesses: tuple[Access, ...] = ()

    @property
    def elements(self) -> int | None:
        """Elements that the operation works on, None where one extent is symbolic."""
        extents = self.shapes[0] if self.shapes else ()
        known = [extent for extent in extents if extent is not None]
        return math.prod(known) if len(known) == len(extents) else None


@dataclass(frozen=True)
class TileProgram:
    """What one function launches."""

    threads: int | None
    line: int | None
    tiles: dict[str, Tile]
    operations: tuple[Operation, ...]

    def of_kind(self, *kinds: str) -> tuple[Operation, ...]:
        """The operations of some kinds, in order."""
        return tuple(each for each in self.operations if each.kind in kinds)

    def is_fragment(self, name: str) -> bool:
        """Whether a name is that of a tile in the registers of the threads."""
        return name in self.tiles and "fragment" in self.tiles[name].scope


def read_tiles(func: Any, document: str) -> TileProgram:
    """What a tile-level function launches, with lines of `document`."""
    reader = _Reader(document)
    reader.statement(func.body)
    threads = math.prod(reader.threads) if reader.threads else None
    return TileProgram(threads, reader.launch_line, reader.tiles, tuple(reader.operations))


class _Reader:
    def __init__(self, document: str) -> None:
        self.tiles: dict[str, Tile] = {}
        self.operations: list[Operation] = []
        self.threads: tuple[int, ...] = ()
        self.launch_line: int | None = None
        self.line: int | None = None
        self.stages: int | None = None
        self.pipeline_line: int | None = None
        self.serial: tuple[str, ...] = ()
        self._document = document

    def statement(self, node: Any) -> None:
        """Visit a statement and what is in it."""
        outer, self.line = self.line, self.line_of(tile_ir.get_stmt_span(node)) or self.line
        kind = class_of(node)
        if kind == "For":
            self._loop(node)
        elif kind == "Evaluate" and class_of(node.value) == "Call":
            self._call(node.value)
        elif kind == "BufferStore":
            self._element(node)
        else:
            self._allocations(node)
            self._children(node, self.statement)
        self.line = outer

    def line_of(self, span: Any) -> int | None:
        """The line of the document that a span names."""
        found = tile_ir.span_to_location(span)
        return found[1] if found is not None and is_document(found[0], self._document) else None

    def add(self, kind: str, tiles: list[str], **more: Any) -> None:
        """Keep an operation of the present line and loop."""
        names = tuple(dict.fromkeys(tiles))
        more = {"stages": self.stages, "pipeline_line": self.pipeline_line, **more}
        self.operations.append(Operation(kind, self.line, names, **more))

    def _children(self, node: Any, visit: Callable[[Any], None]) -> None:
        for each in getattr(node, "seq", ()):
            visit(each)
        for name in ("block", "body", "then_case", "else_case"):
            child = getattr(node, name, None)
            if child is not None:
                visit(child)

    def _allocations(self, node: Any) -> None:
        annotations = dict(getattr(node, "annotations", None) or {})
        if LAUNCH_THREADS in annotations:
            extents = [number(each) for each in annotations[LAUNCH_THREADS]]
            self.threads = tuple(extent for extent in extents if extent is not None)
            self.launch_line = self.line
        for buffer in getattr(node, "alloc_buffers", ()):
            shape = tuple(number(extent) for extent in buffer.shape)
            name, line = str(buffer.name), self.line_of(buffer.span)
            self.tiles[name] = Tile(name, shape, str(buffer.dtype), str(buffer.scope()), line)

    def _loop(self, node: Any) -> None:
        if int(node.kind) == _PARALLEL:
            self._parallel(node)
            return
        stages = dict(node.annotations or {}).get("num_stages")
        outer = self.stages, self.pipeline_line, self.serial
        self.serial = (*self.serial, str(node.loop_var.name))
        if stages is not None:
            self.stages, self.pipeline_line = number(stages), self.line
        self.statement(node.body)
        self.stages, self.pipeline_line, self.serial = outer

    def _element(self, node: Any) -> None:
        """A store outside of parallel loops."""
        found = _Accesses(self)
        found.statement(node)
        self.add("element", [a.tile for a in found.accesses], accesses=tuple(found.accesses))

    def _parallel(self, node: Any) -> None:
        """A nest of parallel loops is one operation, of its outermost line."""
        extents, body = [], node
        while class_of(body) == "For" and int(body.kind) == _PARALLEL:
            extents.append(number(body.extent))
            body = body.body
        found = _Accesses(self)
        found.statement(body)
        tiles = [access.tile for access in found.accesses]
        shapes, accesses = (tuple(extents),), tuple(found.accesses)
        self.add("parallel", tiles, shapes=shapes, accesses=accesses)

    def _call(self, call: Any) -> None:
        kind = operator(call)
        regions = [each for each in call.args if _is_region(each)]
        names = [str(each.args[0].buffer.name) for each in regions]
        shapes = tuple(tuple(number(n) for n in each.args[2:]) for each in regions)
        family = next((f for f in ("gemm", "copy", "reduce") if f in kind), kind)
        if names:
            more = _DETAILS[family](call, names) if family in _DETAILS else {}
            self.add(family, names, shapes=shapes, **more)


class _Accesses:
    """The elements that the body of a parallel nest reads and writes."""

    def __init__(self, reader: _Reader) -> None:
        self.accesses: list[Access] = []
        self._reader = reader
        self._serial = reader.serial
        self._line = reader.line

    def statement(self, node: Any) -> None:
        """Visit a statement: loops are entered, of the rest each expression is looked through."""
        outer = self._line, self._serial
        self._line = self._reader.line_of(tile_ir.get_stmt_span(node)) or self._line
        kind = class_of(node)
        if kind == "For":
            self._serial = (*self._serial, str(node.loop_var.name))
            self.statement(node.body)
        elif kind in ("SeqStmt", "SBlock", "SBlockRealize", "AttrStmt"):
            self._reader._children(node, self.statement)
        else:
            tirx.stmt_functor.post_order_visit(node, self._visit)
        self._line, self._serial = outer

    def _visit(self, node: Any) -> None:
        if class_of(node) in ("BufferLoad", "BufferStore"):
            indices = tuple(str(index) for index in node.indices)
            variables = tuple(frozenset(_variables(index)) for index in node.indices)
            name = str(node.buffer.name)
            self.accesses.append(Access(name, indices, variables, self._line, self._serial))


def number(value: Any) -> int | None:
    """A constant of the IR, None where it is known at launch only."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def _variables(expression: Any) -> set[str]:
    names: set[str] = set()

    def visit(node: Any) -> None:
        if class_of(node) == "Var":
            names.add(str(node.name))

    tirx.stmt_functor.post_order_visit(expression, visit)
    return names


def _is_region(node: Any) -> bool:
    return class_of(node) == "Call" and operator(node) == "region"


def _product(call: Any, names: list[str]) -> dict[str, Any]:
    numbers = [number(each) for each in call.args[5 : POLICY_ARGUMENT + 1]]
    m, n, k, policy = (*numbers, None, None, None, None)[:4]
    if m is None or n is None or k is None or len(names) < 3:
        return {}
    known = policy is not None and 0 <= policy < len(POLICIES)
    name = POLICIES[policy] if known and policy is not None else None
    return {"product": Product(m, n, k, name, (names[0], names[1], names[2]))}


def _reduction(call: Any, names: list[str]) -> dict[str, Any]:
    dims = [number(each) for each in call.args if class_of(each) == "IntImm"]
    return {"dim": dims[0] if dims else None}


_DETAILS: dict[str, Callable[[Any, list[str]], dict[str, Any]]] = {
    "gemm": _product,
    "reduce": _reduction,
}
