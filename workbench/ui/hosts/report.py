"""The report of a host's test: how far it is, what was found, and cures that can be copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.session.hosts.report_view import ReportRow, ReportView, RowLevel
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.progress_chip import ProgressChip, ProgressView
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

_LOOKS = {
    RowLevel.GOOD: SeverityLook("check", "good", "There"),
    RowLevel.INFO: SeverityLook("info", "info", "Note"),
    RowLevel.WARNING: SeverityLook("warning", "warn", "Missing"),
    RowLevel.ERROR: SeverityLook("error", "error", "Missing"),
}
_TICK_MS = 200
_MARK, _LOG_HEIGHT = 16, 96


class HostReportView(QScrollArea):
    """Built anew for each report, as each has other parts."""

    #: The person wants the test to end.
    cancel_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._view: ReportView | None = None
        self._step = ""
        self._chip: ProgressChip | None = None
        self._clock, self._tick = QElapsedTimer(), QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("Report of the test")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_nothing()

    @property
    def conclusion(self) -> str:
        """The sentence shown; while a test runs what it does."""
        return self._step or (self._view.conclusion if self._view is not None else "")

    def show_nothing(self, text: str = "") -> None:
        """Say that the host was not tested yet."""
        self._end()
        self._view = None
        self._set([self._text(text, "fg3")] if text else [])

    def show_step(self, step: str) -> None:
        """Say what a test does now; the seconds run on."""
        if self._chip is None:
            self._clock.start()
            chip = self._chip = ProgressChip(self._icons, ProgressView(step, 0, None, 0.0))
            chip.cancel_requested.connect(self.cancel_requested)
            self._set([chip])
            self._tick.start()
        self._step = step
        self._on_tick()

    def show_report(self, view: ReportView) -> None:
        """Show what a test found."""
        self._end()
        self._view = view
        conclusion = ConclusionLabel(self._icons.theme, view.conclusion, narrow=True)
        parts: list[QWidget] = [conclusion]
        parts += [self._row(row) for row in view.rows]
        self._set([*parts, *self._log(view.log)])

    def _end(self) -> None:
        self._tick.stop()
        self._step, self._chip = "", None

    def _on_tick(self) -> None:
        if self._chip is not None:
            seconds = self._clock.elapsed() / 1000
            self._chip.set_view(ProgressView(self._step.rstrip(" …"), 0, None, seconds))

    def _set(self, parts: Sequence[QWidget]) -> None:
        body = QWidget()
        body.setProperty("ground", "bg1")
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 8, 8, 8)
        layout.setSpacing(10)
        for part in parts:
            layout.addWidget(part)
        layout.addStretch(1)
        self.setWidget(body)

    def _row(self, row: ReportRow) -> QWidget:
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        mark = SeverityMark(self._icons, _LOOKS[row.level], _MARK)
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._text(row.title, "fg", TextRole.STRONG))
        if row.text:
            texts.addWidget(self._text(row.text, "fg3", TextRole.LABEL))
        if row.cure:
            texts.addWidget(self._text(row.cure, "fg2"))
        layout.addLayout(texts, 1)
        if row.cure:
            layout.addWidget(self._copy(row.cure), 0, Qt.AlignmentFlag.AlignTop)
        return line

    def _copy(self, text: str) -> QWidget:
        button = FlatToolButton(self._icons, "Copy what to do")
        button.set_icon("copy", "fg3")
        button.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        return button

    def _log(self, lines: Sequence[str]) -> list[QWidget]:
        if not lines:
            return []
        text = QPlainTextEdit("\n".join(lines))
        text.setReadOnly(True)
        text.setFont(self._icons.theme.fonts.monospace(11))
        text.setFixedHeight(_LOG_HEIGHT)
        text.setAccessibleName("Last lines of the command")
        title = self._text("Last lines of the command", "fg3", TextRole.LABEL)
        return [hairline(), title, text]

    def _text(self, text: str, tone: str, role: TextRole = TextRole.BODY) -> QLabel:
        label = text_label(self._icons.theme, text, role, tone)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label
