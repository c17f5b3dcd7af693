"""The menu of fixes at a line: what can be done, and before it is done what it would change."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QStackedWidget, QWidget

from workbench.session.explaining import explanation
from workbench.session.fix_choices import ChoiceKind, FixChoice, preview_lines
from workbench.session.fixes import StaleFixError
from workbench.ui.editor.fix_list import ROW_HEIGHT, FixList
from workbench.ui.editor.fix_preview import FixPreview
from workbench.ui.editor.floating import cast_shadow, placed_off
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import divider

_LIST_WIDTH = (240, 480)
_SIDE_WIDTH = (320, 560)
_SIDE_HEIGHT = (96, 320)
_MOST_ROWS = 10
_PADDING = 6
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FixMenu(QFrame):
    """Lies over its window beside a line, and goes with Escape, a choice, or a click aside."""

    #: The person made a `FixChoice`; the menu has gone, and the focus is back.
    chosen = Signal(object)

    def __init__(self, icons: Icons, window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._window = icons.theme, window
        self._before: QWidget | None = None
        self._source = ""
        self._line = QRect()
        self.setProperty("kind", "popup")
        self.setAccessibleName("Quick fixes")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.list = FixList(icons)
        self.preview = FixPreview(icons.theme)
        self._words = QLabel()
        self._side = QStackedWidget()
        self._lay_out()
        self.list.choice_made.connect(self._choose)
        self.list.current_changed.connect(self._show_side)
        icons.theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    @property
    def choices(self) -> tuple[FixChoice, ...]:
        """What can be chosen."""
        return self.list.choices

    def open_at(self, choices: Sequence[FixChoice], source: str, line: QRect) -> None:
        """Offer choices about a text, beside a line that lies there in the window."""
        self._source, self._line = source, line
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self.list.set_choices(choices)
        self._show_side(self.list.current)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def dismiss(self) -> None:
        """Go without a choice; the focus returns to where it was."""
        self.hide()
        before, self._before = self._before, None
        if before is not None:
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def event(self, event: QEvent) -> bool:
        """Keys come here also where an action of the window has them; Tab moves the choice."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        current = self.list.current
        if key == Qt.Key.Key_Escape:
            self.dismiss()
        elif key in _STEPS:
            self.list.step(_STEPS[key])
        elif key in _ENTER and current is not None:
            self._choose(current)
        elif key == Qt.Key.Key_F1 and current is not None:
            self._choose(FixChoice(ChoiceKind.EXPLAIN, "", current.problem))

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        self._before = None  # what the person went to keeps the focus
        self.hide()

    def _choose(self, choice: FixChoice) -> None:
        self.dismiss()
        self.chosen.emit(choice)

    def _lay_out(self) -> None:
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._words.setContentsMargins(14, 10, 14, 10)
        self._words.setFont(self._theme.fonts.role(TextRole.BODY))
        self._side.addWidget(self.preview)
        self._side.addWidget(self._words)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(1, _PADDING, 1, _PADDING)
        layout.setSpacing(0)
        layout.addWidget(self.list, 0, Qt.AlignmentFlag.AlignTop)
        line = divider()
        line.setMaximumHeight(10_000)
        line.setMinimumHeight(0)
        layout.addWidget(line)
        layout.addWidget(self._side, 1, Qt.AlignmentFlag.AlignTop)

    def _show_side(self, choice: FixChoice | None) -> None:
        """Show what the choice would change, or what it is about."""
        if choice is None:
            return
        try:
            if choice.offered is not None:
                self.preview.show_lines(preview_lines(self._source, choice.offered))
                self._side.setCurrentWidget(self.preview)
            else:
                self._say(*self._about(choice))
        except StaleFixError as error:
            self._say("The text has changed since", str(error))
        self._place()

    def _about(self, choice: FixChoice) -> tuple[str, str]:
        diagnostic = choice.problem.diagnostic
        told = explanation(diagnostic)
        is_general = choice.kind is ChoiceKind.EXPLAIN
        return told.title, (told.reason or told.advice) if is_general else diagnostic.message

    def _say(self, title: str, text: str) -> None:
        palette = self._theme.palette
        self._words.setText(
            f'<p style="margin:0 0 4px 0; color:{palette.fg}"><b>{html.escape(title)}</b></p>'
            f'<p style="margin:0; color:{palette.fg2}">{html.escape(text)}</p>'
        )
        self._side.setCurrentWidget(self._words)

    def _place(self) -> None:
        room = self._window.width() - 2 * _PADDING
        fonts = self._theme.fonts
        width = _clamped(self.list.wanted_width(), *_LIST_WIDTH)
        rows = min(len(self.choices), _MOST_ROWS) * fonts.pixels(ROW_HEIGHT)
        self.list.setFixedSize(min(width, room // 2), rows)
        side = self._side_size(room - self.list.width() - 4)
        self._side.setFixedSize(side)
        size = QSize(self.list.width() + side.width() + 3, max(rows, side.height()) + 2 * _PADDING)
        self.setGeometry(placed_off(size, self._line, self._window.rect()))

    def _side_size(self, room: int) -> QSize:
        """As large as any of the choices asks for, so that stepping through them moves nothing."""
        low, high = _SIDE_WIDTH
        if self._side.currentWidget() is self.preview:
            hint = self.preview.sizeHint()
        else:
            hint = QSize(low, self._words.heightForWidth(min(_SIDE_WIDTH[0] + 60, room)))
        before = self._side.size() if self.isVisible() else QSize(0, 0)
        width = min(max(_clamped(hint.width(), low, high), before.width()), room)
        return QSize(width, max(_clamped(hint.height(), *_SIDE_HEIGHT), before.height()))

    def _on_theme_changed(self) -> None:
        cast_shadow(self, self._theme)


def _clamped(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)
