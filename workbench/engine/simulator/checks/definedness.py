"""Emits, beside each access of on-chip memory, what happens to the definedness of the values.

Undefined elements may be copied and computed with: only what reaches global memory, or decides what
runs next, is a finding, at the statement that read them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from workbench.engine.simulator.access import aligned_view, index_codes, is_distinct, sliced
from workbench.engine.simulator.checks.shadows import ACCUMULATOR
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import (
    ElementStore,
    Observer,
    TileAccess,
    Update,
)
from workbench.engine.simulator.memory import load, store
from workbench.engine.simulator.regions import Tile, emit_store, loaded
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Place, Translator

_CHOICES = ("tirx.if_then_else",)


class DefinednessObserver(Observer):
    """Keeps a shadow beside each on-chip buffer."""

    def __init__(self) -> None:
        self._shadows: dict[str, str] = {}  # the program's names: of an array, and of its shadow
        self._data: dict[Any, str] = {}  # the shadow of a data variable
        self._variables: dict[Any, Value] = {}  # the numbers of variables with loaded values
        self._sources: dict[Any, Any] = {}  # the first load in what such a variable is bound to
        self._is_off = False

    def begins(self, t: Translator) -> None:
        """Blocks of a cluster write each other's memory, which is not followed."""
        self._is_off = any(
            isinstance(node, tirx.SBlock) and "cluster_dims" in node.annotations
            for node in visit(t.func.body)
        )

    def allocates(self, t: Translator, place: Place, is_set: bool) -> None:
        if self._is_off or place.name not in t.memory_slots:
            return
        helper = "fresh_shadow(rt" if t.roles is None else "shared_shadow(role.team"
        # With another view of the storage, what is written cannot be followed.
        is_set = is_set or len(t.aliases.get(place.data, ())) > 1
        name = t.emitter.assign(f"{helper}, {place.name}, {is_set})", "shadow")
        self._shadows[place.name] = self._data[place.data] = name

    def leaves_parallel(self, t: Translator, privates: Sequence[Place]) -> None:
        for place in privates:
            if place.name in self._shadows:
                t.emitter.line(f"{self._shadows[place.name]}.reset(True)")

    def binds(self, t: Translator, variable: Any, node: Any) -> None:
        found = self._shadows_in(t, [node])
        if not found:
            return
        name = t.emitter.assign("np.int16(0)", "undefined")
        with self._unless_full(t, found):
            code = self._cells(t, node)
            t.emitter.line(f"{name} = {code}")
        rank = t.rank if any(self._is_vector(t, each) for each in visit(node)) else 0
        self._variables[variable] = Value(name, "int16", rank)
        self._sources[variable] = self._first_load(node)

    def _is_vector(self, t: Translator, node: Any) -> bool:
        return isinstance(node, (tirx.BufferLoad, tirx.Var)) and bool(t.axes)

    def decides(self, t: Translator, node: Any) -> None:
        found = self._shadows_in(t, [node])
        if not found:
            return
        site = t.numbered(t.sites[t.site(t.place(self._first_load(node).buffer))])
        with self._unless_full(t, found):
            code = self._cells(t, node)
            t.emitter.line(f"note_deciding(rt, {code}, {t.mask_code()}, {site})")

    def _first_load(self, node: Any) -> Any:
        """The load that a value comes from first, be it through variables that are bound to it."""
        for each in visit(node):
            if isinstance(each, tirx.BufferLoad):
                return each
            if isinstance(each, tirx.Var) and each in self._sources:
                return self._sources[each]
        raise ValueError(f"nothing is loaded in {node}")

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        nodes = [store.node, *store.indices]
        found = self._shadows_in(t, nodes)
        if store.place.is_global:
            self._reaches_global(t, store.place, store.indices, nodes, found)
            return store
        shadow = self._shadows.get(store.place.name)
        if shadow is None:
            return store
        target = aligned_view(t, store.view) if store.view is not None else None
        is_whole = target == store.place.name and t.mask is None and is_distinct(t, store.view)
        with self._unless_full(t, {*found, shadow}):
            if is_whole and not found:
                t.emitter.line(f"{shadow}.reset(True)")
            elif is_whole:
                with t.emitter.suite(f"if {_all_full(found)}:"):
                    t.emitter.line(f"{shadow}.reset(True)")
                with t.emitter.suite("else:"):
                    self._write(t, store.place, store.indices, shadow, store.node)
            else:
                self._write(t, store.place, store.indices, shadow, store.node)
        return store

    def _write(self, t: Translator, place: Place, indices: Any, shadow: str, node: Any) -> None:
        cells = t.emitter.assign(f"{shadow}.open()", "cells")
        code = self._cells(t, node)
        own = replace(place, name=cells, dtype="int16")
        with t.emitter.suite("with rt.quiet():"):
            value = Value(code, "int16", t.rank if code != _DEFINED else 0)
            store(t, own, indices, value, sliced(t, own, indices))
        t.emitter.line(f"{shadow}.settle()")

    def _reaches_global(
        self, t: Translator, place: Place, indices: Any, nodes: Sequence[Any], found: set[str]
    ) -> None:
        if not found:
            return
        with self._unless_full(t, found):
            code = _worst([self._cells(t, node) for node in nodes])
            index, site = index_codes(t, place, indices), t.site(place)
            t.emitter.line(
                f"note_undefined(rt, {code}, {place.name}, {index}, {t.mask_code()}, {site})"
            )

    def updates(self, t: Translator, update: Update) -> None:
        nodes = [update.node, *update.indices]
        found = self._shadows_in(t, nodes)
        if update.place.is_global:
            self._reaches_global(t, update.place, update.indices, nodes, found)
            return
        shadow = self._shadows.get(update.place.name)
        if shadow is None:
            return
        before = next(b for b, p in t.places.items() if p.name == update.place.name)
        own = tirx.BufferLoad(before, list(update.indices))
        value = update.node if isinstance(update.node, tirx.PrimExpr) else tirx.const(0, "int32")
        with self._unless_full(t, {*found, shadow}):
            both = tirx.Add(own, tirx.Cast(own.dtype, value))
            self._write(t, update.place, update.indices, shadow, both)

    def operated(self, t: Translator, node: Any, accesses: Sequence[TileAccess]) -> None:
        self._forget_pointers(t, node, accesses)
        found = {
            self._shadows[each.tile.place.name]
            for each in accesses
            if each.tile.place.name in self._shadows
        }
        written = [each for each in accesses if each.writes]
        if not found or not written:
            return
        reads = [each.tile for each in accesses if each.reads]
        inner = {self._shadows[e.place.name] for e in reads if e.place.name in self._shadows}
        target = written[-1].tile
        shadow = self._shadows.get(target.place.name)
        with self._unless_full(t, found):
            if shadow is not None and _covers(target):
                with t.emitter.suite(f"if {_all_full(inner)}:"):
                    t.emitter.line(f"{shadow}.reset(True)")
                with t.emitter.suite("else:"):
                    self._propagate(t, node, reads, target)
            else:
                self._propagate(t, node, reads, target)

    def _forget_pointers(self, t: Translator, node: Any, accesses: Sequence[TileAccess]) -> None:
        """What an operation does through a pointer is not followed: memory counts as written."""
        known = {each.tile.place.name for each in accesses}
        if call_name(node).startswith("tl.tileop.") or "atomic" in call_name(node):
            return
        for each in visit(node):
            if isinstance(each, tirx.Var) and each in self._data:
                t.emitter.line(f"{self._data[each]}.reset(True)")
            if isinstance(each, tirx.BufferLoad) and each.buffer in t.places:
                name = t.places[each.buffer].name
                if name in self._shadows and name not in known:
                    t.emitter.line(f"{self._shadows[name]}.reset(True)")

    def _propagate(self, t: Translator, node: Any, reads: Sequence[Tile], target: Tile) -> None:
        rule = _RULES.get(call_name(node), _of_all)
        with t.emitter.suite("with rt.quiet():"):
            tiles = [self._cells_of_tile(t, each) for each in reads]
            site = t.site(reads[-1].place, ACCUMULATOR) if reads else 0
            code = t.emitter.assign(rule(t, node, tiles, site, target.shape), "undefined")
            shadow = self._shadows.get(target.place.name)
            if shadow is not None:
                cells = t.emitter.assign(f"{shadow}.open()", "cells")
                emit_store(t, _renamed(target, cells), code)
                t.emitter.line(f"{shadow}.settle()")
        if shadow is None:
            place, ranges = target.place, f"{target.starts}, {target.extents}"
            t.emitter.line(
                f"note_undefined_tile(rt, {code}, {place.name}, {ranges}, {t.site(place)})"
            )

    def _cells_of_tile(self, t: Translator, tile: Tile) -> str:
        shadow = self._shadows.get(tile.place.name)
        if shadow is None:
            return f"np.zeros({tile.shape}, np.int16)"
        cells = t.emitter.assign(f"{shadow}.cells", "cells")
        return f"read_cells({loaded(t, _renamed(tile, cells))}, {t.site(tile.place)})"

    def _shadows_in(self, t: Translator, nodes: Iterable[Any]) -> set[str]:
        """Return what has to be looked at for the values of some expressions."""
        found: set[str] = set()
        for node in (each for root in nodes for each in visit(root)):
            if isinstance(node, tirx.BufferLoad) and node.buffer in t.places:
                name = self._shadows.get(t.places[node.buffer].name)
                found |= {name} if name else set()
            elif isinstance(node, tirx.Var) and node in self._variables:
                found.add(self._variables[node].code)
        return found

    @contextmanager
    def _unless_full(self, t: Translator, found: set[str]) -> Any:
        with t.emitter.suite(f"if not ({_all_full(found)}):"):
            yield

    def _cells(self, t: Translator, node: Any) -> str:
        """Return code for the numbers of an expression's value."""
        if isinstance(node, tirx.BufferLoad):
            return self._cells_of_load(t, node)
        if isinstance(node, tirx.Var):
            value = self._variables.get(node)
            return _DEFINED if value is None else value.code
        if isinstance(node, tirx.Select):
            return self._cells_of_choice(t, node.condition, node.true_value, node.false_value)
        if isinstance(node, tirx.Call) and call_name(node) in _CHOICES:
            return self._cells_of_choice(t, *node.args)
        return _worst([self._cells(t, child) for child in _operands(node)])

    def _cells_of_load(self, t: Translator, node: Any) -> str:
        place = t.places.get(node.buffer)
        shadow = None if place is None else self._shadows.get(place.name)
        if place is None or shadow is None:
            return _worst([self._cells(t, index) for index in node.indices])
        cells = t.emitter.assign(f"{shadow}.cells", "cells")
        site = t.site(place)
        t.places[node.buffer] = replace(place, name=cells, dtype="int16")
        with t.emitter.suite("with rt.quiet():"):
            code = t.emitter.assign(f"read_cells({load(t, node).code}, {site})", "undefined")
        t.places[node.buffer] = place
        return _worst([code, *(self._cells(t, index) for index in node.indices)])

    def _cells_of_choice(self, t: Translator, condition: Any, yes: Any, no: Any) -> str:
        left, right = self._cells(t, yes), self._cells(t, no)
        decided = self._cells(t, condition)
        if left == right == _DEFINED:
            return decided
        chosen = t.expression(condition).code
        return _worst([decided, f"np.where({chosen}, {left}, {right})"])


