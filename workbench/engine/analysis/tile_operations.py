"""The tile operations of a tile-level function, with what decides how each is lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tilelang import ir as tile_ir
from tvm import tirx

from workbench.core.analysis.choices import CopyShape, GemmShape
from workbench.engine.analysis.translation import class_of, dtype_bits, operator
from workbench.engine.user_lines import is_document

_PARALLEL = 1  # tvm's ForKind of T.Parallel
_STAGES = "num_stages"


@dataclass(frozen=True)
class TileOperation:
    """An operation of the document: `text` tells it with its buffers.

    `reads` and `writes` are the names of buffers; of a copy or a product there is its shape.
    `inner` are the lines of the statements in it, for one that has a body.
    """

    line: int | None
    kind: str
    text: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    copy: CopyShape | None = None
    gemm: GemmShape | None = None
    to_shared: bool = False
    from_shared: bool = False
    inner: frozenset[int] = frozenset()

    @property
    def lines(self) -> frozenset[int]:
        """The lines that its instructions carry."""
        return self.inner or (frozenset() if self.line is None else frozenset((self.line,)))


def tile_operations(func: Any, document: str, config: dict[str, Any]) -> tuple[TileOperation, ...]:
    """The operations in the order of the document; `config` is the pass configuration."""
    walk = _Walk(document, bool(config.get("tl.disable_tma_lower")))
    walk.statement(func.body)
    return tuple(walk.found)


class _Walk:
    def __init__(self, document: str, no_bulk: bool) -> None:
        self.found: list[TileOperation] = []
        self.line: int | None = None
        self.pipelined = False
        self.no_bulk = no_bulk
        self.threads: int | None = None
        self._document = document

    def statement(self, node: Any) -> None:
        """Visit a statement."""
        outer = self.line
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if span is not None:
            self.line = span[1] if is_document(span[0], self._document) else None
        kind = class_of(node)
        if kind == "For":
            self._loop(node)
        elif kind == "Evaluate" and class_of(node.value) == "Call":
            self._call(node.value)
        elif kind == "BufferStore":
            self._expression(node.value)
            self._element(node)
        else:
            self._children(node)
        self.line = outer

    def _children(self, node: Any) -> None:
        annotations = dict(getattr(node, "annotations", None) or {})
        if "tl.launch_threads" in annotations:
            self.threads = _product([int(each) for each in annotations["tl.launch_threads"]])
        for each in getattr(node, "seq", ()):
            self.statement(each)
        for name in ("block", "body", "then_case", "else_case"):
            child = getattr(node, name, None)
            if child is not None:
                self.statement(child)

    def _loop(self, node: Any) -> None:
        if int(node.kind) == _PARALLEL:
            self._parallel(node)
            return
        outer = self.pipelined
        stages = dict(node.annotations or {}).get(_STAGES)
        self.pipelined = outer or (stages is not None and int(stages) > 0)
        self.statement(node.body)
        self.pipelined = outer

    def _parallel(self, node: Any) -> None:
        """A nest of parallel loops is one operation of its outermost line."""
        extents, body = [], node
        while class_of(body) == "For" and int(body.kind) == _PARALLEL:
            extents.append(str(body.extent))
            body = body.body
        seen = _Names()
        seen.statement(node)
        text = f"T.Parallel({', '.join(extents)})"
        names = (tuple(seen.reads), tuple(seen.writes))
        lines = frozenset(line for line in self._lines_in(node) if line is not None)
        self.found.append(TileOperation(self.line, "parallel", text, *names, inner=lines))
        own, self.found = self.found, []
        self.statement(body)
        inner = [op for op in self.found if op.kind == "atomic"]
        self.found = [*own, *(op for op in inner if op.line != self.line)]

    def _lines_in(self, node: Any) -> Iterator[int | None]:
        """The lines of a statement and of all statements in it."""
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if span is not None and is_document(span[0], self._document):
            yield span[1]
        for name in ("block", "body", "then_case", "else_case"):
            child = getattr(node, name, None)
            if child is not None:
                yield from self._lines_in(child)
        for each in getattr(node, "seq", ()):
            yield from self._lines_in(each)

    def _call(self, call: Any) -> None:
        name = operator(call)
        handler = _OPERATIONS.get(name)
        if handler is not None:
            handler(self, call, name)
        elif name.startswith("atomic_"):
            self._atomic(call, name)
        else:
            self._expression(call)

    def _expression(self, node: Any) -> None:
        """Atomics that return a value stand in expressions."""
        if class_of(node) == "Call" and operator(node).startswith("atomic_"):
            self._atomic(node, operator(node))

    def _element(self, node: Any) -> None:
        """A store of one element by each thread, which is no tile operation."""
        seen = _Names()
        seen.statement(node)
        text = f"store {', '.join(seen.writes)} <- {', '.join(seen.reads) or 'a value'}"
        names = (tuple(seen.reads), tuple(seen.writes))
        self.found.append(TileOperation(self.line, "element", text, *names))

    def _atomic(self, call: Any, name: str) -> None:
        seen = _Names()
        seen.statement(call.args[0])
        what = name.removesuffix("_elem_op")
        text = f"T.{what} -> {', '.join(seen.reads) or '?'}"
        self.found.append(TileOperation(self.line, "atomic", text, (), tuple(seen.reads)))

    def add(self, kind: str, text: str, reads: list[Any], writes: list[Any], **more: Any) -> None:
        """Keep an operation on regions."""
        self.found.append(
            TileOperation(self.line, kind, text, _buffers(reads), _buffers(writes), **more)
        )


class _Names:
    """The buffers that statements read and write, each once."""

    def __init__(self) -> None:
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}

    def statement(self, node: Any) -> None:
        """Visit a statement or an expression."""
        tirx.stmt_functor.post_order_visit(node, self._visit)

    def _visit(self, node: Any) -> None:
        kind = class_of(node)
        if kind == "BufferLoad":
            self.reads[str(node.buffer.name)] = None
        elif kind == "BufferStore":
            self.writes[str(node.buffer.name)] = None


def _copy(walk: _Walk, call: Any, name: str) -> None:
    source, destination = call.args[0], call.args[1]
    if not (_is_region(source) and _is_region(destination)):
        return
    scopes = [_scope(each) for each in (source, destination)]
    walk.add(
        "copy",
        f"T.{name} {_label(source)} -> {_label(destination)}",
        [source],
        [destination],
        copy=_copy_shape(walk, call, source, destination) if "global" in scopes else None,
        from_shared=scopes[0].startswith("shared"),
        to_shared=scopes[1].startswith("shared"),
    )


def _copy_shape(walk: _Walk, call: Any, source: Any, destination: Any) -> CopyShape:
    to_global = _scope(destination) == "global"
    outside = destination if to_global else source
    buffer = _buffer(outside)
    element = dtype_bits(buffer.dtype)
    inner = _number(outside.args[-1])
    strides = [_number(each) for each in buffer.strides] or _dense(buffer)
    annotations = dict(getattr(call, "annotations", None) or {})
    return CopyShape(
        str(_buffer(source).dtype),
        str(_buffer(destination).dtype),
        to_global,
        None if inner is None else inner * element // 8,
        strides[-1],
        tuple(None if each is None else each * element // 8 for each in strides[:-1]),
        walk.pipelined,
        walk.no_bulk or bool(annotations.get("disable_tma", False)),
        None,
    )


def _dense(buffer: Any) -> list[int | None]:
    strides: list[int | None] = [1]
    for extent in reversed(list(buffer.shape)[1:]):
        size, last = _number(extent), strides[0]
        strides.insert(0, None if size is None or last is None else size * last)
    return strides


def _gemm(walk: _Walk, call: Any, name: str) -> None:
    regions = [arg for arg in call.args if _is_region(arg)]
    if len(regions) < 3:
        return
    a, b, c = regions[:3]
    numbers = [_number(arg) for arg in call.args[3:8]]
    shape = None
    if len(numbers) == 5 and None not in numbers:
        transposed_a, transposed_b, m, _, k = (int(each or 0) for each in numbers)
        shape = GemmShape(
            m,
            k,
            bool(transposed_a),
            bool(transposed_b),
            str(_buffer(a).dtype),
            str(_buffer(b).dtype),
            _scope(b),
            str(_buffer(c).dtype),
            _scope(c),
            walk.threads,
        )
    text = f"T.{name} {_label(a)}, {_label(b)} -> {_label(c)}"
    walk.add("gemm", text, [a, b], [c], gemm=shape)


def _reduce(walk: _Walk, call: Any, name: str) -> None:
    regions = [arg for arg in call.args if _is_region(arg)]
    kinds = [str(arg.value) for arg in call.args if class_of(arg) == "StringImm"]
    label = f"T.{name}_{kinds[0]}" if kinds else f"T.{name}"
    walk.add(
        "reduce",
        f"{label} {' -> '.join(_label(each) for each in regions)}",
        regions[:1],
        regions[1:],
    )


def _fill(walk: _Walk, call: Any, name: str) -> None:
    region = call.args[0]
    if _is_region(region):
        walk.add("fill", f"T.{name} {_label(region)}", [], [region])


_OPERATIONS: dict[str, Callable[[_Walk, Any, str], None]] = {
    "copy": _copy,
    "async_copy": _copy,
    "tma_copy": _copy,
    "dual_copy": _copy,
    "transpose": _copy,
    "gemm": _gemm,
    "gemm_py": _gemm,
    "gemm_sp": _gemm,
    "wgmma_gemm": _gemm,
    "tcgen05_gemm": _gemm,
    "gemm_blockscaled": _gemm,
    "reduce": _reduce,
    "cumsum": _reduce,
    "scan": _reduce,
    "finalize_reducer": _reduce,
    "fill": _fill,
}


def _is_region(node: Any) -> bool:
    return class_of(node) == "Call" and operator(node) == "region"


def _buffer(region: Any) -> Any:
    return region.args[0].buffer


def _scope(region: Any) -> str:
    return str(_buffer(region).scope()) or "global"


def _label(region: Any) -> str:
    return str(_buffer(region).name)


def _buffers(regions: list[Any]) -> tuple[str, ...]:
    return tuple(_label(each) for each in regions if _is_region(each))


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None  # known at launch only


def _product(values: list[int]) -> int:
    total = 1
    for value in values:
        total *= value
    return total
