from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath
from pytestqt.qtbot import QtBot

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK, METRICS, MarkShape
from workbench.ui.widgets.painting import (
    mark_path,
    paint_block,
    paint_hatch,
    paint_mark,
    target_icon,
)
from workbench.ui.widgets.target_label import TargetLabel

BOX = QRectF(4, 4, 32, 16)


def canvas() -> QImage:
    image = QImage(40, 24, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def block(predicted: bool) -> QImage:
    image = canvas()
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_block(painter, BOX, QColor("#FF0000"), predicted, METRICS.radius_bar)
    painter.end()
    return image


def alphas(image: QImage) -> set[int]:
    """The opacities well inside the box."""
    return {image.pixelColor(x, y).alpha() for x in range(8, 32) for y in range(8, 16)}


def test_what_was_measured_is_solid() -> None:
    assert alphas(block(predicted=False)) == {255}


def test_what_was_predicted_has_gaps_and_lines() -> None:
    found = alphas(block(predicted=True))
    assert min(found) == round(0.2 * 255)
    assert max(found) > 150


def test_a_hatch_stays_in_its_area() -> None:
    image = canvas()
    painter = QPainter(image)
    area = QPainterPath()
    area.addRect(BOX)
    paint_hatch(painter, area, QColor("#FF0000"))
    painter.end()
    outside = [
        image.pixelColor(x, y).alpha()
        for x in range(40)
        for y in range(24)
        if not BOX.contains(x + 0.5, y + 0.5)
    ]
    assert not any(outside)


def test_hatches_of_neighbours_agree() -> None:
    whole, halves = canvas(), canvas()
    for image, boxes in (
        (whole, [BOX]),
        (halves, [QRectF(4, 4, 16, 16), QRectF(20, 4, 16, 16)]),
    ):
        painter = QPainter(image)
        for box in boxes:
            area = QPainterPath()
            area.addRect(box)
            paint_hatch(painter, area, QColor("#FF0000"))
        painter.end()
    assert whole == halves


@pytest.mark.parametrize("shape", MarkShape)
def test_a_mark_fills_about_its_square(shape: MarkShape) -> None:
    square = QRectF(0, 0, 10, 10)
    box = mark_path(shape, square).boundingRect()
    assert square.contains(box)
    assert box.width() >= 8.5


def test_a_ring_is_hollow_and_a_circle_is_not(theme: Theme) -> None:
    middles = []
    for index in (0, 4):
        image = canvas()
        painter = QPainter(image)
        paint_mark(painter, QRectF(0, 0, 20, 20), theme, index)
        painter.end()
        middles.append(image.pixelColor(10, 10).alpha())
    assert middles == [255, 0]


def test_a_sixth_target_looks_like_the_first(theme: Theme) -> None:
    images = [target_icon(theme, index).pixmap(16, 16).toImage() for index in (0, 5)]
    assert images[0] == images[1]


def test_a_target_label_shows_mark_and_name(theme: Theme, qtbot: QtBot) -> None:
    label = TargetLabel(theme, 0, "H100", TextRole.STRONG)
    qtbot.addWidget(label)
    label.resize(label.sizeHint())
    pixel = label.grab().toImage().pixelColor(4, label.height() // 2)
    assert pixel.name().upper() == DARK.target1
    assert label.accessibleName() == "H100"
