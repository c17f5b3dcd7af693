"""Writes the map as a picture: PNG at twice its size on the screen, or SVG."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from workbench.ui.panes.verification.scene import MapScene
from workbench.ui.panes.verification.viewport import Viewport
from workbench.ui.theme.theme import Theme

_RATIO = 2
_DPI = 96  # a pixel of CSS, so that the SVG has the size of the map on the screen


class ExportError(Exception):
    """The file could not be written; the message names it."""


def write_map(path: Path, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    """Write what is in sight, as SVG where the name ends so, else as PNG. Raises ExportError."""
    write = _write_svg if path.suffix.lower() == ".svg" else _write_png
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, scene, view, size, theme)
    try:
        path.write_bytes(buffer.data().data())
    except OSError as error:
        raise ExportError(f"the picture could not be written to {path}: {error}") from error


def _write_png(buffer: QBuffer, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    image = QImage(size * _RATIO, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(_RATIO)
    image.fill(theme.colour("bg1"))
    painter = QPainter(image)
    scene.paint(painter, scene.frame(size, view), _RATIO)
    painter.end()
    QImageWriter(buffer, QByteArray(b"png")).write(image)


def _write_svg(buffer: QBuffer, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DPI)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("Error map")
    painter = QPainter(generator)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), theme.colour("bg1"))
    scene.paint(painter, scene.frame(size, view), _RATIO)
    painter.end()
