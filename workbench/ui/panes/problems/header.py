"""The head of the problem pane: its conclusion, the filters, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.session.problems import Problem, counts
from workbench.ui.panes.problems.filter_button import FilterButton, FilterChoice
from workbench.ui.panes.problems.rows import STAGES, ProblemFilter, short_summaries, stage_of
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import divider
from workbench.ui.widgets.painting import target_icon
from workbench.ui.widgets.search_field import SearchField
from workbench.ui.widgets.severity import SEVERITY_LOOKS

_HEIGHT = 36
_LEAST_WIDTH = 340
_SEARCH_WIDTH = 180
_ROOM_FOR_SEARCH = 860
_ROOM_FOR_WORDS = 660
_ROOM_FOR_SUMMARY = 420
_NOUNS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "notes"}


class ProblemHeader(QWidget):
    """Tells how many problems there are, and lets the person narrow them down."""

    #: The filter is another one now.
    filter_changed = Signal(object)
    next_requested = Signal()
    previous_requested = Signal()
    details_toggled = Signal(bool)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._filter = ProblemFilter()
        self._targets: tuple[str, ...] = ()
        self._stages: tuple[str, ...] = ()
        self._summaries: tuple[str, ...] = ("",)
        self._summary = ElidedLabel(icons.theme, "", TextRole.STRONG_LABEL, "fg")
        self._stale = Chip(icons.theme, "of an earlier text", "warn")
        self._severities = {severity: self._severity_button(severity) for severity in Severity}
        self._stage = FilterButton(icons, "Show the problems of one stage", "layers")
        self._stage.chosen.connect(self._on_stage_chosen)
        self._target = FilterButton(icons, "Show the problems of one target", "target")
        self._target.chosen.connect(self._on_target_chosen)
        self._search = SearchField(icons, "Filter problems")
        self._search.setFixedWidth(_SEARCH_WIDTH)
        self._search.textChanged.connect(self._on_search_changed)
        self._details = self._tool("list", "Show details (Space)", self.details_toggled)
        self._details.setCheckable(True)
        self._lay_out()
        icons.theme.changed.connect(self._on_theme_changed)
        self.set_targets(())
        self.set_problems(())

    @property
    def filter(self) -> ProblemFilter:
        """What is wanted now."""
        return self._filter

    def set_filter(self, wanted: ProblemFilter) -> None:
        """Want something else, without a signal; a target that is not chosen is not wanted."""
        known = wanted.target if wanted.target in self._targets else None
        self._filter = replace(wanted, target=known)
        for severity, button in self._severities.items():
            button.set_shown(severity in wanted.severities)
        blocked = self._search.blockSignals(True)
        self._search.setText(wanted.words)
        self._search.blockSignals(blocked)
        self._fill_menus()

    def set_problems(self, problems: Sequence[Problem]) -> None:
        """Tell of these problems."""
        self._summaries = short_summaries(problems)
        found = {stage_of(problem.diagnostic) for problem in problems}
        self._stages = tuple(stage for stage in STAGES if stage in found)
        self._fill_menus()
        self._stale.setVisible(any(problem.stale for problem in problems))
        for severity, count in counts(problems).items():
            self._severities[severity].set_count(count)
        self._fit()

    def set_targets(self, targets: Sequence[str]) -> None:
        """Offer these targets; with one or none there is nothing to choose."""
        self._targets = tuple(targets)
        self.set_filter(self._filter)

    def set_details_shown(self, shown: bool) -> None:
        """Show whether the details are on show."""
        self._details.setChecked(shown)

    def focus_search(self) -> None:
        """Let the person type a filter."""
        self._search.show()
        self._search.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give up what there is no room for: the search, words of filters, words of the summary."""
        typed = bool(self._search.text()) or self._search.hasFocus()
        self._search.setVisible(typed or self.width() >= _ROOM_FOR_SEARCH)
        for button in (self._stage, self._target):
            button.set_compact(self.width() < _ROOM_FOR_WORDS)
        self._summary.setVisible(self.width() >= _ROOM_FOR_SUMMARY)
        layout = self.layout()
        assert layout is not None
        taken = layout.minimumSize().width()  # the summary alone can be narrower than it wants
        metrics = self._summary.fontMetrics()
        fitting = (
            text
            for text in self._summaries
            if metrics.horizontalAdvance(text) + 1 <= self.width() - taken
        )
        self._summary.set_text(next(fitting, self._summaries[-1]))

    def _lay_out(self) -> None:
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(_LEAST_WIDTH)  # what is given up in less room must not ask for it
        layout = QHBoxLayout(self)
        layout.setContentsMargins(20, 4, 12, 4)
        layout.setSpacing(4)
        layout.addWidget(self._summary, 1)
        layout.addWidget(self._stale)
        layout.addSpacing(8)
        for button in self._severities.values():
            layout.addWidget(button)
        layout.addWidget(self._stage)
        layout.addWidget(self._target)
        layout.addWidget(self._search)
        layout.addWidget(divider())
        layout.addWidget(self._tool("arrow-up", "Previous problem", self.previous_requested))
        layout.addWidget(self._tool("arrow-down", "Next problem", self.next_requested))
        layout.addWidget(self._details)

    def _tool(self, icon: str, tip: str, signal: SignalInstance) -> FlatToolButton:
        button = FlatToolButton(self._icons, tip)
        button.set_icon(icon, "fg3")
        button.clicked.connect(signal)
        return button

    def _severity_button(self, severity: Severity) -> SeverityToggle:
        button = SeverityToggle(self._icons, severity)
        button.clicked.connect(lambda: self._on_severity_clicked(severity))
        return button

    def _fill_menus(self) -> None:
        """With one target or stage, or none, there is nothing to choose."""
        theme, wanted = self._icons.theme, self._filter
        targets = [FilterChoice(None, "All targets")]
        for at, name in enumerate(self._targets):
            targets.append(FilterChoice(name, name, target_icon(theme, at)))
        self._target.set_choices(targets, wanted.target)
        self._target.setVisible(len(self._targets) > 1)
        stages = [FilterChoice(None, "All stages")]
        known = (s for s in STAGES if s in self._stages or s == wanted.stage)
        stages += [FilterChoice(stage, STAGES[stage]) for stage in known]
        self._stage.set_choices(stages, wanted.stage)
        self._stage.setVisible(len(stages) > 2 or wanted.stage is not None)

    def _on_target_chosen(self, name: str | None) -> None:
        self._want(replace(self._filter, target=name))

    def _on_stage_chosen(self, name: str | None) -> None:
        self._want(replace(self._filter, stage=name))

    def _on_severity_clicked(self, severity: Severity) -> None:
        shown = severity not in self._filter.severities
        self._severities[severity].set_shown(shown)
        self._want(self._filter.with_severity(severity, shown))

    def _on_search_changed(self, text: str) -> None:
        self._want(replace(self._filter, words=text))

    def _on_theme_changed(self) -> None:
        self._fill_menus()

    def _want(self, wanted: ProblemFilter) -> None:
        if wanted != self._filter:
            self._filter = wanted
            self._fill_menus()
            self._fit()
            self.filter_changed.emit(wanted)


class SeverityToggle(FlatToolButton):
    """How many problems of a severity there are; pale while they are hidden, a click hides them."""

    def __init__(self, icons: Icons, severity: Severity) -> None:
        super().__init__(icons, _NOUNS[severity], "0")
        self._look, self._noun = SEVERITY_LOOKS[severity], _NOUNS[severity]
        self._shown = True
        self._show()

    def set_shown(self, shown: bool) -> None:
        """Show that the severity is shown or hidden."""
        self._shown = shown
        self._show()

    def set_count(self, count: int) -> None:
        """Show another count."""
        self.setText(f"{count:,}")
        self.updateGeometry()
        self._show()

    def _show(self) -> None:
        self.set_icon(self._look.icon, self._look.tone if self._shown else "fg4")
        self.setToolTip(f"Hide {self._noun}" if self._shown else f"Show {self._noun}")
        state = "shown" if self._shown else "hidden"
        self.setAccessibleName(f"{self._noun}: {self.text()}, {state}")
        self.update()

    def _text_token(self) -> str:
        return "fg" if self._shown else "fg3"
