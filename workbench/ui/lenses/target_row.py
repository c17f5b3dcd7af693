"""The targets of a kernel as a row of marks and names, one of which is shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from workbench.session.lenses.subject import LensTarget
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.painting import target_icon


class TargetRow(QWidget):
    """Chooses among the targets that are looked at."""

    chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme = icons, icons.theme
        self._shown: tuple[tuple[str, int], ...] = ()
        self._group = QButtonGroup(self)
        self._buttons: dict[str, FlatToolButton] = {}
        self._labels: dict[str, str] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self._theme.changed.connect(self._on_theme_changed)

    def set_targets(self, targets: Sequence[LensTarget], shown: LensTarget | None) -> None:
        """Offer these, with that one pressed."""
        wanted = tuple((each.target.name, each.mark) for each in targets)
        if wanted != self._shown:
            self._shown = wanted
            self._build(targets)
        if shown is not None:
            self._buttons[shown.target.name].setChecked(True)
        self._name()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Without names, which the marks stand for where there is no room."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._name()

    def _name(self) -> None:
        """Name all targets, or where there is no room for that the one shown alone."""
        named = [(button, name) for name, button in self._buttons.items()]
        for button, name in named:
            button.setText(self._labels[name])
        layout = self.layout()
        assert layout is not None
        if layout.sizeHint().width() > self.width():
            for button, _ in named:
                if not button.isChecked():
                    button.setText("")

    def _build(self, targets: Sequence[LensTarget]) -> None:
        layout = self.layout()
        assert layout is not None
        for button in self._buttons.values():
            self._group.removeButton(button)
            layout.removeWidget(button)
            button.deleteLater()
        self._buttons = {}
        self._labels = {each.target.name: each.label for each in targets}
        for each in targets:
            button = FlatToolButton(self._icons, f"Show {each.target.title}", each.label)
            button.setIcon(target_icon(self._theme, each.mark))
            button.setCheckable(True)
            button.clicked.connect(lambda _, name=each.target.name: self.chosen.emit(name))
            self._group.addButton(button)
            layout.addWidget(button)
            self._buttons[each.target.name] = button

    def _on_theme_changed(self) -> None:
        for name, mark in self._shown:
            self._buttons[name].setIcon(target_icon(self._theme, mark))
