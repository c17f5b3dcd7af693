"""Paints a block's timeline: rows, blocks, the steady turn in a bracket, and a measured span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from workbench.session.lenses.pipeline.model import Block, Look, PipelinePicture, Row
from workbench.session.lenses.pipeline.words import OPERANDS, percent, time
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.pipeline.geometry import (
    AXIS,
    INSET,
    Geometry,
    Window,
    total_height,
)
from workbench.ui.theme.fonts import TextRole
from workbench.ui.widgets.painting import with_alpha

COLOURS = {
    Look.COPY: "l2",
    Look.WAIT: "warn",
    Look.ROOM: "fg3",
    Look.BARRIER: "fg3",
    Look.TENSOR: "accent",
    Look.VECTOR: "fg2",
    Look.SHARED: "shared",
    Look.MEMORY: "hbm",
}
_DASHED = (Look.WAIT, Look.ROOM)
_CENTRE = Qt.AlignmentFlag.AlignCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEAST = 1.5  # px that a block has at the least, so that none is lost
_LINE = 14.0  # px of a line of a label
_UPRIGHT = 13.0  # px that a block needs for a text that stands upright
_BACK = 0.78  # of the ground behind a text on a hatch
_MARK = 11.0  # px of the mark of a hazard


@dataclass(frozen=True)
class TimelinePainting:
    """A picture in a window of time; `measured` are two times between which it is measured.

    `ghost` is the length of the steady turn with the case's own arguments, while others are tried.
    """

    picture: PipelinePicture
    window: Window
    measured: tuple[float, float] | None = None
    ghost: float | None = None

    def height(self, width: float) -> float:
        """What all rows need."""
        return total_height(self.picture)

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it, and tell the canvas which block answers where."""
        places = Geometry(self.picture, self.window, size.width())
        timeline = _Timeline(canvas, places)
        timeline.paint(self.measured)
        if self.ghost is not None:
            timeline.paint_ghost(self.ghost)


