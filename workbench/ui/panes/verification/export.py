"""Writes the map as a picture: PNG at twice its size on the screen, or SVG."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from workbench.ui.panes.verification.scene import MapScene
from workbench.ui.panes.verification.viewport import Viewport
from workbench.ui.theme.theme import Theme

_RATIO = 2


class ExportError(Exception):
    """The file could not be written; the message names it."""


def write_map(path: Path, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    """Write what is in sight, as SVG where the name ends so, else as PNG. Raises ExportError."""
    if path.suffix.lower() == ".svg":
        _write_svg(path, scene, view, size, theme)
    else:
        _write_png(path, scene, view, size, theme)


def _write_png(path: Path, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    image = QImage(size * _RATIO, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(_RATIO)
    image.fill(theme.colour("bg1"))
    painter = QPainter(image)
    scene.paint(painter, scene.frame(size, view), _RATIO)
    painter.end()
    if not image.save(str(path), b"PNG"):
        raise ExportError(f"the picture could not be written to {path}")


def _write_svg(path: Path, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("Error map")
    painter = QPainter()
    if not painter.begin(generator):
        raise ExportError(f"the picture could not be written to {path}")
    painter.fillRect(QRect(0, 0, size.width(), size.height()), theme.colour("bg1"))
    scene.paint(painter, scene.frame(size, view), _RATIO)
    if not painter.end():
        raise ExportError(f"the picture could not be written to {path}")
