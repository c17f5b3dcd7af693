from __future__ import annotations

import math

import pytest

from workbench.core.figures import UNKNOWN, figure, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (-12, "−12"),
        (0.0, "0"),
        (358.66, "359"),
        (11.04, "11.0"),
        (1.0, "1.00"),
        (0.0314159, "0.0314"),
        (0.000314159, "3.14 · 10⁻⁴"),
        (2.5e9, "2.50 · 10⁹"),
        (-6.25e-5, "−6.25 · 10⁻⁵"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
    ],
)
def test_a_number_reads(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (512, "B", "512 B"),
        (49152, "B", "48 KiB"),
        (50000, "B", "48.8 KiB"),
        (2 * 1024**3, "B", "2 GiB"),
        (0, "B", "0 B"),
        (1.4, "s", "1.40 s"),
        (0.04, "s", "40.0 ms"),
        (358.7e-6, "s", "359 µs"),
        (2e-10, "s", "0.200 ns"),
        (0, "s", "0 s"),
        (358.66, "us", "359 µs"),
        (668.7, "TFLOP/s", "669 TFLOP/s"),
        (136, "", "136"),
    ],
)
def test_a_figure_reads(value: float, unit: str, text: str) -> None:
    assert str(figure(value, unit)) == text


def test_none_is_unknown() -> None:
    assert figure(None, "µs") is UNKNOWN
