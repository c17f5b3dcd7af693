from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF

from workbench.ui.panes.verification.arrangement import Arrangement, arrangement
from workbench.ui.panes.verification.geometry import Frame, card_rect, picture_rect
from workbench.ui.panes.verification.viewport import neighbourhood, whole

BOUNDS = QRectF(0, 0, 800, 600)
SIZE = QSizeF(220, 180)


@pytest.mark.parametrize("x", [10, 200, 400, 790])
@pytest.mark.parametrize("y", [10, 300, 590])
def test_the_card_hides_neither_the_element_nor_its_block(x: float, y: float) -> None:
    block = QRectF(x // 100 * 100, y // 100 * 100, 100, 100)
    card = card_rect(SIZE, block, QPointF(x, y), BOUNDS)
    assert card is not None
    assert BOUNDS.contains(card)
    assert not card.intersects(block)


def test_where_the_block_is_too_large_the_card_keeps_clear_of_the_element() -> None:
    card = card_rect(SIZE, BOUNDS, QPointF(400, 300), BOUNDS)
    assert card is not None
    assert not card.contains(QPointF(400, 300))


def test_without_room_there_is_no_card() -> None:
    bounds = QRectF(0, 0, 240, 120)
    assert card_rect(SIZE, QRectF(100, 50, 10, 10), QPointF(105, 55), bounds) is None


@pytest.mark.parametrize(
    ("extent", "size"),
    [((64, 64), (300, 300)), ((10, 10_000), (400, 400 / 2.6)), ((9000, 1), (150, 300))],
)
def test_the_picture_has_about_the_outputs_shape(
    extent: tuple[int, int], size: tuple[float, float]
) -> None:
    rect = picture_rect(QRectF(0, 0, 400, 300), extent)
    assert (rect.width(), rect.height()) == pytest.approx(size)


def test_a_place_of_the_picture_is_found_back() -> None:
    frame = Frame(QRectF(20, 30, 400, 200), whole((50, 80)))
    assert frame.place(frame.cells(17, 33, 1, 1).center()) == (17, 33)
    assert frame.place(QPointF(420, 230)) is None or frame.place(QPointF(420, 230)) == (49, 79)
    assert frame.place(QPointF(5, 5)) is None


def test_zooming_keeps_the_element_under_the_pointer() -> None:
    before = Frame(QRectF(0, 0, 400, 400), whole((100, 100)))
    after = Frame(before.rect, before.view.zoomed(0.5, 30, 70))
    assert (after.x(70), after.y(30)) == pytest.approx((before.x(70), before.y(30)))
    assert after.view.rows == 50


def test_zooming_ends_at_the_whole_and_at_a_few_elements() -> None:
    view = whole((100, 60))
    assert view.zoomed(3, 50, 30) == view
    near = view
    for _ in range(20):
        near = near.zoomed(0.5, 99, 59)
    assert (near.rows, near.columns) == (4, 4)
    assert (near.top, near.left) == pytest.approx((96, 56), abs=1)


def test_a_part_stays_inside_the_picture() -> None:
    near = whole((100, 100)).zoomed(0.25, 50, 50)
    assert near.moved(-999, 999).top == 0
    assert near.moved(-999, 999).left == 75


def test_a_neighbourhood_is_of_whole_elements_around_one() -> None:
    view = neighbourhood((1000, 1000), 500, 2, 600, 440)
    assert (view.rows, view.columns) == (10, 7)
    assert view.left == 0
    assert view.top <= 500 < view.top + view.rows


def test_showing_moves_no_further_than_it_must() -> None:
    view = neighbourhood((1000, 1000), 500, 500, 600, 440)
    assert view.showing(500, 500) == view
    moved = view.showing(500, 504)
    assert moved.top == view.top
    assert 0 < moved.left - view.left <= 3


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1400, 800), Arrangement.WIDE),
        ((930, 740), Arrangement.MEDIUM),
        ((500, 640), Arrangement.NARROW),
        ((1400, 260), Arrangement.LOW),
        ((700, 150), Arrangement.LOW_NARROW),
    ],
)
def test_parts_stand_where_there_is_room(size: tuple[int, int], expected: Arrangement) -> None:
    assert arrangement(*size) is expected
