"""The map as a widget: the part of the output in sight, and the elements that are marked."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.session.verification_layout import Index
from workbench.session.verification_output import Element, OutputView
from workbench.ui.panes.verification.geometry import Frame
from workbench.ui.panes.verification.scene import MapScene, Marks
from workbench.ui.panes.verification.viewport import Viewport, neighbourhood, whole
from workbench.ui.panes.verification.wording import value_text
from workbench.ui.theme.theme import Theme

_MUCH = 100_000
_EDGE = 5
_HELP = (
    "Click an element to see its neighbours, Ctrl+wheel zooms, drag or the arrow keys move, "
    "Ctrl+0 shows the whole output."
)


class MapPicture(QWidget):
    """Shows one output; the chosen element and the hovered one are marked."""

    #: An element was chosen (an Element).
    element_chosen = Signal(object)
    #: The pointer is on another element (an Element), or on none.
    element_hovered = Signal(object)
    #: All of the output is in sight (True), or a part of it.
    whole_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._output: OutputView | None = None
        self._scene: MapScene | None = None
        self._view = whole((1, 1))
        self._marks = Marks()
        self._picture: tuple[object, QPixmap] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Error map")
        theme.changed.connect(self._on_theme_changed)

    @property
    def view(self) -> Viewport:
        """What is in sight."""
        return self._view

    @property
    def frame(self) -> Frame | None:
        """Where the picture stands; None without an output."""
        return None if self._scene is None else self._scene.frame(self.size(), self._view)

    @property
    def chosen(self) -> Element | None:
        """The element that is marked."""
        return self._marks.chosen

    @property
    def hovered(self) -> Element | None:
        """The element under the pointer."""
        return self._marks.hovered

    @property
    def is_near(self) -> bool:
        """Whether the elements' values can be read."""
        frame = self.frame
        return frame is not None and self._scene is not None and self._scene.is_near(frame)

    @property
    def scene(self) -> MapScene | None:
        """What paints the picture; None without an output."""
        return self._scene

    def width_at(self, height: int) -> int:
        """The width that the whole output takes at a height."""
        if self._scene is None:
            return self.sizeHint().width()
        frame = self._scene.frame(QSize(_MUCH, height), whole(self._view.extent))
        return math.ceil(frame.rect.right()) + _EDGE

    def height_at(self, width: int) -> int:
        """The height that the whole output takes at a width."""
        if self._scene is None:
            return self.sizeHint().height()
        frame = self._scene.frame(QSize(width, _MUCH), whole(self._view.extent))
        return math.ceil(frame.rect.bottom()) + _EDGE

    def show_output(self, output: OutputView | None) -> None:
        """Show another output; zoom and choice stay where its layout is the same."""
        same = (
            output is not None
            and self._output is not None
            and output.layout == self._output.layout
            and output.name == self._output.name
        )
        self._output = output
        self._scene = None if output is None else MapScene(self._theme, output)
        chosen = self._marks.chosen
        self._marks = Marks()
        if output is not None:
            if not same:
                self.set_view(whole(output.layout.extent))
            elif chosen is not None:
                self._marks = Marks(None, output.element(chosen.index))
            self.setAccessibleName(f"Error map of {output.name}")
            self.setAccessibleDescription(_HELP)
        self._refresh()

    def choose(self, index: Index, near: bool = True) -> None:
        """Mark an element; `near` brings its neighbourhood into sight."""
        if self._output is None or self._scene is None:
            return
        element = self._output.element(index)
        self._marks = Marks(self._marks.hovered, element)
        row, column = self._output.layout.place_of(index or (0,))
        if near:
            self._bring_near(row, column)
        self._describe(element)
        self.update()
        self.element_chosen.emit(element)

    def show_whole(self) -> None:
        """Bring all of the output into sight."""
        if self._output is not None:
            self.set_view(whole(self._output.layout.extent))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom (below 1: nearer) about a point of the widget, its middle without one."""
        frame = self.frame
        if frame is None:
            return
        point = at if at is not None else frame.rect.center()
        row = self._view.top + (point.y() - frame.rect.top()) / frame.row_px
        column = self._view.left + (point.x() - frame.rect.left()) / frame.column_px
        self.set_view(self._view.zoomed(factor, row, column))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(560, 480)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(160, 96)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        frame = self.frame
        with QPainter(self) as painter:
            if frame is not None and self._scene is not None:
                painter.drawPixmap(0, 0, self._still(frame, self._scene))
                if self.hasFocus():
                    painter.setPen(QPen(self._theme.colour("accent"), 1))
                    painter.drawRect(frame.rect.adjusted(-1.5, -1.5, 1.5, 1.5))
                self._scene.paint_marks(painter, frame, self._marks)

    def _bring_near(self, row: int, column: int) -> None:
        frame = self.frame
        if frame is None or self._scene is None:
            return
        if self._scene.is_near(frame):
            self.set_view(self._view.showing(row, column))
            return
        extent, rect = self._view.extent, frame.rect
        self.set_view(neighbourhood(extent, row, column, rect.width(), rect.height()))

    def set_hovered(self, element: Element | None) -> None:
        """Mark the element under the pointer."""
        if element != self._marks.hovered:
            self._marks = Marks(element, self._marks.chosen)
            self.update()
            self.element_hovered.emit(element)

    def set_view(self, view: Viewport) -> None:
        """Bring another part into sight."""
        if view == self._view:
            return
        was_whole, self._view = self._view.is_whole, view
        self.update()
        if view.is_whole != was_whole:
            self.whole_changed.emit(view.is_whole)

    def _describe(self, element: Element) -> None:
        parts = [element.label, element.block or "", f"got {value_text(element.got)}"]
        parts.append(f"expected {value_text(element.expected)}")
        self.setAccessibleDescription(", ".join(part for part in parts if part))

    def _still(self, frame: Frame, scene: MapScene) -> QPixmap:
        """The picture without the card, painted once for each state of it."""
        ratio = self.devicePixelRatioF()
        key = (self.size(), ratio, frame.view, scene)
        if self._picture is None or self._picture[0] != key:
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                scene.paint(painter, frame, ratio)
            self._picture = (key, pixmap)
        return self._picture[1]

    def _refresh(self) -> None:
        self._picture = None
        self.update()

    def _on_theme_changed(self) -> None:
        if self._output is not None:
            self._scene = MapScene(self._theme, self._output)
        self._refresh()
