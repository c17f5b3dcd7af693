"""What all lenses have: conclusion, choice of a target, states without a picture, export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.launch_row import LaunchRow
from workbench.ui.lenses.target_row import TargetRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.picture_files import ExportError, write_widget
from workbench.ui.widgets.veil import Veil

_INSET = 16
_STALE = " Of an earlier text: the picture is greyed until the new one is there."


class Lens(QWidget):
    """One view of the kernel in front. A subclass builds a body and shows one subject in it.

    `show_picture` resolves the subject with a pure function of `session/lenses` and gives it to the
    body; what it returns is the conclusion. It raises `NoPicture` with the reason where the target
    has none. `of_one_target` says whether a row of targets chooses among them.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    icon: ClassVar[str] = "layers"
    of_one_target: ClassVar[bool] = True
    scrolls: ClassVar[bool] = True
    #: Whether it shows what the source alone tells of changed arguments, until lowering follows.
    #: Empty where lowering has to come first, else the part that it has to know: "block", "tiles".
    follows: ClassVar[str] = ""
    #: Whether there is something to show of a target of which problems alone are known.
    shows_problems: ClassVar[bool] = False

    #: Something was selected: a `Selection`.
    selected = Signal(object)
    #: A change of the text is wanted: a `Fix`, and the revision of the text that it is made for.
    fix_requested = Signal(object, int)
    #: An argument is to have another value: its name and the value.
    argument_requested = Signal(str, object)
    #: The machine code's figures are wanted.
    analysis_requested = Signal()
    #: The texts of a target with the lines behind their rows are wanted: its name.
    code_requested = Signal(str)
    #: Another launch of the document's is to be shown in all lenses: its number, from 0.
    launch_chosen = Signal(int)
    #: The same lens is wanted once more beside this one.
    twin_requested = Signal()
    #: What happened to a file, in a sentence.
    told = Signal(str)
    #: Zoom and offset, for twins that are linked.
    view_changed = Signal(tuple)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.icons = theme, icons
        #: Whether it stands outside of the window's docks: without a twin, and on no text to edit.
        self.is_alone = False
        self.subject: LensSubject | None = None
        self.selection: Selection | None = None
        self._wanted: str | None = None
        self._memory: dict[str, dict[str, Any]] = {}
        self._conclusion = ConclusionLabel(theme, "", narrow=True)
        self._targets = TargetRow(icons)
        self._launches = LaunchRow(icons)
        self._before = text_label(theme, "", TextRole.LABEL, "fg2")
        self._before.setWordWrap(True)
        self._menu_button = FlatToolButton(icons, "Export, and show once more")
        self._menu_button.set_icon("more", "fg3")
        self._empty = EmptyState(icons, self.icon, f"{self.title}: no kernel is open.")
        self._stack = QStackedWidget()
        self.body = self.build()
        self._lay_out()
        self._veil = Veil(theme, self._stack)
        self._targets.chosen.connect(self._on_targets_chosen)
        self._launches.chosen.connect(self.launch_chosen)
        self._menu_button.clicked.connect(self._on_menu_button_clicked)
        self._empty.action_triggered.connect(self.analysis_requested)
        self._show()

    def build(self) -> QWidget:
        """The body; `theme` and `icons` are there."""
        raise NotImplementedError

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show it and return the conclusion. Raises NoPicture."""
        raise NotImplementedError

    def ghost(self, subject: LensSubject, target: LensTarget, was: LensTarget) -> str:
        """What is worth telling of how it was with the case's own arguments, after `show_picture`.

        A lens that draws it says nothing here.
        """
        return ""

    def is_stale(self, target: LensTarget) -> bool:
        """Whether what is shown of a target is of an earlier text."""
        return target.stale

    def show_selection(self, selection: Selection | None) -> None:
        """Light up what is selected."""

    def document_state(self) -> dict[str, Any]:
        """What is remembered of the document shown, besides its target."""
        return {}

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """Take what was remembered of the document that is shown next."""

    def take_view(self, view: tuple[float, float, float]) -> None:
        """Take the zoom of a twin."""

    @property
    def target(self) -> LensTarget | None:
        """The target shown."""
        return self.subject.target(self._wanted) if self.subject is not None else None

    @property
    def conclusion(self) -> str:
        """The sentence that the lens opens on."""
        return self._conclusion.conclusion

    @property
    def told_before(self) -> str:
        """What is said of quick figures and of the case's own arguments; "" where nothing is."""
        return self._before.text()

    @property
    def wanted_target(self) -> str | None:
        """The name of the target that was chosen; None follows the first."""
        return self._wanted

    def set_subject(self, subject: LensSubject | None) -> None:
        """Show the kernel in front; None: no document is open."""
        was = self.subject.path if self.subject is not None else None
        now = subject.path if subject is not None else None
        if was is not None and was != now:
            self._memory[was] = self._remembered()
        self.subject = subject
        if now is not None and was != now:
            self._recall(now)
        self._show()

    def set_selection(self, selection: Selection | None) -> None:
        """Light up what is selected elsewhere."""
        self.selection = selection
        self.show_selection(selection)

    def choose_target(self, name: str) -> None:
        """Show another target."""
        self._wanted = name
        self._show()

    def export(self, path: Path) -> None:
        """Write what is shown. Raises ExportError."""
        write_widget(path, self._stack, self.theme, f"{self.title}: {self.conclusion}")

    def state(self) -> dict[str, Any]:
        """What is remembered of each document."""
        if self.subject is not None:
            self._memory[self.subject.path] = self._remembered()
        return {"version": 1, "documents": dict(list(self._memory.items())[-50:])}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what was remembered."""
        documents = state.get("documents")
        if isinstance(documents, dict):
            self._memory = {k: v for k, v in documents.items() if isinstance(v, dict)}
        if self.subject is not None:
            self._recall(self.subject.path)
            self._show()

    def _remembered(self) -> dict[str, Any]:
        return {"target": self._wanted, **self.document_state()}

    def _recall(self, path: str) -> None:
        known = self._memory.get(path, {})
        wanted = known.get("target")
        self._wanted = wanted if isinstance(wanted, str) else None
        self.restore_document(known)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self.setAccessibleName(self.title)
        head = QHBoxLayout()
        head.setContentsMargins(_INSET, 10, 8, 4)
        head.setSpacing(8)
        head.addWidget(self._conclusion, 1)
        head.addWidget(self._menu_button, 0, Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout()
        row.setContentsMargins(_INSET, 0, _INSET, 6)
        row.addWidget(self._targets)
        row.addStretch(1)
        row.addWidget(self._launches)
        self._before.setContentsMargins(_INSET, 0, _INSET, 6)
        self._stack.addWidget(_scrolled(self.body) if self.scrolls else self.body)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addLayout(row)
        layout.addWidget(self._before)
        layout.addWidget(self._stack, 1)

    def _show(self) -> None:
        target = self.target
        several = self.subject is not None and len(self.subject.targets) > 1
        self._targets.setVisible(self.of_one_target and several)
        if self.subject is not None:
            self._targets.set_targets(self.subject.targets, target)
        self._launches.set_launches(target)
        try:
            text = self._picture(target)
        except NoPicture as reason:
            self._show_empty(reason)
            return
        stale = target is not None and self.is_stale(target)
        self._conclusion.set_conclusion(text + _STALE if stale else text)
        self._conclusion.show()
        self._menu_button.show()
        self._stack.setCurrentIndex(0)
        self._veil.setVisible(stale)
        self._show_before(target)
        self.show_selection(self.selection)

    def _show_before(self, target: LensTarget | None) -> None:
        """Where quick figures are from, and how it was before other arguments were tried."""
        subject = self.subject
        was = subject.earlier(target) if subject is not None and target is not None else None
        told = ""
        if subject is not None and target is not None and was is not None and not target.stale:
            told = self.ghost(subject, target, was)
        quick = target.quick if target is not None else ""
        before = f"Before, as the case has it: {told}." if told else ""
        self._before.setText(" ".join(part for part in (quick, before) if part))
        self._before.setVisible(bool(quick or before))

    def _picture(self, target: LensTarget | None) -> str:
        if self.subject is None:
            raise NoPicture(f"{self.title}: open a kernel to see it here.")
        if not self.subject.trusted:
            raise NoPicture(
                "Nothing of this folder is run before you trust it, so nothing is known."
            )
        if target is None:
            raise NoPicture("No target is chosen.")
        has_problems = self.shows_problems and bool(target.problems)
        if target.analysis is None and target.compiled is None and not has_problems:
            text = "Being computed ..." if target.running else "Nothing was computed yet."
            raise NoPicture(text, "" if target.running else "Analyze")
        return self.show_picture(self.subject, target)

    def _show_empty(self, reason: NoPicture) -> None:
        self._conclusion.hide()
        self._before.hide()
        self._menu_button.hide()
        self._veil.hide()
        self._empty.set_content(self.icon, str(reason), reason.action or None)
        self._stack.setCurrentIndex(1)

    def _on_targets_chosen(self, name: str) -> None:
        self.choose_target(name)

    def _on_menu_button_clicked(self) -> None:
        menu = QMenu(self)
        menu.addAction("Export as SVG…").triggered.connect(lambda: self._choose_file("svg"))
        menu.addAction("Export as PNG…").triggered.connect(lambda: self._choose_file("png"))
        if not self.is_alone:
            menu.addSeparator()
            menu.addAction("Show once more beside it").triggered.connect(self.twin_requested)
        menu.popup(self._menu_button.mapToGlobal(self._menu_button.rect().bottomLeft()))

    def _choose_file(self, suffix: str) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, f"Export {self.title}", f"{self.key}.{suffix}", f"*.{suffix}"
        )
        if not name:
            return
        try:
            self.export(Path(name))
        except ExportError as error:
            self.told.emit(str(error))


class NoPicture(Exception):  # noqa: N818 - it is no error, it is a state
    """Why there is nothing to draw, in a sentence, and the action that would change it."""

    def __init__(self, reason: str, action: str = "") -> None:
        super().__init__(reason)
        self.action = action


def _scrolled(body: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(body)
    return area
