"""What the palette shows: items that fit what was typed, the best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.ui.command_palette.fuzzy import match


@dataclass(frozen=True)
class PaletteItem:
    """Something to choose; `detail` (a menu, a folder) stands beside the title and is searched."""

    id: str
    title: str
    shortcut: str = ""
    enabled: bool = True
    detail: str = ""
    icon: str | None = None


@dataclass(frozen=True)
class PaletteRow:
    """An item that fits, and the characters of its title that were typed."""

    item: PaletteItem
    positions: tuple[int, ...] = ()


def rows_of(items: Iterable[PaletteItem], query: str) -> tuple[PaletteRow, ...]:
    """The items that fit, those that can be chosen first, then the better ones, then as given."""
    if not query.strip():
        return tuple(PaletteRow(item) for item in items)
    found = []
    for item in items:
        fit = match(query, item.title, item.detail)
        if fit is not None:
            found.append((not item.enabled, -fit.score, PaletteRow(item, fit.positions)))
    # Sorting is stable, so equals keep the order given.
    return tuple(row for _, _, row in sorted(found, key=lambda entry: entry[:2]))
