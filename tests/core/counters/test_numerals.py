from __future__ import annotations

from decimal import Decimal

import pytest

from workbench.core.counters.numerals import has_decimal_comma, is_untold, number_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,015,808", "1015808"),
        ("12,118,343,195.27", "12118343195.27"),
        ("64.000000", "64"),
        ("1.5e+3", "1500"),
        ("-3", "-3"),
        ("84,288 (12; 84,276)", "84288"),  # with the values of each instance behind
    ],
)
def test_numbers_of_the_english_form(text: str, number: str) -> None:
    assert number_of(text) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.015.808", "1015808"),
        ("9,00", "9"),
        ("1\N{NARROW NO-BREAK SPACE}234,5", "1234.5"),
        ("1\N{RIGHT SINGLE QUOTATION MARK}234,5", "1234.5"),
    ],
)
def test_numbers_with_a_decimal_comma(text: str, number: str) -> None:
    assert number_of(text, decimal_comma=True) == Decimal(number)


@pytest.mark.parametrize("text", ["PolicySpread", "NVIDIA H200", "(256, 1, 1)", "0x7f", "", "all"])
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("texts", "comma"),
    [
        (["0", "1,234", "2,500000"], True),
        (["0", "1,234", "2.500000"], False),
        (["1.234.567"], True),
        (["1,234,567"], False),
        (["1.234"], False),  # either; Nsight Compute writes English by default
        ([], False),
    ],
)
def test_the_first_that_can_only_be_read_in_one_way_tells(texts: list[str], comma: bool) -> None:
    assert has_decimal_comma(texts) is comma


def test_what_the_profiler_could_not_tell() -> None:
    assert all(is_untold(text) for text in ("n/a", " nan", "no data", "", "N/A"))
    assert not is_untold("0")
