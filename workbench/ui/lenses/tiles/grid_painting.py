"""Paints the grid of blocks: waves as shades, lines between cells, the block, what lies outside."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from workbench.session.lenses.tiles.panel import Panel
from workbench.ui.lenses.canvas import Canvas

_LEAST_CELL = 6.0  # px on the screen; smaller cells have no lines between them
_HALO = 1.5


def paint_grid(canvas: Canvas, area: QRectF, panel: Panel, image: QImage) -> None:
    """The cells in the shades of their waves, and beyond the tensor's edge a hatch."""
    painter = canvas.painter
    painter.save()
    smaller = image.width() > area.width() * canvas.scale
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smaller)
    painter.drawImage(area, image)
    painter.restore()
    _lines(canvas, area, panel)
    bottom, right = panel.outside
    cell = cell_area(area, panel, 0, 0)
    inner = area.adjusted(0, 0, -right * cell.width(), -bottom * cell.height())
    outside(canvas, area, inner)


def outside(canvas: Canvas, area: QRectF, inner: QRectF) -> None:
    """Hatch what of an area lies to the right of and below a smaller one."""
    right = QRectF(inner.right(), area.top(), area.right() - inner.right(), area.height())
    below = QRectF(area.left(), inner.bottom(), inner.width(), area.bottom() - inner.bottom())
    for each in (right, below):
        if each.width() > 0.2 and each.height() > 0.2:
            canvas.painter.fillRect(each, canvas.colour("bg1"))
            canvas.hatch(each, canvas.colour("fg3"))


def paint_block(canvas: Canvas, cell: QRectF, token: str = "fg") -> None:
    """A block's outline, with a halo that parts it from any shade; a small one is made larger."""
    scale = canvas.scale
    least = 6.0 / scale
    grown = QRectF(cell)
    if cell.width() < least or cell.height() < least:
        width, height = max(cell.width(), least), max(cell.height(), least)
        grown = QRectF(0, 0, width, height)
        grown.moveCenter(cell.center())
    painter = canvas.painter
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((canvas.colour("bg1"), 2 + 2 * _HALO), (canvas.colour(token), 2.0)):
        painter.setPen(_pen(colour, width / scale))
        painter.drawRect(grown)


def paint_ghost(canvas: Canvas, area: QRectF, cell: QRectF, rows: float, columns: float) -> None:
    """The block of another tile size in which a block begins, as a dashed outline."""
    width, height = cell.width() * columns, cell.height() * rows
    column = int((cell.left() - area.left()) / width + 1e-6)
    row = int((cell.top() - area.top()) / height + 1e-6)
    ghost = QRectF(area.left() + column * width, area.top() + row * height, width, height)
    painter = canvas.painter
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for token, style in (("bg1", Qt.PenStyle.SolidLine), ("warn", Qt.PenStyle.DashLine)):
        pen = _pen(canvas.colour(token), (3.5 if token == "bg1" else 1.75) / canvas.scale)
        pen.setStyle(style)
        painter.setPen(pen)
        painter.drawRect(ghost.intersected(area))


def guide(canvas: Canvas, start: QPointF, end: QPointF) -> None:
    """A dotted line from a block to what it reads."""
    canvas.line(start, end, "fg2", 1.2, Qt.PenStyle.DotLine)


def cell_area(area: QRectF, panel: Panel, row: int, column: int) -> QRectF:
    """Where a cell of the grid stands."""
    width, height = area.width() / panel.columns, area.height() / panel.rows
    return QRectF(area.left() + column * width, area.top() + row * height, width, height)


def cell_at(area: QRectF, panel: Panel, point: QPointF) -> tuple[int, int]:
    """Row and column of the cell at a point of the grid."""
    row = int((point.y() - area.top()) / area.height() * panel.rows)
    column = int((point.x() - area.left()) / area.width() * panel.columns)
    return min(row, panel.rows - 1), min(column, panel.columns - 1)


def _lines(canvas: Canvas, area: QRectF, panel: Panel) -> None:
    """Lines between the cells in sight, where cells are large enough for them."""
    part = area.intersected(canvas.visible)
    canvas.painter.setPen(_pen(canvas.colour("bg1"), 1 / canvas.scale))
    width, height = area.width() / panel.columns, area.height() / panel.rows
    if width * canvas.scale >= _LEAST_CELL:
        for column in _between(part.left() - area.left(), part.right() - area.left(), width):
            x = area.left() + column * width
            canvas.painter.drawLine(QPointF(x, part.top()), QPointF(x, part.bottom()))
    if height * canvas.scale >= _LEAST_CELL:
        for row in _between(part.top() - area.top(), part.bottom() - area.top(), height):
            y = area.top() + row * height
            canvas.painter.drawLine(QPointF(part.left(), y), QPointF(part.right(), y))


def _between(start: float, end: float, step: float) -> range:
    return range(max(1, int(start / step)), int(end / step + 0.999))


def _pen(colour: object, width: float) -> QPen:
    pen = QPen(colour, width)  # type: ignore[call-overload]
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen  # type: ignore[no-any-return]
