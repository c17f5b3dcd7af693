"""Reads the layouts that TileLang gave the buffers of a kernel, in words and as maps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import tvm
from tvm import DataType, tirx

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import REPLICA, LayoutMap, row_major
from workbench.core.analysis.layout_words import fragment_words, tile_words
from workbench.core.analysis.layouts import Ints
from workbench.engine.analysis.expressions import Axis, const, name
from workbench.engine.analysis.index_text import index_text
from workbench.engine.analysis.launch import Launch, launch_axes
from workbench.engine.analysis.translation import Translator, class_of

_INFERENCE = "tl.LayoutInference"
_SHARED = ("shared", "shared.dyn")
_MOST_ELEMENTS = 1 << 20
_REGISTER_BITS = 32
_LONGEST_MAP = 90
_AS_ALLOCATED = "row-major, as it is allocated"


@tvm.instrument.pass_instrument
class TileLayouts:
    """Watches a lowering and keeps what its inference of layouts says, by name of the buffer.

    `allocated` are the tiles of shared memory, with a layout or without.
    """

    def __init__(self) -> None:
        self.found: dict[str, tuple[Any, Any]] = {}
        self.allocated: dict[str, Any] = {}

    def run_after_pass(self, module: Any, info: Any) -> None:
        """Keep the buffers and their layouts."""
        if info.name == _INFERENCE:
            for func in module.functions.values():
                tirx.stmt_functor.post_order_visit(func.body, self._visit)

    def _visit(self, node: Any) -> None:
        for buffer in getattr(node, "alloc_buffers", ()):
            if buffer.scope() in _SHARED:
                self.allocated[str(buffer.name)] = buffer
        notes = getattr(node, "annotations", None)
        if notes is not None and "layout_map" in notes:
            for buffer, layout in notes["layout_map"].items():
                self.found[str(buffer.name)] = (buffer, layout)


def layouts_of(
    found: Mapping[str, tuple[Any, Any]], allocated: Mapping[str, Any] | None = None
) -> tuple[BufferLayout, ...]:
    """The layouts that `TileLayouts` found, in the order of the code, then what has none."""
    plain = (buffer for name, buffer in (allocated or {}).items() if name not in found)
    return (
        *(_layout(name, *pair) for name, pair in found.items()),
        *(_as_allocated(buffer) for buffer in plain),
    )


def _as_allocated(buffer: Any) -> BufferLayout:
    shape, dtype = _extents(buffer.shape), str(buffer.dtype)
    known = row_major(shape) if shape is not None else None
    return BufferLayout(
        str(buffer.name), str(buffer.scope()), _AS_ALLOCATED, None, dtype, _bits(dtype), known
    )


def _layout(name: str, buffer: Any, layout: Any) -> BufferLayout:
    scope, dtype = str(buffer.scope()), str(buffer.dtype)
    known, bits, registers = layout_map(layout), _bits(dtype), None
    if class_of(layout) == "Fragment":
        elements = math.prod(int(n) for n in layout.get_output_shape())
        registers = -(-elements * bits // _REGISTER_BITS)
        threads, copies = int(layout.get_thread_size()), int(layout.replicate_size)
        words = fragment_words(registers, threads, copies)
    else:
        words = _tile_text(layout, known, max(1, bits // 8))
    return BufferLayout(name, scope, words, registers, dtype, bits, known)


def _bits(dtype: str) -> int:
    return int(DataType(dtype).bits)


def layout_map(layout: Any) -> LayoutMap | None:
    """A layout of TileLang as index expressions; None where one is of another kind."""
    translate = Translator(launch_axes(Launch((1, 1, 1), (1, 1, 1), 1)))
    axes = []
    for variable in layout.get_forward_vars():
        translate.bind_node(variable, name(Axis(str(variable.name), const(0))))
        if str(variable.name) != REPLICA:  # one of them where elements have copies
            axes.append(str(variable.name))
    try:
        shape, extents = _whole(layout.get_input_shape()), _whole(layout.get_output_shape())
        index = tuple(index_text(translate(each)) for each in layout.get_forward_index())
        if class_of(layout) != "Fragment":
            return LayoutMap(shape, tuple(axes), index, extents)
        _bind_replica(translate, layout.thread)
        thread = index_text(translate(layout.thread))
    except (TypeError, ValueError):
        return None
    copies, threads = int(layout.replicate_size), int(layout.get_thread_size())
    first = int(layout.thread_range.min) if layout.thread_range is not None else 0
    return LayoutMap(shape, tuple(axes), index, extents, thread, copies, threads, first)


def _bind_replica(translate: Translator, thread: Any) -> None:
    """Let the axis of copies have a name in the expression of the thread."""

    def visit(node: Any) -> None:
        if class_of(node) == "Var" and str(node.name) == REPLICA:
            translate.bind_node(node, name(Axis(REPLICA, const(0))))

    tirx.stmt_functor.post_order_visit(thread, visit)


def _whole(extents: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in extents)


def _extents(extents: Any) -> tuple[int, ...] | None:
    """The extents as numbers; None where one is known at the launch only."""
    try:
        return _whole(extents)
    except (TypeError, ValueError):
        return None


def _places(known: LayoutMap | None) -> Ints | None:
    """Where each element of the last two dimensions lies; None for a layout that has no such."""
    if known is None or len(known.shape) < 2 or math.prod(known.tile) > _MOST_ELEMENTS:
        return None
    return known.places()


def _tile_text(layout: Any, known: LayoutMap | None, element_bytes: int) -> str:
    """A layout of shared memory in words, else the map itself as TileLang writes it."""
    places = _places(known)
    words = tile_words(places, element_bytes) if places is not None else None
    return words or _map_text(layout)


def _map_text(layout: Any) -> str:
    names = ", ".join(str(v) for v in layout.get_forward_vars())
    text = ", ".join(str(e) for e in layout.get_forward_index())
    cut = text if len(text) <= _LONGEST_MAP else f"{text[:_LONGEST_MAP]}…"
    return f"({names}) → ({cut})"
