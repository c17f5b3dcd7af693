"""The details of one run: its conclusion, figures, arguments, problems, versions and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.core.diagnostics import Diagnostic
from workbench.core.figures import figure
from workbench.core.runs import Artifact, Metric, MetricSource, Run
from workbench.ui.panes.runs.swatch import SourceSwatch
from workbench.ui.panes.runs.wording import KIND_WORDS, SOURCE_WORDS, STATUS_LOOKS, conclusion
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PushButton, flush_link
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SEVERITY_LOOKS, SeverityMark


class RunDetail(QScrollArea):
    """Shows one run at a time; built anew for each, as each has other parts."""

    #: The person wants the document as it was run: the run's id.
    text_requested = Signal(str)
    #: The person wants to see an artifact: the run's id and the artifact's name.
    artifact_requested = Signal(str, str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme = icons, icons.theme
        self._run: Run | None = None
        self.setWidgetResizable(True)
        self.setAccessibleName("Details of the run")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(220)
        self._show_parts([self._hint()])

    @property
    def run(self) -> Run | None:
        """What is shown."""
        return self._run

    def show_run(self, run: Run | None) -> None:
        """Show another run; None asks to choose one."""
        if run == self._run:
            return
        self._run = run
        self._show_parts([self._hint()] if run is None else list(self._parts(run)))

    def _show_parts(self, parts: Sequence[QWidget]) -> None:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(16, 10, 16, 12)
        layout.setSpacing(8)
        for part in parts:
            layout.addWidget(part)
        layout.addStretch(1)
        self.setWidget(body)

    def _hint(self) -> QWidget:
        hint = text_label(self._theme, "Choose a run to see what came out of it.", tone="fg3")
        hint.setWordWrap(True)
        return hint

    def _parts(self, run: Run) -> Iterator[QWidget]:
        yield self._head(run)
        if run.error:
            yield self._error(run.error)
        if run.diagnostics:
            yield self._heading("Problems")
            yield from (self._diagnostic(item) for item in run.diagnostics)
        if run.metrics:
            yield self._heading("Figures")
            yield self._metrics(run.metrics)
        if run.args:
            yield self._heading("Arguments")
            yield self._facts({name: repr(value) for name, value in run.args.items()}, code=True)
        yield self._heading("Circumstances")
        yield self._facts(_circumstances(run))
        if run.blobs:
            yield self._heading("Kept with it")
            yield from self._files(run)
        if run.versions:
            yield self._heading("Versions")
            yield self._facts(run.versions)

    def _head(self, run: Run) -> QWidget:
        look = STATUS_LOOKS[run.status]
        head = QWidget()
        layout = QHBoxLayout(head)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        mark = SeverityMark(self._icons, look)
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(ConclusionLabel(self._theme, conclusion(run), narrow=True), 1)
        for tag in run.tags:
            layout.addWidget(Chip(self._theme, tag, "accent"), 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _facts(self, facts: Mapping[str, str], code: bool = False) -> QWidget:
        """Names and values below one another."""
        grid_widget, grid = _grid()
        for row, (name, value) in enumerate(facts.items()):
            label = text_label(self._theme, name, TextRole.LABEL, "fg3")
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            shown = self._text(value, "fg")
            if code:
                label.setFont(self._theme.fonts.monospace(12))
                shown.setFont(self._theme.fonts.monospace(12))
            grid.addWidget(shown, row, 1)
        grid.setColumnStretch(1, 1)
        return grid_widget

    def _metrics(self, metrics: Mapping[str, Metric]) -> QWidget:
        """A row a figure: its mark, name, value, unit and origin."""
        grid_widget, grid = _grid()
        for row, (name, metric) in enumerate(metrics.items()):
            shown = figure(metric.value, metric.unit)
            origin = f"{SOURCE_WORDS[metric.source]}, {metric.method}"
            swatch = SourceSwatch(self._theme, metric.source is MetricSource.PREDICTED)
            swatch.setToolTip(origin if metric.method else SOURCE_WORDS[metric.source])
            grid.addWidget(swatch, row, 0)
            grid.addWidget(text_label(self._theme, _words(name), TextRole.LABEL, "fg2"), row, 1)
            value = text_label(self._theme, shown.text, TextRole.STRONG, "fg")
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(value, row, 2, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(text_label(self._theme, shown.unit, TextRole.LABEL, "fg3"), row, 3)
            grid.addWidget(self._text(swatch.toolTip(), "fg3"), row, 4)
        grid.setColumnStretch(4, 1)
        return grid_widget

    def _error(self, error: str) -> QWidget:
        notice = QFrame()
        notice.setProperty("kind", "notice")
        notice.setProperty("tone", "error")
        layout = QVBoxLayout(notice)
        layout.setContentsMargins(12, 8, 12, 8)
        text = self._text(error.strip(), "fg")
        text.setFont(self._theme.fonts.monospace(12))
        layout.addWidget(text)
        return notice

    def _diagnostic(self, diagnostic: Diagnostic) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        mark = SeverityMark(self._icons, SEVERITY_LOOKS[diagnostic.severity])
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        where = f"Line {diagnostic.range.line}: " if diagnostic.range is not None else ""
        layout.addWidget(self._text(where + diagnostic.message, "fg"), 1)
        return row

    def _files(self, run: Run) -> Iterator[QWidget]:
        if run.text_blob is not None:
            link = self._link("The document as it was run")
            link.clicked.connect(lambda: self.text_requested.emit(run.id))
            yield _row(link)
        for artifact in run.artifacts:
            yield self._artifact(run.id, artifact)

    def _artifact(self, run_id: str, artifact: Artifact) -> QWidget:
        link = self._link(artifact.name)
        link.clicked.connect(lambda: self.artifact_requested.emit(run_id, artifact.name))
        size = str(figure(artifact.size_bytes, "B"))
        return _row(link, text_label(self._theme, size, TextRole.LABEL, "fg3"))

    def _link(self, text: str) -> PushButton:
        link = flush_link(self._icons, text)
        link.setToolTip(f"Open {text[0].lower()}{text[1:]}")
        return link

    def _text(self, text: str, tone: str) -> QLabel:
        label = text_label(self._theme, text, TextRole.LABEL, tone)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _heading(self, text: str) -> QLabel:
        heading = text_label(self._theme, text, TextRole.STRONG_LABEL, "fg")
        heading.setContentsMargins(0, 6, 0, 0)
        return heading


def _circumstances(run: Run) -> dict[str, str]:
    """What was run, where and when; unknown parts are left out."""
    took = str(figure(run.seconds, "s")) if run.seconds is not None else None
    facts = {
        "Run": f"{KIND_WORDS[run.kind]}, {STATUS_LOOKS[run.status].word.lower()}",
        "Kernel": run.kernel,
        "Document": run.document,
        "Attached to": ", ".join(run.attached_to) or None,
        "Case": run.case_title(),
        "Target": run.target,
        "On": " · ".join(part for part in (run.device, run.host) if part) or None,
        "When": f"{run.created.astimezone():%Y-%m-%d %H:%M:%S}",
        "Took": took,
        "Id": run.id,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _words(name: str) -> str:
    """A metric's name without the unit in it: "shared dynamic" of "shared_dynamic_bytes"."""
    for suffix in ("_bytes", "_us"):
        name = name.removesuffix(suffix)
    return name.replace("_", " ")


def _grid() -> tuple[QWidget, QGridLayout]:
    widget = QWidget()
    grid = QGridLayout(widget)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    return widget, grid


def _row(*parts: QWidget) -> QWidget:
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(10)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch(1)
    return row
