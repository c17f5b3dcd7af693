from __future__ import annotations

import math

import pytest

from workbench.session.verification_output import Element
from workbench.session.verification_view import Subject, resolve
from workbench.ui.panes.verification.wording import (
    difference_text,
    element_rows,
    metrics,
    percent_text,
    state_text,
    value_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-46.3125, "−46.31"),
        (0.0, "0"),
        (1234.5678, "1,235"),
        (0.012345, "0.01235"),
        (math.nan, "NaN"),
        (-math.inf, "−∞"),
        (None, "unknown"),
        (3.2e-7, "3.20 · 10⁻⁷"),
    ],
)
def test_values_have_four_digits_and_a_true_minus(value: float | None, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("wrong", "total", "text"),
    [
        (0, 10, "0"),
        (10, 10, "100"),
        (1, 10**6, "< 0.01"),
        (10**6 - 1, 10**6, "> 99.99"),
        (31_547, 1_048_576, "3.01"),
        (0, 0, "0"),
    ],
)
def test_a_few_wrong_elements_are_never_none(wrong: int, total: int, text: str) -> None:
    assert percent_text(wrong, total) == text


def element(**fields: object) -> Element:
    known = {
        "index": (1,), "label": "C[1]", "block": None, "within": None, "got": 2.0,
        "expected": 1.0, "difference": 1.0, "allowed": 0.1, "wrong": True,
    }  # fmt: skip
    return Element(**{**known, **fields})  # type: ignore[arg-type]


def test_what_is_unknown_of_an_element_is_left_out() -> None:
    rows = element_rows(element(got=None, expected=None, difference=None, allowed=None))
    assert rows == []


def test_a_difference_has_its_sign() -> None:
    assert difference_text(element()) == "+1.000"
    assert difference_text(element(difference=-8.0627)) == "−8.063"


def test_the_state_is_a_word() -> None:
    assert state_text(element()) == ("mismatch", "error")
    assert state_text(element(wrong=False)) == ("within tolerance", "good")
    assert state_text(element(wrong=None))[0] == ""


def test_the_strip_tells_how_much_is_wrong(wrong: Subject) -> None:
    figures = resolve(wrong).figures
    assert figures is not None
    shown = {m.label: (m.value, m.unit, m.tone) for m in metrics(figures)}
    assert shown["Output"] == ("C", "float16", "fg")
    assert shown["Wrong"] == ("20", "%", "error")
    assert shown["Largest error"][0] == "10.0"
    assert shown["Tolerance"][0] == "0.100 abs"
    assert shown["Seeds"] == ("0 of 1 pass", "", "error")
