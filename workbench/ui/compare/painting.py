"""Paints the parts of a comparison's table: heads, code, rows and lines."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from workbench.core.runs import MetricSource
from workbench.session.comparison_view.model import CellView, CodeLine, ColumnHead
from workbench.ui.compare.geometry import CODE_LINE, HEAD, ROW, Geometry, RowPlace
from workbench.ui.editor.appearance import code_font
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painting import paint_block, paint_mark

_INSET, _STAR = 12.0, 14
_TITLE_LEFT, _NARROW_TITLE = 108.0, 92.0
_SWATCH = QRectF(0, 0, 12, 8)
_BADGE = 20.0
_VALUE_SHARE, _MOST_VALUE, _LEAST_VALUE = 0.41, 116.0, 84.0
_NARROW_COLUMN = 220.0
#: What a difference is called where a column has little room.
_SHORT = {"within noise": "noise"}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter


class TablePainter:
    """Paints with one painter what a table shows; places are those of the whole content."""

    def __init__(self, painter: QPainter, icons: Icons, places: Geometry) -> None:
        self._painter, self._icons, self._places = painter, icons, places
        self._theme = icons.theme
        self._fonts: dict[TextRole, tuple[QFont, QFontMetricsF]] = {}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def corner(self, height: float = HEAD) -> None:
        """What the runs have in common, left of the heads."""
        tones = (("fg", TextRole.STRONG), ("fg2", TextRole.LABEL))
        for at, (text, (tone, role)) in enumerate(
            zip(self._places.view.facts, tones, strict=False)
        ):
            box = QRectF(16, 5 + 18 * at, self._places.left - 24, 18)
            self._text(box, text, role, tone)

    def head(self, at: int, head: ColumnHead, is_lit: bool) -> None:
        """A column's letter, title and corner."""
        box = QRectF(self._places.column_left(at), 0, self._places.column, HEAD)
        if is_lit:
            self._painter.fillRect(box.adjusted(1, 0, 0, 0), self._theme.colour("accentbg"))
        badge = QRectF(box.left() + _INSET, box.top() + 4, _BADGE, _BADGE)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(self._theme.colour("bg4"))
        self._painter.drawRoundedRect(badge, 4, 4)
        self._text(badge, head.letter, TextRole.STRONG_LABEL, "fg", _CENTRE)
        left = badge.right() + 8
        right = self._corner_of(head, box)
        if head.mark is not None:
            mark = QRectF(left, box.top() + 10, 9, 9)
            paint_mark(self._painter, mark, self._theme, head.mark)
            left = mark.right() + 6
        title = QRectF(left, box.top() + 4, right - left - 6, 20)
        self._text(title, head.title, TextRole.VALUE, "fg")
        below = QRectF(badge.right() + 8, box.top() + 24, box.right() - badge.right() - 16, 18)
        self._text(below, head.subtitle, TextRole.LABEL, "fg2")

    def _corner_of(self, head: ColumnHead, box: QRectF) -> float:
        """The chip of the base, else when it ran or how it ended; returns its left side."""
        if not head.is_base:
            width = self._width(head.corner, TextRole.LABEL)
            place = QRectF(box.right() - _INSET - width, box.top() + 4, width + 2, 20)
            self._text(place, head.corner, TextRole.LABEL, head.corner_tone, _RIGHT)
            return place.left()
        text = "baseline"
        width = self._width(text, TextRole.NOTE) + 30
        chip = QRectF(box.right() - _INSET - width, box.top() + 4, width, 20)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(self._theme.colour("bg3"))
        self._painter.drawRoundedRect(chip, 4, 4)
        self._icon("pin", "fg2" if head.is_pinned else "fg3", chip.left() + 7, chip.top() + 4, 12)
        self._text(chip.adjusted(22, 0, -6, 0), text, TextRole.NOTE, "fg2")
        return chip.left()

    def code_head(self) -> None:
        """What the lines at the right are, and how much differs."""
        code, top = self._places.view.code, self._places.code_top + 6
        box = QRectF(16, top, self._places.left - 24, 18)
        self._text(box, "Code and arguments", TextRole.STRONG_LABEL, "fg")
        for at, sentence in enumerate(code.sentences):
            self._text(box.translated(0, 18.0 * (at + 1)), sentence, TextRole.LABEL, "fg2")

    def code(self, at: int, lines: tuple[CodeLine, ...]) -> None:
        """A column's lines, what is another than in the base on a ground of its own."""
        places = self._places
        box = QRectF(places.column_left(at), places.code_top, places.column, places.code_height)
        self._painter.save()
        self._painter.setClipRect(box.adjusted(4, 0, -8, 0), Qt.ClipOperation.IntersectClip)
        font = code_font(11)
        self._painter.setFont(font)
        metrics = QFontMetricsF(font)
        for row, line in enumerate(lines):
            x, y = box.left() + _INSET, box.top() + 6 + row * CODE_LINE
            for span in line.spans:
                width = metrics.horizontalAdvance(span.text)
                place = QRectF(x, y, width, CODE_LINE)
                if span.is_changed and span.text.strip():
                    self._painter.setPen(Qt.PenStyle.NoPen)
                    self._painter.setBrush(self._theme.colour("accentbg"))
                    self._painter.drawRoundedRect(place.adjusted(-2, 0.5, 2, -0.5), 3, 3)
                self._painter.setPen(self._theme.colour("accent" if span.is_changed else "fg2"))
                self._painter.drawText(place, int(_LEFT), span.text)
                x += width
        self._painter.restore()

    def code_note(self, text: str) -> None:
        """Why there are no lines."""
        places = self._places
        box = QRectF(places.left + _INSET, places.code_top + 6, places.column * 2, 20)
        self._text(box, text, TextRole.LABEL, "fg3")

    def row_head(self, place: RowPlace, is_hovered: bool) -> None:
        """A row's group, its source and its title."""
        left = self._places.left
        title = _TITLE_LEFT if left > 240 else _NARROW_TITLE
        box = QRectF(0, place.top, left, ROW)
        if is_hovered:
            self._painter.fillRect(box, self._theme.colour("bg2"))
        if place.group:
            group = QRectF(16, place.top, title - 18, ROW)
            self._text(group, place.group, TextRole.STRONG_LABEL, "fg")
        if place.row.source is not None:
            swatch = _SWATCH.translated(title, place.top + 7)
            predicted = place.row.source is MetricSource.PREDICTED
            paint_block(self._painter, swatch, self._theme.colour("fg3"), predicted, 1.5)
        text = QRectF(title + 18, place.top, left - title - 22, ROW)
        self._text(text, place.row.title, TextRole.BODY, "fg2")

    def cell(self, at: int, place: RowPlace, cell: CellView, is_current: bool) -> None:
        """A value with its unit, its star, and its difference from the base."""
        column = self._places.column
        left, right = self._places.column_left(at), self._places.column_left(at) + column
        if place.row.source is None:
            self._setting(QRectF(left + _INSET, place.top, column - 24, ROW), cell)
        else:
            end = left + min(_MOST_VALUE, max(_LEAST_VALUE, column * _VALUE_SHARE))
            if cell.is_best:
                self._icon("star", "good", left + _INSET, place.top + 4, _STAR)
            role = TextRole.STRONG if cell.value_tone == "fg" else TextRole.BODY
            value = QRectF(left + 28, place.top, end - left - 28, ROW)
            self._text(value, cell.text, role, cell.value_tone, _RIGHT)
            strong = TextRole.STRONG if cell.delta_tone in ("good", "error") else TextRole.LABEL
            said = _SHORT.get(cell.delta, cell.delta) if column < _NARROW_COLUMN else cell.delta
            taken = self._width(said, strong) + 4 if said else 0.0
            unit = QRectF(end + 5, place.top, right - _INSET - taken - end - 5, ROW)
            if self._width(cell.unit, TextRole.LABEL) <= unit.width():
                self._text(unit, cell.unit, TextRole.LABEL, "fg3")
            delta = QRectF(end + 12, place.top, right - end - 12 - _INSET, ROW)
            self._text(delta, said, strong, cell.delta_tone, _RIGHT)
        if is_current:
            frame = QRectF(left + 4, place.top + 1, column - 8, ROW - 2)
            self._painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            self._painter.drawRoundedRect(frame, 4, 4)

    def _setting(self, box: QRectF, cell: CellView) -> None:
        """What was asked for: a text, greyed where it is the base's."""
        self._text(box, cell.text, TextRole.LABEL, cell.value_tone)

    def line(self, y: float, x0: float, x1: float, tone: str = "line") -> None:
        """A hairline across."""
        self._painter.setPen(QPen(self._theme.colour(tone), 1))
        self._painter.drawLine(QPointF(x0, y + 0.5), QPointF(x1, y + 0.5))

    def upright(self, x: float, y0: float, y1: float) -> None:
        """A hairline down."""
        self._painter.setPen(QPen(self._theme.colour("line"), 1))
        self._painter.drawLine(QPointF(x + 0.5, y0), QPointF(x + 0.5, y1))

    def _icon(self, name: str, tone: str, x: float, y: float, size: int) -> None:
        ratio = self._painter.device().devicePixelRatioF()
        self._painter.drawPixmap(QPointF(x, y), self._icons.pixmap(name, tone, size, ratio))

    def _text(
        self,
        box: QRectF,
        text: str,
        role: TextRole,
        tone: str,
        align: Qt.AlignmentFlag = _LEFT,
    ) -> None:
        if not text:
            return
        font, metrics = self._font(role)
        self._painter.setFont(font)
        self._painter.setPen(self._theme.colour(tone))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        self._painter.drawText(box, int(align), shown)

    def _width(self, text: str, role: TextRole) -> float:
        return self._font(role)[1].horizontalAdvance(text)

    def _font(self, role: TextRole) -> tuple[QFont, QFontMetricsF]:
        """The font of a role with its metrics, made once a painting."""
        if role not in self._fonts:
            font = self._theme.fonts.role(role)
            self._fonts[role] = (font, QFontMetricsF(font))
        return self._fonts[role]
