"""The legend of the tile map: shades of waves, and the marks of tiles and of the block."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPen

from workbench.session.lenses.tiles.picture import TileMap, TilesAt
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.tiles.raster import all_shades
from workbench.ui.lenses.tiles.tensor_painting import BEFORE, LATER
from workbench.ui.theme.fonts import TextRole

_LISTED = 5  # waves with a row each
_ROW = 17.0
_SWATCH = 12.0
_GRADIENT_STOPS = 12

Swatch = Callable[[Canvas, QRectF], None]


def paint_waves(canvas: Canvas, area: QRectF, found: TileMap, at: TilesAt) -> float:
    """The shades of the waves; returns where what comes below it may begin."""
    if area.isEmpty():
        return area.top()
    return _waves(canvas, area, found, at)


def paint_marks(
    canvas: Canvas, area: QRectF, found: TileMap, below: float, has_ghost: bool = False
) -> None:
    """The other marks, in a row where there is no room for a column, else from `below` on."""
    entries = _marks(found)
    if has_ghost:
        entries.insert(1, ("was a block", _ghost))
    if area.height() <= _ROW * 1.5:
        _row(canvas, area, entries)
        return
    top = below
    for text, swatch in entries:
        if top + _ROW > area.bottom() + 2:
            return
        _entry(canvas, QRectF(area.left(), top, area.width(), _ROW), text, swatch)
        top += _ROW


def _waves(canvas: Canvas, area: QRectF, found: TileMap, at: TilesAt) -> float:
    head = QRectF(area.left(), area.top(), area.width(), _ROW)
    waves = found.waves
    if waves is None:
        canvas.text(head, "Launch order", TextRole.STRONG_LABEL, "fg")
        _gradient(canvas, head.translated(0, _ROW), 64, "first", "last")
        return area.top() + 2 * _ROW + 6
    canvas.text(head, "Wave" if waves.count > 1 else "One wave", TextRole.STRONG_LABEL, "fg")
    top = area.top() + _ROW
    if waves.count > _LISTED or (waves.count + 1) * _ROW > area.height() + 2:
        _gradient(canvas, head.translated(0, _ROW), waves.count, "1", f"{waves.count:,}")
        text = f"{waves.capacity:,} blocks each"
        canvas.text(head.translated(0, 2 * _ROW), text, TextRole.NOTE, "fg2", elide=True)
        return top + 2 * _ROW + 4
    shades = all_shades(waves.count, canvas.colour("bg1"), canvas.colour("accent"))
    for number, colour in enumerate(shades):
        row = QRectF(area.left(), top, area.width(), _ROW)
        canvas.painter.fillRect(_swatch(row), colour)
        is_last = number == waves.count - 1
        count = waves.last if is_last else waves.capacity
        role = TextRole.STRONG_LABEL if number == at.wave else TextRole.LABEL
        token = "warn" if is_last and waves.idle and waves.count > 1 else "fg2"
        label = f"{number + 1}" if waves.count > 1 else ""
        room = 16 if label else 0
        canvas.text(row.adjusted(_SWATCH + 7, 0, 0, 0), label, role, "fg")
        text = f"{count:,} blocks" if count != 1 else "1 block"
        canvas.text(row.adjusted(_SWATCH + 7 + room, 0, 0, 0), text, role, token, elide=True)
        top += _ROW
    return top + 4


def _gradient(canvas: Canvas, row: QRectF, count: int, first: str, last: str) -> None:
    shades = all_shades(min(count, _GRADIENT_STOPS), canvas.colour("bg1"), canvas.colour("accent"))
    start = canvas.text_width(first) + 6
    end = canvas.text_width(last) + 6
    bar = row.adjusted(start, 3, -end, -4)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for place, colour in enumerate((shades[0], shades[-1])):
        gradient.setColorAt(place, colour)
    canvas.painter.fillRect(bar, gradient)
    canvas.text(row, first)
    canvas.text(row, last, align=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _marks(found: TileMap) -> list[tuple[str, Swatch]]:
    entries: list[tuple[str, Swatch]] = [("this block", _block)]
    if found.inputs:
        entries += [
            ("read now", lambda c, r: c.painter.fillRect(r, c.colour("shared"))),
            ("before", lambda c, r: c.painter.fillRect(r, c.colour("l2", BEFORE))),
            ("later", lambda c, r: c.painter.fillRect(r, c.colour("l2", LATER))),
        ]
    if any(found.panel.outside) or _is_cut(found):
        entries.append(("outside", _hatch))
    return entries


def _is_cut(found: TileMap) -> bool:
    return any(
        view.unknown is None and (view.rows % view.tile[0] or view.columns % view.tile[1])
        for view in found.inputs
    )


def _block(canvas: Canvas, place: QRectF) -> None:
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
    canvas.painter.setPen(QPen(canvas.colour("fg"), 2))
    canvas.painter.drawRect(place.adjusted(1, 1, -1, -1))


def _ghost(canvas: Canvas, place: QRectF) -> None:
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
    canvas.painter.setPen(QPen(canvas.colour("warn"), 1.75, Qt.PenStyle.DashLine))
    canvas.painter.drawRect(place.adjusted(1, 1, -1, -1))


def _hatch(canvas: Canvas, place: QRectF) -> None:
    canvas.hatch(place, canvas.colour("fg3"))


def _entry(canvas: Canvas, row: QRectF, text: str, swatch: Swatch) -> None:
    swatch(canvas, _swatch(row))
    canvas.text(row.adjusted(_SWATCH + 7, 0, 0, 0), text, elide=True)


def _swatch(row: QRectF) -> QRectF:
    return QRectF(row.left(), row.top() + (_ROW - _SWATCH) / 2, _SWATCH, _SWATCH)


def _row(canvas: Canvas, area: QRectF, entries: list[tuple[str, Swatch]]) -> None:
    left = area.left()
    for text, swatch in entries:
        width = _SWATCH + 7 + canvas.text_width(text) + 14
        if left + width - 14 > area.right():
            return
        _entry(canvas, QRectF(left, area.top(), width, _ROW), text, swatch)
        left += width
