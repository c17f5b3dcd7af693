from __future__ import annotations

import math

import numpy as np
import pytest

from workbench.session.verification_errors import OUTSIDE, ErrorGrid
from workbench.ui.panes.verification.colours import ErrorColours, nice_top
from workbench.ui.panes.verification.raster import error_image, pooled
from workbench.ui.panes.verification.viewport import Viewport, whole
from workbench.ui.theme.colours import contrast
from workbench.ui.theme.scales import error_colour
from workbench.ui.theme.tokens import DARK, LIGHT, Palette


def grid(shape: tuple[int, int], **at: float) -> ErrorGrid:
    return ErrorGrid(np.zeros(shape, np.float32))


@pytest.mark.parametrize("place", [(0, 0), (499, 777), (999, 999), (31, 640)])
def test_one_wrong_element_of_a_million_is_a_pixel(place: tuple[int, int]) -> None:
    errors = grid((1000, 1000))
    errors.values[place] = 3
    picture = pooled(errors, whole((1000, 1000)), 97, 131)
    assert picture.shape == (97, 131)
    assert (picture > 0).sum() == 1
    (found,) = np.argwhere(picture)
    assert picture[tuple(found)] == 3
    assert found == pytest.approx([place[0] * 0.097, place[1] * 0.131], abs=1)


def test_near_an_element_is_many_pixels() -> None:
    errors = grid((10, 10))
    errors.values[3, 4] = 2
    picture = pooled(errors, Viewport((10, 10), 2, 3, 4, 4), 40, 40)
    assert (picture == 2).sum() == 100
    assert (picture[10:20, 10:20] == 2).all()


def test_a_pooled_map_covers_its_elements() -> None:
    errors = ErrorGrid(np.array([[0, 5]], np.float32), 8, 8)
    picture = pooled(errors, whole((8, 20)), 8, 20)
    assert (picture[:, :8] == 0).all()
    assert (picture[:, 8:16] == 5).all()
    assert (picture[:, 16:] == OUTSIDE).all()


def test_no_number_wins_over_every_error() -> None:
    errors = grid((4, 4))
    errors.values[0, 0], errors.values[1, 1] = 1e30, math.inf
    assert pooled(errors, whole((4, 4)), 1, 1)[0, 0] == math.inf


@pytest.mark.parametrize(
    ("largest", "top"), [(25.9, 20), (1, 1), (0.049, 0.02), (9999, 5000), (0, 1), (5, 5)]
)
def test_the_scale_ends_at_a_round_number(largest: float, top: float) -> None:
    assert nice_top(largest) == pytest.approx(top)


def test_light_colours_are_the_tokens() -> None:
    colours = ErrorColours(LIGHT, 20)
    assert colours.of(0) == error_colour(0)
    assert colours.of(20) == colours.of(99) == error_colour(1)
    assert colours.of(1e-9) == error_colour(0.02)
    assert colours.of(math.inf) == LIGHT.l2


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_the_larger_the_error_the_more_it_differs_from_what_is_right(palette: Palette) -> None:
    colours = ErrorColours(palette, 1)
    contrasts = [contrast(colours.of(error), colours.within) for error in (0.2, 0.5, 0.8, 1)]
    assert contrasts == sorted(contrasts)
    assert contrasts[-1] > 4.5


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_the_image_has_the_colours_of_single_errors(palette: Palette) -> None:
    errors = ErrorGrid(np.array([[0, 10, math.inf, OUTSIDE]], np.float32))
    colours = ErrorColours(palette, 10)
    image = error_image(errors, whole((1, 4)), 1, 4, colours)
    shown = [image.pixelColor(x, 0) for x in range(4)]
    assert [c.name().upper() for c in shown[:3]] == [
        colours.of(0).upper(), colours.of(10).upper(), colours.of(math.inf).upper(),
    ]  # fmt: skip
    assert shown[3].alpha() == 0


@pytest.mark.parametrize("size", [(7, 5), (100, 300), (33, 1), (640, 640), (1, 640)])
def test_the_largest_error_is_in_a_picture_of_any_size(size: tuple[int, int]) -> None:
    values = np.random.default_rng(1).random((640, 640), np.float32)
    assert pooled(ErrorGrid(values), whole((640, 640)), *size).max() == values.max()


@pytest.mark.parametrize("size", [(400, 500), (20, 640), (640, 20), (330, 1)])
def test_a_pixel_has_the_largest_of_all_that_lies_behind_it(size: tuple[int, int]) -> None:
    values = np.random.default_rng(1).random((640, 640), np.float32)
    picture = pooled(ErrorGrid(values), whole((640, 640)), *size)
    rows, columns = ([640 * at // n for at in range(n + 1)] for n in size)
    for row, column in ((0, 0), (size[0] - 1, size[1] - 1), (size[0] // 2, size[1] // 3)):
        behind = values[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        assert picture[row, column] == behind.max()
