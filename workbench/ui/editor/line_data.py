"""What an editor shows on lines besides text and diagnostics: costs, hints, links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor

from workbench.ui.editor.line_shift import LineShift

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """What a line costs: `value` is its share, 0 to 1, of the costliest; `text` says it in words,
    with its method.

    A `predicted` cost is drawn hatched, a measured one solid. `parts` tell the bar apart by what
    it is spent on: colour tokens, each with its share of the bar. Where more `is_unknown` the bar
    has an open end.
    """

    value: float
    text: str
    predicted: bool = False
    parts: tuple[tuple[str, float], ...] = ()
    is_unknown: bool = False


class LineData(QObject):
    """Costs, hints and links by line, from 0, which follow edits."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.costs: Mapping[int, Cost] = {}
        self.cost_header = ""
        self.cost_hue = "shared"
        self.is_cost_faded = False
        self.hints: Mapping[int, str] = {}
        self.links: Mapping[int, QColor] = {}

    def set_costs(self, costs: Mapping[int, Cost], header: str, hue: str) -> None:
        """Show costs by line from 1, under a header, in the hue of a colour token."""
        found = (_from_zero(costs), header, hue, False)
        if found == (self.costs, self.cost_header, self.cost_hue, self.is_cost_faded):
            return
        self.costs, self.cost_header, self.cost_hue, self.is_cost_faded = found
        self.changed.emit()

    def fade_costs(self) -> None:
        """Show the costs, which stay at their lines, as those of an earlier text."""
        if not self.is_cost_faded:
            self.is_cost_faded = True
            self.changed.emit()

    def set_hints(self, hints: Mapping[int, str]) -> None:
        """Show hints by line from 1."""
        found = _from_zero(hints)
        if found != self.hints:
            self.hints = found
            self.changed.emit()

    def set_links(self, links: Mapping[int, QColor]) -> None:
        """Show links by line from 1."""
        self.links = _from_zero(links)
        self.changed.emit()

    def follow(self, shift: LineShift) -> None:
        """Keep everything with its line after an edit."""
        self.costs = shift.moved(self.costs)
        self.hints = shift.moved(self.hints)
        self.links = shift.moved(self.links)


def _from_zero(values: Mapping[int, T]) -> dict[int, T]:
    return {line - 1: value for line, value in values.items()}
