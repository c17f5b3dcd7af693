"""The dialog that makes room in the history: what it would free, and what stays."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.figures import figure
from workbench.core.history import CleanUp
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import hairline, text_label

_WIDTH = 520
_SHARES = {"Three quarters of it": 0.75, "Half of it": 0.5, "A quarter of it": 0.25}
_MARKED = "Only what is pinned or tagged"
_INTRODUCTION = (
    "Runs and their figures stay in the list. What goes are texts and artifacts that they stored, "
    "those of the oldest runs first; with them goes opening the text, and repeating the run."
)


class CleanUpDialog(QDialog):
    """Removes nothing itself: `plan` tells what going down to a size in bytes would free."""

    def __init__(
        self, icons: Icons, plan: Callable[[int], CleanUp], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icons, self._plan_of = icons, plan
        self._plan = plan(0)
        #: The size that the person wants to go down to; None until that is said.
        self.size_bytes: int | None = None
        self.setWindowTitle("Make room in the history")
        self._choice = QComboBox()
        self._choice.setAccessibleName("What to keep")
        for title, share in _SHARES.items():
            self._choice.addItem(title, int(self._plan.stored_bytes * share))
        self._choice.addItem(_MARKED, 0)
        self._choice.setCurrentIndex(1)
        self._freed = ConclusionLabel(icons.theme, "")
        self._stays = text_label(icons.theme, "", TextRole.BODY, "fg2")
        self._remove = push_button(icons, "Make room", "primary")
        self._lay_out()
        self._choice.currentIndexChanged.connect(lambda _: self._show())
        self._remove.clicked.connect(self._on_remove_clicked)
        self._show()

    @staticmethod
    def words(size_bytes: int) -> str:
        """A size as it is read."""
        return str(figure(size_bytes, "B"))

    @property
    def sentences(self) -> tuple[str, str]:
        """What is freed, and what stays."""
        return self._freed.conclusion, self._stays.text()

    def choose(self, at: int) -> None:
        """Choose how much is kept."""
        self._choice.setCurrentIndex(at)

    def _show(self) -> None:
        self._plan = plan = self._plan_of(int(self._choice.currentData()))
        self._freed.set_conclusion(_freed(plan))
        self._stays.setText(_stays(plan))
        self._remove.setEnabled(plan.blobs > 0)

    def _lay_out(self) -> None:
        theme = self._icons.theme
        introduction = text_label(theme, _INTRODUCTION, TextRole.BODY, "fg2")
        for label in (introduction, self._stays):
            label.setWordWrap(True)
            label.setMinimumWidth(_WIDTH)
        row = QHBoxLayout()
        row.setSpacing(12)
        stored = self.words(self._plan.stored_bytes)
        row.addWidget(text_label(theme, f"{stored} are stored. Keep", TextRole.BODY, "fg"))
        row.addWidget(self._choice)
        row.addStretch(1)
        cancel = push_button(self._icons, "Cancel")
        cancel.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self._remove)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(introduction)
        layout.addLayout(row)
        layout.addWidget(self._freed)
        layout.addWidget(self._stays)
        layout.addWidget(hairline())
        layout.addLayout(foot)
        layout.setAlignment(Qt.AlignmentFlag.AlignTop)

    def _on_remove_clicked(self) -> None:
        self.size_bytes = int(self._choice.currentData())
        self.accept()


def _freed(plan: CleanUp) -> str:
    if not plan.blobs:
        return "Nothing can be freed. All that is stored belongs to runs that are kept."
    size = CleanUpDialog.words(plan.freed_bytes)
    return (
        f"{size} would be freed. That is {_count(plan.blobs, 'text or artifact')} "
        f"of {_count(plan.runs, 'run')}."
    )


def _stays(plan: CleanUp) -> str:
    kept = CleanUpDialog.words(plan.kept_bytes)
    stays = CleanUpDialog.words(plan.stored_bytes - plan.freed_bytes)
    if not plan.kept_runs:
        return f"{stays} stay. No run is pinned or tagged, which would keep what it stored."
    runs = _count(plan.kept_runs, "pinned or tagged run")
    return f"{stays} stay. The {kept} of {runs} are never removed."


def _count(number: int, thing: str) -> str:
    plural = "texts or artifacts" if thing == "text or artifact" else f"{thing}s"
    return f"{number:,} {thing if number == 1 else plural}"
