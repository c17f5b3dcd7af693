"""The code pane: a text of the kernel, chosen by target, stage or compiler pass, and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.core.diagnostics import Severity
from workbench.core.jobs import PassesResult
from workbench.session.code_comparisons import Comparison, choices
from workbench.session.code_inputs import CodeInputs, Stage, State
from workbench.session.code_reading import CodeReading
from workbench.session.code_sentences import comparison_sentence
from workbench.session.code_view import Content, names_of
from workbench.ui.panes.code.header import CodeHeader
from workbench.ui.panes.code.lacks import NOTHING, Help, Lack, lack_of
from workbench.ui.panes.code.notice import Notice
from workbench.ui.panes.code.saving import ChooseFile, choose_file, save_text
from workbench.ui.panes.code.side_list import HEIGHT, WIDTH, WIDTH_OF_TWO, SideList
from workbench.ui.panes.code.text_pair import TextPair
from workbench.ui.panes.shares import read_shares
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import hairline

# A narrower pane has its lists above the text, where it is high enough for both.
_NARROW = 720
_LEAST_HEIGHT_OF_TWO = 440
_ABOVE, _BESIDE, _LOW = "above", "beside", "low"
_STALE = "Of an earlier text: compile to see the code of the text as it is now."


class CodePane(QWidget):
    """Shows the texts that it is given, and asks for those that it lacks when they are opened.

    An `emit_requested` is answered by results whose target is `running` first, and then has that
    stage, a reason why it is missing, or a failure; a `passes_requested` by `set_passes`.
    """

    #: The text of a stage ("ptx") is wanted for a target.
    emit_requested = Signal(str, str)
    #: The compiler passes of a target are wanted.
    passes_requested = Signal(str)

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        choose: ChooseFile = choose_file,
    ) -> None:
        super().__init__(parent)
        self._choose = choose
        self._reading = CodeReading()
        self._lack: Lack = NOTHING
        self._lacking: Content | None = None
        self._place = ""
        self._shares = {_ABOVE: (HEIGHT, 480), _BESIDE: (WIDTH, 800), _LOW: (WIDTH_OF_TWO, 800)}
        self._side = SideList(icons)
        self._header = CodeHeader(icons)
        self._notice = Notice(icons)
        self._pair = TextPair(icons)
        self._empty = EmptyState(icons, NOTHING.icon, NOTHING.text)
        self._lay_out()
        self._connect()
        self._show()

    def set_results(self, inputs: CodeInputs) -> None:
        """Show newer results."""
        self._reading.set_results(inputs)
        self._show()

    def set_passes(
        self, target: str, result: PassesResult, blobs: Sequence[bytes], stale: bool = False
    ) -> None:
        """Show the recorded passes of a target, or why there are none."""
        self._reading.set_passes(target, result, tuple(blobs), stale)
        self._show()

    def state(self) -> dict[str, Any]:
        """What is remembered from one start to the next."""
        place = self._reading.place
        stage = place.stage if place is not None and place.stage else self._reading.first_stage
        return {
            "stage": stage.value,
            "only_changes": self._reading.only_changes,
            "shares": {place: list(shares) for place, shares in self._shares.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take what `state` gave; what is not understood is left out."""
        self._side.set_only_changes(state.get("only_changes") is True)
        shares = state.get("shares")
        known_shares = shares if isinstance(shares, Mapping) else {}
        for place, before in self._shares.items():
            self._shares[place] = read_shares(known_shares.get(place), before)
        known = {stage.value: stage for stage in Stage}
        stage = known.get(str(state.get("stage")))
        if stage is not None:
            self._reading.first_stage = stage
            self._on_stage_chosen(stage)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Ask for what was not asked for while nobody could see it."""
        super().showEvent(event)
        self._show()

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        # A low pane cuts what it has to say; it does not make the window taller.
        self._empty.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._pair)
        reader = QWidget()
        text = QVBoxLayout(reader)
        text.setContentsMargins(0, 0, 0, 0)
        text.setSpacing(0)
        for part in (self._header, hairline(), self._notice):
            text.addWidget(part)
        text.addWidget(self._stack, 1)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(self._side)
        self._splitter.addWidget(reader)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setCollapsible(1, False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)

    def _arrange(self) -> None:
        """Put the lists above the text or beside it, as large as they were there."""
        is_narrow = self.width() < _NARROW and self.height() >= _LEAST_HEIGHT_OF_TWO
        is_low = self.height() < _LEAST_HEIGHT_OF_TWO
        place = _ABOVE if is_narrow else _LOW if is_low else _BESIDE
        if place == self._place:
            return
        self._place = place
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._splitter.setOrientation(down if is_narrow else across)
        room = self.height() if is_narrow else self.width()
        lists = self._shares[place][0]
        self._splitter.setSizes([lists, max(1, room - lists)])

    def _on_splitter_moved(self) -> None:
        first, second = self._splitter.sizes()
        self._shares[self._place] = (first, second)

    def _connect(self) -> None:
        self._splitter.splitterMoved.connect(self._on_splitter_moved)
        side, header, pair = self._side, self._header, self._pair
        side.stage_chosen.connect(self._on_stage_chosen)
        side.pass_chosen.connect(self._on_pass_chosen)
        side.record_requested.connect(self._on_record_requested)
        side.only_changes_switched.connect(self._on_only_changes_switched)
        header.target_chosen.connect(self._on_target_chosen)
        header.comparison_chosen.connect(self._on_comparison_chosen)
        header.tool_pressed.connect(self._on_tool_pressed)
        header.fold_toggled.connect(pair.set_folded)
        pair.step_requested.connect(self._on_step_requested)
        pair.changes_moved.connect(self._show_changes)
        self._empty.action_triggered.connect(self._on_help_wanted)

    def _show(self) -> None:
        """Ask for what is lacking, then show what there is."""
        self._request()
        reading, place = self._reading, self._reading.place
        inputs = reading.view.inputs
        self._side.show_view(reading.view, place, reading.is_recording)
        self._header.set_targets(inputs.targets, place.target if place is not None else None)
        offered = choices(reading.view, place, reading.pinned) if place is not None else ()
        self._header.set_choices(offered, reading.comparison)
        self._show_notice()
        self._pair.set_stale(inputs.stale)
        self._show_text(reading.left, reading.right)
        self._show_changes()

    def _show_notice(self) -> None:
        content, inputs = self._reading.right, self._reading.view.inputs
        if inputs.stale and inputs.targets:
            self._notice.set_text(_STALE, Severity.WARNING)
        else:
            self._notice.set_text(content.fault if content is not None else "", Severity.ERROR)

    def _show_text(self, left: Content | None, right: Content | None) -> None:
        sides = [side for side in (right, left) if side is not None]
        lacking = next((side for side in sides if side.state is not State.READY), None)
        if right is None or lacking is not None:
            self._show_lack(lacking)
        else:
            self._pair.show_contents(left, right)
            self._stack.setCurrentWidget(self._pair)
            self._header.sentence.set_text(self._sentence(left, right))
        self._header.set_has_text(self._is_reading())

    def _show_lack(self, lacking: Content | None) -> None:
        traces = self._reading.view.traces
        self._lacking = lacking
        self._lack = (
            NOTHING if lacking is None else lack_of(lacking, lacking.place.target in traces)
        )
        offer = self._lack.offer.value if self._lack.offer is not None else None
        self._empty.set_content(self._lack.icon, self._lack.text, offer)
        self._stack.setCurrentWidget(self._empty)
        self._header.sentence.set_text(lacking.title if lacking is not None else "")

    def _sentence(self, left: Content | None, right: Content) -> str:
        found = self._pair.difference
        if left is None or found is None or left.place.before:
            return right.sentence
        return comparison_sentence(names_of(left, right), found, right.language)

    def _show_changes(self) -> None:
        found = self._pair.difference if self._is_reading() else None
        count = len(found.changes) if found is not None else None
        self._header.set_changes(self._pair.current_change(), count)

    def _is_reading(self) -> bool:
        return self._stack.currentWidget() is self._pair

    def _request(self) -> None:
        if not self.isVisible():
            return
        for target, stage in self._reading.take_wanted():
            self.emit_requested.emit(target, stage.value)
        wanted = self._reading.take_wanted_passes()
        if wanted is not None:
            self.passes_requested.emit(wanted)

    def _on_stage_chosen(self, stage: Stage) -> None:
        self._reading.choose_stage(stage)
        self._show()

    def _on_pass_chosen(self, index: int) -> None:
        self._reading.choose_pass(index)
        self._show()

    def _on_target_chosen(self, name: str) -> None:
        self._reading.choose_target(name)
        self._show()

    def _on_comparison_chosen(self, comparison: Comparison) -> None:
        self._reading.choose_comparison(comparison)
        self._show()

    def _on_step_requested(self, by: int) -> None:
        self._reading.step_pass(by)
        self._show()

    def _on_only_changes_switched(self) -> None:
        self._reading.only_changes = self._side.only_changes
        self._show()

    def _on_record_requested(self) -> None:
        self._reading.wants_passes = True
        self._show()

    def _on_help_wanted(self) -> None:
        place = self._lacking.place if self._lacking is not None else None
        if self._lack.offer is Help.COPY:
            QGuiApplication.clipboard().setText(self._lack.command)
        elif self._lack.offer is Help.RECORD:
            self._on_record_requested()
        elif place is not None and place.stage is not None:
            self._reading.ask(place.target, place.stage)
            self.emit_requested.emit(place.target, place.stage.value)
            self._show()

    def _on_tool_pressed(self, name: str) -> None:
        tools: dict[str, Callable[[], object]] = {
            "find": self._pair.reader.open_find,
            "pin": self._pin,
            "copy": self._copy,
            "save": self._save,
            "previous": lambda: self._pair.step_change(-1),
            "next": lambda: self._pair.step_change(1),
        }
        tools[name]()

    def _pin(self) -> None:
        self._reading.pin()
        self._show()

    def _copy(self) -> None:
        content = self._reading.right
        if content is not None:
            QGuiApplication.clipboard().setText(content.text)

    def _save(self) -> None:
        content = self._reading.right
        path = self._choose(self, content.file_name) if content is not None else ""
        if content is not None and path:
            failure = save_text(path, content.text)
            if failure:
                self._notice.set_text(failure, Severity.ERROR)
