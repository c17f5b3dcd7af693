"""Turns the icons' SVG files into SVG of one colour and stroke, and into pixels."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from workbench.core.data_files import find_data
from workbench.ui.theme.tokens import Palette

_STROKE = 'stroke-width="1.75"'
# Thinner where lines have room, thicker where they would fade: (from px on, stroke in the 24 grid).
_STROKES = ((20, "1.6"), (14, "1.75"), (0, "2.2"))


def icon_folder() -> Path:
    """The folder of the icons' SVG files, as installed."""
    return find_data("resources") / "icons"


def icon_names() -> tuple[str, ...]:
    """The names of all icons, sorted."""
    return tuple(sorted(path.stem for path in icon_folder().glob("*.svg")))


def icon_svg(name: str, colour: str, size: int = 16) -> bytes:
    """The SVG of an icon in a colour, its stroke fit for `size` px; KeyError for no such icon."""
    stroke = next(width for least, width in _STROKES if size >= least)
    text = _source(name).replace("currentColor", colour)
    return text.replace(_STROKE, f'stroke-width="{stroke}"').encode()


def logo_svg(palette: Palette) -> bytes:
    """The product's mark: three tiles in the hues of HBM, shared memory and registers."""
    text = (icon_folder() / "app" / "workbench.svg").read_text(encoding="utf-8")
    for token in ("hbm", "shared", "registers"):
        text = text.replace(f'fill="{token}"', f'fill="{palette.colour(token)}"')
    return text.encode()


def render_svg(svg: bytes, size: int, ratio: float) -> QImage:
    """The SVG in a square of `size` device-independent px, at that device pixel ratio."""
    pixels = max(1, round(size * ratio))
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image


@cache
def _source(name: str) -> str:
    path = icon_folder() / f"{name}.svg"
    if not path.is_file():
        raise KeyError(f"no icon {name!r} in {path.parent}")
    return path.read_text(encoding="utf-8")
