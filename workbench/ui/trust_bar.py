"""The bar that asks once, in plain words, before anything of a workspace is executed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

_ASKING = SeverityLook("shield", "accent", "Question")
_DECLINED = SeverityLook("lock", "warn", "Not trusted")
_QUESTION = "Do you trust the files in “{name}”?"
_MEANING = (
    "Compiling and verifying run a file's Python, and what it imports, with your rights. "
    "Reading and editing run nothing."
)
_REFUSED = "Not trusted: nothing in “{name}” is run."
_REST = "It can be read and edited; results need your trust."
# Below this width the buttons stand below the question, and the text of one line is left out.
_ROOM_BESIDE = 680
_ROOM_FOR_REST = 560


class TrustBar(QFrame):
    """Hidden until `ask`; then a question, or the words that nothing is run."""

    #: The person trusts the folder of that path.
    trust_granted = Signal(str)
    #: The person does not want to decide now.
    trust_declined = Signal()

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder: Path | None = None
        self._asking = False
        self.setProperty("kind", "bar")
        self.setProperty("ground", "bg2")
        self._mark = SeverityMark(icons, _ASKING, 20)
        self._title = text_label(theme, "", TextRole.HEADING, "fg")
        self._text = text_label(theme, "", TextRole.BODY, "fg2")
        self._trust = push_button(icons, "Trust folder", "primary")
        self._trust_after_all = push_button(icons, "Trust folder")
        self._later = push_button(icons, "Not now")
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        for button in (self._trust, self._trust_after_all):
            button.clicked.connect(self._on_trust_clicked)
        self._later.clicked.connect(self._on_later_clicked)
        self.hide()

    @property
    def folder(self) -> Path | None:
        """The folder that the bar is about; None where it is hidden."""
        return self._folder

    @property
    def asking(self) -> bool:
        """Whether the question is on show, not the words that nothing is run."""
        return self._asking

    def ask(self, folder: Path) -> None:
        """Ask whether to trust a folder."""
        self._show(folder, True)

    def show_declined(self, folder: Path) -> None:
        """Say that nothing of a folder is run, and let the person change that."""
        self._show(folder, False)

    def dismiss(self) -> None:
        """There is nothing to ask."""
        self._folder, self._asking = None, False
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._use_room()

    def _lay_out(self) -> None:
        self._texts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._texts.addWidget(self._title)
        self._texts.addWidget(self._text, 1)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(12)
        self._buttons.addStretch(1)
        for button in (self._later, self._trust, self._trust_after_all):
            self._buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._content = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._content.setSpacing(12)
        self._content.addLayout(self._texts, 1)
        self._content.addLayout(self._buttons)
        self._row = QHBoxLayout()
        self._row.setSpacing(12)
        self._row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._content, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._row)
        layout.addWidget(hairline(strong=True))

    def _show(self, folder: Path, asking: bool) -> None:
        self._folder, self._asking = folder, asking
        name = folder.name or str(folder)
        self._mark.set_severity(_ASKING if asking else _DECLINED)
        self._title.setText((_QUESTION if asking else _REFUSED).format(name=name))
        self._text.setText(_MEANING if asking else _REST)
        for part in (self._title, self._trust, self._trust_after_all):
            part.setToolTip(str(folder))
        self._trust.setVisible(asking)
        self._later.setVisible(asking)
        self._trust_after_all.setVisible(not asking)
        self._fit(asking)
        self._tell_name(self._title, self._text)
        self.show()

    def _fit(self, asking: bool) -> None:
        """The question has room; what was decided takes one line."""
        edge = 12 if asking else 4
        self._row.setContentsMargins(16, edge, 16, edge)
        directions = QBoxLayout.Direction
        self._texts.setDirection(directions.TopToBottom if asking else directions.LeftToRight)
        self._texts.setSpacing(2 if asking else 12)
        self._title.setWordWrap(asking)
        place = Qt.AlignmentFlag.AlignTop if asking else Qt.AlignmentFlag.AlignVCenter
        self._row.setAlignment(self._mark, place)
        self._use_room()

    def _use_room(self) -> None:
        """What running means is said at every width; only what was decided is cut short."""
        directions = QBoxLayout.Direction
        below = self._asking and self.width() < _ROOM_BESIDE
        self._content.setDirection(directions.TopToBottom if below else directions.LeftToRight)
        self._text.setVisible(self._asking or self.width() >= _ROOM_FOR_REST)

    def _tell_name(self, title: QLabel, text: QLabel) -> None:
        """Hidden text is told to screen readers all the same."""
        self.setAccessibleName(title.text())
        self.setAccessibleDescription(text.text())

    def _on_trust_clicked(self) -> None:
        if self._folder is not None:
            self.trust_granted.emit(str(self._folder))

    def _on_later_clicked(self) -> None:
        if self._folder is not None:
            self.show_declined(self._folder)
        self.trust_declined.emit()
