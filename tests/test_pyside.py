"""The Qt binding that is installed keeps Python's reference counts."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

PAINTS = 1000
# What the interpreter itself moves between two counts: a cached frame, a queued event.
NOISE = 50


class Canvas(QWidget):
    """Counts its paint events and makes several calls without a result in each."""

    def __init__(self) -> None:
        super().__init__()
        self.paints = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("white"))
        painter.drawLine(QPoint(0, 0), QPoint(8, 8))
        painter.end()
        self.paints += 1


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_painting_drops_no_reference_to_none(qtbot: QtBot) -> None:
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(16, 16)
    image = QImage(16, 16, QImage.Format.Format_ARGB32)
    canvas.render(image)
    before = sys.getrefcount(None)
    for _ in range(PAINTS):
        canvas.update()
        canvas.render(image)
    lost = before - sys.getrefcount(None)
    assert canvas.paints == PAINTS + 1
    assert lost < NOISE, f"{lost} references to None lost in {PAINTS} paints"


def test_the_unsound_release_is_excluded() -> None:
    import PySide6

    assert PySide6.__version__ != "6.12.0"
