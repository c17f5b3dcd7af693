"""Paints a tensor with the tiles that a block reads: now, before, and later."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from workbench.session.lenses.links import Selection
from workbench.session.lenses.tiles.tensors import Patch, TensorAt, TensorView
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.tiles.grid_painting import outside
from workbench.ui.lenses.tiles.places import HEAD
from workbench.ui.theme.fonts import TextRole

_LEAST_LINES = 5.0  # px between lines of tiles
_LEAST_TILE = 2.5  # px of the tile that is read, along each side
_LEAST_DOT = 6.0  # px of one that is small along both
BEFORE, LATER = 0.50, 0.20  # of the hue


def paint_tensor(canvas: Canvas, area: QRectF, head: float, at: TensorAt, is_input: bool) -> None:
    """A tensor in its area, its name above it in a title `head` px wide."""
    view = at.view
    lines = at.lines or view.lines
    selection = Selection(line=lines[0] if lines else None, buffer=view.tensor.name)
    lit = any(canvas.is_lit(Selection(line, view.tensor.name)) for line in view.lines)
    shape = " × ".join("?" if n is None else f"{n}" for n in view.tensor.shape)
    token = "accent" if lit else "fg"
    paint_title(canvas, area, head, view.tensor.name, at.part or shape, token)
    canvas.painter.fillRect(area, canvas.colour("bg3"))
    if view.unknown is not None:
        canvas.text(area.adjusted(4, 0, -4, 0), "unknown", TextRole.NOTE, "fg2")
    else:
        whole = _whole(view)
        inner = _placed(area, whole, Patch(0, 0, view.rows, view.columns))
        _lines(canvas, area, whole, view.tile)
        _patches(canvas, area, whole, at)
        outside(canvas, area, inner)
    if lit:
        canvas.outline(area.adjusted(-2, -2, 2, 2))
    canvas.hit(area.adjusted(0, -HEAD, 0, 0), tip_of(at, is_input), selection)


def tip_of(at: TensorAt, is_input: bool) -> str:
    """What hovering a tensor says."""
    view = at.view
    does = "reads" if is_input else "writes"
    shape = " × ".join("?" if n is None else f"{n:,}" for n in view.tensor.shape)
    lines = [f"{view.tensor.name}: {shape} {view.tensor.dtype}"]
    if view.unknown is not None:
        return f"{lines[0]}\nWhich tile a block {does} is unknown: {view.unknown}."
    lines += [f"{does} rows {p.top:,} to {p.bottom - 1:,}, columns {p.left:,} to {p.right - 1:,}"
              for p in at.now[:3]]  # fmt: skip
    if at.part:
        lines.append(f"shown: {view.tensor.name}{at.part}")
    return "\n".join(lines)


def paint_title(
    canvas: Canvas, area: QRectF, width: float, name: str, rest: str, token: str = "fg"
) -> None:
    """A name above an area, and more about it behind the name, on the ground of the view."""
    head = QRectF(area.left(), area.top() - HEAD, width, HEAD - 3)
    own = canvas.text_width(name, TextRole.STRONG_LABEL) + 7
    used = min(width, own + canvas.text_width(rest, TextRole.NOTE) + 4)
    canvas.painter.fillRect(QRectF(head.left(), head.top(), used, HEAD - 3), canvas.colour("bg1"))
    canvas.text(head, name, TextRole.STRONG_LABEL, token)
    canvas.text(head.adjusted(own, 0, 0, 0), rest, TextRole.NOTE, "fg3", elide=True)


def _whole(view: TensorView) -> tuple[int, int]:
    """Rows and columns of all tiles that cover a tensor: more than it has where the last is cut."""
    rows, columns = view.tile
    return math.ceil(view.rows / rows) * rows, math.ceil(view.columns / columns) * columns


def _placed(area: QRectF, whole: tuple[int, int], patch: Patch) -> QRectF:
    rows, columns = whole
    left = area.left() + max(0, patch.left) / columns * area.width()
    right = area.left() + min(columns, patch.right) / columns * area.width()
    top = area.top() + max(0, patch.top) / rows * area.height()
    bottom = area.top() + min(rows, patch.bottom) / rows * area.height()
    return QRectF(left, top, max(0.0, right - left), max(0.0, bottom - top))


def _patches(canvas: Canvas, area: QRectF, whole: tuple[int, int], at: TensorAt) -> None:
    painter = canvas.painter
    for patches, share in ((at.later, LATER), (at.before, BEFORE)):
        for patch in patches:
            painter.fillRect(_placed(area, whole, patch), canvas.colour("l2", share))
    for patch in at.now:
        place = _seen(_placed(area, whole, patch), area)
        painter.fillRect(place, canvas.colour("shared"))
        painter.setPen(QPen(canvas.colour("bg1"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place)


def _seen(place: QRectF, area: QRectF) -> QRectF:
    """The place, no smaller than can be seen, within the area."""
    is_dot = max(place.width(), place.height()) < _LEAST_DOT
    least = _LEAST_DOT if is_dot else _LEAST_TILE
    grown = QRectF(0, 0, max(place.width(), least), max(place.height(), least))
    grown.moveCenter(place.center())
    grown.moveLeft(min(max(grown.left(), area.left()), area.right() - grown.width()))
    grown.moveTop(min(max(grown.top(), area.top()), area.bottom() - grown.height()))
    return grown


def _lines(canvas: Canvas, area: QRectF, whole: tuple[int, int], tile: tuple[int, int]) -> None:
    """Lines between tiles, along each side where they are not too close."""
    canvas.painter.setPen(QPen(canvas.colour("bg1"), 1))
    rows, columns = whole[0] // tile[0], whole[1] // tile[1]
    if area.height() / rows >= _LEAST_LINES:
        for n in range(1, rows):
            y = area.top() + n * area.height() / rows
            canvas.painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
    if area.width() / columns >= _LEAST_LINES:
        for n in range(1, columns):
            x = area.left() + n * area.width() / columns
            canvas.painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
