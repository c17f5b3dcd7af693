"""Reads the layouts that TileLang inferred for the buffers of a kernel, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import tvm
from tvm import DataType, tirx

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_words import fragment_words, tile_words
from workbench.engine.analysis.translation import class_of

_INFERENCE = "tl.LayoutInference"
_MOST_ELEMENTS = 1 << 20
_REGISTER_BITS = 32
_LONGEST_MAP = 90

Values = npt.NDArray[np.int64]


@tvm.instrument.pass_instrument
class TileLayouts:
    """Watches a lowering and keeps what its inference of layouts says, by name of the buffer."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[Any, Any]] = {}

    def run_after_pass(self, module: Any, info: Any) -> None:
        """Keep the buffers and their layouts."""
        if info.name == _INFERENCE:
            for func in module.functions.values():
                tirx.stmt_functor.post_order_visit(func.body, self._visit)

    def _visit(self, node: Any) -> None:
        notes = getattr(node, "annotations", None)
        if notes is not None and "layout_map" in notes:
            for buffer, layout in notes["layout_map"].items():
                self.found[str(buffer.name)] = (buffer, layout)


def layouts_of(found: Mapping[str, tuple[Any, Any]]) -> tuple[BufferLayout, ...]:
    """The layouts that `TileLayouts` found, in the order of the code."""
    return tuple(_layout(name, *pair) for name, pair in found.items())


def _layout(name: str, buffer: Any, layout: Any) -> BufferLayout:
    scope, bits = str(buffer.scope()), DataType(str(buffer.dtype)).bits
    if class_of(layout) == "Fragment":
        elements = math.prod(int(n) for n in layout.get_output_shape())
        registers = -(-elements * bits // _REGISTER_BITS)
        threads, copies = int(layout.get_thread_size()), int(layout.replicate_size)
        return BufferLayout(name, scope, fragment_words(registers, threads, copies), registers)
    return BufferLayout(name, scope, _tile_text(layout, max(1, bits // 8)))


def _tile_text(layout: Any, element_bytes: int) -> str:
    """A layout of shared memory in words, else the map itself as TileLang writes it."""
    try:
        places = _places(layout)
    except (KeyError, TypeError, ValueError):
        places = None
    words = tile_words(places, element_bytes) if places is not None else None
    return words or _map_text(layout)


def _map_text(layout: Any) -> str:
    names = ", ".join(str(v) for v in layout.get_forward_vars())
    text = ", ".join(str(e) for e in layout.get_forward_index())
    cut = text if len(text) <= _LONGEST_MAP else f"{text[:_LONGEST_MAP]}…"
    return f"({names}) → ({cut})"


def _places(layout: Any) -> Values | None:
    """Where each element of the (last) tile of two dimensions lies; None where it has no such.

    What stands before the two are stages or batches, of which the first is looked at.
    """
    shape = [int(n) for n in layout.get_input_shape()]
    if len(shape) < 2 or shape[-2] * shape[-1] > _MOST_ELEMENTS:
        return None
    variables = list(layout.get_forward_vars())
    tile = np.indices(shape[-2:], dtype=np.int64)
    axes = [np.zeros(shape[-2:], np.int64)] * (len(shape) - 2) + [*tile]
    known = dict(zip((v.name for v in variables), axes, strict=True))
    place = np.zeros(shape[-2:], np.int64)
    for extent, index in zip(layout.get_output_shape(), layout.get_forward_index(), strict=True):
        place = place * int(extent) + _value(index, known)
    return place


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "FloorDiv": np.floor_divide,
    "FloorMod": np.mod,
    "Min": np.minimum,
    "Max": np.maximum,
}
_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "bitwise_xor": np.bitwise_xor,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
}


def _value(node: Any, known: Mapping[str, Values]) -> Any:
    """An index over the tile. KeyError for what it does not know."""
    kind = class_of(node)
    if kind == "IntImm":
        return int(node.value)
    if kind == "Var":
        return known[str(node.name)]
    if kind == "Cast":
        return _value(node.value, known)
    if kind == "Call":
        operation = _CALLS[str(node.op.name).rsplit(".", 1)[-1]]
        return operation(*(_value(a, known) for a in node.args))
    return _BINARY[kind](_value(node.a, known), _value(node.b, known))
