from __future__ import annotations

import numpy as np
import pytest

from workbench.session.verification_layout import MapLayout, layout_of, natural_layout

SHAPES = [
    ((6, 8), None),
    ((6, 8), (2, 4)),
    ((7, 9), (2, 4)),
    ((1000,), (128,)),
    ((1000,), (1,)),
    ((1000,), None),
    ((40,), None),
    ((40, 1), (8, 1)),
    ((2, 3, 10, 4), (1, 1, 4, 4)),
    ((2, 10, 3, 4), (1, 4, 1, 4)),
    ((2, 5, 7, 8), (1, 2, 3, 4)),
    ((1,), (1,)),
]


@pytest.mark.parametrize(("shape", "tile"), SHAPES)
def test_every_element_has_one_place(shape: tuple[int, ...], tile: tuple[int, ...] | None) -> None:
    layout = layout_of(shape, tile)
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    picture = layout.arranged(numbers, outside=-1)
    assert picture.shape == layout.extent
    for row in range(layout.extent[0]):
        for column in range(layout.extent[1]):
            index = layout.index_of(row, column)
            shown = picture[row, column]
            assert shown == (-1 if index is None else numbers[index])
            if index is not None:
                assert layout.place_of(index) == (row, column)


@pytest.mark.parametrize(("shape", "tile"), SHAPES)
def test_a_tile_is_a_rectangle(shape: tuple[int, ...], tile: tuple[int, ...] | None) -> None:
    layout = layout_of(shape, tile)
    rows, columns = layout.cell
    for row in range(layout.extent[0]):
        for column in range(layout.extent[1]):
            index = layout.index_of(row, column)
            corner = layout.index_of(row // rows * rows, column // columns * columns)
            if index is not None:
                assert corner is not None
                assert layout.tile_of(index) == layout.tile_of(corner)


def test_a_matrix_keeps_its_order() -> None:
    layout = layout_of((7, 9), (2, 4))
    assert layout.extent == (8, 12)
    assert layout.index_of(6, 8) == (6, 8)
    assert layout.index_of(7, 0) is None
    assert layout.index_of(99, 0) is None
    assert layout.is_natural


def test_a_vector_has_a_row_for_each_block() -> None:
    layout = layout_of((1000,), (128,))
    assert (layout.extent, layout.cell, layout.is_block_grid) == ((8, 128), (1, 128), True)


@pytest.mark.parametrize("tile", [None, (1,), (1000,)])
def test_a_vector_without_a_grid_is_wrapped(tile: tuple[int, ...] | None) -> None:
    layout = layout_of((1000,), tile)
    assert (layout.extent, layout.is_block_grid) == ((32, 32), False)


def test_heads_come_before_the_sequence_where_blocks_walk_it() -> None:
    layout = layout_of((2, 10, 3, 4), (1, 4, 1, 4))
    assert layout.index_of(0, 0) == (0, 0, 0, 0)
    assert layout.index_of(12, 0) == (0, 0, 1, 0)
    assert layout.cell == (4, 4)
    assert not layout.is_natural


@pytest.mark.parametrize(
    ("shape", "tile", "grid"),
    [
        ((64, 64), (16, 16), True),
        ((2, 3, 16, 8), (1, 1, 4, 4), True),
        ((2, 3, 10, 8), (1, 1, 4, 4), False),
        ((2, 16, 3, 8), (1, 4, 1, 8), False),
        ((1000,), (128,), False),
        ((40, 1), (8, 1), False),
    ],
)
def test_the_natural_layout_is_the_memorys(
    shape: tuple[int, ...], tile: tuple[int, ...], grid: bool
) -> None:
    layout: MapLayout = natural_layout(shape, tile)
    numbers = np.arange(int(np.prod(shape))).reshape(-1, shape[-1] if len(shape) > 1 else shape[0])
    rows, columns = numbers.shape
    picture = layout.arranged(numbers.reshape(shape), outside=-1)
    assert np.array_equal(picture[:rows, :columns], numbers)
    assert layout.is_block_grid is grid
