"""Reads the lowered host function: which tensor or size a variable is, and what is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.core.exporting.model import Dimension
from workbench.engine.export.expressions import UndescribedError
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit

# Fields of tvm_struct_get (tvm/tirx/builtin.h, TVMStructFieldKind, of tilelang 0.1.15).
_DATA, _SHAPE, _STRIDES, _ARGUMENT = 1, 2, 3, 15
_FIELDS = {_SHAPE: "shape", _STRIDES: "stride"}
_PACKED = ("tirx.tvm_call_packed", "tirx.tvm_call_packed_lowered")


@dataclass(frozen=True)
class HostCall:
    """A call that the host makes: of a packed function by name, or of a function of the module."""

    name: str
    args: tuple[Any, ...]
    packed: bool


@dataclass
class HostCode:
    """The host function of a kernel, whose parameters have the names of `parameters`.

    `dimensions` fills up with what expressions were found to name.
    """

    func: Any
    parameters: tuple[str, ...]
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    _bindings: dict[Any, Any] = field(default_factory=dict)
    _names: dict[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in visit(self.func.body):
            if isinstance(node, tirx.Bind):
                self._bindings[node.var] = node.value

    def calls(self) -> Iterator[HostCall]:
        """The calls in their order. Raises UndescribedError for one that is made conditionally."""
        yield from self._calls(self.func.body)

    def tensor(self, address: Any) -> str:
        """The parameter whose memory begins at an address. Raises UndescribedError."""
        read = self._read(self._followed(address), _DATA)
        if read is None:
            raise UndescribedError(
                f"the host passes the address {address}, which is not that of a parameter"
            )
        return self._parameter(read.args[0])

    def name_of(self, variable: Any) -> Any:
        """The name of a dimension or scalar parameter, else the expression that it stands for.

        Raises UndescribedError.
        """
        if variable in self._names:
            return self._names[variable]
        value = self._bindings.get(variable)
        if value is None:
            raise UndescribedError(f"the host's code does not say what {variable.name} is")
        dimension = self._dimension(variable, value)
        if dimension is not None:
            self._names[variable] = dimension.name
            self.dimensions[dimension.name] = dimension
            return dimension.name
        argument = self._read(value, _ARGUMENT)
        return value if argument is None else self._scalar(argument)

    def _calls(self, statement: Any) -> Iterator[HostCall]:
        kind = type(statement).__name__
        if kind == "SeqStmt":
            for each in statement.seq:
                yield from self._calls(each)
        elif kind == "AttrStmt":
            yield from self._calls(statement.body)
        elif kind in ("Evaluate", "Bind"):
            found = _call(statement.value)
            if found is not None:
                yield found
        elif any(_call(node) is not None for node in visit(statement)):
            raise UndescribedError(
                f"the host launches within {kind}, and launch.json has launches in a row only"
            )

    def _dimension(self, variable: Any, value: Any) -> Dimension | None:
        """The dimension that a value is, read from a tensor's shape or strides."""
        load = _loaded(value)
        if load is None:
            return None
        axis, read = static_int(load.indices[0]), self._bindings.get(load.buffer.data)
        if axis is None or read is None or not _is_read(read):
            return None
        kind = static_int(read.args[2])
        if kind not in _FIELDS:
            return None
        name, taken = str(variable.name), {*self._names.values(), *self.parameters}
        while name in taken:
            name += "_"
        parameter = self._parameter(read.args[0])
        return Dimension(name, str(variable.dtype), parameter, axis, _FIELDS[kind])

    def _followed(self, value: Any) -> Any:
        """What a variable was bound to, through other variables."""
        while isinstance(value, tirx.Var) and value in self._bindings:
            value = self._bindings[value]
        return value

    def _read(self, value: Any, kind: int) -> Any | None:
        """The first read of a field of that kind within a value."""
        nodes = visit(value) if isinstance(value, tirx.PrimExpr) else []
        return next((n for n in nodes if _is_read(n) and static_int(n.args[2]) == kind), None)

    def _parameter(self, handle: Any) -> str:
        argument = self._read(self._followed(handle), _ARGUMENT)
        if argument is None:
            raise UndescribedError(f"the host's code does not say which parameter {handle} is")
        return self._scalar(argument)

    def _scalar(self, argument: Any) -> str:
        position = static_int(argument.args[1])
        if position is None or position >= len(self.parameters):
            raise UndescribedError(f"the host reads the argument {argument.args[1]}")
        return self.parameters[position]


def _loaded(value: Any) -> Any | None:
    """The element of an array that a value is, also where it is another for a null array."""
    while isinstance(value, tirx.Cast):
        value = value.value
    if isinstance(value, tirx.Call) and call_name(value) == "tirx.if_then_else":
        condition, _, otherwise = value.args
        is_null = isinstance(condition, tirx.Call) and call_name(condition) == "tirx.isnullptr"
        return _loaded(otherwise) if is_null else None
    return value if isinstance(value, tirx.BufferLoad) else None


def _is_read(node: Any) -> bool:
    return isinstance(node, tirx.Call) and call_name(node) == "tirx.tvm_struct_get"


def _call(node: Any) -> HostCall | None:
    if not isinstance(node, tirx.Call):
        return None
    name, args = call_name(node), tuple(node.args)
    if name in _PACKED:
        return HostCall(str(args[0].value), args[1:], True)
    if name == "tirx.call_extern":
        return HostCall(str(args[0].value), args[1:], False)
    called = getattr(node.op, "name_hint", None)
    return None if called is None else HostCall(str(called), args, False)
