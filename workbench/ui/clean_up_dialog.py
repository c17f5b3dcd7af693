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
_ADDING_UP = "Adding up what is stored …"
_INTRODUCTION = (
    "Runs and their figures stay in the list. What goes are texts and artifacts that they stored, "
    "those of the oldest runs first; with them goes opening the text, and repeating the run."
)


#: Has it added up what going down to a size in bytes would free; that is told later.
Plan = Callable[[int, Callable[[CleanUp], object]], object]


class CleanUpDialog(QDialog):
    """Removes nothing itself: it shows what `plan` tells, and says how far one wants to go down."""

    def __init__(self, icons: Icons, plan: Plan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._plan = icons, plan
        self._stored_bytes: int | None = None
        #: The size that the person wants to go down to; None until that is said.
        self.size_bytes: int | None = None
        self.setWindowTitle("Make room in the history")
        self._choice = QComboBox()
        self._choice.setAccessibleName("What to keep")
        for title, share in {**_SHARES, _MARKED: 0.0}.items():
            self._choice.addItem(title, share)
        self._choice.setCurrentIndex(1)
        self._stored = text_label(icons.theme, _ADDING_UP, TextRole.BODY, "fg")
        self._freed = ConclusionLabel(icons.theme, "")
        self._stays = text_label(icons.theme, "", TextRole.BODY, "fg2")
        self._remove = push_button(icons, "Make room", "primary")
        self._lay_out()
        self._choice.currentIndexChanged.connect(lambda _: self._ask())
        self._remove.clicked.connect(self._on_remove_clicked)
        self._show(None)
        plan(0, self._on_added_up)

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

    @property
    def is_ready(self) -> bool:
        """Whether what is chosen has been added up."""
        return self._stays.text() != ""

    def _on_added_up(self, plan: CleanUp) -> None:
        """Know how much there is, of which the choices are parts."""
        self._stored_bytes = plan.stored_bytes
        self._stored.setText(f"{self.words(plan.stored_bytes)} are stored. Keep")
        self._ask()

    def _ask(self) -> None:
        """Have the choice added up, once it is known of how much it is a part."""
        wanted = self._wanted_bytes
        self._show(None)
        if wanted is not None:
            self._plan(wanted, self._show)

    @property
    def _wanted_bytes(self) -> int | None:
        """The size that is chosen."""
        stored = self._stored_bytes
        return None if stored is None else int(stored * float(self._choice.currentData()))

    def _show(self, plan: CleanUp | None) -> None:
        self._freed.set_conclusion(_ADDING_UP if plan is None else _freed(plan))
        self._stays.setText("" if plan is None else _stays(plan))
        self._remove.setEnabled(plan is not None and plan.blobs > 0)

    def _lay_out(self) -> None:
        theme = self._icons.theme
        introduction = text_label(theme, _INTRODUCTION, TextRole.BODY, "fg2")
        for label in (introduction, self._stays):
            label.setWordWrap(True)
            label.setMinimumWidth(_WIDTH)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self._stored)
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
        self.size_bytes = self._wanted_bytes
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
