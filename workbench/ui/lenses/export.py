"""Writes what a lens shows as a picture: SVG, or PNG at twice its size on the screen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from workbench.ui.theme.theme import Theme

_RATIO = 2
_DPI = 96  # a pixel of CSS, so that the SVG has the size that it has on the screen


class ExportError(Exception):
    """The file could not be written; the message names it."""


def write_widget(path: Path, widget: QWidget, theme: Theme, title: str) -> None:
    """Write a widget, as SVG where the name ends so, else as PNG. Raises ExportError."""
    is_svg = path.suffix.lower() == ".svg"
    content = _svg(widget, theme, title) if is_svg else _png(widget, theme)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ExportError(f"the picture could not be written to {path}: {error}") from error


def _png(widget: QWidget, theme: Theme) -> bytes:
    image = QImage(widget.size() * _RATIO, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(_RATIO)
    image.fill(theme.colour("bg1"))
    widget.render(image)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def _svg(widget: QWidget, theme: Theme, title: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DPI)
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(), widget.size()))
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.fillRect(QRect(QPoint(), widget.size()), theme.colour("bg1"))
    widget.render(painter, QPoint())
    painter.end()
    return bytes(buffer.data().data())
