"""Emits the checks of global memory between blocks: who wrote which element of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.engine.simulator.access import aligned_view, index_codes, is_distinct, sliced
from workbench.engine.simulator.instrumentation import (
    ElementStore,
    Observer,
    TileAccess,
    Update,
)
from workbench.engine.simulator.regions import Tile
from workbench.engine.simulator.tir import call_name, tirx, visit
from workbench.engine.simulator.translator import Place, Site, Touches, Translator

_ATOMIC_TILES = ("tl.tileop.atomicadd", "tl.tileop.atomicmax", "tl.tileop.atomicmin")
# Kernels with one of these order their blocks themselves, so that one may read what another wrote.
_ORDERING = ("tl.sync_grid", "tl.atomic_load_elem_op", "tl.atomic_store_elem_op")


class BlockObserver(Observer):
    """Keeps beside each written parameter a map of the blocks that wrote its elements."""

    def __init__(self, touches: Touches) -> None:
        self._written = touches.writes
        self._shared = touches.reads & touches.writes
        self._maps: dict[Any, str] = {}  # the program's name of a map, by data variable
        self._lines: dict[Any, int | None] = {}  # the launch that writes a parameter

    def begins(self, t: Translator) -> None:
        if _orders_blocks(t.func.body):
            self._shared = set()
        for buffer in t.func.buffer_map.values():
            if buffer.data in self._written and not _has_other_views(t, buffer):
                number, name = t.parameters[buffer.data], t.places[buffer].name
                code = f"owners_of(rt, {number}, {name}, {buffer.data in self._shared})"
                self._maps[buffer.data] = t.emitter.assign(code, "owners")

    def ends(self, t: Translator) -> None:
        for buffer in t.func.buffer_map.values():
            if _has_other_views(t, buffer):
                continue
            number = t.parameters[buffer.data]
            own = int(buffer.span.line) if buffer.span is not None else None
            line = self._lines.get(buffer.data, own)
            site = t.numbered(Site(line, str(buffer.name), True))
            name = t.places[buffer].name
            t.emitter.line(f"check_coverage(rt, {number}, {name}, {site})")

    def aliases(self, t: Translator, base: Place, place: Place) -> None:
        if base.data in self._maps or (base.is_global and base.data in self._written):
            # What is written through a buffer of another shape or type is not followed.
            t.emitter.line(f"forget_owners(rt, {t.parameters[base.data]})")

    def loads(self, t: Translator, place: Place, indices: Any) -> None:
        owners = self._map(place)
        if owners is not None:
            self._emit_elements(t, "observe", place, owners, indices)

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        owners = self._map(store.place)
        if owners is not None:
            self._lines.setdefault(store.place.data, t.launch_line)
            self._emit_elements(t, "claim", store.place, owners, store.indices)
        return store

    def updates(self, t: Translator, update: Update) -> None:
        owners = self._map(update.place)
        if owners is not None:
            self._lines.setdefault(update.place.data, t.launch_line)
            helper = "join" if update.atomic else "claim"
            self._emit_elements(t, helper, update.place, owners, update.indices)

    def touches(self, t: Translator, node: Any, access: TileAccess) -> None:
        tile = access.tile
        owners = self._map(tile.place)
        if owners is None:
            return
        if access.writes:
            self._lines.setdefault(tile.place.data, t.launch_line)
            is_atomic = call_name(node) in _ATOMIC_TILES
            _emit_tile(t, "join" if is_atomic else "claim", tile, owners)
        elif tile.place.data in self._shared:
            _emit_tile(t, "observe", tile, owners)

    def _map(self, place: Place) -> str | None:
        """Return the map of a parameter's elements, None where it is not followed."""
        return self._maps.get(place.data) if place.is_global else None

    def _emit_elements(
        self, t: Translator, helper: str, place: Place, owners: str, indices: Any
    ) -> None:
        if helper == "observe" and place.data not in self._shared:
            return
        site, view = t.site(place), sliced(t, place, indices)
        target = aligned_view(t, view) if view is not None and is_distinct(t, view) else None
        general = (
            f"{helper}_elements(rt, {owners}, {place.name},"
            f" {index_codes(t, place, indices)}, {t.mask_code()}, {site})"
        )
        if view is None or target is None or t.mask is not None:
            t.emitter.line(general)
            return
        rest = target.removeprefix(place.name)
        plain = f"{helper}(rt, {owners}, {place.name}, {owners}.cells{rest}, {target}, {site})"
        _emit_either(t, view.checks, plain, general)


def _emit_tile(t: Translator, helper: str, tile: Tile, owners: str) -> None:
    site, name = t.site(tile.place), tile.place.name
    rest = tile.code.removeprefix(name)
    if tile.shape == "()":
        index = f"{helper}_elements(rt, {owners}, {name}, {tile.starts}, None, {site})"
        t.emitter.line(index)
        return
    plain = f"{helper}(rt, {owners}, {name}, {owners}.cells{rest}, {tile.code}, {site})"
    general = f"{helper}_tile(rt, {owners}, {name}, {tile.starts}, {tile.extents}, {site})"
    _emit_either(t, tile.checks, plain, general)


def _emit_either(t: Translator, checks: Sequence[str], plain: str, general: str) -> None:
    """Emit the one where all checks hold, and the other where one does not."""
    if not checks:
        t.emitter.line(plain)
        return
    with t.emitter.suite(f"if {' and '.join(checks)}:"):
        t.emitter.line(plain)
    with t.emitter.suite("else:"):
        t.emitter.line(general)


def _has_other_views(t: Translator, buffer: Any) -> bool:
    """Whether the kernel sees a parameter as a buffer of another shape or type too."""
    return any(not other.same_as(buffer) for other in t.aliases.get(buffer.data, ()))


def _orders_blocks(body: Any) -> bool:
    """Whether blocks tell each other how far they are: atomics whose old value is used do."""
    return any(
        isinstance(node, tirx.Call)
        and (call_name(node) in _ORDERING or "_ret_elem_op" in call_name(node))
        for node in visit(body)
    )