class _Timeline:
    """One painting of a timeline on a canvas."""

    def __init__(self, canvas: Canvas, places: Geometry) -> None:
        self._canvas, self._places = canvas, places
        self._picture = places.picture

    def paint(self, measured: tuple[float, float] | None) -> None:
        """All of it, from the ground up."""
        self._ground()
        self._axis()
        for number, row in enumerate(self._picture.rows):
            self._title(row, self._places.row(number))
        painter, places = self._canvas.painter, self._places
        plot = QRectF(places.left, 0, places.right - places.left, places.bottom + 60)
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        for number, block in enumerate(self._picture.blocks):
            if block.end >= places.window.begin and block.begin <= self._last:
                self._block(number, block)
        if measured is not None:
            self._measured(*sorted(measured))
        painter.restore()
        self._bracket()

    def paint_ghost(self, turn: float) -> None:
        """An earlier turn as a dashed line that begins where the steady one does."""
        canvas, places, bracket = self._canvas, self._places, self._picture.bracket
        if bracket is None:
            return
        begin, end = self._cut(bracket.begin), self._cut(bracket.begin + turn)
        y = places.bottom + 2.5
        canvas.line(QPointF(begin, y), QPointF(end, y), "warn", 1.75, Qt.PenStyle.DashLine)
        if places.x(bracket.begin + turn) <= places.right + 1:
            canvas.line(QPointF(end, y - 4), QPointF(end, y + 4), "warn", 1.75)
        area = QRectF(begin, y - 6, max(0.0, end - begin), 12)
        canvas.hit(area, f"As many turns took {time(turn)} with the case's own arguments")

    @property
    def _last(self) -> float:
        return self._places.window.begin + self._places.window.span

    # -- ground and axis --------------------------------------------------------------------

    def _ground(self) -> None:
        """The steady turn shaded, and lines between rows."""
        canvas, places = self._canvas, self._places
        bracket = self._picture.bracket
        if bracket is not None:
            begin, end = self._cut(bracket.begin), self._cut(bracket.end)
            area = QRectF(begin, AXIS - 2, end - begin, places.bottom - AXIS)
            canvas.painter.fillRect(area, canvas.colour("accentbg", 0.55))
        for number in range(1, len(self._picture.rows)):
            y = places.row(number).top() - 3
            canvas.line(QPointF(INSET, y), QPointF(places.right, y), "line")

    def _axis(self) -> None:
        canvas, places = self._canvas, self._places
        title = "predicted" if self._picture.is_timed else "order alone"
        canvas.text(
            QRectF(INSET, 0, places.left - INSET - 8, AXIS - 4), title, TextRole.NOTE, "fg3"
        )
        if not self._picture.is_timed:
            return
        ticks, digits = places.ticks()
        for number, tick in enumerate(ticks):
            x = places.x(tick)
            canvas.line(QPointF(x, AXIS - 4), QPointF(x, places.bottom - 4), "line")
            text = f"{tick:.{digits}f}" + (" µs" if number == 0 else "")
            width = canvas.text_width(text, TextRole.NOTE) + 4
            left = min(max(x - width / 2, places.left), places.right - width)
            canvas.text(QRectF(left, 0, width, AXIS - 6), text, TextRole.NOTE, "fg3", _CENTRE)

    def _title(self, row: Row, area: QRectF) -> None:
        canvas = self._canvas
        width = self._places.left - INSET - 8
        if row.is_bottleneck:
            bar = QRectF(INSET - 8, area.top(), 3, area.height())
            canvas.painter.fillRect(bar, canvas.colour("warn"))
        top = area.top() + max(0.0, (area.height() - 34) / 2)
        head = QRectF(INSET, top, width, 17)
        if row.busy is not None and row.busy >= 0.005:
            canvas.text(head, percent(row.busy), TextRole.LABEL, "fg2", _RIGHT)
            head = head.adjusted(0, 0, -36, 0)
        canvas.text(head, row.title, TextRole.STRONG_LABEL, "fg")
        detail = QRectF(INSET, top + 16, width, 16)
        canvas.text(detail, row.detail, TextRole.NOTE, "fg3")

    # -- blocks -----------------------------------------------------------------------------

    def _block(self, number: int, block: Block) -> None:
        canvas = self._canvas
        whole = self._places.block(number)
        if whole.width() < _LEAST:
            whole.setWidth(_LEAST)
        area = whole.intersected(QRectF(self._places.left - 4, 0, 1e6, 1e6))
        area.setRight(min(area.right(), self._places.right + 4))
        if area.width() <= 0:
            return
        self._shape(area, block)
        self._label(area, block)
        if block.hazard is not None:
            canvas.outline(area, "error", 1.5)
            self._hazard_mark(area)
        if canvas.is_lit(block.selection) or canvas.hovered == number:
            canvas.outline(area, "accent" if canvas.is_lit(block.selection) else "fg3")
        left, right = max(area.left(), self._places.left), min(area.right(), self._places.right)
        if right > left:
            hit = QRectF(left, area.top(), right - left, area.height())
            canvas.hit(hit, block.tip, block.selection, number)

    def _shape(self, area: QRectF, block: Block) -> None:
        canvas = self._canvas
        colour = canvas.colour(COLOURS[block.look])
        if block.look in _DASHED:
            self._dashed(area, colour)
        elif area.width() < 4:
            canvas.painter.fillRect(area, with_alpha(colour, 0.7))
        elif self._picture.is_timed:
            canvas.block(area, with_alpha(colour, 0.8))
        else:
            canvas.box(area.adjusted(0.5, 0, -0.5, 0), with_alpha(colour, 0.22), colour)

    def _dashed(self, area: QRectF, colour: QColor) -> None:
        """What is waited for: an empty box with a dashed edge."""
        path = QPainterPath()
        path.addRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        painter = self._canvas.painter
        painter.fillPath(path, with_alpha(colour, 0.10))
        painter.strokePath(path, QPen(colour, 1, Qt.PenStyle.DashLine))

    def _label(self, area: QRectF, block: Block) -> None:
        """The longer text where it fits, else the short one, upright where only that fits."""
        canvas = self._canvas
        left, right = max(area.left(), self._places.left), min(area.right(), self._places.right)
        place = QRectF(left, area.top(), right - left, area.height())
        texts = [text for text in dict.fromkeys((block.text, block.label)) if text]
        for text in texts:
            lines = text.replace(OPERANDS, " ").split()
            width = max(canvas.text_width(each, TextRole.NOTE) for each in lines)
            whole = canvas.text_width(text, TextRole.NOTE)
            if whole + 8 <= place.width():
                self._write(place, [text], whole, block.look)
                return
            if width + 8 <= place.width() and _LINE * len(lines) <= place.height():
                self._write(place, lines, width, block.look)
                return
        for text in texts:
            width = canvas.text_width(text, TextRole.NOTE)
            if place.width() >= _UPRIGHT and width + 4 <= place.height():
                self._write_upright(place, text, width, block.look)
                return

    def _write_upright(self, place: QRectF, text: str, width: float, look: Look) -> None:
        painter = self._canvas.painter
        painter.save()
        painter.translate(place.center())
        painter.rotate(-90)
        turned = QRectF(-place.height() / 2, -place.width() / 2, place.height(), place.width())
        self._write(turned, [text], width, look)
        painter.restore()

    def _write(self, place: QRectF, lines: Sequence[str], width: float, look: Look) -> None:
        """A text in the middle, on a ground of its own where there is a hatch."""
        canvas = self._canvas
        back = QRectF(0, 0, width + 6, min(_LINE * len(lines) + 1, place.height()))
        back.moveCenter(place.center())
        if look not in _DASHED and self._picture.is_timed:
            canvas.box(back, canvas.colour("bg1", _BACK))
        token = "warn" if look is Look.WAIT else "fg"
        for number, line in enumerate(lines):
            area = QRectF(place.left(), 0, place.width(), back.height() / len(lines))
            area.moveTop(back.top() + number * area.height())
            canvas.text(area, line, TextRole.NOTE, token, _CENTRE, elide=False)

    def _hazard_mark(self, area: QRectF) -> None:
        """A triangle in the corner, so that it is not told by colour alone."""
        canvas, corner = self._canvas, QPointF(max(area.left(), self._places.left), area.top())
        points = [QPointF(_MARK / 2, 0), QPointF(_MARK, _MARK), QPointF(0, _MARK)]
        shape = QPolygonF([corner + QPointF(1, 1) + point for point in points])
        canvas.painter.setPen(Qt.PenStyle.NoPen)
        canvas.painter.setBrush(canvas.colour("error"))
        canvas.painter.drawPolygon(shape)
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)

    # -- bracket and measure ----------------------------------------------------------------

    def _cut(self, time_at: float) -> float:
        """The place of a time, held to the plot."""
        return min(max(self._places.x(time_at), self._places.left), self._places.right)

    def _bracket(self) -> None:
        canvas, places, bracket = self._canvas, self._places, self._picture.bracket
        y = places.bottom
        if any(row.is_bottleneck for row in self._picture.rows):
            mark = QRectF(INSET - 8, y + 22, 3, 14)
            canvas.painter.fillRect(mark, canvas.colour("warn"))
            words = QRectF(INSET, y + 20, places.left - INSET, 18)
            canvas.text(words, "bottleneck row", TextRole.NOTE, "fg2")
        if bracket is None:
            return
        begin, end = self._cut(bracket.begin), self._cut(bracket.end)
        if end - begin > 2:
            down = y + 7
            canvas.line(QPointF(begin, down), QPointF(end, down), "accent", 1.5)
            for place, time_at in ((begin, bracket.begin), (end, bracket.end)):
                if places.left - 1 <= places.x(time_at) <= places.right + 1:
                    canvas.line(QPointF(place, y - 1), QPointF(place, down), "accent", 1.5)
        room = QRectF(places.left, y + 12, places.right - places.left, 18)
        if canvas.text_width(bracket.text, TextRole.STRONG_LABEL) <= room.width():
            canvas.text(room, bracket.text, TextRole.STRONG_LABEL, "fg", _RIGHT)
        else:
            self._two_lines(room, bracket.text)

    def _two_lines(self, room: QRectF, text: str) -> None:
        """The head of a text over the rest of it."""
        head, _, rest = text.partition(" \N{MIDDLE DOT} ")
        self._canvas.text(room, head, TextRole.STRONG_LABEL, "fg", _RIGHT)
        self._canvas.text(room.translated(0, 15), rest, TextRole.NOTE, "fg2", _RIGHT)

    def _measured(self, begin: float, end: float) -> None:
        canvas, places = self._canvas, self._places
        left, right = places.x(begin), places.x(end)
        area = QRectF(left, AXIS - 2, right - left, places.bottom - AXIS)
        canvas.painter.fillRect(area, canvas.colour("fg", 0.12))
        for x in (left, right):
            canvas.line(QPointF(x, area.top()), QPointF(x, area.bottom()), "fg")
        text = time(end - begin)
        back = QRectF(0, 0, canvas.text_width(text, TextRole.STRONG_LABEL) + 12, 18)
        back.moveCenter(QPointF(self._cut((begin + end) / 2), AXIS + 9))
        canvas.box(back, canvas.colour("bg3"), canvas.colour("line2"))
        canvas.text(back, text, TextRole.STRONG_LABEL, "fg", _CENTRE)
