"""What padding, a swizzle or another access width would change about bank conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.bank_rules import AccessKind, BankRules, SharedAccess
from workbench.core.analysis.banks import BankCount, count_wavefronts
from workbench.core.analysis.layouts import SWIZZLES, Ints, LayoutError, TileLayout

_PLAIN = (AccessKind.LOAD, AccessKind.STORE)
_WIDTHS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, eq=False)
class TileAccess:
    """Which elements the lanes of a warp access: patterns x lanes of rows and columns.

    Each lane accesses the elements from there on that its width holds; a negative row is an
    inactive lane. `weights` says how often each pattern is executed, `outside` holds the global
    addresses of asynchronous copies.
    """

    access: SharedAccess
    layout: TileLayout
    rows: Ints
    columns: Ints
    weights: npt.NDArray[np.float64] | npt.NDArray[np.int64] | None = None
    outside: Ints | None = None

    def count(self, rules: BankRules) -> BankCount:
        """The wavefronts of all patterns."""
        shared = self.layout.addresses(self.rows, self.columns)
        return count_wavefronts(
            self.access, shared, rules, outside=self.outside, weights=self.weights
        )


@dataclass(frozen=True)
class Comparison:
    """Before and after a change; `extra_bytes` is what the tile takes more of shared memory."""

    change: str
    before: BankCount
    after: BankCount
    extra_bytes: int

    @property
    def saved(self) -> float | None:
        """Wavefronts saved; None where either is unknown."""
        if self.before.wavefronts is None or self.after.wavefronts is None:
            return None
        return self.before.wavefronts - self.after.wavefronts


def with_layout(tile: TileAccess, layout: TileLayout) -> TileAccess:
    """The same elements in another layout."""
    return replace(tile, layout=layout)


def with_width(tile: TileAccess, width_bytes: int) -> TileAccess | None:
    """The same elements in accesses of another width; None where lanes cannot be spread so.

    Lanes that together access a run of elements go on accessing runs, through as many rows as
    they need; others keep their rows and spread within them. The executions change so that the
    bytes stay the same.
    """
    old, element = tile.access.width_bytes, tile.layout.element_bytes
    if tile.access.kind not in _PLAIN or width_bytes not in _WIDTHS or width_bytes < element:
        return None
    spread = _spread(tile, width_bytes)
    if spread is None:
        return None
    weights = np.ones(len(tile.rows)) if tile.weights is None else tile.weights
    access = replace(tile.access, width_bytes=width_bytes)
    return replace(
        tile, access=access, rows=spread[0], columns=spread[1], weights=weights * old / width_bytes
    )


def compare(before: TileAccess, after: TileAccess, rules: BankRules, change: str) -> Comparison:
    """What the change does to wavefronts and shared memory."""
    extra = after.layout.size_bytes - before.layout.size_bytes
    return Comparison(change, before.count(rules), after.count(rules), extra)


def alternatives(tile: TileAccess, rules: BankRules) -> list[Comparison]:
    """The changes that save wavefronts, most first and, among equals, least memory first."""
    found = [compare(tile, after, rules, change) for change, after in _changes(tile)]
    better = [c for c in found if c.saved is not None and c.saved > 0]
    return sorted(better, key=lambda c: (-(c.saved or 0), c.extra_bytes))


def _changes(tile: TileAccess) -> Iterator[tuple[str, TileAccess]]:
    layout = tile.layout
    for size in sorted({4, max(4, tile.access.width_bytes), 16}):
        if size % layout.element_bytes == 0:
            elements = size // layout.element_bytes
            yield f"pad rows by {elements}", with_layout(tile, layout.padded_by(elements))
    for swizzle in SWIZZLES:
        try:
            yield f"{swizzle}-byte swizzle", with_layout(tile, layout.swizzled_by(swizzle))
        except LayoutError:
            continue  # rows that are no whole number of panels cannot be swizzled so
    for width in _WIDTHS:
        wider = with_width(tile, width) if width > tile.access.width_bytes else None
        if wider is not None:
            yield f"{width} bytes a lane", wider


def _spread(tile: TileAccess, width_bytes: int) -> tuple[Ints, Ints] | None:
    """Rows and columns of the lanes at another width."""
    columns, element = tile.layout.columns, tile.layout.element_bytes
    old, new = tile.access.width_bytes // element, width_bytes // element
    active = tile.rows >= 0
    linear = np.where(active, tile.rows * columns + tile.columns, -1)
    if _are_runs(linear, old):
        start = np.where(active, linear, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
        wide = start // new * new + (linear - start) // old * new
        rows, inside = np.divmod(wide, columns)
        fits = (rows < tile.layout.rows) & (inside + new <= columns)
    else:
        rows, inside = tile.rows, tile.columns // old * new
        fits = inside + new <= columns
    if not fits[active].all():
        return None
    return np.where(active, rows, -1), np.where(active, inside, 0)


def _are_runs(linear: Ints, elements: int) -> bool:
    """Whether the active lanes of each pattern access neighbouring elements, in any order."""
    ordered = np.sort(linear, axis=1)
    steps = np.diff(ordered, axis=1)
    return bool(((steps == elements) | (ordered[:, :-1] < 0)).all())
