"""What the thread that is kept holds: its number, the rule of where, and each element's place."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from workbench.session.lenses.layouts.fragment import Fragment, thread_text
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.layouts.pictures import ThreadPicture
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

_TEXT_INSET, _FIELD_WIDTH = 7, 126


class ThreadPanel(QWidget):
    """Below the first thread there is a step for none."""

    #: Another thread is wanted: its number, or None.
    thread_chosen = Signal(object)
    selected = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = QSpinBox()
        self._field.setPrefix("Thread ")
        self._field.setSpecialValueText("No thread")
        self._field.setAccessibleName("Thread that is kept")
        self._field.setToolTip("The thread whose cells are lifted; a click on a cell keeps its own")
        self._field.lineEdit().setTextMargins(_TEXT_INSET, 0, 0, 0)
        self._field.setFixedWidth(_FIELD_WIDTH)
        self._rule = QLabel()
        self._rule.setFont(theme.fonts.role(TextRole.LABEL))
        self._rule.setWordWrap(True)
        self._held = PictureView(theme)
        self._held.selected.connect(self.selected)
        self._field.valueChanged.connect(self._on_field_value_changed)
        self._lay_out()

    @property
    def text(self) -> str:
        """What is said of the thread."""
        return self._rule.text()

    def show_thread(
        self, fragment: Fragment, thread: int | None, size: tuple[int, int], selection: Selection
    ) -> None:
        """Show what a thread holds of the first rows and columns; None: no thread."""
        first, last = fragment.thread_range
        with QSignalBlocker(self._field):
            self._field.setRange(first - 1, last)
            self._field.setValue(first - 1 if thread is None else thread)
        self._rule.setText(thread_text(fragment, thread, *size))
        held = fragment.held_by(thread, *size) if thread is not None else ()
        name = "What no thread holds" if thread is None else f"What thread {thread} holds"
        self._held.set_picture(ThreadPicture(fragment, held, selection), name)
        self._held.setVisible(bool(held))

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._field)
        row.addWidget(self._rule, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(self._held)

    def _on_field_value_changed(self, value: int) -> None:
        self.thread_chosen.emit(None if value == self._field.minimum() else value)
