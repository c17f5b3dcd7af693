from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.core.jobs import OutputBlocks
from workbench.session.verification_view import Subject
from workbench.ui.panes.verification import VerificationPane
from workbench.ui.panes.verification.map_view import MapView
from workbench.ui.theme.theme import Theme


def centre(view: MapView, row: int, column: int) -> QPoint:
    frame = view.frame
    assert frame is not None
    return frame.cells(row, column, 1, 1).center().toPoint()


def move(view: MapView, point: QPoint, buttons: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    place = QPointF(point)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, view.mapToGlobal(place), Qt.MouseButton.NoButton, buttons,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def wheel(view: MapView, point: QPoint, notches: int, modifier: Qt.KeyboardModifier) -> QWheelEvent:
    event = QWheelEvent(
        QPointF(point), view.mapToGlobal(QPointF(point)), QPoint(), QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    return event


def picture(view: MapView) -> QImage:
    return view.grab().toImage()


def colour(view: MapView, row: int, column: int) -> str:
    image = picture(view)
    ratio = image.devicePixelRatio()
    point = centre(view, row, column)
    return image.pixelColor(round(point.x() * ratio), round(point.y() * ratio)).name().upper()


@pytest.fixture
def view(shown: VerificationPane) -> MapView:
    return shown.body.map


def test_right_elements_are_pale_and_wrong_ones_have_the_scales_colours(view: MapView) -> None:
    scene = view.scene
    assert scene is not None
    assert colour(view, 10, 10) == scene.colours.within.upper()
    assert colour(view, 10, 55) == scene.colours.of(8).upper()


def test_outside_the_output_it_is_hatched(view: MapView, theme: Theme) -> None:
    image, frame = picture(view), view.frame
    assert frame is not None
    area = frame.cells(61, 8, 2, 30).toRect()
    seen = {
        image.pixelColor(x, y).name().upper()
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
    }
    assert theme.palette.bg2 in seen
    assert len(seen) > 2


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_a_scheme_repaints_the_map(view: MapView, theme: Theme, scheme: str) -> None:
    theme.set_choice("light" if scheme == "dark" else "dark")
    before = colour(view, 10, 10)
    theme.set_choice(scheme)  # type: ignore[arg-type]
    assert colour(view, 10, 10) != before


def test_a_click_leads_to_the_neighbours_of_an_element(view: MapView, qtbot: QtBot) -> None:
    with qtbot.waitSignals([view.element_chosen, view.whole_changed]):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=centre(view, 30, 50))
    chosen = view.chosen
    assert chosen is not None
    assert (chosen.label, chosen.got) == ("C[30, 50]", 11)
    assert view.is_near
    assert view.frame is not None
    assert view.frame.place(QPointF(centre(view, 30, 50))) == (30, 50)


def test_a_click_beside_the_picture_chooses_nothing(view: MapView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert view.chosen is None


def test_the_first_arrow_key_chooses_the_worst_element_and_the_next_its_neighbour(
    view: MapView, qtbot: QtBot
) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.chosen is not None
    assert view.chosen.index == (30, 50)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.chosen.index == (31, 50)
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert view.chosen.index == (31, 34)


def test_arrow_keys_end_at_the_edge_of_the_output(view: MapView, qtbot: QtBot) -> None:
    view.choose((59, 59))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.chosen is not None
    assert view.chosen.index == (59, 59)


def test_control_and_wheel_zoom_about_the_pointer(view: MapView) -> None:
    point = centre(view, 30, 50)
    event = wheel(view, point, 3, Qt.KeyboardModifier.ControlModifier)
    assert event.isAccepted()
    assert view.view.rows == pytest.approx(64 * 0.8**3)
    assert view.frame is not None
    assert view.frame.place(QPointF(point)) == (30, 50)


def test_the_wheel_alone_is_left_to_the_page(view: MapView) -> None:
    event = wheel(view, centre(view, 30, 50), 1, Qt.KeyboardModifier.NoModifier)
    assert not event.isAccepted()
    assert view.view.is_whole


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
    ],
)
def test_a_key_shows_the_whole_output_again(
    view: MapView, qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    view.zoom(0.3)
    qtbot.keyClick(view, key, modifier)
    assert view.view.is_whole


def test_plus_and_minus_zoom(view: MapView, qtbot: QtBot) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.view.rows == 32
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.view.is_whole


def test_dragging_moves_the_part_in_sight_and_chooses_nothing(view: MapView, qtbot: QtBot) -> None:
    view.zoom(0.5)
    before, start = view.view, centre(view, 30, 30)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    move(view, start - QPoint(60, 40), Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start - QPoint(60, 40))
    assert view.view.top > before.top
    assert view.view.left > before.left
    assert view.chosen is None


def test_hovering_tells_of_the_element_beside_its_block(shown: VerificationPane) -> None:
    view, card = shown.body.map, shown.body.card
    move(view, centre(view, 30, 50))
    assert view.hovered is not None
    assert view.hovered.label == "C[30, 50]"
    assert card.place is not None
    scene, frame = view.scene, view.frame
    assert scene is not None
    assert frame is not None
    block = scene.block_rect(frame, view.hovered).translated(
        QPointF(view.mapTo(shown.body, QPoint(0, 0)))
    )
    assert not card.place.intersects(block)
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert card.place is None


def test_near_there_is_no_card_over_the_values(shown: VerificationPane) -> None:
    view = shown.body.map
    view.choose((30, 50))
    move(view, centre(view, 30, 51))
    assert shown.body.card.place is None
    assert shown.body.element.shown_label == "C[30, 51]"


def test_near_every_cell_shows_its_values(view: MapView) -> None:
    view.choose((30, 50))
    image, frame = picture(view), view.frame
    assert frame is not None
    cell = frame.cells(30, 51, 1, 1).toRect().adjusted(3, 3, -3, -3)
    seen = {
        image.pixelColor(x, y).name()
        for x in range(cell.left(), cell.right())
        for y in range(cell.top(), cell.bottom())
    }
    assert len(seen) > 3


def test_a_new_result_of_the_same_layout_keeps_the_part_in_sight(
    shown: VerificationPane, right: Subject, wrong: Subject
) -> None:
    view = shown.body.map
    view.choose((30, 50))
    before = view.view
    shown.show_subject(Subject(wrong.result, wrong.blobs, stale=True))
    assert view.view == before
    assert view.chosen is not None
    shown.show_subject(right)
    assert view.view.is_whole


@pytest.mark.parametrize(
    ("shape", "blocks"),
    [
        ((1000,), OutputBlocks((8,), (128,), (0,))),
        ((70, 9), OutputBlocks((70,), (1, 9), (0,))),
        ((2, 20, 3, 8), OutputBlocks((2, 3, 2), (1, 10, 1, 8), (1, 2, 0))),
        ((2, 20, 30), OutputBlocks((12,), (1, 8, 16), (None,))),
    ],
)
def test_blocks_of_outputs_of_any_rank_are_named(
    pane: VerificationPane,
    results: Any,
    shape: tuple[int, ...],
    blocks: OutputBlocks,
) -> None:
    got = np.ones(shape, np.float32)
    got.flat[-5:] = 3
    pane.show_subject(results.subject((results.output(got, blocks=blocks),)))
    view = pane.body.map
    scene, frame = view.scene, view.frame
    assert scene is not None
    assert frame is not None
    assert all(name.text for name in scene.names.names(frame, across=False, near=False))
    assert not pane.grab().isNull()
    view.choose(tuple(size - 1 for size in shape))
    assert not pane.grab().isNull()


@pytest.mark.parametrize("shape", [(1,), (1000,), (3, 5, 7), (2, 3, 4, 5), (0, 4), ()])
def test_outputs_of_any_rank_are_painted(
    pane: VerificationPane, make: Callable[[np.ndarray], Subject], shape: tuple[int, ...]
) -> None:
    pane.show_subject(make(np.full(shape, 3.0, np.float32)))
    pane.body.map.zoom(0.2)
    assert not pane.grab().isNull()
