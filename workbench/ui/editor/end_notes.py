"""Draws what stands behind a line's text: a fold's chip, a problem's annotation, or a hint."""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.editor.appearance import (
    SEVERITY_ICONS,
    SEVERITY_TOKENS,
    code_font,
    colour,
    icon_image,
    note_font,
)
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.line_data import LineData
from workbench.ui.editor.problems import Problem, Problems
from workbench.ui.editor.rows import Row
from workbench.ui.theme.theme import Theme

GAP = 16.0
CHIP_GAP = 8.0
CHIP_PADDING = 6.0
LEAST_WIDTH = 40.0
PART = " · "
MOST_PARTS = 3


class Annotations(enum.Enum):
    """On which lines a problem's annotation is written behind the text."""

    NONE = "none"
    CURRENT_LINE = "current"
    ALL = "all"


class EndNotes:
    """One note a line: an annotation before a hint; a folded line's chip stands before both."""

    def __init__(
        self,
        theme: Theme,
        buffer: DocumentBuffer,
        viewport: QWidget,
        problems: Problems,
        data: LineData,
        line_of: Callable[[], int],
    ) -> None:
        self._theme, self._buffer, self._viewport = theme, buffer, viewport
        self._problems, self._data, self._line_of = problems, data, line_of
        self.annotations = Annotations.CURRENT_LINE
        self.shows_hints = True

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        folded = self._buffer.folds.folded
        for row in rows:
            problem = self._annotated(row.line)
            hint = self._data.hints.get(row.line) if self.shows_hints else None
            if not (problem or hint or row.line in folded):
                continue
            at = row.text_end()
            if row.line in folded:
                at = self._paint_chip(painter, row, at)
            if problem:
                self._paint_annotation(painter, row, at, problem)
            elif hint:
                room = int(self._viewport.width() - at.x() - GAP - 4)
                shown = fitting(hint, room, self._buffer.code_pixels)
                self._paint_text(painter, row, at, shown, "fg3", QFont.Weight.Normal)

    def chip(self, row: Row) -> QRectF | None:
        """The area of a folded line's chip, None where the line is not folded."""
        summary = self._buffer.folds.summary(row.line)
        return self._chip_area(row, row.text_end(), summary) if summary else None

    def _annotated(self, line: int) -> Problem | None:
        wanted = self.annotations is Annotations.ALL or (
            self.annotations is Annotations.CURRENT_LINE and line == self._line_of()
        )
        found = self._problems.on_line(line) if wanted else ()
        return next((problem for problem in found if problem.annotation), None)

    def _paint_annotation(self, painter: QPainter, row: Row, at: QPointF, problem: Problem) -> None:
        severity = problem.diagnostic.severity
        token = SEVERITY_TOKENS[severity]
        size = round(row.line_height * 0.8)
        if self._viewport.width() - at.x() - 2 * GAP - size < LEAST_WIDTH:
            return  # an icon alone would say less than the one in the gutter
        icon = icon_image(
            SEVERITY_ICONS[severity],
            self._theme.palette.colour(token),
            size,
            painter.device().devicePixelRatioF(),
        )
        top = at.y() + (row.line_height - size) / 2
        painter.drawImage(QPointF(round(at.x() + GAP), round(top)), icon)
        after = at + QPointF(size + 8, 0)
        self._paint_text(
            painter, row, after, problem.annotation or "", token, QFont.Weight.DemiBold
        )

    def _paint_text(
        self,
        painter: QPainter,
        row: Row,
        at: QPointF,
        text: str,
        token: str,
        weight: QFont.Weight,
    ) -> None:
        left = at.x() + GAP
        room = self._viewport.width() - left - 4
        if not text or room < LEAST_WIDTH:
            return
        font = note_font(self._buffer.code_pixels, weight)
        painter.setFont(font)
        painter.setPen(colour(self._theme.palette, token))
        metrics = QFontMetricsF(font)
        baseline = at.y() + (row.line_height + metrics.capHeight()) / 2
        shown = elided(text, int(room), self._buffer.code_pixels, weight)
        painter.drawText(QPointF(left, round(baseline)), shown)

    def _paint_chip(self, painter: QPainter, row: Row, at: QPointF) -> QPointF:
        summary = self._buffer.folds.summary(row.line)
        area = self._chip_area(row, at, summary)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(self._theme.palette, "bg3"))
        painter.drawRoundedRect(area, 4, 4)
        painter.setFont(self._chip_font())
        painter.setPen(colour(self._theme.palette, "fg2"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, summary)
        return QPointF(area.right(), at.y())

    def _chip_area(self, row: Row, at: QPointF, summary: str) -> QRectF:
        text_width = QFontMetricsF(self._chip_font()).horizontalAdvance(summary)
        height = row.line_height - 2
        return QRectF(at.x() + CHIP_GAP, at.y() + 1, text_width + 2 * CHIP_PADDING, height)

    def _chip_font(self) -> QFont:
        return code_font(max(8, self._buffer.code_pixels - 2))


@lru_cache(maxsize=4096)
def fitting(hint: str, room: int, pixels: int) -> str:
    """As many whole parts of a hint as there is room for, "" for none: half a number misleads.

    What follows a comma goes first, then the middle, then the end. A hint of several buffers is cut
    like any text.
    """
    metrics = QFontMetricsF(note_font(pixels))
    parts = hint.split(PART)
    short = hint.split(", ")[0] if len(parts) <= MOST_PARTS else hint
    ends = PART.join((parts[0], short.split(PART)[-1]))
    forms = (hint, short, ends, parts[0])
    found = next((form for form in forms if metrics.horizontalAdvance(form) <= room), None)
    if found is not None:
        return found
    return hint if len(parts) > MOST_PARTS else ""


@lru_cache(maxsize=4096)
def elided(text: str, room: int, pixels: int, weight: QFont.Weight) -> str:
    """A note in code of `pixels`, cut to the room that it has."""
    metrics = QFontMetricsF(note_font(pixels, weight))
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
