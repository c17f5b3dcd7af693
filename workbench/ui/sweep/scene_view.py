"""Paints a scene that is made anew for each size; its spots answer to pointer and keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFileDialog, QMenu, QSizePolicy, QToolTip, QWidget

from workbench.session.charts.scene import Scene, Spot
from workbench.session.charts.svg import to_svg
from workbench.ui.charts.painting import paint_scene, to_qt
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.picture_files import ExportError, write_picture

#: Makes the scene for a width, a height and the number of the point under the pointer.
MakeScene = Callable[[float, float, int | None], Scene]
_INSET = 16.0
_STEPS = {
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
}


class SceneView(QWidget):
    """One scene. A click or Enter opens the point of a spot, arrows go from spot to spot."""

    point_activated = Signal(int)
    told = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._make: MakeScene | None = None
        self._scene: Scene | None = None
        self._current: Spot | None = None
        self._at = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(220, 150)
        theme.changed.connect(self.update)

    def set_maker(self, make: MakeScene) -> None:
        """Show another scene."""
        self._make, self._current, self._at = make, None, -1
        self._show_anew()

    @property
    def scene(self) -> Scene | None:
        """How it lies at the present size."""
        if self._scene is None and self._make is not None:
            width, height = self.width() - 2 * _INSET, self.height() - _INSET
            number = self._number(self._current)
            self._scene = self._make(max(1.0, width), max(1.0, height), number)
            self.setAccessibleName(f"{self._scene.title}: {self._scene.description}")
        return self._scene

    def spot_at(self, point: QPointF) -> Spot | None:
        """The spot at a point of the widget."""
        scene = self.scene
        if scene is None:
            return None
        x, y = point.x() - _INSET, point.y()
        return next((spot for spot in reversed(scene.spots) if spot.area.holds(x, y)), None)

    def export(self, path: Path) -> None:
        """Write it as SVG, else as PNG by the name's ending. Raises ExportError."""
        scene = self.scene
        if scene is None:
            return
        if path.suffix.lower() != ".svg":
            size = QSize(self.width(), self.height())
            write_picture(path, size, self._theme, scene.title, self._paint_all)
            return
        try:
            path.write_text(to_svg(scene, self._theme.palette.colour), encoding="utf-8")
        except OSError as error:
            raise ExportError(f"the picture could not be written to {path}: {error}") from error

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(640, 420)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            self._paint_all(painter)
            painter.translate(_INSET, 0)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.colour("accent"), 1.5))
            if self._current is not None:
                painter.drawRoundedRect(to_qt(self._current.area).adjusted(-2, -2, 2, 2), 3, 3)
            elif self.hasFocus():
                inside = self.rect().adjusted(-8, 1, -24, -2)
                painter.drawRoundedRect(inside, 4, 4)

    def _paint_all(self, painter: QPainter) -> None:
        scene = self.scene
        if scene is not None:
            painter.save()
            painter.translate(_INSET, 0)
            paint_scene(painter, scene, self._theme)
            painter.restore()

    def resizeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._scene = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        spot = self.spot_at(event.position())
        if spot is not self._current:
            self._go_to(spot, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        number = self._number(self.spot_at(event.position()))
        if event.button() is Qt.MouseButton.LeftButton and number is not None:
            self.point_activated.emit(number)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._go_to(None, QPoint())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key, scene = Qt.Key(event.key()), self.scene
        if key in _STEPS and scene is not None and scene.spots:
            self._at = min(max(self._at + _STEPS[key], 0), len(scene.spots) - 1)
            spot = scene.spots[self._at]
            self.setAccessibleDescription(spot.tip)
            corner = QPoint(round(spot.area.right + _INSET), round(spot.area.y))
            self._go_to(spot, self.mapToGlobal(corner))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            number = self._number(self._current)
            if number is not None:
                self.point_activated.emit(number)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for suffix in ("svg", "png"):
            action = menu.addAction(f"Export as {suffix.upper()}…")
            action.triggered.connect(lambda _=False, suffix=suffix: self._choose_file(suffix))
        menu.popup(event.globalPos())

    def _choose_file(self, suffix: str) -> None:
        title = self._scene.title if self._scene is not None else "picture"
        name, _ = QFileDialog.getSaveFileName(
            self, f"Export {title}", f"sweep.{suffix}", f"*.{suffix}"
        )
        if not name:
            return
        try:
            self.export(Path(name))
        except ExportError as error:
            self.told.emit(str(error))
        else:
            self.told.emit(f"The picture was written to {name}.")

    def _go_to(self, spot: Spot | None, place: QPoint) -> None:
        self._current = spot
        self._show_anew()
        if spot is None:
            QToolTip.hideText()
        elif self.isVisible():
            QToolTip.showText(place, spot.tip, self)

    def _number(self, spot: Spot | None) -> int | None:
        return int(spot.key) if spot is not None and spot.key else None

    def _show_anew(self) -> None:
        self._scene = None
        self.update()
