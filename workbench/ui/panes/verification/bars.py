"""Counts of wrong elements as bars, one below the other."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.session.verification_view import CountGroup
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS

_ROW = 19
_BAR = 10
_GAP = 8
_HEAD = 26


class CountBars(QWidget):
    """One group: its title, and a row for each place with its bar and its count."""

    def __init__(self, theme: Theme, group: CountGroup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._group = theme, group
        self._title = theme.fonts.role(TextRole.LABEL)
        self._title.setWeight(QFont.Weight.DemiBold)
        self._label = theme.fonts.role(TextRole.NOTE)
        self._strong = theme.fonts.role(TextRole.NOTE)
        self._strong.setWeight(QFont.Weight.DemiBold)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        counts = ", ".join(f"{c.label}: {c.wrong:,}" for c in group.counts)
        self.setAccessibleName(f"{group.title}: {counts}")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(220, _HEAD + _ROW * len(self._group.counts))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(140, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._title)
            painter.setPen(self._theme.colour("fg2"))
            top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            painter.drawText(QRectF(0, 0, self.width(), _HEAD), top, self._group.title)
            metrics, strong = QFontMetrics(self._label), QFontMetrics(self._strong)
            left = max(metrics.horizontalAdvance(c.label) for c in self._group.counts)
            right = max(strong.horizontalAdvance(f"{c.wrong:,}") for c in self._group.counts)
            most = max(c.wrong for c in self._group.counts)
            for at, count in enumerate(self._group.counts):
                row = QRectF(0, _HEAD + at * _ROW, self.width(), _ROW)
                track = row.adjusted(
                    left + _GAP, (_ROW - _BAR) / 2, -right - _GAP, (_BAR - _ROW) / 2
                )
                self._write(painter, row.adjusted(0, 0, left - row.width(), 0), count.label, False)
                self._write(painter, row, f"{count.wrong:,}", count.wrong > 0)
                self._bar(painter, track, count.wrong / most if most else 0.0)

    def _write(self, painter: QPainter, place: QRectF, text: str, strong: bool) -> None:
        painter.setFont(self._strong if strong else self._label)
        painter.setPen(self._theme.colour("fg" if strong else "fg3"))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(place, side, text)

    def _bar(self, painter: QPainter, track: QRectF, share: float) -> None:
        for width, token in ((track.width(), "bg3"), (track.width() * share, "error")):
            if width > 0:
                path = QPainterPath()
                bar = QRectF(track.left(), track.top(), max(width, 2.0), track.height())
                path.addRoundedRect(bar, METRICS.radius_bar, METRICS.radius_bar)
                painter.fillPath(path, self._theme.colour(token))
