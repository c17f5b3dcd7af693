"""The fields of a step, over which the first step has sentence, targets and goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.patterns.model import Goal
from workbench.session.patterns.fields_view import FieldView
from workbench.session.patterns.wizard_view import RequirementsView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.toolbar import TargetPicker
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch
from workbench.ui.widgets.severity import SeverityLook, SeverityMark
from workbench.ui.wizard.field_row import LABEL_WIDTH, FieldRow
from workbench.ui.wizard.sentence_field import SentenceField

_MOST_BESIDE = 3
_GOALS = (
    Segment(Goal.THROUGHPUT.value, "Throughput", "The most work a second"),
    Segment(Goal.LATENCY.value, "Latency", "The soonest end of one launch"),
)


class StepForm(QWidget):
    """Rows stay while the fields are the same, so that the focus does."""

    value_chosen = Signal(str, object)
    text_typed = Signal(str, str)
    sentence_given = Signal(str)
    goal_chosen = Signal(str)
    targets_requested = Signal(QWidget)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._rows: list[FieldRow] = []
        self._shape: object = None
        self.sentence = SentenceField(icons)
        self.targets = TargetPicker(icons)
        self.goal = SegmentedSwitch(icons, "Goal", _GOALS)
        self._head = QWidget()
        head = QVBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(0)
        for title, note, part in (
            ("In one sentence", "", self.sentence),
            ("Targets", "the first decides", self.targets),
            ("Goal", "", self.goal),
        ):
            head.addLayout(self._head_row(title, note, part))
            head.addWidget(hairline())
        self._fields = QVBoxLayout()
        self._fields.setSpacing(0)
        self._legend = _legend(icons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addLayout(self._fields)
        layout.addWidget(self._legend)
        layout.addStretch(1)
        self.sentence.given.connect(self.sentence_given)
        self.goal.chosen.connect(self.goal_chosen)
        self.targets.clicked.connect(lambda: self.targets_requested.emit(self.targets))

    @property
    def rows(self) -> tuple[FieldRow, ...]:
        """The rows in their order."""
        return tuple(self._rows)

    def row_of(self, name: str) -> FieldRow:
        """The row of a field. Raises StopIteration where it is not shown."""
        return next(row for row in self._rows if name in row.names)

    def show_fields(
        self,
        fields: Sequence[FieldView],
        requirements: RequirementsView | None,
        labels: Sequence[str],
    ) -> None:
        """Show a step."""
        self._head.setVisible(requirements is not None)
        if requirements is not None:
            self.sentence.show_sentence(requirements.sentence, requirements.error)
            self.goal.set_current(requirements.goal.value)
            self.targets.set_targets(list(labels))
        groups = list(_groups(fields))
        shape = [[(f.name, bool(f.choices), f.takes_other) for f in group] for group in groups]
        held: tuple[str, ...] = ()
        if shape != self._shape:
            held = self._focused()
            self._shape = shape
            self._build(groups)
        for row, group in zip(self._rows, groups, strict=True):
            row.show_fields(group)
        for row in self._rows:
            if set(held) & set(row.names):
                row.first.setFocus(Qt.FocusReason.OtherFocusReason)
                break
        self._legend.setVisible(any(c.is_recommended for f in fields for c in f.choices))

    def commit(self) -> None:
        """Tell what is typed and not told yet."""
        for row in self._rows:
            row.commit()

    def focus_first(self) -> None:
        """Put the focus where one begins."""
        if self._rows:
            self._rows[0].first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focused(self) -> tuple[str, ...]:
        """The fields of the row that has the focus."""
        focus = QApplication.focusWidget()
        rows = (row for row in self._rows if focus is not None and row.isAncestorOf(focus))
        return next((row.names for row in rows), ())

    def _build(self, groups: Sequence[Sequence[FieldView]]) -> None:
        for row in self._rows:
            self._fields.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [
            FieldRow(self._icons, group, len(groups[at - 1]) if at > 0 else 0)
            for at, group in enumerate(groups)
        ]
        for row in self._rows:
            row.value_chosen.connect(self.value_chosen)
            row.text_typed.connect(self.text_typed)
            self._fields.addWidget(row)

    def _head_row(self, title: str, note: str, part: QWidget) -> QHBoxLayout:
        theme = self._icons.theme
        label = QWidget()
        label.setFixedWidth(LABEL_WIDTH)
        words = QVBoxLayout(label)
        words.setContentsMargins(0, 4, 0, 0)
        words.setSpacing(2)
        words.addWidget(text_label(theme, title, TextRole.HEADING, "fg"))
        if note:
            words.addWidget(text_label(theme, note, TextRole.LABEL, "fg3"))
        row = QHBoxLayout()
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(part, 1 if part is self.sentence else 0)
        if part is not self.sentence:
            row.addStretch(1)
        return row


def _groups(fields: Sequence[FieldView]) -> Iterator[tuple[FieldView, ...]]:
    """Sizes that follow each other stand in rows of as many; every other field alone."""
    for (is_size, _), run in groupby(fields, lambda f: (not f.choices and f.note == f.name, 0)):
        found = tuple(run)
        rows = -(-len(found) // _MOST_BESIDE) if is_size else len(found)
        step = -(-len(found) // rows)  # four are two and two
        yield from (found[at : at + step] for at in range(0, len(found), step))


def _legend(icons: Icons) -> QWidget:
    panel = QWidget()
    row = QHBoxLayout(panel)
    row.setContentsMargins(0, 10, 0, 6)
    row.setSpacing(6)
    for name, tone, text in (
        ("star", "accent", "recommended"),
        ("warning", "warn", "not legal on every target"),
    ):
        row.addWidget(SeverityMark(icons, SeverityLook(name, tone, text), 14))
        row.addWidget(text_label(icons.theme, text, TextRole.LABEL, "fg3"))
        row.addSpacing(12)
    struck = text_label(icons.theme, "<s>128</s>", TextRole.LABEL, "fg3")
    row.addWidget(struck)
    row.addWidget(text_label(icons.theme, "not legal", TextRole.LABEL, "fg3"))
    row.addStretch(1)
    return panel
