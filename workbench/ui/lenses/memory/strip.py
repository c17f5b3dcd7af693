"""Paints which shared buffers are kept at which lines, and where the peak is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from workbench.core.figures import size
from workbench.session.lenses.links import Selection
from workbench.session.lenses.memory.model import MemoryPicture, Strip, StripBar
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.memory.layout import INSET, ROW, STRIP_HEAD, Layout
from workbench.ui.theme.fonts import TextRole

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MIDDLE = Qt.AlignmentFlag.AlignCenter
_TICK = 13.0


def paint_strip(canvas: Canvas, picture: MemoryPicture, layout: Layout) -> None:
    """The heading, a row an offset, and the lines below; why there is none where there is none."""
    head = QRectF(INSET, layout.strip, layout.width - 2 * INSET, STRIP_HEAD - 8)
    canvas.line(head.topLeft(), head.topRight(), "line")
    title = "Shared buffers by line" if picture.has_threads else "Unified buffer by line"
    canvas.text(head.adjusted(0, 4, 0, 0), title, TextRole.STRONG_LABEL, "fg")
    strip = picture.strip
    if strip is None:
        gap = head.translated(0, 20)
        canvas.text(gap, picture.strip_gap, TextRole.NOTE, "fg3")
        return
    told = head.adjusted(canvas.text_width(title, TextRole.STRONG_LABEL) + 16, 4, 0, 0)
    canvas.text(told, strip.told, TextRole.NOTE, "fg3", _RIGHT)
    left = layout.left
    rows = QRectF(left, layout.strip + STRIP_HEAD, layout.width - left - INSET,
                  ROW * len(strip.offsets))  # fmt: skip
    _Rows(canvas, strip, rows).paint()


class _Rows:
    """The rows of one strip; a line is a column."""

    def __init__(self, canvas: Canvas, strip: Strip, area: QRectF) -> None:
        self._canvas, self._strip, self._area = canvas, strip, area
        self._column = area.width() / (strip.last - strip.first + 1)

    def paint(self) -> None:
        """The peak behind, bars, the cursor's line before them, the numbers of lines below."""
        strip, area, canvas = self._strip, self._area, self._canvas
        if strip.peak is not None:
            first, last = strip.peak
            canvas.box(
                self._over(first, last).adjusted(0, -3, 0, 3), canvas.colour("bg3"), radius=2
            )
        for row, offset in enumerate(strip.offsets):
            y = area.top() + row * ROW
            place = QRectF(INSET, y, area.left() - INSET - 10, ROW)
            canvas.text(place, str(size(offset)), TextRole.NOTE, "fg3", _RIGHT)
            canvas.line(QPointF(area.left(), y + ROW), QPointF(area.right(), y + ROW), "line")
        for bar in strip.bars:
            self._paint_bar(bar)
        cursor = self._paint_cursor()
        self._paint_ticks(cursor)

    def _over(self, first: int, last: int) -> QRectF:
        left = self._area.left() + (first - self._strip.first) * self._column
        width = (last - first + 1) * self._column
        return QRectF(left, self._area.top(), width, self._area.height())

    def _paint_bar(self, bar: StripBar) -> None:
        canvas, (begin, end) = self._canvas, bar.rows
        place = self._over(bar.first, bar.last)
        area = QRectF(place.left(), self._area.top() + begin * ROW + 1.5,
                      max(3.0, place.width()), (end - begin) * ROW - 3)  # fmt: skip
        selection = Selection(line=bar.line or bar.first, buffer=bar.name)
        line = canvas.lit.line if canvas.lit is not None else None
        lit = canvas.is_lit(selection)
        canvas.box(area, canvas.colour("shared", 0.24), canvas.colour("shared", 0.8))
        if lit:
            canvas.outline(area)
        name = (
            f"{bar.name}, merged with {', '.join(bar.shares_with)}" if bar.shares_with else bar.name
        )
        for text in (name, bar.name):
            if canvas.text_width(text, TextRole.NOTE, is_code=True) < area.width() - 4:
                token = "fg" if lit or line is None else "fg2"
                canvas.text(area, text, TextRole.NOTE, token, _MIDDLE, is_code=True)
                break
        canvas.hit(area, _tip(bar), selection)

    def _paint_cursor(self) -> int | None:
        canvas, strip = self._canvas, self._strip
        line = canvas.lit.line if canvas.lit is not None else None
        if line is None or not strip.first <= line <= strip.last:
            return None
        x = self._over(line, line).center().x()
        top, bottom = self._area.top() - 4, self._area.bottom() + 3
        canvas.line(QPointF(x, top), QPointF(x, bottom), "accent", 2.0)
        return line

    def _paint_ticks(self, cursor: int | None) -> None:
        """The cursor's line first, then where something begins or ends, as far as there is room."""
        taken: list[QRectF] = []
        for line in dict.fromkeys((*([cursor] if cursor is not None else []), *self._strip.ticks)):
            text = str(line)
            width = self._canvas.text_width(text, TextRole.NOTE) + 2
            middle = self._over(line, line).center().x()
            place = QRectF(middle - width / 2, self._area.bottom() + 3, width, _TICK)
            if any(place.adjusted(-3, 0, 3, 0).intersects(other) for other in taken):
                continue
            taken.append(place)
            token = "accent" if line == cursor else "fg3"
            self._canvas.text(place, text, TextRole.NOTE, token, _MIDDLE, elide=False)


def _tip(bar: StripBar) -> str:
    lines = f"line {bar.first}" if bar.first == bar.last else f"lines {bar.first} to {bar.last}"
    merged = f"\nmerged: at the bytes of {', '.join(bar.shares_with)}" if bar.shares_with else ""
    return f"{bar.name}: {size(bar.size_bytes)}, kept in {lines}{merged}"
