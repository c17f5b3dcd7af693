"""Writes the map of errors as a picture."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from workbench.ui.panes.verification.scene import MapScene
from workbench.ui.panes.verification.viewport import Viewport
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.picture_files import RATIO, write_picture


def write_map(path: Path, scene: MapScene, view: Viewport, size: QSize, theme: Theme) -> None:
    """Write what is in sight, as SVG where the name ends so, else as PNG. Raises ExportError."""

    def paint(painter: QPainter) -> None:
        scene.paint(painter, scene.frame(size, view), RATIO)

    write_picture(path, size, theme, "Error map", paint)
