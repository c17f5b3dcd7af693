"""The rows of the welcome page's lists: what can be begun, what was open, what was found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QEnterEvent,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from workbench.core.diagnostics import Severity
from workbench.session.machine import Finding, FindingLevel
from workbench.ui.places import short_folder
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import GOOD, SEVERITY_LOOKS, SeverityLook, SeverityMark

ROW_HEIGHT = 48
_ICON = 16
_TEXT_LEFT = 36
_FILE = SeverityLook("file", "fg3", "File")
_LEVEL_LOOKS = {
    FindingLevel.GOOD: GOOD,
    FindingLevel.INFO: SEVERITY_LOOKS[Severity.INFO],
    FindingLevel.WARNING: SEVERITY_LOOKS[Severity.WARNING],
}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class RecentFile:
    """A file that was open: what was last known of it, and when; "" where nothing is."""

    path: Path
    text: str = ""
    when: str = ""
    look: SeverityLook = _FILE


@dataclass(frozen=True)
class LinkRow:
    """What a row that can be clicked shows; `key` says what it stands for."""

    key: str
    icon: str
    tone: str
    title: str
    text: str
    note: str = ""
    tip: str = ""


def recent_row(recent: RecentFile) -> LinkRow:
    """The row of a recent file; without anything known of it, its folder."""
    path = recent.path
    text = recent.text or short_folder(path.parent)
    look = recent.look
    return LinkRow(str(path), look.icon, look.tone, path.name, text, recent.when, str(path))


class LinkButton(QAbstractButton):
    """A row that can be clicked as a whole: icon, title over text, and a note at the right."""

    def __init__(self, icons: Icons, row: LinkRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme, self.row = icons, icons.theme, row
        fonts = icons.theme.fonts
        self._title, self._label = fonts.role(TextRole.STRONG), fonts.role(TextRole.LABEL)
        self.setText(row.title)
        self.setAccessibleDescription(row.text)
        self.setToolTip(row.tip or f"{row.title}: {row.text}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        icons.theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(240, self._theme.fonts.pixels(ROW_HEIGHT))

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's name
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        place = QRect(8, (self.height() - _ICON) // 2, _ICON, _ICON)
        self._icons.icon(self.row.icon, self.row.tone, _ICON).paint(painter, place)
        half = self.height() // 2
        upper = QRect(_TEXT_LEFT, 3, self.width() - _TEXT_LEFT - 8, half - 3)
        lower = QRect(_TEXT_LEFT, half - 1, upper.width(), half - 3)
        note = QFontMetrics(self._label).horizontalAdvance(self.row.note)
        painter.setFont(self._label)
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(upper, _RIGHT, self.row.note)
        self._paint_text(painter, lower, self.row.text)
        painter.setFont(self._title)
        painter.setPen(self._theme.colour("fg"))
        self._paint_text(painter, upper.adjusted(0, 0, -note - 8, 0), self.row.title)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        path = QPainterPath()
        radius = METRICS.radius_control
        path.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if self.underMouse() or self.isDown():
            painter.fillPath(path, self._theme.colour("bg3" if self.isDown() else "bg2"))
        if self.hasFocus():
            painter.strokePath(path, QPen(self._theme.colour("accent"), 1))

    def _paint_text(self, painter: QPainter, place: QRect, text: str) -> None:
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, _LEFT, shown)


class FindingRow(QWidget):
    """One fact about the machine, and the command that mends a lack."""

    def __init__(self, icons: Icons, finding: Finding) -> None:
        super().__init__()
        self.finding = finding
        theme = icons.theme
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(12)
        mark = SeverityMark(icons, _LEVEL_LOOKS[finding.level])
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignVCenter)
        texts = QVBoxLayout()
        texts.setContentsMargins(0, 4, 0, 4)
        texts.setSpacing(0)
        texts.addWidget(ElidedLabel(theme, finding.title, TextRole.STRONG, "fg"))
        if finding.cure is None:
            texts.addWidget(ElidedLabel(theme, finding.text, TextRole.LABEL, "fg3"))
        else:
            texts.addWidget(Cure(icons, finding.cure), 0, Qt.AlignmentFlag.AlignLeft)
            self.setToolTip(finding.text)
        row.addLayout(texts, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(theme.fonts.pixels(ROW_HEIGHT))


class Cure(QFrame):
    """A command to be run in a terminal, and the button that copies it."""

    def __init__(self, icons: Icons, command: str) -> None:
        super().__init__()
        self._command = command
        self.setProperty("kind", "snippet")
        text = ElidedLabel(icons.theme, command, TextRole.LABEL, "fg2")
        text.setFont(icons.theme.fonts.monospace(12))
        self._copy = FlatToolButton(icons, f"Copy: {command}")
        self._copy.set_icon("copy", "fg3", 14)
        self._copy.setFixedSize(22, 22)
        self._copy.clicked.connect(self._on_copy_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 1, 2, 1)
        layout.setSpacing(6)
        layout.addWidget(text)
        layout.addWidget(self._copy)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip("Run it in a terminal, then start the workbench again")

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._command)
        self._copy.set_icon("check", "good", 14)
        self._copy.setToolTip("Copied")


class Hint(QWidget):
    """What a list shows while it is empty."""

    def __init__(self, icons: Icons, text: str) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 12, 0, 12)
        label = text_label(icons.theme, text, TextRole.BODY, "fg3")
        label.setWordWrap(True)
        layout.addWidget(label)
