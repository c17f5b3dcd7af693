"""Writes what is painted as a picture: SVG, or PNG at twice its size on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from workbench.ui.theme.theme import Theme

#: Pixels of a PNG to one px on the screen.
RATIO = 2
_DPI = 96  # a pixel of CSS, so that the SVG has the size that it has on the screen

Paint = Callable[[QPainter], None]


class ExportError(Exception):
    """The file could not be written; the message names it."""


def write_picture(path: Path, size: QSize, theme: Theme, title: str, paint: Paint) -> None:
    """Write what `paint` paints, as SVG where the name ends so, else as PNG. Raises ExportError."""
    write = _write_svg if path.suffix.lower() == ".svg" else _write_png
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    write(buffer, size, theme, title, paint)
    try:
        path.write_bytes(buffer.data().data())
    except OSError as error:
        raise ExportError(f"the picture could not be written to {path}: {error}") from error


def write_widget(path: Path, widget: QWidget, theme: Theme, title: str) -> None:
    """Write what a widget shows. Raises ExportError."""

    def paint(painter: QPainter) -> None:
        widget.render(painter, QPoint())

    write_picture(path, widget.size(), theme, title, paint)


def _write_png(buffer: QBuffer, size: QSize, theme: Theme, title: str, paint: Paint) -> None:
    image = QImage(size * RATIO, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(RATIO)
    image.fill(theme.colour("bg1"))
    painter = QPainter(image)
    paint(painter)
    painter.end()
    QImageWriter(buffer, QByteArray(b"png")).write(image)


def _write_svg(buffer: QBuffer, size: QSize, theme: Theme, title: str, paint: Paint) -> None:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DPI)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(), size))
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.fillRect(QRect(QPoint(), size), theme.colour("bg1"))
    paint(painter)
    painter.end()
