"""The targets that are ticked, as chips that stay in sight whatever the list shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.target_menu.choices import TargetChoice
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.painting import paint_mark

_HEIGHT, _GAP = 26, 6
_PADDING, _MARK, _CLOSE = 8, 9, 12
_TEXT_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ONE_NEEDED = "One target is needed"


class TickedTargets(QWidget):
    """Chips in rows, in the order of the targets' marks; a click takes a target away."""

    #: The person no longer wants the target of that name.
    removed = Signal(str)

    def __init__(self, icons: Icons, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._chips: list[TargetChip] = []
        self.setAccessibleName("Ticked targets")
        self.setFixedWidth(width)

    @property
    def chips(self) -> tuple[TargetChip, ...]:
        """Those on show."""
        return tuple(self._chips)

    def set_targets(self, targets: Sequence[TargetChoice]) -> None:
        """Show these targets."""
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [TargetChip(self._icons, at, t, self) for at, t in enumerate(targets)]
        for chip in self._chips:
            chip.setEnabled(len(targets) > 1)
            chip.setToolTip(f"Untick {chip.choice.title}" if len(targets) > 1 else _ONE_NEEDED)
            chip.clicked.connect(lambda *_, name=chip.choice.name: self.removed.emit(name))
            chip.show()
        self._place()

    def _place(self) -> None:
        left = top = 0
        for chip in self._chips:
            width = min(chip.sizeHint().width(), self.width())
            if left and left + width > self.width():
                left, top = 0, top + _HEIGHT + _GAP
            chip.setGeometry(left, top, width, _HEIGHT)
            left += width + _GAP
        self.setFixedHeight(top + _HEIGHT)


class TargetChip(FlatToolButton):
    """A target's mark and name, and a cross where it can be taken away."""

    def __init__(self, icons: Icons, mark: int, choice: TargetChoice, parent: QWidget) -> None:
        super().__init__(icons, choice.title, choice.label, parent)
        self._mark, self.choice = mark, choice
        self.setProperty("kind", "picker")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        text = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(2 * _PADDING + _MARK + 2 * _GAP + text + _CLOSE, _HEIGHT)

    def _paint_inside(self, painter: QPainter) -> None:
        middle = self.height() / 2
        mark = QRectF(_PADDING, middle - _MARK / 2, _MARK, _MARK)
        paint_mark(painter, mark, self._icons.theme, self._mark)
        painter.setFont(self.font())
        painter.setPen(self._icons.theme.colour("fg"))
        left = _PADDING + _MARK + _GAP
        close = QRect(self.width() - _PADDING - _CLOSE, 0, _CLOSE, self.height())
        room = QRect(left, 0, close.left() - left, self.height())
        painter.drawText(room, _TEXT_FLAGS, self.text())
        token = "fg3" if self.isEnabled() else "fg4"
        self._icons.icon("close", token, _CLOSE).paint(painter, close)
