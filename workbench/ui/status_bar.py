"""The status bar: the worker, the jobs, the cursor, and the kernel's vital signs at the right."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStatusBar, QWidget

from workbench.session.jobs import JobInfo, WorkerState, WorkerStatus
from workbench.session.sign import Sign
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import divider, set_look, text_label
from workbench.ui.widgets.progress_chip import ProgressChip, ProgressView
from workbench.ui.widgets.target_label import TargetLabel

_TICK_MS = 200
_MARGIN, _BETWEEN_ROWS = 12, 16
_LOOKS = {
    WorkerStatus.OFF: ("fg4", "worker off"),
    WorkerStatus.STARTING: ("warn", "worker starting"),
    WorkerStatus.READY: ("good", "worker ready"),
    WorkerStatus.LOST: ("error", "worker lost"),
}

if TYPE_CHECKING:
    from workbench.session.vital_signs import VitalSigns


class StatusBar(QStatusBar):
    """Shows state and asks for cancelling; holds none of it."""

    cancel_requested = Signal()
    signs_activated = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._icons = icons
        theme = icons.theme
        self._dot = text_label(theme, "●", TextRole.LABEL, "fg4")
        self._worker = text_label(theme, "", TextRole.LABEL, "fg2")
        self._cursor = text_label(theme, "", TextRole.LABEL, "fg3")
        self._jobs: tuple[JobInfo, ...] = ()
        self._chip: ProgressChip | None = None
        self._jobs_edge = divider()
        self._left, self._right = QHBoxLayout(), QHBoxLayout()
        self._left.addWidget(self._dot)
        self._left.addWidget(self._worker)
        self._left.addWidget(self._jobs_edge)
        self._jobs_edge.hide()
        self.addWidget(_row(self._left), 1)
        signs = _row(self._right)
        signs.setMinimumWidth(1)  # a narrow window gets fewer signs, not a larger least width
        self.addPermanentWidget(signs)
        self.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._signs: list[QWidget] = []
        self._sign_texts: list[tuple[QLabel, Sign]] = []
        self._fitted: object = None  # what the texts of the signs were last chosen for
        self._right.addWidget(self._cursor)
        self._signs_edge = divider()
        self._right.addWidget(self._signs_edge)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._show_jobs)
        self._finished_jobs = 0
        self.set_worker(WorkerState())
        self.set_signs(None)

    @property
    def worker_text(self) -> str:
        """What is said of the worker."""
        return self._worker.text()

    def set_worker(self, state: WorkerState) -> None:
        """Tell how the worker is and what it runs."""
        tone, text = _LOOKS[state.status]
        version = state.versions.get("tilelang")
        parts = [text, *([f"tilelang {version}"] if version else [])]
        if state.status is WorkerStatus.READY and not state.devices:
            parts.append("no GPU here")
        self._worker.setText(" · ".join([*parts, *state.devices]))
        self._worker.setToolTip(state.message)
        self._fit()
        set_look(self._dot, "tone", tone)

    def set_jobs(self, jobs: tuple[JobInfo, ...]) -> None:
        """Show the jobs at work; quiet ones only as a count of the worker's busyness."""
        loud = tuple(job for job in jobs if not job.quiet)
        self._finished_jobs = 0 if not loud else self._finished_jobs + _ended(self._jobs, loud)
        self._jobs = loud
        if loud and not self._timer.isActive():
            self._timer.start()
        self._show_jobs()

    def set_cursor(self, line: int, column: int) -> None:
        """Tell where the cursor is; line 0 where there is none."""
        self._cursor.setText(f"Ln {line}, Col {column}" if line else "")
        self._fit()

    def set_signs(self, signs: VitalSigns | None) -> None:
        """Tell the vital signs, or nothing where none are known."""
        for widget in self._signs:
            self._right.removeWidget(widget)
            widget.hide()  # it goes when the events are done, and the next stands there now
            widget.deleteLater()
        self._sign_texts = []
        self._signs = self._sign_labels(signs) if signs is not None else []
        for widget in self._signs:
            self._right.addWidget(widget)
            widget.show()  # Qt shows it later, and what is hidden needs no room
        self._signs_edge.setVisible(bool(self._signs))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _sign_labels(self, signs: VitalSigns) -> list[QWidget]:
        theme = self._icons.theme
        target = TargetLabel(theme, 0, signs.target, TextRole.STRONG_LABEL)
        labels: list[QWidget] = [target]
        labels += [self._sign_label(sign, TextRole.STRONG_LABEL) for sign in signs.measured]
        if signs.signs:
            labels.append(text_label(theme, "predicted", TextRole.LABEL, "fg3"))
        return labels + [self._sign_label(sign, TextRole.LABEL) for sign in signs.signs]

    def _sign_label(self, sign: Sign, role: TextRole) -> QLabel:
        label = text_label(self._icons.theme, sign.text, role, _tone(sign))
        earlier = "\nOf an earlier text." if sign.stale else ""
        label.setToolTip(f"{sign.text}\n{sign.tip}{earlier}")
        label.setAccessibleName(sign.text)
        self._sign_texts.append((label, sign))
        return label

    def _fit(self) -> None:
        """Say the signs in full where there is room, else in short; then only the first ones."""
        known = (self.width(), self._left.sizeHint().width(), self._cursor.text(), self._signs)
        if known == self._fitted:
            return
        self._fitted = known
        for label, sign in self._sign_texts:
            label.setText(sign.text)
            label.show()
        if self._has_room():
            return
        for label, sign in self._sign_texts:
            label.setText(sign.short or sign.text)
        for label, _ in reversed(self._sign_texts):
            if self._has_room():
                return
            label.hide()

    def _has_room(self) -> bool:
        for row in (self._left, self._right):
            row.invalidate()
        wanted = self._left.sizeHint().width() + self._right.sizeHint().width()
        return wanted + 2 * _MARGIN + _BETWEEN_ROWS <= self.width()

    def _show_jobs(self) -> None:
        if not self._jobs:
            self._timer.stop()
            self._jobs_edge.hide()
            if self._chip is not None:
                self._chip.hide()
            self._fit()
            return
        view = _progress(self._jobs, self._finished_jobs)
        if self._chip is None:
            self._chip = ProgressChip(self._icons, view)
            self._chip.cancel_requested.connect(self.cancel_requested)
            self._left.addWidget(self._chip)
        self._chip.set_view(view)
        self._jobs_edge.show()
        self._chip.show()
        self._fit()


def _tone(sign: Sign) -> str:
    return "fg3" if sign.stale else sign.tone


def _progress(jobs: tuple[JobInfo, ...], ended: int) -> ProgressView:
    """The oldest running job, and how many of those sent together are done."""
    running = next((job for job in jobs if job.started is not None), jobs[0])
    seconds = time.monotonic() - running.started if running.started is not None else 0.0
    total = ended + len(jobs)
    if total == 1 and running.fraction is not None:
        return ProgressView(running.label, 0, None, seconds, running.fraction, running.text)
    return ProgressView(running.label, ended, total if total > 1 else None, seconds)


def _ended(before: tuple[JobInfo, ...], now: tuple[JobInfo, ...]) -> int:
    left = {job.id for job in now}
    return sum(job.id not in left for job in before)


def _row(layout: QHBoxLayout) -> QWidget:
    row = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(12)
    row.setLayout(layout)
    row.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
    return row
