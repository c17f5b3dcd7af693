"""The map under the hands of a person: pointer, wheel and keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from workbench.session.verification_output import Element
from workbench.ui.panes.verification.map_picture import MapPicture
from workbench.ui.panes.verification.viewport import Viewport
from workbench.ui.theme.theme import Theme

_WHEEL_STEP = 0.8
_KEY_ZOOM = 0.5
_DRAG = 4
_ARROWS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MapView(MapPicture):
    """A click or an arrow key leads to an element and its neighbours; wheel and drag move about."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._pressed: tuple[QPointF, Viewport] | None = None
        self._dragged = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("")
        self.whole_changed.connect(self._on_whole_changed)

    def event(self, event: QEvent) -> bool:
        """Keep the arrow keys and Escape from the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = (*_ARROWS, Qt.Key.Key_0)
            if event.key() in keys or (
                event.key() == Qt.Key.Key_Escape and not self._view.is_whole
            ):
                event.accept()
                return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        point = event.position()
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(point)
            return
        self._hover(point)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = (event.position(), self._view), False
        else:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            super().mouseReleaseEvent(event)
            return
        self._pressed = None
        self._update_cursor()
        element = self._element_at(event.position())
        if not self._dragged and element is not None:
            self.choose(element.index)
            self._hover(event.position())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self.set_hovered(None)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier or self._scene is None:
            event.ignore()
            return
        notches = event.angleDelta().y() / 120
        self.zoom(_WHEEL_STEP**notches, event.position())
        self._hover(event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if self._output is None or not self._press(event):
            super().keyPressEvent(event)

    def _press(self, event: QKeyEvent) -> bool:
        """Act on a key; False where it is none of ours."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        key = event.key()
        direction = _ARROWS.get(key)
        if direction is not None:
            self._step(direction, control)
        elif (key == Qt.Key.Key_0 and control) or (
            key == Qt.Key.Key_Escape and not self._view.is_whole
        ):
            self.show_whole()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_KEY_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _KEY_ZOOM)
        else:
            return False
        return True

    def _step(self, direction: tuple[int, int], by_block: bool) -> None:
        """Choose the element next to the chosen one; the first step chooses the worst."""
        output = self._output
        if output is None:
            return
        if self._marks.chosen is None:
            first = output.worst[0].index if output.worst else output.layout.index_of(0, 0)
            if first is not None:
                self.choose(first)
            return
        place = output.layout.place_of(self._marks.chosen.index or (0,))
        lengths = output.layout.cell if by_block and output.layout.is_block_grid else (1, 1)
        row, column = (
            at + step * length for at, step, length in zip(place, direction, lengths, strict=True)
        )
        index = output.layout.index_of(row, column)
        if index is not None:
            self.choose(index)

    def _drag(self, point: QPointF) -> None:
        frame = self.frame
        if frame is None or self._pressed is None:
            return
        start, view = self._pressed
        shift = point - start
        if not self._dragged and shift.manhattanLength() < _DRAG:
            return
        self._dragged = True
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.set_hovered(None)
        self.set_view(view.moved(-shift.y() / frame.row_px, -shift.x() / frame.column_px))

    def _hover(self, point: QPointF) -> None:
        self.set_hovered(self._element_at(point))

    def _element_at(self, point: QPointF) -> Element | None:
        frame = self.frame
        place = frame.place(point) if frame is not None else None
        if place is None or self._output is None:
            return None
        return self._output.element_at(*place)

    def _update_cursor(self) -> None:
        shape = Qt.CursorShape.CrossCursor if self._view.is_whole else Qt.CursorShape.OpenHandCursor
        self.setCursor(shape)

    def _on_whole_changed(self) -> None:
        self._update_cursor()
