from __future__ import annotations

import pytest

from workbench.ui.theme.colours import contrast, luminance
from workbench.ui.theme.scales import (
    difference_colour,
    error_colour,
    error_table,
    thread_colour,
    wave_colour,
)
from workbench.ui.theme.tokens import DARK, LIGHT, Palette


@pytest.mark.parametrize(
    ("share", "colour"), [(0.0, "#EEF3F7"), (0.35, "#F6A060"), (1.0, "#680E32")]
)
def test_errors_have_the_colours_of_the_scale(share: float, colour: str) -> None:
    assert error_colour(share) == colour


def test_errors_beyond_the_scale_have_its_last_colour() -> None:
    assert error_colour(7.0) == error_colour(1.0)


def test_greater_errors_are_darker() -> None:
    shades = [luminance(error_colour(step / 20)) for step in range(21)]
    assert shades == sorted(shades, reverse=True)


def test_the_table_spans_the_scale() -> None:
    table = error_table()
    assert (len(table), table[0], table[-1]) == (256, (0xEE, 0xF3, 0xF7), (0x68, 0x0E, 0x32))


def test_no_difference_has_the_colour_of_the_ground() -> None:
    assert difference_colour(DARK, 0.0) == DARK.bg1


def test_signs_of_differences_have_hues_of_their_own() -> None:
    assert (difference_colour(LIGHT, -1.0), difference_colour(LIGHT, 1.0)) == ("#2166AC", "#B2182B")


def test_later_waves_stand_out_more() -> None:
    ratios = [contrast(wave_colour(DARK, wave), DARK.bg1) for wave in range(4)]
    assert ratios == sorted(ratios)
    assert wave_colour(DARK, 9) == wave_colour(DARK, 3)


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_numbers_can_be_read_on_every_thread(palette: Palette) -> None:
    ratios = [contrast(thread_colour(palette, t), palette.fg) for t in range(32)]
    assert min(ratios) > 4.5
