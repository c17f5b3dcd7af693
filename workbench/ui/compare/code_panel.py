"""Two runs' texts side by side: what they ran, and what it became, with changed words marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.code_inputs import ASIDE, STAGES, Language, Stage, State
from workbench.session.code_view import Content, Place
from workbench.session.comparison_view.model import ColumnHead
from workbench.ui.panes.code.text_pair import TextPair
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

DOCUMENT = "document"
_SAME = "The same text."
_STAGES = (Stage.TIR, Stage.LOWERED, Stage.SOURCE, Stage.PTX, Stage.SASS)
_SEGMENTS = (
    Segment(DOCUMENT, "Text", "The documents as they were run"),
    *(
        Segment(stage.value, STAGES[stage].title, f"{STAGES[stage].title}: {STAGES[stage].meaning}")
        for stage in _STAGES
    ),
)
#: Gives what stands for a run at a stage, or its document.
Contents = Callable[[str, "Stage | None"], Content]


class CodePanel(QWidget):
    """The base at the left, another column at the right; both can be chosen."""

    #: The text of a stage is wanted of these runs.
    stage_wanted = Signal(tuple, object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._heads: tuple[ColumnHead, ...] = ()
        self._contents: Contents | None = None
        self._left, self._right = "", ""
        self._pickers = (
            PickerButton(icons, "The run at the left"),
            PickerButton(icons, "The run at the right"),
        )
        self._switch = SegmentedSwitch(icons, "What is compared", _SEGMENTS)
        self._said = ElidedLabel(icons.theme, "", TextRole.LABEL, "fg3")
        self._position = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._tools = {
            -1: FlatToolButton(icons, "Change before (P)"),
            1: FlatToolButton(icons, "Next change (N)"),
        }
        self._fold = FlatToolButton(icons, "Hide equal lines")
        self.pair = TextPair(icons)
        self._empty = EmptyState(icons, "code", "Choose two runs to see their texts side by side.")
        self._stack = QStackedWidget()
        self._switch.set_current(DOCUMENT)
        self._lay_out()
        self._connect()

    @property
    def stage(self) -> Stage | None:
        """The stage that is compared; None for the documents."""
        key = self._switch.current
        return None if key in (None, DOCUMENT) else Stage(key)

    @property
    def shown(self) -> tuple[str, str]:
        """The runs at the left and at the right."""
        return self._left, self._right

    def set_columns(self, heads: Sequence[ColumnHead], contents: Contents) -> None:
        """Offer these columns; the base stands at the left where nothing else was chosen."""
        self._heads, self._contents = tuple(heads), contents
        ids = [head.run_id for head in heads]
        base = next(head.run_id for head in heads if head.is_base)
        if self._left not in ids:
            self._left = base
        if self._right not in ids or self._right == self._left:
            self._right = next(run for run in ids if run != self._left)
        self.show_texts()

    def show_run(self, run_id: str) -> None:
        """Show a column beside the base."""
        base = next((head.run_id for head in self._heads if head.is_base), run_id)
        others = [head.run_id for head in self._heads if head.run_id != base]
        self._left = base
        self._right = run_id if run_id != base else next(iter(others), base)
        self.show_texts()

    def choose(self, key: str) -> None:
        """Compare the documents, or a stage by its name."""
        self._switch.set_current(key)
        self.show_texts()

    def show_texts(self) -> None:
        """Show what is known of both, or what would make it known."""
        if self._contents is None or not self._left:
            return
        self._name_pickers()
        stage = self.stage
        found = [self._contents(run, stage) for run in (self._left, self._right)]
        missing = [each for each in found if each.state is not State.READY]
        for tool in (*self._tools.values(), self._fold):
            tool.setEnabled(not missing)
        if missing:
            self._show_missing(missing)
            return
        self._stack.setCurrentWidget(self.pair)
        self.pair.show_contents(found[0], found[1])
        self._tell()

    def _show_missing(self, missing: Sequence[Content]) -> None:
        is_loading = any(each.state is State.LOADING for each in missing)
        can_make = any(each.state is State.ABSENT for each in missing)
        why = [f"{each.subject}: {each.sentence}" for each in missing if each.sentence]
        if is_loading:
            text, action = "Being lowered ...", None
        elif can_make:
            text, action = "These texts are made by lowering the runs once more.", "Lower both"
        else:
            text, action = "\n".join(why), None
        self._empty.set_content("code", text, action)
        self._stack.setCurrentWidget(self._empty)
        self._said.set_text("")
        self._position.setText("")

    def _tell(self) -> None:
        """How much differs, and which change is in sight."""
        found = self.pair.difference
        if found is None:
            return
        count = len(found.changes)
        at = self.pair.current_change()
        self._position.setText(f"{0 if at is None else at + 1} of {count}" if count else "")
        stage = self.stage
        aside = f", {ASIDE[STAGES[stage].language]}" if stage is not None else ""
        text = f"+{found.added:,} \N{MINUS SIGN}{found.removed:,} lines{aside}"
        same = f"The same{aside}." if stage is not None else _SAME
        self._said.set_text(text if count else same)

    def _name_pickers(self) -> None:
        for picker, run in zip(self._pickers, (self._left, self._right), strict=True):
            head = next(head for head in self._heads if head.run_id == run)
            picker.setText(f"{head.letter} · {head.title}")
            picker.setAccessibleName(f"{picker.toolTip()}: {head.letter}")
            picker.updateGeometry()
            menu = picker.menu() or QMenu(picker)
            menu.clear()
            for each in self._heads:
                action = menu.addAction(f"{each.letter} · {each.title}")
                side = self._pickers.index(picker)
                action.triggered.connect(
                    lambda _=False, side=side, run=each.run_id: self._choose_run(side, run)
                )
            picker.setMenu(menu)

    def _choose_run(self, side: int, run: str) -> None:
        other = self._right if side == 0 else self._left
        mine = self._left if side == 0 else self._right
        other = mine if run == other else other  # the two are swapped, never the same
        self._left, self._right = (run, other) if side == 0 else (other, run)
        self.show_texts()

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        for step, icon in ((-1, "chevron-up"), (1, "chevron-down")):
            self._tools[step].set_icon(icon, "fg3")
        self._fold.set_icon("fold", "fg3")
        self._fold.setCheckable(True)
        self._fold.setChecked(True)
        row = QHBoxLayout()
        row.setContentsMargins(16, 4, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._pickers[0])
        row.addWidget(text_label(self._icons.theme, "against", TextRole.LABEL, "fg3"))
        row.addWidget(self._pickers[1])
        row.addWidget(self._switch)
        row.addWidget(self._said, 1)
        row.addWidget(self._position)
        for part in (*self._tools.values(), self._fold):
            row.addWidget(part)
        self._stack.addWidget(self.pair)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.pair)

    def _connect(self) -> None:
        self._switch.chosen.connect(lambda _: self.show_texts())
        for step, tool in self._tools.items():
            tool.clicked.connect(lambda _=False, step=step: self.pair.step_change(step))
        self._fold.toggled.connect(self.pair.set_folded)
        self.pair.changes_moved.connect(self._tell)
        self._empty.action_triggered.connect(self._on_empty_action_triggered)

    def _on_empty_action_triggered(self) -> None:
        if self.stage is not None:
            self.stage_wanted.emit((self._left, self._right), self.stage)


def document_content(head: ColumnHead, text: str | None) -> Content:
    """The text that a run ran, as the panel shows it."""
    state = State.READY if text is not None else State.MISSING
    sentence = "" if text is not None else "the text of this run is not kept"
    place = Place(head.run_id)
    return Content(
        place, state, f"{head.letter} · {head.title}", head.label, sentence, Language.TIR,
        text or "",
    )  # fmt: skip
