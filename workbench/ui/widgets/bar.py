"""A bar that shows a share of a capacity: solid measured, hatched predicted, empty unknown."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.painting import paint_block

_TRACK = 8
_HEIGHT = 14
_LIMIT_WIDTH = 2.0
_STEP_WIDTH = 1.5


@dataclass(frozen=True)
class BarView:
    """What a bar shows, in shares of its full width.

    `share` is the filled part (None: unknown), `limit` where the capacity ends, `step` the next
    better value. What is filled beyond the limit is drawn as an error. `tone` is a colour token.
    """

    share: float | None
    predicted: bool = False
    tone: str = "accent"
    limit: float | None = None
    step: float | None = None


@dataclass(frozen=True)
class BarParts:
    """The filled parts in px from the left: within the limit, and beyond it."""

    within: tuple[float, float]
    beyond: tuple[float, float]


def bar_parts(view: BarView, width: float) -> BarParts:
    """Where the fill of a bar of that width begins and ends."""
    filled = min(max(view.share or 0.0, 0.0), 1.0)
    ends = filled if view.limit is None else min(filled, view.limit)
    return BarParts((0.0, ends * width), (ends * width, filled * width))


class Bar(QWidget):
    """Shows one `BarView`; its owner writes value and limit beside it and names it."""

    def __init__(self, theme: Theme, view: BarView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._view = theme, view
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def view(self) -> BarView:
        """What is shown."""
        return self._view

    def set_view(self, view: BarView) -> None:
        """Show another one."""
        self._view = view
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(96, _HEIGHT)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(24, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(0, (self.height() - _TRACK) / 2, self.width(), _TRACK)
        path = QPainterPath()
        path.addRoundedRect(track, METRICS.radius_bar, METRICS.radius_bar)
        painter.fillPath(path, self._theme.colour("bg4"))
        self._paint_fill(painter, track)
        self._paint_tick(painter, self._view.limit, self._theme.colour("error"), _LIMIT_WIDTH)
        self._paint_tick(painter, self._view.step, self._theme.colour("fg"), _STEP_WIDTH)
        painter.end()

    def _paint_fill(self, painter: QPainter, track: QRectF) -> None:
        parts = bar_parts(self._view, track.width())
        for (start, end), tone in ((parts.within, self._view.tone), (parts.beyond, "error")):
            if end > start:
                fill = QRectF(start, track.top(), end - start, track.height())
                paint_block(painter, fill, self._theme.colour(tone), self._view.predicted)

    def _paint_tick(
        self, painter: QPainter, share: float | None, colour: QColor, width: float
    ) -> None:
        if share is None:
            return
        left = min(max(share * self.width() - width / 2, 0), self.width() - width)
        painter.fillRect(QRectF(left, 0, width, self.height()), colour)