_DEFINED = "0"


def _all_full(names: Iterable[str]) -> str:
    """Return the condition that nothing is undefined, variables' numbers included."""
    tests = (
        f"{name}.full" if name.startswith("shadow") else f"not np.any({name})" for name in names
    )
    return " and ".join(sorted(tests)) or "True"


def _worst(codes: Sequence[str]) -> str:
    found = [code for code in dict.fromkeys(codes) if code != _DEFINED]
    if not found:
        return _DEFINED
    return found[0] if len(found) == 1 else f"worst({', '.join(found)})"


def _operands(node: Any) -> list[Any]:
    if isinstance(node, tirx.Call):
        return [arg for arg in node.args if isinstance(arg, tirx.PrimExpr)]
    if isinstance(node, (tirx.Cast,)):
        return [node.value]
    named = (getattr(node, name, None) for name in ("a", "b", "value", "base"))
    return [each for each in named if isinstance(each, tirx.PrimExpr)]


def _covers(tile: Tile) -> bool:
    """Whether a tile is the whole buffer."""
    sizes = zip(tile.region.extents, tile.place.shape, strict=True)
    return not tile.checks and all(
        static_int(extent) is not None and static_int(extent) == static_int(size)
        for extent, size in sizes
    )


def _renamed(tile: Tile, name: str) -> Tile:
    rest = tile.code.removeprefix(tile.place.name)
    return replace(tile, place=replace(tile.place, name=name, dtype="int16"), code=name + rest)


