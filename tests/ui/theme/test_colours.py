from __future__ import annotations

import pytest

from workbench.ui.theme.colours import channels, contrast, luminance, mix


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)


def test_contrast_is_the_same_in_either_order() -> None:
    assert contrast("#777777", "#FFFFFF") == contrast("#FFFFFF", "#777777")


def test_contrast_of_a_grey_is_what_wcag_says() -> None:
    # #767676 is the palest grey that WCAG's own examples allow for text on white.
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


def test_green_is_the_brightest_primary() -> None:
    assert luminance("#00FF00") == pytest.approx(0.7152)


def test_a_mix_lies_between_its_ends() -> None:
    assert mix("#000000", "#FF8000", 0.5) == "#804000"


@pytest.mark.parametrize("text", ["red", "#FFF", "#12345678", "1234567"])
def test_another_form_of_colour_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="#RRGGBB"):
        channels(text)
