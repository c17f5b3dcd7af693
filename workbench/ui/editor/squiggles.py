"""Draws the wavy line under what a diagnostic is about."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from workbench.core.diagnostics import Severity
from workbench.ui.editor.appearance import SEVERITY_ORDER, severity_colour
from workbench.ui.editor.lines import indentation
from workbench.ui.editor.problems import Problem, Problems
from workbench.ui.editor.rows import Row
from workbench.ui.theme.theme import Theme

TILE_WIDTH = 4
TILE_HEIGHT = 4
WIDTH = 1.1
LEAST_WIDTH = 6


class Squiggles:
    """Wavy lines in the hue of the severity, the gravest drawn last."""

    def __init__(self, theme: Theme, problems: Problems) -> None:
        self._theme, self._problems = theme, problems
        self._tiles: dict[tuple[str, float], QPixmap] = {}

    def paint(self, painter: QPainter, rows: list[Row]) -> None:
        if not rows or not self._problems.all():
            return
        found = self._problems.touching(rows[0].line, rows[-1].line)
        found.sort(key=lambda p: -SEVERITY_ORDER.index(p.diagnostic.severity))
        for problem in found:
            self._paint_problem(painter, rows, problem)

    def _paint_problem(self, painter: QPainter, rows: list[Row], problem: Problem) -> None:
        first, last = problem.line, problem.last_line
        for row in rows:
            if first <= row.line <= last:
                for area in self._areas(row, problem):
                    self._paint_wave(painter, area, problem.diagnostic.severity)

    def _areas(self, row: Row, problem: Problem) -> list[QRectF]:
        """The part of the line that belongs to the problem, without its indentation."""
        text, at = row.block.text(), row.block.position()
        start = max(problem.cursor.selectionStart() - at, len(indentation(text)))
        end = min(problem.cursor.selectionEnd() - at, row.block.length() - 1)
        return list(row.spans(start, end)) if start <= end else []

    def _paint_wave(self, painter: QPainter, area: QRectF, severity: Severity) -> None:
        tile = self._tile(severity, painter.device().devicePixelRatioF())
        top = round(area.bottom()) - TILE_HEIGHT
        width = max(round(area.width()), LEAST_WIDTH)
        painter.drawTiledPixmap(QRectF(round(area.left()), top, width, TILE_HEIGHT), tile)

    def _tile(self, severity: Severity, ratio: float) -> QPixmap:
        hue = severity_colour(self._theme.palette, severity)
        key = (hue.name(), ratio)
        if key not in self._tiles:
            self._tiles[key] = wave_tile(hue, ratio)
        return self._tiles[key]


def wave_tile(hue: QColor, ratio: float) -> QPixmap:
    """One period of the wave: to draw a line of many points at every key would take too long."""
    tile = QPixmap(math.ceil(TILE_WIDTH * ratio), math.ceil(TILE_HEIGHT * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(hue, WIDTH))
    high, low = WIDTH / 2, TILE_HEIGHT - WIDTH / 2 - 0.5
    middle = TILE_WIDTH / 2
    points = [(-middle, low), (0.0, high), (middle, low), (TILE_WIDTH, high), (3 * middle, low)]
    painter.drawPolyline([QPointF(x, y) for x, y in points])
    painter.end()
    return tile
