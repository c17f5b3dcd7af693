"""Paints the rows of the problem list: severity, line, message, targets, code and fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.ui.panes.problems.model import ProblemModel
from workbench.ui.panes.problems.rows import ProblemRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painted_rows import paint_row_ground
from workbench.ui.widgets.painting import paint_mark

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT = 28
_MARGIN = 8
_PADDING = 12
_GAP = 24
_ICON = 16
_LEAST_PLACE = 36
_MARK, _MARK_STEP = 9, 16
_LEAST_MESSAGE = 300
_WIDEST_FIX = 200
_FIX_GAP = 8
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Widths:
    """The widths in px that the widest of each kind asks for; 0 where no row has any."""

    place: int = 0
    marks: int = 0
    stage: int = 0
    code: int = 0
    fix: int = 0


@dataclass(frozen=True)
class Places:
    """Left edge and width in px of each part; a part without room has width 0."""

    icon: tuple[int, int]
    place: tuple[int, int]
    message: tuple[int, int]
    marks: tuple[int, int]
    stage: tuple[int, int]
    code: tuple[int, int]
    fix: tuple[int, int]


def places_of(widths: Widths, room: int) -> Places:
    """Where the parts stand in a row that is `room` px wide.

    The message comes first: where it would have too little, the stage goes, then the code, then
    the fix keeps its light bulb alone.
    """
    left = _MARGIN + _PADDING
    place = left + _ICON + _PADDING // 2
    place_width = max(_LEAST_PLACE, widths.place)
    message = place + place_width + 16
    columns = [widths.marks, widths.stage, widths.code, widths.fix]
    for narrower in ((1, 0), (2, 0), (3, min(widths.fix, _ICON))):
        if room - _taken(columns) - _MARGIN - _PADDING - message >= _LEAST_MESSAGE:
            break
        columns[narrower[0]] = narrower[1]
    edge = room - _MARGIN - _PADDING
    found = []
    for width in reversed(columns):
        found.append((edge - width, width))
        edge -= width + _GAP if width else 0
    fix, code, stage, marks = found
    message_width = max(0, edge - message)
    return Places(
        (left, _ICON), (place, place_width), (message, message_width), marks, stage, code, fix
    )


def _taken(columns: Sequence[int]) -> int:
    return sum(width + _GAP for width in columns if width)


class ProblemDelegate(QStyledItemDelegate):
    """Paints for one list; `hovered_fix` is the row whose fix is under the pointer, -1 for none."""

    def __init__(self, view: QListView, model: ProblemModel, icons: Icons) -> None:
        super().__init__(view)
        self._view, self._model, self._icons = view, model, icons
        self._theme = icons.theme
        fonts = icons.theme.fonts
        self._body, self._strong = fonts.role(TextRole.BODY), fonts.role(TextRole.STRONG)
        self._code, self._label = fonts.monospace(12), fonts.role(TextRole.LABEL)
        self._widths = Widths()
        self.hovered_fix = -1
        self._row_height = fonts.pixels(ROW_HEIGHT)

    def measure(self) -> None:
        """Fit the columns to the model's rows; call it when they have changed."""
        rows = self._model.rows
        self._widths = Widths(
            place=_widest(self._label, [row.place for row in rows]),
            marks=max((mark + 1 for row in rows for mark in row.marks), default=0) * _MARK_STEP,
            stage=_widest(self._label, [row.stage for row in rows]),
            code=_widest(self._code, [row.code for row in rows]),
            fix=self._fix_width(rows),
        )

    def fix_rect(self, row: int) -> QRect:
        """Where a fix that can be applied is on the viewport; empty where the row has none.

        Edits made for an earlier text would land elsewhere in the present one.
        """
        rows = self._model.rows
        if not 0 <= row < len(rows) or rows[row].fix is None or rows[row].problem.stale:
            return QRect()
        rect = self._view.visualRect(self._model.index(row))
        left, width = places_of(self._widths, rect.width()).fix
        return QRect(rect.left() + left, rect.top(), width, rect.height())

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        return QSize(0, self._row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = self._model.rows[index.row()]
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        self._paint_ground(painter, option.rect, selected, hovered)
        places = places_of(self._widths, option.rect.width())
        self._paint_place(painter, option.rect, row, places)
        self._paint_message(painter, _slot(option.rect, places.message), row, selected)
        self._paint_marks(painter, _slot(option.rect, places.marks), row)
        if places.stage[1]:
            slot = _slot(option.rect, places.stage)
            _paint_text(painter, self._label, self._colour("fg3"), slot, _LEFT, row.stage)
        if places.code[1]:
            slot = _slot(option.rect, places.code)
            _paint_text(painter, self._code, self._colour("fg3"), slot, _LEFT, row.code)
        if row.fix is not None:
            self._paint_fix(painter, _slot(option.rect, places.fix), row, index.row())
        painter.restore()

    def _paint_ground(self, painter: QPainter, rect: QRect, selected: bool, hovered: bool) -> None:
        if not selected and not hovered:
            return
        token = ("accentbg" if self._view.hasFocus() else "bg3") if selected else "bg2"
        paint_row_ground(painter, rect, self._theme.colour(token), _MARGIN)

    def _paint_place(self, painter: QPainter, rect: QRect, row: ProblemRow, places: Places) -> None:
        slot = _slot(rect, places.icon)
        top = slot.top() + (slot.height() - _ICON) // 2
        tone = "fg4" if row.problem.stale else row.look.tone
        icon = self._icons.icon(row.look.icon, tone, _ICON)
        icon.paint(painter, QRect(slot.left(), top, _ICON, _ICON))
        slot = _slot(rect, places.place)
        _paint_text(painter, self._label, self._colour("fg3"), slot, _RIGHT, row.place)

    def _paint_message(
        self, painter: QPainter, slot: QRect, row: ProblemRow, selected: bool
    ) -> None:
        stale = row.problem.stale
        clause = self._colour("fg3" if stale else "fg")
        rest = self._colour("fg3" if stale else "fg" if selected else "fg2")
        used = _paint_text(painter, self._strong, clause, slot, _LEFT, row.clause)
        gap = QFontMetrics(self._body).horizontalAdvance(" ") + 1
        left = slot.adjusted(used + gap, 0, 0, 0)
        if row.rest and left.width() > 4 * gap:
            _paint_text(painter, self._body, rest, left, _LEFT, row.rest)

    def _paint_marks(self, painter: QPainter, slot: QRect, row: ProblemRow) -> None:
        """Each target has its own column, so that what concerns it stands below one another."""
        if row.problem.stale:
            painter.setOpacity(0.45)
        top = slot.top() + (slot.height() - _MARK) / 2
        for mark in row.marks:
            left = slot.left() + mark * _MARK_STEP + (_MARK_STEP - _MARK) / 2
            paint_mark(painter, QRectF(left, top, _MARK, _MARK), self._theme, mark)
        painter.setOpacity(1.0)

    def _paint_fix(self, painter: QPainter, slot: QRect, row: ProblemRow, at: int) -> None:
        tone = "fg3" if row.problem.stale else "accent"
        top = slot.top() + (slot.height() - _ICON) // 2
        icon = self._icons.icon("bulb", tone, _ICON)
        icon.paint(painter, QRect(slot.left(), top, _ICON, _ICON))
        font = QFont(self._strong)
        font.setUnderline(at == self.hovered_fix)
        text = slot.adjusted(_ICON + _FIX_GAP, 0, 0, 0)
        if text.width() > 0:
            _paint_text(painter, font, self._colour(tone), text, _LEFT, row.fix or "")

    def _fix_width(self, rows: Sequence[ProblemRow]) -> int:
        widest = _widest(self._strong, [row.fix or "" for row in rows])
        return min(_WIDEST_FIX, _ICON + _FIX_GAP + widest) if widest else 0

    def _colour(self, token: str) -> QColor:
        return self._theme.colour(token)


def _slot(rect: QRect, place: tuple[int, int]) -> QRect:
    return QRect(rect.left() + place[0], rect.top(), place[1], rect.height())


def _paint_text(
    painter: QPainter,
    font: QFont,
    colour: QColor,
    slot: QRect,
    flags: Qt.AlignmentFlag,
    text: str,
) -> int:
    """Paint text, shortened to its slot; the px that it takes."""
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, slot.width())
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(slot, flags, shown)
    return metrics.horizontalAdvance(shown)


def _widest(font: QFont, texts: Sequence[str]) -> int:
    metrics = QFontMetrics(font)
    return max((metrics.horizontalAdvance(text) + 1 for text in texts if text), default=0)
