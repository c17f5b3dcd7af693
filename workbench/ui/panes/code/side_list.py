"""The lists of the code pane: stages, and below or beside them the compiler passes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from workbench.session.code_inputs import Stage, TargetCode
from workbench.session.code_passes import PassTrace
from workbench.session.code_sentences import milliseconds, passes_sentences
from workbench.session.code_view import CodeView, Place
from workbench.ui.panes.code.row_list import RowList
from workbench.ui.panes.code.rows import pass_rows, stage_rows
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.labels import text_label

_STAGES_WIDTH = 136
_LEAST_WIDTH = 160
_HEAD_HEIGHT = 28
_LEAST_HEIGHT = 72
_HEAD_INSET = 12
# Below this height the two lists stand side by side, so that each shows more than a few rows.
_LOW = 400
# The widths that show the names of most passes: of one column, and of lists side by side.
WIDTH, WIDTH_OF_TWO = 248, 368
#: The height that shows every stage.
HEIGHT = _HEAD_HEIGHT + len(Stage) * METRICS.compact_row_height + 8


_UNLIMITED = 16777215  # Qt's QWIDGETSIZE_MAX


class SideList(QWidget):
    """Chooses what is read; a low one puts its two lists side by side."""

    #: The person chose a stage.
    stage_chosen = Signal(Stage)
    #: The person chose the pass of that index.
    pass_chosen = Signal(int)
    #: The person wants the passes to be recorded.
    record_requested = Signal()
    #: The person switched between all passes and those that change something.
    only_changes_switched = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self._theme = theme
        self.stages = RowList(icons, "Stages")
        self.passes = RowList(icons, "Compiler passes")
        self._only_changes = FlatToolButton(icons, "Show only passes that change the kernel")
        self._only_changes.set_icon("filter", "fg3", 14)
        self._only_changes.setCheckable(True)
        self._only_changes.setFixedSize(24, 24)
        self._summaries: tuple[str, ...] = ("",)
        self._summary = text_label(theme, "", TextRole.NOTE, "fg3")
        self._record = push_button(icons, "Record passes")
        self._record.setToolTip("Lower once more and keep what every compiler pass makes")
        self._about = text_label(theme, "", TextRole.NOTE, "fg3")
        self._about.setWordWrap(True)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._lay_out()
        self._connect()

    @property
    def only_changes(self) -> bool:
        """Whether passes that change nothing are left out."""
        return self._only_changes.isChecked()

    def set_only_changes(self, only: bool) -> None:
        """Leave them out, or show them."""
        self._only_changes.setChecked(only)

    def show_view(self, view: CodeView, place: Place | None, recording: bool) -> None:
        """Show the stages and passes of the place's target, the place itself as the current row."""
        target = view.target(place.target) if place is not None else None
        self.stages.set_rows(stage_rows(view, target) if target is not None else ())
        trace = view.traces.get(target.name) if target is not None else None
        self.passes.set_rows(pass_rows(trace, self.only_changes) if trace is not None else ())
        self.stages.set_current(place.stage if place is not None else None)
        self.passes.set_current(place.pass_index if place is not None else None)
        self._show_head(target, trace, recording)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A low one is arranged for its height only once it has it."""
        return QSize(_STAGES_WIDTH + _LEAST_WIDTH if self.is_low else _LEAST_WIDTH, _LEAST_HEIGHT)

    @property
    def is_low(self) -> bool:
        """Whether the two lists stand side by side."""
        return self.height() < _LOW

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._theme.colour("bg0"))

    def _lay_out(self) -> None:
        self._box.setSizeConstraint(QBoxLayout.SizeConstraint.SetNoConstraint)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._stages_part = self._part(self._head("Stages"), self.stages)
        self._passes_part = self._part(
            self._head("Passes", self._summary, self._only_changes),
            self.passes,
            self._about,
            self._record,
        )
        self._box.addWidget(self._stages_part)
        self._box.addWidget(self._passes_part, 1)
        self._arrange()

    def _head(self, title: str, *tools: QWidget) -> QWidget:
        head = QWidget()
        head.setFixedHeight(_HEAD_HEIGHT)
        layout = QHBoxLayout(head)
        layout.setContentsMargins(_HEAD_INSET, 0, 6, 0)
        layout.setSpacing(METRICS.gap)
        layout.addWidget(text_label(self._theme, title, TextRole.STRONG_LABEL, "fg3"))
        for tool in tools:
            if isinstance(tool, QLabel):
                tool.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
                tool.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                layout.addWidget(tool, 1)
            else:
                layout.addWidget(tool)
        return head

    def _part(self, head: QWidget, list_view: QWidget, *above: QWidget) -> QWidget:
        part = QWidget()
        layout = QVBoxLayout(part)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(0)
        layout.addWidget(head)
        for widget in above:
            row = QHBoxLayout()
            row.setContentsMargins(_HEAD_INSET, 0, _HEAD_INSET, 4)
            is_button = widget is self._record
            row.addWidget(widget, 0 if is_button else 1)
            row.addStretch(1 if is_button else 0)
            layout.addLayout(row)
        layout.addWidget(list_view, 1000)
        layout.addStretch(1)
        return part

    def _connect(self) -> None:
        self.stages.chosen.connect(lambda key: self.stage_chosen.emit(key))
        self.passes.chosen.connect(lambda key: self.pass_chosen.emit(key))
        self._record.clicked.connect(self.record_requested)
        self._only_changes.toggled.connect(lambda _: self.only_changes_switched.emit())
        self._theme.changed.connect(self.update)

    def _show_head(
        self, target: TargetCode | None, trace: PassTrace | None, recording: bool
    ) -> None:
        about = "Recording the passes…" if recording else ""
        if not recording and target is not None and trace is None:
            about = "What every compiler pass makes of the kernel, step by step."
        elif not recording and trace is not None and trace.stale:
            about = "Of an earlier text."
        elif not recording and trace is not None and not trace.rows and trace.result.failure:
            about = trace.result.failure.message
        self._about.setText(about)
        self._about.setVisible(bool(about))
        needs_record = target is not None and (trace is None or trace.stale)
        self._record.setText("Record passes" if trace is None else "Record again")
        self._record.setVisible(needs_record and not recording)
        has_rows = trace is not None and bool(trace.rows)
        self._summaries = passes_sentences(trace) if trace and has_rows else ("",)
        self._fit_summary()
        self._summary.setToolTip(_summary_tip(trace))
        self._only_changes.setEnabled(trace is not None)
        self.passes.setVisible(has_rows)

    def _arrange(self) -> None:
        low = self.is_low
        direction = QBoxLayout.Direction.LeftToRight if low else QBoxLayout.Direction.TopToBottom
        self._box.setDirection(direction)
        rows = len(Stage) * METRICS.compact_row_height + 2
        self.stages.setMinimumHeight(0 if low else rows)
        self.stages.setMaximumHeight(rows)
        self._stages_part.setMinimumWidth(_STAGES_WIDTH if low else 0)
        self._stages_part.setMaximumWidth(_STAGES_WIDTH if low else _UNLIMITED)
        self._box.activate()
        self._fit_summary()

    def _fit_summary(self) -> None:
        """Show the longest summary that there is room for."""
        metrics, room = QFontMetrics(self._summary.font()), self._summary.width()
        fitting = (text for text in self._summaries if metrics.horizontalAdvance(text) <= room)
        self._summary.setText(next(fitting, self._summaries[-1]))


def _summary_tip(trace: PassTrace | None) -> str:
    """The summary in words, with what recording has cost."""
    if trace is None:
        return ""
    cost = trace.result.seconds.get("record")
    kept = "" if cost is None else f" Keeping the texts took {milliseconds(cost)} more."
    return f"{trace.changed} of {len(trace.rows)} passes change the kernel.{kept}"
