"""A picture answers to pointer, keys and wheel, and is the same in a file."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from workbench.session.lenses.links import Selection
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.picture_view import MOST_ZOOM, PictureView
from workbench.ui.theme.theme import Theme

LEFT, RIGHT = Selection(line=1), Selection(line=2)


class TwoBoxes:
    """A box for each of two lines, side by side."""

    def height(self, width: float) -> float:
        return 0

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        half = size.width() / 2
        for number, selection in enumerate((LEFT, RIGHT)):
            area = QRectF(number * half, 0, half, size.height())
            canvas.painter.fillRect(
                area, QColor("#ff0000" if canvas.is_lit(selection) else "#0000ff")
            )
            canvas.hit(area, f"line {selection.line}", selection, key=selection.line)


@pytest.fixture
def view(qtbot: Any, theme: Theme) -> PictureView:
    made = PictureView(theme, zooms=True)
    qtbot.addWidget(made)
    made.resize(200, 100)
    made.set_picture(TwoBoxes(), "two boxes")
    made.show()
    made.grab()
    return made


def test_a_click_selects_and_the_selection_lights_up(view: PictureView, qtbot: Any) -> None:
    told: list[object] = []
    view.selected.connect(told.append)
    view.key_clicked.connect(told.append)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(150, 50))
    assert told == [2, RIGHT]
    view.set_lit(RIGHT)
    picture = view.grab().toImage()
    assert picture.pixelColor(150, 50).name() == "#ff0000"
    assert picture.pixelColor(50, 50).name() == "#0000ff"


def test_keys_reach_every_place(view: PictureView, qtbot: Any) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleDescription() == "line 2"
    with qtbot.waitSignal(view.selected) as selected:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert selected.args == [RIGHT]


def test_zoom_keeps_what_is_under_the_pointer(view: PictureView, qtbot: Any) -> None:
    with qtbot.waitSignal(view.view_changed):
        view.zoom_at(QPointF(150, 50), 4.0)
    hit = view.hit_at(QPointF(150, 50))
    assert hit is not None
    assert hit.selection == RIGHT
    other = view.hit_at(QPointF(0, 50))
    assert other is not None
    assert other.selection == RIGHT  # the left box is out of sight
    view.zoom_at(QPointF(0, 0), 1e9)
    assert view.view[0] == MOST_ZOOM
    view.reset_view()
    assert view.view == (1.0, 0.0, 0.0)


def test_a_drag_moves_the_zoomed_picture_and_selects_nothing(view: PictureView, qtbot: Any) -> None:
    view.zoom_at(QPointF(150, 50), 4.0)
    before = view.view
    with qtbot.assertNotEmitted(view.selected):
        qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(150, 50))
        qtbot.mouseMove(view, QPoint(100, 50))
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 50))
    assert view.view[1] == pytest.approx(before[1] + 50 / 200)


def test_a_field_tells_its_parts_one_by_one(qtbot: Any, theme: Theme) -> None:
    class Field:
        def height(self, width: float) -> float:
            return 0

        def paint(self, canvas: Canvas, size: QSizeF) -> None:
            area = QRectF(0, 0, 100, 100)
            canvas.field(
                area,
                lambda p: Hit(area, f"cell {int(p.x())}", key=int(p.x())) if p.x() > 9 else None,
            )

    view = PictureView(theme)
    qtbot.addWidget(view)
    view.resize(200, 100)
    view.set_picture(Field())
    view.show()
    view.grab()
    with qtbot.waitSignal(view.key_clicked) as clicked:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(42, 50))
    assert clicked.args == [42]
    assert view.hit_at(QPointF(3, 50)) is None
    assert view.hit_at(QPointF(150, 50)) is None


def test_a_file_shows_all_of_it_unzoomed(view: PictureView) -> None:
    view.zoom_at(QPointF(150, 50), 8.0)
    image = QImage(200, 100, QImage.Format.Format_ARGB32)
    view.set_lit(LEFT)
    with QPainter(image) as painter:
        view.render_to(painter, QSizeF(200, 100))
    assert image.pixelColor(10, 50).name() == "#ff0000"
    assert image.pixelColor(190, 50).name() == "#0000ff"
