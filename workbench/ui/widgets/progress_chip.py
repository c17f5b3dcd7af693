"""A job at work: what it does, how far it is, how long it takes, and the button that ends it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QRectF, QSize, QVariantAnimation, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPainterPath, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import text_label

_TRACK = QSize(88, 6)
_ROUND_MS = 1400
_RUNNER = 0.3
_TELLING_SHARE = 0.05


@dataclass(frozen=True)
class ProgressView:
    """A running job; `total` is None while nobody knows how many steps it has.

    One that knows its `share` says in `text` what of.
    """

    title: str
    done: int
    total: int | None
    seconds: float
    share: float | None = None
    text: str = ""

    @property
    def known_share(self) -> float | None:
        """How much of it is done, 0 to 1; None where that is unknown."""
        return self.done / self.total if self.share is None and self.total else self.share


def progress_text(view: ProgressView) -> str:
    """The words after the track: "2 of 3 · 1.4 s", "100 of 400 runs · 3.0 s · about 9 s left"."""
    steps = f"{view.done} of {view.total}" if view.total is not None else ""
    parts = (view.text or steps, elapsed_text(view.seconds), _left(view))
    return " · ".join(part for part in parts if part)


def _left(view: ProgressView) -> str:
    """How long it will take yet, where enough of it is done to tell."""
    if view.share is None or view.share < _TELLING_SHARE or view.seconds < 1:
        return ""
    return f"about {elapsed_text(max(1.0, view.seconds * (1 / view.share - 1)), whole=True)} left"


def elapsed_text(seconds: float, whole: bool = False) -> str:
    """A time that runs: tenths up to ten seconds unless `whole`, then seconds, then minutes."""
    if seconds < 10 and not whole:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{int(seconds)} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


class ProgressChip(QWidget):
    """Shows one job; its owner removes it when the job has ended."""

    #: The person wants the job to end.
    cancel_requested = Signal()

    def __init__(self, icons: Icons, view: ProgressView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self._title = text_label(theme, "", TextRole.STRONG_LABEL, "fg")
        self._track = ProgressTrack(theme)
        self._text = text_label(theme, "", TextRole.LABEL, "fg2")
        self._cancel = FlatToolButton(icons, "Cancel this job")
        self._cancel.set_icon("close", "fg3", 12)
        self._cancel.setFixedSize(20, 20)
        self._cancel.clicked.connect(self.cancel_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for part in (self._title, self._track, self._text, self._cancel):
            layout.addWidget(part)
        layout.setSpacing(8)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.set_view(view)

    @property
    def text(self) -> str:
        """The words after the track."""
        return self._text.text()

    def set_view(self, view: ProgressView) -> None:
        """Show how it is now."""
        self._title.setText(view.title)
        self._text.setText(progress_text(view))
        self._track.set_share(view.known_share)
        self._cancel.setAccessibleName(f"Cancel {view.title}")
        self.setAccessibleName(f"{view.title}, {self._text.text()}")


class ProgressTrack(QWidget):
    """A slim track; while the share is unknown a short piece runs along it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share: float | None = 0.0
        self.setFixedSize(_TRACK)
        self._run = QVariantAnimation(self)
        self._run.setStartValue(-_RUNNER)
        self._run.setEndValue(1.0)
        self._run.setDuration(_ROUND_MS)
        self._run.setLoopCount(-1)
        self._run.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._run.valueChanged.connect(self._on_run_moved)
        theme.changed.connect(self.update)

    def set_share(self, share: float | None) -> None:
        """Fill that share of the track, 0 to 1; None where it is unknown."""
        self._share = share
        self._run_or_rest()
        self.update()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self._run_or_rest()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        self._run.stop()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QPainterPath()
        radius = self.height() / 2
        track.addRoundedRect(QRectF(self.rect()), radius, radius)
        painter.fillPath(track, self._theme.colour("bg4"))
        painter.setClipPath(track)
        fill = QPainterPath()
        fill.addRoundedRect(self._fill_rect(), radius, radius)
        painter.fillPath(fill, self._theme.colour("accent"))
        painter.end()

    def _on_run_moved(self) -> None:
        self.update()

    def _run_or_rest(self) -> None:
        if self._share is None and self.isVisible():
            self._run.start()
        else:
            self._run.stop()

    def _fill_rect(self) -> QRectF:
        width, height = self.width(), self.height()
        if self._share is not None:
            return QRectF(0, 0, width * min(max(self._share, 0.0), 1.0), height)
        return QRectF(width * float(self._run.currentValue()), 0, width * _RUNNER, height)
