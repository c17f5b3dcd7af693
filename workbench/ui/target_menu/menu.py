"""The popup itself: a field to search, what is ticked, and the list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.ui.target_menu.choices import TargetChoice, target_rows
from workbench.ui.target_menu.list_view import TargetList
from workbench.ui.target_menu.ticked import TickedTargets
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.search_field import SearchField

_WIDTH, _HEIGHT, _MARGIN = 400, 520, 8
_PAGE = 10
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _PAGE,
    Qt.Key.Key_PageUp: -_PAGE,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_HINT = "↑ ↓ choose · Enter ticks · Esc closes"


class TargetMenu(QFrame):
    """Every change is told at once, and the popup stays until it is left."""

    chosen = Signal(tuple)

    def __init__(
        self,
        icons: Icons,
        choices: Sequence[TargetChoice],
        ticked: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("kind", "popup")
        self.setAccessibleName("Targets to look at")
        self._choices = tuple(choices)
        self._by_name = {choice.name: choice for choice in choices}
        self._order = list(ticked)
        self._field = SearchField(icons, "Find a target")
        self._ticked = TickedTargets(icons, _WIDTH - 2 * _MARGIN - 2)
        self._list = TargetList(icons)
        self._nothing = text_label(icons.theme, "", TextRole.BODY, "fg3")
        self._hint = text_label(icons.theme, _HINT, TextRole.NOTE, "fg3")
        self._lay_out()
        self._field.textChanged.connect(self._on_field_text_changed)
        self._field.installEventFilter(self)
        self._list.toggled.connect(self._toggle)
        self._ticked.removed.connect(self._toggle)
        self._show_all()

    def popup(self, where: QPoint) -> None:
        """Open at a place as far as screen and window have room there, ready to type."""
        room = self.screen().availableGeometry()
        parent = self.parentWidget()
        if parent is not None:
            room = room.united(parent.window().geometry())
        left = max(room.left(), min(where.x(), room.right() - self.width()))
        self.resize(self.width(), min(_HEIGHT, room.bottom() - where.y()))
        self.move(left, where.y())
        self.show()
        self._field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close()
            return
        super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        is_key = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if watched is self._field and is_key:
            assert isinstance(event, QKeyEvent)
            return self._handle_key(Qt.Key(event.key()))
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        self.resize(_WIDTH, _HEIGHT)
        self.setFixedWidth(_WIDTH)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        layout.setSpacing(8)
        self._nothing.setContentsMargins(10, 8, 10, 8)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._hint.setContentsMargins(10, 0, 10, 0)
        for part in (self._field, self._ticked, hairline()):
            layout.addWidget(part)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._nothing, 1)
        layout.addWidget(hairline())
        layout.addWidget(self._hint)

    def _handle_key(self, key: Qt.Key) -> bool:
        """The keys that are the list's, though the field has the focus."""
        if key in _STEPS:
            self._list.step(_STEPS[key])
            return True
        if key in _ENTER:
            current = self._list.current
            if current is not None:
                self._toggle(current)
                self._field.selectAll()  # the next name typed takes the place of this one
            return True
        return False

    def _on_field_text_changed(self, text: str) -> None:
        self._show_rows()
        self._list.clearSelection()
        if text:
            self._list.step(-len(self._choices))  # to the first that fits

    def _toggle(self, name: str) -> None:
        if name not in self._order:
            self._order.append(name)
        elif len(self._order) > 1:  # one target is needed to look at anything
            self._order.remove(name)
        else:
            return
        self._show_all()
        self.chosen.emit(tuple(self._order))

    def _show_all(self) -> None:
        self._ticked.set_targets([self._choice(name) for name in self._order])
        self._show_rows()

    def _choice(self, name: str) -> TargetChoice:
        """The choice of that name; a target such as `h200:sm_80` is in no list."""
        return self._by_name.get(name, TargetChoice(name, name, name, "", ""))

    def _show_rows(self) -> None:
        text = self._field.text()
        rows = target_rows(self._choices, self._order, text)
        self._list.set_rows(rows)
        self._list.setVisible(bool(rows))
        self._nothing.setText(f"No target matches “{text}”.")
        self._nothing.setVisible(not rows)
