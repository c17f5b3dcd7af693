"""A line to search or filter by: a lens at its left, at its right the keys that lead to it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons

_MARGIN = 10


class SearchField(QLineEdit):
    """Escape empties it; `hint` is a shortcut shown while it is empty and elsewhere has the focus.

    What is typed arrives by `textChanged`.
    """

    def __init__(
        self, icons: Icons, placeholder: str, hint: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icons, self._hint = icons, hint
        self.setProperty("kind", "search")
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setToolTip(f"{placeholder} ({hint})" if hint else placeholder)
        self.setClearButtonEnabled(True)
        lens = QAction(self)
        self.addAction(lens, QLineEdit.ActionPosition.LeadingPosition)
        icons.assign(lens, "search", "fg3")
        self._assign_clear_icon()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        if not self._hint or self.text() or self.hasFocus():
            return
        painter = QPainter(self)
        painter.setFont(self._icons.theme.fonts.role(TextRole.NOTE))
        painter.setPen(self._icons.theme.colour("fg3"))
        place = self.rect().adjusted(0, 0, -_MARGIN, 0)
        painter.drawText(
            place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._hint
        )
        painter.end()

    def _assign_clear_icon(self) -> None:
        """Qt's own clear button brings an icon that knows no theme."""
        for action in self.findChildren(QAction):
            if action.objectName() == "_q_qlineeditclearaction":
                self._icons.assign(action, "close", "fg3")
