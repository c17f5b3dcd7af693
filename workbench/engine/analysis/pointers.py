"""Where the pointers of the lowered IR point: memory, buffer, and bytes from its start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.engine.analysis.expressions import Node, apply, const, unknown
from workbench.engine.analysis.translation import Translator, class_of, dtype_bits, operator


@dataclass(frozen=True)
class Place:
    """The beginning of a buffer: `memory` is "shared", "global", or another scope's name."""

    memory: str
    name: str
    base: Node


@dataclass(frozen=True)
class Target:
    """An address within a buffer, and the type of the elements there."""

    place: Place
    address: Node
    dtype: str
    element_bytes: float

    @property
    def memory(self) -> str:
        """The memory that the buffer is in."""
        return self.place.memory


class Pointers:
    """Follows pointers through the offsets that merged allocations give them."""

    def __init__(self, translate: Translator) -> None:
        self._translate = translate

    def of(self, variable: Any) -> Place:
        """Where a pointer variable points."""
        bound = self._translate.bound(variable)
        if bound is not None and class_of(bound) == "Call":
            if operator(bound) == "handle_add_byte_offset":
                root = self.of(bound.args[0])
                base = apply("add", root.base, self._translate(bound.args[1]))
                return Place(root.memory, str(variable.name), base)
        elif bound is not None and class_of(bound) == "Var":
            return self.of(bound)
        return Place(_memory(variable), str(variable.name), const(0))

    def target(self, argument: Any) -> Target | None:
        """Where an argument of a call points; None where it is no pointer."""
        kind = class_of(argument)
        handler = _TARGETS.get(operator(argument) if kind == "Call" else kind)
        return handler(self, argument) if handler else None

    def _access_pointer(self, call: Any) -> Target:
        dtype = str(call.args[0].dtype)
        return self._at(self.of(call.args[1]), call.args[2], dtype)

    def _address_of(self, call: Any) -> Target:
        return self._load(call.args[0])

    def _load(self, load: Any) -> Target:
        place, dtype = self.of(load.buffer.data), str(load.buffer.dtype)
        if len(load.indices) != 1:
            return Target(place, unknown("an index of several dimensions"), dtype, 1)
        index = load.indices[0]
        return self._at(place, index.base if class_of(index) == "Ramp" else index, dtype)

    def _variable(self, variable: Any) -> Target | None:
        if not _is_pointer(variable):
            return None
        place = self.of(variable)
        return Target(place, place.base, "uint8", 1)

    def _at(self, place: Place, index: Any, dtype: str) -> Target:
        bits = dtype_bits(dtype)
        offset = apply("floordiv", apply("mul", self._translate(index), const(bits)), const(8))
        if bits % 8 == 0:
            offset = apply("mul", self._translate(index), const(bits // 8))
        return Target(place, apply("add", place.base, offset), dtype, bits / 8)


def _is_pointer(variable: Any) -> bool:
    return class_of(_type_of(variable)) == "PointerType"


def _type_of(variable: Any) -> Any:
    return getattr(variable, "ty", None) or getattr(variable, "type_annotation", None)


def _memory(variable: Any) -> str:
    scope = str(getattr(_type_of(variable), "storage_scope", ""))
    if scope in ("shared", "shared.dyn"):
        return "shared"
    return "global" if scope in ("", "global") else scope


_TARGETS: dict[str, Callable[[Pointers, Any], Target | None]] = {
    "tvm_access_ptr": Pointers._access_pointer,
    "address_of": Pointers._address_of,
    "BufferLoad": Pointers._load,
    "Var": Pointers._variable,
}
