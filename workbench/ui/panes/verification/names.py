"""Paints the names around the map: blocks, or indices when it is near, and a caption below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from workbench.session.verification_layout import Parts
from workbench.session.verification_output import OutputView
from workbench.ui.panes.verification.geometry import Frame
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

ABOVE, BESIDE = 22.0, 8.0
CAPTION = 22.0  # below the picture
_LEAST_WIDTH, _MOST_WIDTH = 28.0, 124.0
_ROOM = 12.0
_MOST_INDICES = 40
_LINE = 1.25  # what a name of a row needs of its height, so that names stand apart


@dataclass(frozen=True)
class Name:
    """A text at the middle of what it names, in px; `strong` where that stands out."""

    text: str
    at: float
    strong: bool = False


class MapNames:
    """Names the rows and columns of one output."""

    def __init__(self, theme: Theme, output: OutputView) -> None:
        self._theme, self._output = theme, output
        self._layout = output.layout
        self._font = theme.fonts.role(TextRole.NOTE)
        self._strong = theme.fonts.role(TextRole.NOTE)
        self._strong.setWeight(QFont.Weight.DemiBold)
        self._metrics = QFontMetricsF(self._font)
        self.width = self._widest()

    def paint(self, painter: QPainter, frame: Frame, near: bool) -> None:
        """Paint the names above and beside the picture."""
        for name in self.names(frame, True, near):
            width = self._metrics.horizontalAdvance(name.text) + _ROOM
            place = QRectF(name.at - width / 2, frame.rect.top() - ABOVE, width, ABOVE - 4)
            self._paint_name(painter, place, name, Qt.AlignmentFlag.AlignHCenter)
        for name in self.names(frame, False, near):
            place = QRectF(0, name.at - 8, frame.rect.left() - BESIDE, 16)
            self._paint_name(painter, place, name, Qt.AlignmentFlag.AlignRight)

    def paint_caption(self, painter: QPainter, frame: Frame, *texts: str) -> None:
        """Paint a line below the picture: the first text that fits, else the end of the last."""
        painter.setFont(self._font)
        painter.setPen(self._theme.colour("fg3"))
        place = QRectF(frame.rect.left(), frame.rect.bottom() + 4, frame.rect.width(), CAPTION - 4)
        fitting = (text for text in texts if self._metrics.horizontalAdvance(text) <= place.width())
        text = next(fitting, texts[-1])
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def names(self, frame: Frame, across: bool, near: bool) -> list[Name]:
        """The names of columns (or rows) in sight."""
        if near:
            return self._indices(frame, across)
        if self._layout.is_block_grid:
            return self._blocks(frame, across)
        ends = self._indices(frame, across)
        return [ends[0], ends[-1]] if len(ends) > 1 else ends

    def _paint_name(
        self, painter: QPainter, place: QRectF, name: Name, side: Qt.AlignmentFlag
    ) -> None:
        painter.setFont(self._strong if name.strong else self._font)
        painter.setPen(self._theme.colour("error" if name.strong else "fg3"))
        text = self._metrics.elidedText(name.text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, text)

    def _blocks(self, frame: Frame, across: bool) -> list[Name]:
        """Names of blocks as far as there is room, those that stand out before the others."""
        parts, length, start, count, px = self._along(frame, across)
        bands = self._layout.extent[across] // length
        first, last = max(0, int(start // length)), min(bands, math.ceil((start + count) / length))
        step = _even_step(self._room(parts, bands, across) / (length * px))
        strong = [band for band in self._outstanding(across) if first <= band < last]
        kept = _spaced(strong, [], step)
        kept += _spaced(range(-(-first // step) * step, last, step), kept, step)
        return [
            Name(
                self._output.band_label(parts, band),
                self._middle(frame, band, across),
                band in strong,
            )
            for band in kept
        ]

    def _middle(self, frame: Frame, band: int, across: bool) -> float:
        """The middle of the part of a band that is in sight."""
        length = self._layout.cell[1 if across else 0]
        at = frame.x if across else frame.y
        rect = frame.rect
        low, high = (rect.left(), rect.right()) if across else (rect.top(), rect.bottom())
        return (max(low, at(band * length)) + min(high, at((band + 1) * length))) / 2

    def _outstanding(self, across: bool) -> list[int]:
        """The few columns (or rows) of blocks that are wrong among others that are right."""
        counts = self._output.counts
        if counts is None:
            return []
        along = counts.by_column if across else counts.by_row
        wrong = np.flatnonzero(along)
        return [int(band) for band in wrong] if 2 * len(wrong) <= len(along) else []

    def _room(self, parts: Parts, bands: int, across: bool) -> float:
        if not across:
            return _LINE * self._metrics.height()
        ends = (self._output.band_label(parts, band) for band in (0, bands - 1))
        return max(self._metrics.horizontalAdvance(text) for text in ends) + _ROOM

    def _indices(self, frame: Frame, across: bool) -> list[Name]:
        """The indices of rows (or columns) of elements with their middles."""
        _, _, start, count, _ = self._along(frame, across)
        first, last = int(start + 0.5), min(math.ceil(start + count), frame.view.extent[across])
        places = range(first, max(first + 1, last))
        if len(places) > _MOST_INDICES:
            places = range(first, last, len(places) - 1)
        at = frame.x if across else frame.y
        found = [Name(self._index(frame, place, across), at(place + 0.5)) for place in places]
        return [name for name in found if name.text]

    def _index(self, frame: Frame, place: int, across: bool) -> str:
        row, column = (int(frame.view.top), place) if across else (place, int(frame.view.left))
        index = self._layout.index_of(row, column)
        if index is None:
            return ""
        own = {d for d, _ in (self._layout.columns if across else self._layout.rows)}
        if self._layout.is_vector:
            own_digit = self._layout.tile[next(iter(own))]
            at = index[next(iter(own))]
            return str(at % own_digit) if across else str(at // own_digit * own_digit)
        return ", ".join(str(index[d]) for d in sorted(own))

    def _along(self, frame: Frame, across: bool) -> tuple[Parts, int, float, float, float]:
        """Parts, length of a block, first element, number of elements, and px for each."""
        view, (height, width) = frame.view, self._layout.cell
        if across:
            return self._layout.columns, width, view.left, view.columns, frame.column_px
        return self._layout.rows, height, view.top, view.rows, frame.row_px

    def _widest(self) -> float:
        """The room that the names of rows need."""
        layout, last = self._layout, self._layout.extent[0] - 1
        texts = []
        if layout.is_block_grid:
            ends = (0, last // layout.cell[0])
            texts = [self._output.band_label(layout.rows, band) for band in ends]
        index = layout.index_of(last, 0) or layout.shape
        texts.append(", ".join(str(at) for at in index[:-1] or index))
        widths = [self._metrics.horizontalAdvance(text) for text in texts]
        return min(_MOST_WIDTH, max(_LEAST_WIDTH, *widths) + 4)


def _spaced(bands: Iterable[int], kept: Sequence[int], step: int) -> list[int]:
    """The bands that have `step` of distance from those kept and from each other."""
    chosen: list[int] = []
    for band in bands:
        if all(abs(band - other) >= step for other in (*kept, *chosen[-1:])):
            chosen.append(band)
    return chosen


def _even_step(least: float) -> int:
    """A power of two, as the numbers of blocks mostly are, at least `least`."""
    return int(2 ** math.ceil(math.log2(max(least, 1.0))))
