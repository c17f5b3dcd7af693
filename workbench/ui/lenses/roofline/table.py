"""Paints the numbers under a roofline: a row a target, one of which is in focus."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from workbench.session.lenses.roofline.picture import RooflinePicture
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import NumbersRow
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

_HEAD, _ROW = 22.0, 24.0
_LABEL_PART = 0.19
_PARTS = (0.12, 0.16, 0.16, 0.12)  # of the width, for the columns of numbers; the last has the rest
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_BAR = 5.0


def table_height(picture: RooflinePicture) -> float:
    """The px that the numbers need."""
    return _HEAD + _ROW * (len(picture.rows) + len(picture.missing)) + 6


def paint_table(canvas: Canvas, area: QRectF, picture: RooflinePicture, focus: Series) -> None:
    """Paint heads and rows; a click on a row brings its target into focus."""
    columns = _columns(area)
    for column, head in zip(columns, picture.heads, strict=True):
        place = QRectF(column.left(), area.top(), column.width(), _HEAD)
        align = _RIGHT if column is not columns[-1] else Qt.AlignmentFlag.AlignVCenter
        canvas.text(place, head, TextRole.NOTE, "fg3", align)
    top = area.top() + _HEAD
    canvas.line(QPointF(area.left(), top), QPointF(area.right(), top), "line2")
    for row, series in zip(picture.rows, picture.series, strict=True):
        place = QRectF(area.left(), top, area.width(), _ROW)
        _row(canvas, place, columns, row, series, picture.has_plot and series is focus)
        top += _ROW
    for label, mark, why in picture.missing:
        place = QRectF(area.left(), top, area.width(), _ROW)
        canvas.mark(QPointF(place.left() + 5, place.center().y()), mark)
        canvas.text(place.adjusted(16, 0, 0, 0), label, TextRole.STRONG_LABEL, "fg")
        canvas.text(place.adjusted(area.width() * _LABEL_PART, 0, 0, 0), why, TextRole.NOTE, "fg3")
        canvas.hit(place, f"{label}: {why}")
        top += _ROW


def _columns(area: QRectF) -> list[QRectF]:
    left = area.left() + area.width() * _LABEL_PART
    columns = []
    for part in _PARTS:
        columns.append(QRectF(left, 0, area.width() * part - 4, 0))
        left += area.width() * part
    return [*columns, QRectF(left + 12, 0, area.right() - left - 12, 0)]


def _row(
    canvas: Canvas,
    place: QRectF,
    columns: list[QRectF],
    row: NumbersRow,
    series: Series,
    is_focus: bool,
) -> None:
    if is_focus:
        canvas.box(place.adjusted(-6, 1, 6, -1), canvas.colour("bg3"), radius=4)
    if canvas.hovered == series.name and not is_focus:
        canvas.box(place.adjusted(-6, 1, 6, -1), canvas.colour("bg2"), radius=4)
    canvas.mark(QPointF(place.left() + 5, place.center().y()), row.mark)
    label = QRectF(place.left() + 16, place.top(), columns[0].left() - place.left() - 8, _ROW)
    canvas.text(label, row.label, TextRole.STRONG_LABEL, "fg")
    for n, (column, text) in enumerate(zip(columns, row.cells, strict=True)):
        cell = QRectF(column.left(), place.top(), column.width(), _ROW)
        is_last = n == len(columns) - 1
        token = "fg3" if text == "unknown" else "fg2" if is_last or n == 0 else "fg"
        align = Qt.AlignmentFlag.AlignVCenter if is_last else _RIGHT
        canvas.text(cell, text, TextRole.LABEL, token, align)
    if is_focus or series.computed is None:
        canvas.hit(place, row.tip)
    else:
        more = f"A click shows all ceilings of {row.label}."
        canvas.hit(place, f"{row.tip}\n\n{more}", key=series.name)
