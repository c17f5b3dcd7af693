"""Shows a timeline: Ctrl and wheel zoom, dragging or A and D pan, a right drag measures."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from workbench.session.lenses.pipeline.model import PipelinePicture
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.lenses.pipeline.geometry import Geometry, Window
from workbench.ui.lenses.pipeline.painting import TimelinePainting
from workbench.ui.theme.theme import Theme

_STEP = 1.2
_PAN = 0.15  # of what is in sight, for a press of a key
_FINEST = 2e-3  # of a turn: what can be zoomed in to
_KEYS = {Qt.Key.Key_A: -_PAN, Qt.Key.Key_D: _PAN}
_ZOOMS = {Qt.Key.Key_W: _STEP, Qt.Key.Key_S: 1 / _STEP}


class TimelineView(PictureView):
    """A picture over time. What is in sight is told in turns, so that twins of other targets, whose
    turns take another time, follow: `view_changed` has begin and span in turns."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, zooms=False, parent=parent)
        self._timeline: PipelinePicture | None = None
        self._window = Window(0.0, 1.0)
        self._turns: tuple[float, float] | None = None  # what a person chose to see
        self._measure: tuple[float, float] | None = None
        self._ghost: float | None = None
        self._is_measuring = False

    @property
    def window_shown(self) -> Window:
        """The stretch of time in sight."""
        return self._window

    @property
    def turns(self) -> tuple[float, float] | None:
        """What was chosen to be seen, in turns; None where nobody chose."""
        return self._turns

    @property
    def measured(self) -> tuple[float, float] | None:
        """The times between which was measured."""
        return self._measure

    def set_timeline(self, picture: PipelinePicture, name: str) -> None:
        """Show a picture: what was chosen before, else what it opens with."""
        self._timeline, self._measure = picture, None
        self._apply_turns()
        self._repaint(name)

    def set_ghost(self, turn: float | None) -> None:
        """Draw an earlier turn of so many µs beside the steady one."""
        if turn != self._ghost:
            self._ghost = turn
            self._repaint(self.accessibleName())

    def set_turns(self, turns: tuple[float, float] | None) -> None:
        """See a stretch in turns; None: what the picture opens with."""
        self._turns = turns
        self._apply_turns()
        self._repaint()

    def reset_view(self) -> None:
        """See what the picture opens with."""
        self._measure = None
        self.set_turns(None)
        self._tell()

    def zoom_time(self, x: float, factor: float) -> None:
        """Zoom so that the time at a place stays there."""
        if self._timeline is None:
            return
        at = self._places.time(x)
        finest = self._timeline.period * _FINEST
        span = min(max(self._window.span / factor, finest), self._timeline.end)
        share = (at - self._window.begin) / self._window.span
        self._see(at - share * span, span)

    def pan(self, share: float) -> None:
        """Move by a share of what is in sight."""
        self._see(self._window.begin + share * self._window.span, self._window.span)

    @property
    def _places(self) -> Geometry:
        assert self._timeline is not None
        return Geometry(self._timeline, self._window, float(self.width()))

    def _apply_turns(self) -> None:
        if self._timeline is None:
            return
        begin, end = self._timeline.opens
        first, span = begin, end - begin
        if self._turns is not None:
            first, span = (each * self._timeline.period for each in self._turns)
        self._window = self._held(first, span)

    def _held(self, begin: float, span: float) -> Window:
        """A stretch within the picture."""
        assert self._timeline is not None
        whole = max(self._timeline.end, 1e-9)
        span = min(max(span, 1e-9), whole)
        return Window(min(max(0.0, begin), whole - span), span)

    def _see(self, begin: float, span: float) -> None:
        if self._timeline is None:
            return
        self._window = self._held(begin, span)
        period = self._timeline.period
        self._turns = (self._window.begin / period, self._window.span / period)
        self._repaint()
        self._tell()

    def _tell(self) -> None:
        if self._timeline is not None:
            period = self._timeline.period
            view = (self._window.begin / period, self._window.span / period, 0.0)
            self.view_changed.emit(view)

    def _repaint(self, name: str = "") -> None:
        if self._timeline is not None:
            painting = TimelinePainting(self._timeline, self._window, self._measure, self._ghost)
            self.set_picture(painting, name)

    # -- pointer and keys -------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        if self._timeline is None or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        self.zoom_time(event.position().x(), _STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.RightButton and self._is_timed:
            at = self._places.time(event.position().x())
            self._measure, self._is_measuring = (at, at), True
            self._repaint()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if self._is_measuring and self._measure is not None:
            self._measure = (self._measure[0], self._places.time(event.position().x()))
            self._repaint()
        elif self._drag is not None and self._timeline is not None:
            self._drag_to(event.position())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.RightButton and self._is_measuring:
            self._is_measuring = False
            places = self._places
            if self._measure and abs(places.x(self._measure[1]) - places.x(self._measure[0])) < 3:
                self._measure = None  # a click takes it away
                self._repaint()
            return
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        if key in _KEYS and not event.modifiers():
            self.pan(_KEYS[key])
        elif key in _ZOOMS and not event.modifiers() and self._timeline is not None:
            self.zoom_time((self._places.left + self._places.right) / 2, _ZOOMS[key])
        else:
            super().keyPressEvent(event)

    @property
    def _is_timed(self) -> bool:
        return self._timeline is not None and self._timeline.is_timed

    def _drag_to(self, place: QPointF) -> None:
        """Move with the pointer, once it went further than a hand trembles."""
        assert self._drag is not None
        way = self._drag.x() - place.x()
        if self._has_moved or abs(way) >= QApplication.startDragDistance():
            self._has_moved, self._drag = True, place
            places = self._places
            self._see(places.time(places.left + way), self._window.span)
