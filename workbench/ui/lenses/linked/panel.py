"""One column of the linked code lens: the choice of a text, its place among partners, its rows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from workbench.session.lenses.linked import TITLES, LinkedPicture
from workbench.ui.lenses.linked.rows import LinkedRows
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton
from workbench.ui.widgets.labels import text_label


class LinkedPanel(QWidget):
    """A text of the picture, chosen by the person."""

    line_clicked = Signal(int)
    #: Another text was chosen: its stage.
    chosen = Signal(str)

    def __init__(self, icons: Icons, stage: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage = stage
        self._picture: LinkedPicture | None = None
        self.rows = LinkedRows(icons.theme)
        self._picker = PickerButton(icons, "Choose the text of this column", TITLES[stage])
        self._menu = QMenu(self)
        self._picker.setMenu(self._menu)
        self._place = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._back = _button(icons, "Last row of the statement (Alt+Up)", "chevron-up")
        self._forward = _button(icons, "Next row of the statement (Alt+Down)", "chevron-down")
        self._lack = text_label(icons.theme, "", TextRole.BODY, "fg2")
        self._lack.setWordWrap(True)
        self._lack.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._lack.setContentsMargins(12, 12, 12, 12)
        self._lay_out()
        self._menu.aboutToShow.connect(self._fill_menu)
        self._back.clicked.connect(lambda: self.rows.step(-1))
        self._forward.clicked.connect(lambda: self.rows.step(1))
        self.rows.place_changed.connect(self._show_place)
        self.rows.line_clicked.connect(self.line_clicked)

    @property
    def stage(self) -> str:
        """Which text it is."""
        return self._stage

    @property
    def lack(self) -> str:
        """Why there is no text; "" where there is one."""
        return self._lack.text() if self.rows.isHidden() else ""

    def choose(self, stage: str) -> None:
        """Show another text."""
        self._stage = stage
        self._picker.setText(TITLES[stage])
        self._show()

    def show_picture(self, picture: LinkedPicture) -> None:
        """Show the text of a picture."""
        self._picture = picture
        self._show()

    def set_lit(self, line: int | None) -> None:
        """Light up a line's rows."""
        self.rows.set_lit(line)
        self._show_place()

    def _show(self) -> None:
        if self._picture is None:
            return
        column = self._picture.column(self._stage)
        self.rows.setVisible(not column.missing)
        self._lack.setVisible(bool(column.missing))
        self._lack.setText(f"No {column.title}: {column.missing}." if column.missing else "")
        self.rows.show_column(column, dict(self._picture.hues))
        self._show_place()

    def _show_place(self) -> None:
        place, count = self.rows.place
        self._place.setText(f"{place or '–'} of {count:,}" if count else "")
        for button in (self._back, self._forward):
            button.setEnabled(count > 1)

    def _fill_menu(self) -> None:
        self._menu.clear()
        for stage, title in TITLES.items():
            missing = self._picture.column(stage).missing if self._picture is not None else ""
            action = self._menu.addAction(title if not missing else f"{title} (not there)")
            action.setToolTip(missing)
            action.setCheckable(True)
            action.setChecked(stage == self._stage)
            action.triggered.connect(lambda _=False, stage=stage: self._on_stage_chosen(stage))

    def _on_stage_chosen(self, stage: str) -> None:
        self.choose(stage)
        self.chosen.emit(stage)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 4, 2)
        head.setSpacing(2)
        head.addWidget(self._picker)
        head.addStretch(1)
        for part in (self._place, self._back, self._forward):
            head.addWidget(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.rows, 1)
        layout.addWidget(self._lack, 1)
        self._lack.hide()


def _button(icons: Icons, tip: str, icon: str) -> FlatToolButton:
    button = FlatToolButton(icons, tip)
    button.set_icon(icon, "fg3")
    return button
