from __future__ import annotations

import pytest

from workbench.ui.case_form.whole import INT_MOST, parse_whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1024", 1024),
        (" 1,024 ", 1024),
        ("1_024", 1024),
        ("1e3", 1000),
        ("2**12", 4096),
        ("1 << 10", 1024),
        ("8 * 128 + 1", 1025),
        ("0x40", 64),
        ("-(3)", -3),
        ("1,234,567", 1234567),
    ],
)
def test_a_whole_number_is_read_however_it_is_written(text: str, value: int) -> None:
    assert parse_whole(text, -INT_MOST, INT_MOST) == value


@pytest.mark.parametrize(
    "text",
    [
        "1.5",
        "1e-3",
        "True",
        "M",
        "1,02",
        "(1, 024)",
        "'7'",
        "7 / 2",
        "1 // 0",
        "9**9**9",
        "1 << 9999999999",
        "2**-1",
        "1e999",
        "13 1",
        "__import__('os')",
        "f()",
        "0128",
    ],
)
def test_what_is_no_whole_number_is_refused_as_typed(text: str) -> None:
    with pytest.raises(ValueError, match="is no whole number") as e:
        parse_whole(text, 1, INT_MOST)
    assert str(e.value) == f"“{text}” is no whole number. Legal is 1 to 2,147,483,647."


def test_a_number_out_of_range_names_the_range() -> None:
    with pytest.raises(ValueError, match=r"^0 is too small\. Legal is 1 to 512\.$"):
        parse_whole("0", 1, 512)
    with pytest.raises(ValueError, match=r"^1,024 is too large\. Legal is 1 to 512\.$"):
        parse_whole("2**10", 1, 512)
