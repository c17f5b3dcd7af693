"""The bar of a meter: hatched where it is predicted, with the limit and what is over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from workbench.session.patterns.cells import Cell
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_block


def paint_bar(painter: QPainter, theme: Theme, bar: QRectF, cell: Cell, column: int) -> None:
    """Paint the share of a cell in the hue of its target; a limit below the end is an error's."""
    share, limit = cell.share or 0.0, cell.limit
    painter.fillRect(bar, theme.colour("bg3"))
    targets = theme.palette.targets
    hue = QColor(targets[column % len(targets)])
    end = share if limit is None else min(share, limit)
    within = QRectF(bar.left(), bar.top(), bar.width() * end, bar.height())
    if within.width() >= 1:
        paint_block(painter, within, hue, predicted=not cell.is_counted)
    if limit is not None and share > limit:
        width = bar.width() * (share - limit)
        over = QRectF(within.right(), bar.top(), width, bar.height())
        paint_block(painter, over, theme.colour("error"), predicted=not cell.is_counted)
    if limit is not None:
        _paint_limit(painter, theme, bar, limit)


def _paint_limit(painter: QPainter, theme: Theme, bar: QRectF, limit: float) -> None:
    x = min(bar.left() + bar.width() * limit, bar.right() - 1)
    tone = theme.colour("error" if limit < 1 else "fg3")
    painter.setPen(QPen(tone, 2 if limit < 1 else 1.5))
    painter.drawLine(round(x), round(bar.top()) - 3, round(x), round(bar.bottom()) + 3)
