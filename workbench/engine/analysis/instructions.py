"""The instructions of the lowered device IR in the order of the code: a walk without addresses.

It needs no constant launch, and tells what each statement is, which buffers it touches, and from
which line of the document it came. What each access costs is told by `accesses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tilelang import ir as tile_ir

from workbench.engine.analysis import instruction_calls
from workbench.engine.analysis.instruction_calls import Found, Place
from workbench.engine.analysis.tensor_maps import TensorMap
from workbench.engine.analysis.translation import class_of, dtype_bits, operator
from workbench.engine.user_lines import is_document


@dataclass(frozen=True)
class Instruction:
    """An instruction with its place in the code; `places` are the buffers that it touches."""

    position: int
    line: int | None
    found: Found

    @property
    def places(self) -> tuple[Place, ...]:
        """The buffers, in the order of the operands."""
        return self.found.places


@dataclass(frozen=True)
class LocalBuffer:
    """A buffer that the code allocates: its scope and what it takes."""

    name: str
    scope: str
    dtype: str
    size_bytes: int | None


@dataclass(frozen=True)
class DeviceCode:
    """The instructions of a device function, the positions in each loop, and its buffers.

    `offsets` are where buffers begin in the memory that merged allocations share, by name;
    `variables` are the pointers of all buffers, by name.
    """

    instructions: tuple[Instruction, ...]
    loops: tuple[tuple[int, int], ...]
    buffers: tuple[LocalBuffer, ...]
    offsets: Mapping[str, int | None]
    variables: Mapping[str, Any]


def device_code(func: Any, document: str, maps: Mapping[str, TensorMap]) -> DeviceCode:
    """The code of a device function; `maps` are the host's tensor maps by parameter."""
    walk = _Walk(document, maps)
    walk.statement(func.body)
    return DeviceCode(
        tuple(walk.found),
        tuple(walk.loops),
        tuple(walk.buffers),
        dict(walk.offsets),
        {name: variable for variable, name in walk.names.items()},
    )


class _Walk:
    def __init__(self, document: str, maps: Mapping[str, TensorMap]) -> None:
        self.found: list[Instruction] = []
        self.loops: list[tuple[int, int]] = []
        self.buffers: list[LocalBuffer] = []
        self.offsets: dict[str, int | None] = {}
        self.names: dict[Any, str] = {}
        self.maps = maps
        self._document = document
        self._line: int | None = None

    # -- what handlers of calls use ---------------------------------------------------------

    def add(self, found: Found) -> None:
        """Keep an instruction at the present line."""
        self.found.append(Instruction(len(self.found), self._line, found))

    def place(self, variable: Any) -> Place:
        """The buffer behind a pointer variable, whose name no other one has."""
        if variable not in self.names:
            name = str(variable.name)
            twins = sum(other.split("#")[0] == name for other in self.names.values())
            self.names[variable] = f"{name}#{twins + 1}" if twins else name
        return Place(self.names[variable], instruction_calls.scope_of(variable))

    def expression(self, node: Any) -> None:
        """Visit an expression for the loads and calls in it."""
        kind = class_of(node)
        if kind == "BufferLoad":
            self._access("load", node, node.dtype)
            for index in node.indices:
                self.expression(index)
        elif kind == "Call":
            instruction_calls.visit(self, node)
        else:
            for child in _children(node):
                self.expression(child)

    # -- statements -------------------------------------------------------------------------

    def statement(self, node: Any) -> None:
        """Visit a statement."""
        outer = self._line
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if span is not None:
            self._line = span[1] if is_document(span[0], self._document) else None
        _STATEMENTS.get(class_of(node), _Walk._others)(self, node)
        self._line = outer

    def _others(self, node: Any) -> None:
        for name in ("block", "body"):
            child = getattr(node, name, None)
            if child is not None:
                self.statement(child)

    def _sequence(self, node: Any) -> None:
        for child in node.seq:
            self.statement(child)

    def _bind(self, node: Any) -> None:
        if class_of(node.value) == "Call" and operator(node.value) == "handle_add_byte_offset":
            self.offsets[self.place(node.var).name] = _number(node.value.args[1])
        else:
            self.expression(node.value)
        self._others(node)

    def _loop(self, node: Any) -> None:
        begin = len(self.found)
        self._others(node)
        if len(self.found) > begin:
            self.loops.append((begin, len(self.found) - 1))

    def _branch(self, node: Any) -> None:
        self.expression(node.condition)
        self.statement(node.then_case)
        if node.else_case is not None:
            self.statement(node.else_case)

    def _evaluate(self, node: Any) -> None:
        self.expression(node.value)

    def _store(self, node: Any) -> None:
        self.expression(node.value)
        self._access("store", node, node.value.dtype)

    def _allocate(self, node: Any) -> None:
        buffer = node.buffer
        self.buffers.append(
            LocalBuffer(
                self.place(buffer.data).name,
                str(buffer.scope()),
                str(buffer.dtype),
                bytes_of(buffer),
            )
        )
        self._others(node)

    def _access(self, form: str, node: Any, dtype: Any) -> None:
        place = self.place(node.buffer.data)
        ramps = [index for index in node.indices if class_of(index) == "Ramp"]
        strided = any(_number(ramp.stride) != 1 for ramp in ramps)
        bits = dtype_bits(node.buffer.dtype) if strided else dtype_bits(dtype)
        self.add(Found(form, form, max(1, bits // 8), (place,)))


def bytes_of(buffer: Any) -> int | None:
    """Bytes of a buffer, None where its shape is not constant."""
    total = dtype_bits(buffer.dtype)
    for extent in buffer.shape:
        size = _number(extent)
        if size is None:
            return None
        total *= size
    return -(-total // 8)


def _children(node: Any) -> Iterator[Any]:
    for part in ("a", "b", "value", "base", "condition", "true_value", "false_value", "body"):
        child = getattr(node, part, None)
        if child is not None and not isinstance(child, (int, float, str)):
            yield child


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None  # known at launch only


_STATEMENTS: dict[str, Callable[[_Walk, Any], None]] = {
    "SeqStmt": _Walk._sequence,
    "Bind": _Walk._bind,
    "LetStmt": _Walk._bind,
    "For": _Walk._loop,
    "While": _Walk._loop,
    "IfThenElse": _Walk._branch,
    "Evaluate": _Walk._evaluate,
    "BufferStore": _Walk._store,
    "AllocBuffer": _Walk._allocate,
}
