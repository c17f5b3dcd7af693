"""The dialog for errors of the workbench itself: what happened, the log, and a report to send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from workbench.core.atomic_files import write_atomically
from workbench.core.diagnostics import Severity
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch
from workbench.ui.widgets.severity import SeverityMark

_EXPLANATION = (
    "This is a fault of the workbench, not of your kernel. Your files are as they were, and you "
    "can go on. The report holds what is needed to mend it; read it before you pass it on."
)
_FILE_NAME = "workbench-report.md"
_SIZE = (720, 520)
ChoosePath = Callable[[QWidget, str], str]


@dataclass(frozen=True)
class ErrorReport:
    """One error of ours: `details` is its stack, `log` the last lines before it."""

    message: str
    details: str = ""
    log: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    created: datetime | None = None

    def markdown(self) -> str:
        """The report as it is copied and saved."""
        when = f"{self.created.astimezone():%Y-%m-%d %H:%M:%S %z}" if self.created else ""
        versions = "\n".join(f"- {name} {version}" for name, version in self.versions.items())
        parts = (
            f"# {self.message.strip() or 'An error'}",
            when,
            versions,
            _block("Stack", self.details),
            _block("Log", self.log),
        )
        return "\n\n".join(part for part in parts if part) + "\n"


class ReportDialog(QDialog):
    """Shows one report; `choose_path` asks where to save it, by the desktop's own dialog."""

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        report: ErrorReport,
        parent: QWidget | None = None,
        choose_path: ChoosePath | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icons, self._report = theme, icons, report
        self._choose_path = choose_path or _ask_for_path
        self.setWindowTitle("Report a Problem")
        self.setModal(False)
        self.resize(*_SIZE)
        self._switch = SegmentedSwitch(
            icons, "Part of the report", (Segment("stack", "Stack"), Segment("log", "Log"))
        )
        self._text = QPlainTextEdit()
        self._copy = push_button(icons, "Copy report", "primary", "copy")
        self._said = text_label(theme, "", TextRole.LABEL, "fg3")
        self._lay_out()
        self._switch.chosen.connect(self._show_part)
        self._show_part("stack" if report.details else "log")

    @property
    def shown(self) -> str:
        """The part of the report that is on show."""
        return self._text.toPlainText()

    def copy_report(self) -> None:
        """Put the whole report on the clipboard."""
        QGuiApplication.clipboard().setText(self._report.markdown())
        self._said.setText("Copied.")

    def save_report(self) -> None:
        """Ask for a place, and write the whole report there."""
        name = self._choose_path(self, _FILE_NAME)
        if not name:
            return
        try:
            write_atomically(Path(name), self._report.markdown().encode("utf-8", "replace"))
        except OSError as error:
            reason = error.strerror or str(error)
            self._said.setText(f"Not saved: {reason}. Choose another place, or copy it.")
        else:
            self._said.setText(f"Saved as {name}.")

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self._copy.setFocus()
        self._text.ensureCursorVisible()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 20, 20, 16)
        layout.setSpacing(12)
        layout.addLayout(self._head())
        explanation = text_label(self._theme, _EXPLANATION, TextRole.BODY, "fg2")
        explanation.setWordWrap(True)
        layout.addWidget(explanation)
        layout.addWidget(self._switch)
        self._text.setReadOnly(True)
        self._text.setAccessibleName("The report")
        self._text.setFont(self._theme.fonts.monospace(12))
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        layout.addWidget(self._text, 1)
        self._said.setWordWrap(True)
        layout.addWidget(hairline())
        layout.addLayout(self._foot())

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(12)
        mark = SeverityMark(self._icons, Severity.ERROR, 20)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(ConclusionLabel(self._theme, self._report.message), 1)
        return head

    def _foot(self) -> QHBoxLayout:
        save = push_button(self._icons, "Save report…", "normal", "save")
        close = push_button(self._icons, "Close")
        self._copy.clicked.connect(self.copy_report)
        save.clicked.connect(self.save_report)
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self._said, 1)
        for button in (close, save, self._copy):
            foot.addWidget(button)
        return foot

    def _show_part(self, part: str) -> None:
        self._switch.set_current(part)
        text = self._report.details if part == "stack" else self._report.log
        self._text.setPlainText(text.rstrip() or "There is nothing here.")
        cursor = self._text.textCursor()
        # The error itself, and the newest line, stand last.
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.movePosition(cursor.MoveOperation.StartOfBlock)
        self._text.setTextCursor(cursor)


def _block(title: str, text: str) -> str:
    """A headed block of code, or nothing; four ticks, as the text may hold three."""
    return f"## {title}\n\n````\n{text.rstrip()}\n````" if text.strip() else ""


def _ask_for_path(parent: QWidget, name: str) -> str:
    return QFileDialog.getSaveFileName(parent, "Save the report", name, "Markdown (*.md)")[0]
