"""Paints the blocks that each resource allows: a row a resource, a column a target."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from workbench.session.lenses.links import Selection
from workbench.session.lenses.occupancy.bars import Column, LimitCell, LimitRow
from workbench.session.lenses.occupancy.picture import OccupancyPicture
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

_TITLE, _HEAD_LINE, _ROW = 22.0, 17.0, 22.0
_BAR = 11.0
_GAP = 8.0
_MOST_COLUMN = 300.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_METHOD = "predicted · published occupancy rules"


def limits_height(picture: OccupancyPicture) -> float:
    """The px that bars need."""
    lines = _below(picture)
    return _TITLE + _HEAD_LINE * (2 + lines) + 4 + _ROW * len(picture.rows)


def _below(picture: OccupancyPicture) -> int:
    """The lines that the fullest head has below its first two."""
    return max(bool(column.measured) + bool(column.note) for column in picture.columns)


def paint_limits(canvas: Canvas, area: QRectF, picture: OccupancyPicture, analyze: str) -> None:
    """Paint the heads of the columns and the rows of bars; `analyze` is the key of its action."""
    _title(canvas, QRectF(area.left(), area.top(), area.width(), _TITLE), picture)
    label = min(150.0, max(canvas.text_width(r.name, TextRole.STRONG_LABEL) for r in picture.rows))
    label = min(label, area.width() * 0.3) + 12
    count = len(picture.columns)
    width = min(_MOST_COLUMN, (area.width() - label - _GAP * (count - 1)) / count)
    lefts = [area.left() + label + place * (width + _GAP) for place in range(count)]
    top = area.top() + _TITLE
    for left, column in zip(lefts, picture.columns, strict=True):
        _head(canvas, QRectF(left, top, width, _HEAD_LINE), column, analyze)
    top = area.bottom() - _ROW * len(picture.rows)
    for row in picture.rows:
        _row_ground(canvas, QRectF(area.left(), top, area.width(), _ROW), row)
        _name(canvas, QRectF(area.left(), top, label - 8, _ROW), row)
        for left, column, cell in zip(lefts, picture.columns, row.cells, strict=True):
            if cell is not None:
                place = QRectF(left, top, width, _ROW)
                _cell(canvas, place, row, cell, column, picture.slots)
        top += _ROW


def _title(canvas: Canvas, area: QRectF, picture: OccupancyPicture) -> None:
    text = "Blocks per SM that each resource allows"
    if any("wavefronts" in column.warps for column in picture.columns):
        text = "Blocks per SM or CU that each resource allows"
    canvas.text(area, text, TextRole.STRONG_LABEL, "fg2")
    left = canvas.text_width(text, TextRole.STRONG_LABEL) + _GAP
    if left + canvas.text_width(_METHOD, TextRole.NOTE) < area.width():
        canvas.text(area, _METHOD, TextRole.NOTE, "fg3", _RIGHT)


def _head(canvas: Canvas, line: QRectF, column: Column, analyze: str) -> None:
    canvas.mark(QPointF(line.left() + 5, line.center().y()), column.mark)
    canvas.text(line.adjusted(15, 0, 4, 0), column.label, TextRole.HEADING, "fg")
    second = line.translated(0, _HEAD_LINE)
    canvas.text(second, _sizes(canvas, column, line.width()), TextRole.LABEL, "fg2")
    tip = f"{column.label}: {column.warps} {column.share}\n{column.note}".strip()
    canvas.hit(line.united(second), tip)
    below = line.translated(0, 2 * _HEAD_LINE)
    if column.measured:
        _measured(canvas, below, column)
        below = below.translated(0, _HEAD_LINE)
    if column.note:
        _note(canvas, below, column, tip, analyze)


def _measured(canvas: Canvas, line: QRectF, column: Column) -> None:
    """What the hardware reached, with the word that it was measured."""
    text = f"measured {column.measured}"
    canvas.text(line, text, TextRole.STRONG_LABEL, "fg")
    canvas.hit(line, f"{column.label}, {text} of the warps that an SM holds, while it was profiled")


def _sizes(canvas: Canvas, column: Column, width: float) -> str:
    """The warps and their part, as far as there is room."""
    if not column.share:
        return column.warps
    short = column.warps.rsplit(" ", 1)[0]
    forms = (column.warps, short, short.replace(" of ", "/"))
    texts = [f"{form} · {column.share}" for form in forms]
    return next((text for text in texts if canvas.text_width(text) <= width), column.share)


def _note(canvas: Canvas, line: QRectF, column: Column, tip: str, analyze: str) -> None:
    """What is unknown or at fault, and the action that would change it."""
    if column.needs_analysis:
        canvas.text(line, "Analyze", TextRole.STRONG_LABEL, "accent")
        width = canvas.text_width("Analyze", TextRole.STRONG_LABEL)
        area = QRectF(line.left(), line.top(), width, line.height())
        canvas.hit(area, f"{column.note}: analyze the machine code to count them", key=analyze)
        rest = f"to know {column.note.removesuffix(' unknown')}"
        canvas.text(line.adjusted(width + 5, 0, 0, 0), rest, TextRole.NOTE, "fg3")
        return
    canvas.text(line, column.note, TextRole.NOTE, "error" if column.is_fault else "fg3")
    canvas.hit(line, tip)


def _row_ground(canvas: Canvas, area: QRectF, row: LimitRow) -> None:
    if canvas.is_lit(_selection(row)):
        canvas.box(area.adjusted(-6, 1, 6, -1), canvas.colour("accentbg"), radius=4)


def _name(canvas: Canvas, area: QRectF, row: LimitRow) -> None:
    is_limiting = any(cell is not None and cell.is_limiting for cell in row.cells)
    role = TextRole.STRONG_LABEL if is_limiting else TextRole.LABEL
    canvas.text(area, row.name, role, "fg" if is_limiting else "fg2")
    where = f"\nMost of it on line {row.line}." if row.line is not None else ""
    canvas.hit(area, f"{row.name}{where}", _selection(row))


def _selection(row: LimitRow) -> Selection | None:
    return Selection(line=row.line) if row.line is not None else None


def _cell(
    canvas: Canvas, area: QRectF, row: LimitRow, cell: LimitCell, column: Column, slots: int
) -> None:
    text_width = 54.0 if cell.blocks is None else 24.0
    bar = QRectF(area.left(), area.center().y() - _BAR / 2, area.width() - text_width - 14, _BAR)
    hue = canvas.target_colour(column.mark) if cell.is_limiting else canvas.colour("fg3")
    _bar(canvas, bar, cell, hue, slots)
    role = TextRole.HEADING if cell.is_limiting else TextRole.LABEL
    token = "fg3" if cell.blocks is None else "fg" if cell.is_limiting else "fg2"
    number = QRectF(bar.right(), area.top(), text_width + 2, area.height())
    canvas.text(number, cell.text, role, token, _RIGHT)
    if cell.is_limiting:
        _chevron(canvas, QPointF(number.right() + 6, area.center().y()), hue)
    canvas.hit(area, cell.tip, _selection(row))


def _bar(canvas: Canvas, bar: QRectF, cell: LimitCell, hue: QColor, slots: int) -> None:
    if cell.blocks is None:
        canvas.painter.setPen(QPen(canvas.colour("fg4"), 1, Qt.PenStyle.DashLine))
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        canvas.painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        return
    canvas.box(bar, canvas.colour("bg3"), radius=2)
    part = min(1.0, cell.blocks / slots)
    if part > 0:
        canvas.block(QRectF(bar.left(), bar.top(), max(3.0, part * bar.width()), _BAR), hue)
    if cell.before is not None:
        x = bar.left() + min(1.0, cell.before / slots) * bar.width()
        before = QRectF(bar.left(), bar.top() - 2, x - bar.left(), _BAR + 4)
        canvas.box(before, None, canvas.colour("fg2"), radius=2)


def _chevron(canvas: Canvas, middle: QPointF, hue: QColor) -> None:
    """The mark of what limits."""
    canvas.painter.setPen(QPen(hue, 1.6))
    canvas.painter.drawPolyline(
        [middle + QPointF(2, -3.5), middle + QPointF(-1.5, 0), middle + QPointF(2, 3.5)]
    )
