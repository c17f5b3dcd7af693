"""The top of the profile pane: conclusion, state and actions, and how it was measured."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from workbench.session.profile.subject import Progress
from workbench.session.profile.view import ProfileState, ProfileView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.progress_chip import ProgressChip, ProgressView

_TICK_MS = 200
_STEPS = 100


class ProfileHead(QWidget):
    """Says what came out, in one sentence, and offers to measure again."""

    #: The person wants it measured again.
    again_requested = Signal()
    #: The person wants the measurement to end.
    cancel_requested = Signal()
    #: A run is shown, and the person wants the kernel in front.
    back_requested = Signal()
    #: The person wants the picture as a file: "png" or "svg".
    export_requested = Signal(str)
    #: The person wants the numbers in sight on the clipboard, as Markdown.
    copy_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self._conclusion = ConclusionLabel(theme)
        self._stale = Chip(theme, "of an earlier text", "warn")
        self._origin = Chip(theme, "", "accent")
        self._progress = ProgressChip(icons, ProgressView("", 0, None, 0.0))
        self._again = push_button(icons, "Measure again", "link")
        self._back = push_button(icons, "Back to the kernel", "link")
        self._more = FlatToolButton(icons, "Export the picture, copy the numbers")
        self._more.set_icon("more", "fg3")
        self._more.setMenu(self._menu())
        self._more.setPopupMode(FlatToolButton.ToolButtonPopupMode.InstantPopup)
        self._facts = ElidedLabel(theme, "", TextRole.LABEL, "fg3")
        self._running: Progress | None = None
        self._is_low = False
        self._clock, self._tick = QElapsedTimer(), QTimer(self)
        self._tick.setInterval(_TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._again.clicked.connect(self.again_requested)
        self._back.clicked.connect(self.back_requested)
        self._progress.cancel_requested.connect(self.cancel_requested)
        self._lay_out()

    @property
    def conclusion(self) -> str:
        """The sentence."""
        return self._conclusion.conclusion

    @property
    def progress_text(self) -> str:
        """What is said of a measurement that runs; empty where none does."""
        return self._progress.text if self._running is not None else ""

    def show_view(self, view: ProfileView) -> None:
        """Show another profile."""
        self._conclusion.set_conclusion(view.conclusion)
        self._facts.set_text(" · ".join(view.facts))
        self._facts.setVisible(bool(view.facts) and not self._is_low)
        self._stale.setVisible(view.stale)
        self._origin.setText(view.origin)
        self._origin.setVisible(bool(view.origin))
        self._back.setVisible(bool(view.origin))
        is_failed = view.state is ProfileState.FAILED
        self._again.setText("Try again" if is_failed else "Measure again")
        self._again.setVisible(view.running is None and not view.origin)
        self._more.setVisible(view.state is ProfileState.DONE)
        self._show_progress(view.running)

    def set_compact(self, compact: bool, low: bool) -> None:
        """Take less room in a slim pane, and the least in a low one, without the facts."""
        self._conclusion.set_compact(compact)
        self._is_low = low
        self._facts.setVisible(bool(self._facts.text) and not low)

    def _show_progress(self, running: Progress | None) -> None:
        self._progress.setVisible(running is not None)
        if running is None:
            self._tick.stop()
        elif self._running is None:
            self._clock.start()
            self._tick.start()
        self._running = running
        self._on_tick()

    def _on_tick(self) -> None:
        running = self._running
        if running is None:
            return
        known = running.fraction is not None
        done = round((running.fraction or 0.0) * _STEPS)
        seconds = self._clock.elapsed() / 1000
        title = running.text or "Measuring"
        self._progress.set_view(ProgressView(title, done, _STEPS if known else None, seconds))

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for title, kind in (("Export as SVG…", "svg"), ("Export as PNG…", "png")):
            action = menu.addAction(title)
            action.triggered.connect(lambda *_, kind=kind: self.export_requested.emit(kind))
        menu.addAction("Copy the Numbers as Markdown").triggered.connect(self.copy_requested)
        return menu

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._conclusion, 1)
        parts = (self._stale, self._origin, self._progress, self._again, self._back, self._more)
        for part in parts:
            row.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 2)
        column.setSpacing(3)
        column.addLayout(row)
        column.addWidget(self._facts)
