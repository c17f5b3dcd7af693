"""Shows a picture that a lens paints: hover, click, keys, zoom, and the same as SVG or PNG."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.theme.theme import Theme

MOST_ZOOM = 64.0
_STEP = 1.2
_KEYS = {
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
}


class Picture(Protocol):
    """What a lens paints. It keeps no state of the widget: the same picture, the same pixels."""

    def height(self, width: float) -> float:
        """The px that it needs at a width; 0: what it gets."""
        ...

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it at a size, and tell the canvas which places answer."""
        ...


class PictureView(QWidget):
    """One picture. With `zooms`, Ctrl+wheel zooms at the pointer, dragging moves, Ctrl+0 resets."""

    #: A place with a selection was clicked, or reached with the keys and Enter.
    selected = Signal(object)
    #: A place with a key of the lens's own was clicked.
    key_clicked = Signal(object)
    #: The key of the place under the pointer, or None.
    hovered = Signal(object)
    #: Zoom and offset as (factor, x, y), the offset as a share of the size.
    view_changed = Signal(tuple)

    def __init__(self, theme: Theme, zooms: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._zooms = theme, zooms
        self._picture: Picture | None = None
        self._hits: list[Hit] = []
        self._lit: Selection | None = None
        self._hovered: object = None
        self._focused = -1
        self._zoom, self._offset = 1.0, QPointF()
        self._drag: QPointF | None = None
        self._has_moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    @property
    def picture(self) -> Picture | None:
        """What is shown."""
        return self._picture

    @property
    def hits(self) -> list[Hit]:
        """The places that answered when it was last painted, in the picture's px."""
        return list(self._hits)

    def set_picture(self, picture: Picture | None, name: str = "") -> None:
        """Show a picture; `name` is what a screen reader says."""
        self._picture = picture
        self._focused = -1
        if name:
            self.setAccessibleName(name)
        self._fit_height()
        self.update()

    def set_lit(self, selection: Selection | None) -> None:
        """Light up what stands for the selection."""
        if selection != self._lit:
            self._lit = selection
            self.update()

    def set_view(self, view: tuple[float, float, float]) -> None:
        """Take zoom and offset of another view of the same kind."""
        self._zoom = min(max(view[0], 1.0), MOST_ZOOM)
        self._offset = QPointF(view[1] * self.width(), view[2] * self.height())
        self._clamp()
        self.update()

    @property
    def view(self) -> tuple[float, float, float]:
        """Zoom, and the offset as a share of the size."""
        width, height = max(1, self.width()), max(1, self.height())
        return self._zoom, self._offset.x() / width, self._offset.y() / height

    def reset_view(self) -> None:
        """Show all of it."""
        self._zoom, self._offset = 1.0, QPointF()
        self._tell_view()

    def hasHeightForWidth(self) -> bool:  # noqa: N802 - Qt's name
        return self._picture is not None and self._picture.height(float(self.width())) > 0

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        return round(self._picture.height(float(width))) if self._picture is not None else 0

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(480, self.heightForWidth(480) or 320)

    def render_to(self, painter: QPainter, size: QSizeF) -> None:
        """Paint the whole picture, unzoomed, for a file."""
        if self._picture is not None:
            canvas = Canvas(painter, self._theme, QRectF(QPointF(), size), self._lit)
            self._picture.paint(canvas, size)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self._picture is None:
            return
        with QPainter(self) as painter:
            painter.translate(-self._offset)
            painter.scale(self._zoom, self._zoom)
            visible = QRectF(self._offset / self._zoom, QSizeF(self.size()) / self._zoom)
            canvas = Canvas(painter, self._theme, visible, self._lit, self._hovered, self._zoom)
            self._picture.paint(canvas, QSizeF(self.size()))
            self._hits = canvas.hits
            if self.hasFocus() and 0 <= self._focused < len(self._hits):
                canvas.outline(self._hits[self._focused].area)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        self._fit_height()
        super().resizeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.LeftButton:
            self._drag, self._has_moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if self._drag is not None and self._zoom > 1.0:
            self._move(event.position())
            return
        found = self.hit_at(event.position())
        key = found.key if found is not None else None
        has_use = found is not None and (found.selection is not None or found.key is not None)
        shape = Qt.CursorShape.PointingHandCursor if has_use else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self._hover(key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if self._drag is None:
            return
        self._drag = None
        found = self.hit_at(event.position())
        if found is not None and not self._has_moved:
            self._use(found)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._hover(None)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        if not self._zooms or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        self.zoom_at(event.position(), _STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what lies at a point stays there."""
        zoom = min(max(self._zoom * factor, 1.0), MOST_ZOOM)
        place = (point + self._offset) / self._zoom
        self._zoom, self._offset = zoom, place * zoom - point
        self._clamp()
        self._tell_view()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = Qt.Key(event.key())
        useful = [n for n, hit in enumerate(self._hits) if hit.selection or hit.key is not None]
        if key in _KEYS and useful:
            self._step(_KEYS[key], useful)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and 0 <= self._focused < len(self._hits):
            self._use(self._hits[self._focused])
        elif key == Qt.Key.Key_0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.reset_view()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say what lies under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self.hit_at(QPointF(event.pos()))
            if found is not None and found.tip:
                QToolTip.showText(event.globalPos(), found.tip, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def hit_at(self, point: QPointF) -> Hit | None:
        """The topmost place at a point of the widget."""
        place = (point + self._offset) / self._zoom
        answers = (hit.at(place) for hit in reversed(self._hits))
        return next((hit for hit in answers if hit is not None), None)

    def _move(self, place: QPointF) -> None:
        """Move the picture with the pointer, once it went further than a hand trembles."""
        assert self._drag is not None
        way = place - self._drag
        if self._has_moved or way.manhattanLength() >= QApplication.startDragDistance():
            self._has_moved = True
            self._offset -= way
            self._drag = place
            self._clamp()
            self._tell_view()

    def _use(self, hit: Hit) -> None:
        if hit.key is not None:
            self.key_clicked.emit(hit.key)
        if hit.selection is not None:
            self.selected.emit(hit.selection)

    def _step(self, step: int, useful: list[int]) -> None:
        later = [n for n in useful if (n - self._focused) * step > 0]
        if later:
            self._focused = min(later, key=lambda n: abs(n - self._focused))
            self.setAccessibleDescription(self._hits[self._focused].tip)
            self.update()

    def _hover(self, key: object) -> None:
        if key != self._hovered:
            self._hovered = key
            self.hovered.emit(key)
            self.update()

    def _clamp(self) -> None:
        most_x = self.width() * (self._zoom - 1)
        most_y = self.height() * (self._zoom - 1)
        self._offset.setX(min(max(self._offset.x(), 0.0), most_x))
        self._offset.setY(min(max(self._offset.y(), 0.0), most_y))

    def _tell_view(self) -> None:
        self.view_changed.emit(self.view)
        self.update()

    def _fit_height(self) -> None:
        """A picture that needs a height gets it; a scroll area around it scrolls."""
        needed = self.heightForWidth(self.width())
        self.setMinimumHeight(needed)
        self.updateGeometry()
