"""The palette's widget: a field over a list, over the top of its window while it is needed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsDropShadowEffect, QVBoxLayout, QWidget

from workbench.ui.command_palette.list_view import ROW_HEIGHT, PaletteList
from workbench.ui.command_palette.rows import PaletteItem, PaletteRow, rows_of
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.search_field import SearchField

_WIDTH = 620
_SIDE = 24
_TOP = 52
_MOST_ROWS = 12
_FIELD_HEIGHT = 42
_SHADOW_BLUR = 24
_SHADOW_ALPHA = {True: 0.5, False: 0.18}
_PAGE = _MOST_ROWS - 1
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _PAGE,
    Qt.Key.Key_PageUp: -_PAGE,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CommandPalette(QFrame):
    """Lies over its parent, the window; it goes with Escape, a choice, or a click aside."""

    #: The person chose the item of that id; the palette has gone and the focus is back.
    chosen = Signal(str)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._window = theme, parent
        self._items: tuple[PaletteItem, ...] = ()
        self._empty_text = ""
        self._before: QWidget | None = None
        self.setProperty("kind", "popup")
        self.setAccessibleName("Palette")
        self._field = SearchField(icons, "Search actions")
        self._list = PaletteList(icons)
        self._nothing = text_label(theme, "", TextRole.BODY, "fg3")
        self._lay_out()
        self._field.textChanged.connect(self._on_text_changed)
        self._field.installEventFilter(self)
        self._list.row_chosen.connect(self._choose)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        parent.installEventFilter(self)
        self.hide()

    @property
    def rows(self) -> tuple[PaletteRow, ...]:
        """The items on show, the best first."""
        return self._list.rows

    def open_with(
        self,
        items: Sequence[PaletteItem],
        placeholder: str = "Search actions",
        text: str = "",
        nothing: str = "Nothing to choose.",
    ) -> None:
        """Show these items, those that fit `text` at first, and take the focus.

        `nothing` is said where there are none.
        """
        self._items, self._empty_text = tuple(items), nothing
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self._field.setPlaceholderText(placeholder)
        self._field.setAccessibleName(placeholder)
        self._field.setText(text)
        self._on_text_changed(text)
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_items(self, items: Sequence[PaletteItem]) -> None:
        """Choose among other items from now on; what was typed stays."""
        self._items = tuple(items)
        self._on_text_changed(self._field.text())

    def dismiss(self) -> None:
        """Go without a choice; the focus returns to where it was."""
        self._leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._place()
        if watched is self._field and event.type() == QEvent.Type.FocusOut:
            self._on_focus_lost()
        if watched is self._field and isinstance(event, QKeyEvent):
            is_press = event.type() == QEvent.Type.KeyPress
            return is_press and self._handle_key(event)
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        self._field.setProperty("kind", "palette")
        self._field.setFont(self._theme.fonts.role(TextRole.NARROW_CONCLUSION))
        self._nothing.setContentsMargins(16, 8, 16, 8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 7)
        layout.setSpacing(0)
        layout.addWidget(self._field)
        layout.addWidget(hairline())
        layout.addSpacing(6)
        layout.addWidget(self._list)
        layout.addWidget(self._nothing)

    def _handle_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in _STEPS:
            self._list.step(_STEPS[key])
        elif key in _ENTER:
            row = self._list.current_row()
            if row is not None:
                self._choose(row)
        else:
            return False
        return True

    def _choose(self, row: PaletteRow) -> None:
        self._leave()
        self.chosen.emit(row.item.id)

    def _leave(self) -> None:
        self.hide()
        before, self._before = self._before, None
        if before is not None:
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_focus_lost(self) -> None:
        """A click aside, or another window: what the person went to keeps the focus."""
        if self.isVisible() and QApplication.activePopupWidget() is None:
            self._before = None
            self.hide()

    def _on_text_changed(self, text: str) -> None:
        rows = rows_of(self._items, text)
        self._list.set_rows(rows)
        self._nothing.setText(f"Nothing matches “{text}”." if text else self._empty_text)
        self._nothing.setVisible(not rows)
        self._list.setVisible(bool(rows))
        self._place()

    def _on_theme_changed(self) -> None:
        shadow = QGraphicsDropShadowEffect(self, blurRadius=_SHADOW_BLUR, xOffset=0, yOffset=6)
        shadow.setColor(QColor.fromRgbF(0, 0, 0, _SHADOW_ALPHA[is_dark(self._theme.palette)]))
        self.setGraphicsEffect(shadow)

    def _place(self) -> None:
        """In the middle of the window's upper part, as high as its rows and no higher."""
        window = self._window
        row_height = self._theme.fonts.pixels(ROW_HEIGHT)
        room = max(1, (window.height() - _TOP - _FIELD_HEIGHT - _SIDE) // row_height)
        self._list.setFixedHeight(min(len(self._list.rows), _MOST_ROWS, room) * row_height)
        width = min(_WIDTH, window.width() - 2 * _SIDE)
        self.setGeometry((window.width() - width) // 2, _TOP, width, self._height())

    def _height(self) -> int:
        layout = self.layout()
        assert layout is not None
        layout.activate()
        return layout.sizeHint().height()
