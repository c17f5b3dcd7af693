"""Where checks hook into a translation: what they are told of a program, and may emit around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.tir import call_name

if TYPE_CHECKING:
    from workbench.engine.simulator.access import Sliced
    from workbench.engine.simulator.regions import Tile
    from workbench.engine.simulator.translator import Place, Translator

_ON_TILES = "tl.tileop."


@dataclass(frozen=True)
class ElementStore:
    """A store of one element for each lane or iteration; `node` is the value's expression.

    `view` is None where the store needs index arrays.
    """

    place: Place
    indices: Any
    node: Any
    value: Value
    view: Sliced | None


@dataclass(frozen=True)
class Update:
    """A combination of a value into an element, such as an atomic addition.

    `atomic` tells those that stand together with others' from `s[i] = s[i] + x`.
    """

    place: Place
    indices: Any
    node: Any
    atomic: bool


@dataclass(frozen=True)
class TileAccess:
    """What a tile operation does with one region."""

    tile: Tile
    reads: bool
    writes: bool


class Observer:
    """One kind of check; whatever it overrides is told before the access is emitted."""

    def begins(self, t: Translator) -> None:
        """The parameters are bound."""

    def ends(self, t: Translator) -> None:
        """All launches are emitted."""

    def allocates(self, t: Translator, place: Place, is_set: bool) -> None:
        """A block has new memory, `is_set` where it starts with a value."""

    def aliases(self, t: Translator, base: Place, place: Place) -> None:
        """A buffer sees the storage of another."""

    def loads(self, t: Translator, place: Place, indices: Any) -> None:
        """An element is read."""

    def decides(self, t: Translator, node: Any) -> None:
        """What runs next depends on an expression."""

    def binds(self, t: Translator, variable: Any, node: Any) -> None:
        """A variable gets the value of an expression."""

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        """An element is written; returns the store as it is to be emitted."""
        return store

    def stored(self, t: Translator, store: ElementStore) -> None:
        """The store has been emitted."""

    def updates(self, t: Translator, update: Update) -> None:
        """A value is combined into an element."""

    def touches(self, t: Translator, node: Any, access: TileAccess) -> None:
        """The tile operation `node` names a region that it reads, writes or both."""

    def operated(self, t: Translator, node: Any, accesses: Sequence[TileAccess]) -> None:
        """A tile operation has been emitted."""

    def enters_parallel(self, t: Translator, body: Any) -> None:
        """The outermost T.Parallel begins; its axes are known."""

    def leaves_parallel(self, t: Translator, privates: Sequence[Place]) -> None:
        """It ends; `privates` are the buffers that got the last iteration's values."""

    def conversion(self, t: Translator, value: Value, dtype: str) -> str | None:
        """Return other code for a cast, None to leave it as it is."""
        return None

    def accumulation(self, t: Translator, target: Tile) -> str | None:
        """Return what replaces the helper `round_sum` and its first argument, or None."""
        return None


@dataclass
class Instrumentation(Observer):
    """The checks of a translation, told in their order; none when checks are off."""

    observers: tuple[Observer, ...] = ()
    _accesses: list[TileAccess] | None = None
    _node: Any = None
    _privates: list[Place] = field(default_factory=list)

    def begins(self, t: Translator) -> None:
        for each in self.observers:
            each.begins(t)

    def ends(self, t: Translator) -> None:
        for each in self.observers:
            each.ends(t)

    def allocates(self, t: Translator, place: Place, is_set: bool) -> None:
        for each in self.observers:
            each.allocates(t, place, is_set)

    def aliases(self, t: Translator, base: Place, place: Place) -> None:
        for each in self.observers:
            each.aliases(t, base, place)

    def loads(self, t: Translator, place: Place, indices: Any) -> None:
        for each in self.observers:
            each.loads(t, place, indices)

    def decides(self, t: Translator, node: Any) -> None:
        for each in self.observers:
            each.decides(t, node)

    def binds(self, t: Translator, variable: Any, node: Any) -> None:
        for each in self.observers:
            each.binds(t, variable, node)

    def stores(self, t: Translator, store: ElementStore) -> ElementStore:
        for each in self.observers:
            store = each.stores(t, store)
        return store

    def stored(self, t: Translator, store: ElementStore) -> None:
        for each in self.observers:
            each.stored(t, store)

    def updates(self, t: Translator, update: Update) -> None:
        for each in self.observers:
            each.updates(t, update)

    def tile(self, t: Translator, tile: Tile, reads: bool, writes: bool) -> None:
        """Tell of a region; outside of an operation nobody wants to know."""
        if self._accesses is None:
            return
        access = TileAccess(tile, reads, writes)
        self._accesses.append(access)
        for each in self.observers:
            each.touches(t, self._node, access)

    @contextmanager
    def operation(self, t: Translator, node: Any) -> Iterator[None]:
        """Surround the translation of a call that stands as a statement."""
        if not self.observers:
            yield
            return
        outer = (self._accesses, self._node)
        self._accesses, self._node = [], node
        yield
        accesses = self._accesses
        self._accesses, self._node = outer
        for each in self.observers:
            each.operated(t, node, accesses)

    @property
    def on_tiles(self) -> bool:
        """Whether an operation on tiles is being translated: threads do it together."""
        return self._accesses is not None and call_name(self._node).startswith(_ON_TILES)

    def enters_parallel(self, t: Translator, body: Any) -> None:
        for each in self.observers:
            each.enters_parallel(t, body)

    def leaves_parallel(self, t: Translator, privates: Sequence[Place]) -> None:
        for each in self.observers:
            each.leaves_parallel(t, privates)

    def conversion(self, t: Translator, value: Value, dtype: str) -> str | None:
        codes = (each.conversion(t, value, dtype) for each in self.observers)
        return next((code for code in codes if code is not None), None)

    def accumulation(self, t: Translator, target: Tile) -> str | None:
        codes = (each.accumulation(t, target) for each in self.observers)
        return next((code for code in codes if code is not None), None)