def _copied(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    return tiles[0]


def _transposed(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    return f"np.swapaxes({tiles[0]}, -1, -2)"


def _multiplied(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    """The arguments: A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, ..."""
    args = list(node.args)
    left, right = (
        f"{tile}.T" if static_int(flag) else tile
        for tile, flag in zip(tiles[:2], args[3:5], strict=True)
    )
    product, clear = f"product_cells({left}, {right})", t.scalar(args[9])
    if clear in ("True", "1"):
        return product
    # What the sum is added to is read by an accumulator, which has a code of its own.
    before = f"{tiles[2].rpartition(', ')[0]}, {site})"
    added = f"worst({product}, {before})"
    return added if clear in ("False", "0") else f"({product} if {clear} else {added})"


def _reduced(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    """The arguments are source, destination, kind, dimension, clear."""
    result = f"{tiles[0]}.max(axis={int(node.args[3])}).reshape({shape})"
    return result if len(tiles) < 2 else f"worst({result}, {tiles[1]})"


def _scanned(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    return f"np.max({tiles[0]}, axis={int(node.args[2])}, keepdims=True)"


def _of_all(t: Translator, node: Any, tiles: Sequence[str], site: int, shape: str) -> str:
    return f"largest_cell(({''.join(f'{tile}, ' for tile in tiles)}))"


_Rule = Callable[[Translator, Any, Sequence[str], int, str], str]
_RULES: dict[str, _Rule] = {
    "tl.tileop.copy": _copied,
    "tl.tileop.async_copy": _copied,
    "tl.tileop.tma_copy": _copied,
    "tl.tileop.transpose": _transposed,
    "tl.tileop.gemm": _multiplied,
    "tl.tileop.wgmma_gemm": _multiplied,
    "tl.tileop.tcgen05_gemm": _multiplied,
    "tl.tileop.reduce": _reduced,
    "tl.tileop.cumsum": _scanned,
    "tl.tileop.cummax": _scanned,
}
