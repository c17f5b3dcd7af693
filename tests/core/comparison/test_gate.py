"""Conditions that a script fails by."""

from __future__ import annotations

import pytest

from workbench.core.comparison.gate import GateError, parse_condition


@pytest.mark.parametrize(
    ("text", "before", "after", "fails"),
    [
        ("time:+5%", 100.0, 104.9, False),
        ("time:+5%", 100.0, 105.1, True),
        ("time:+5%", 100.0, 50.0, False),
        ("tflops:-3%", 100.0, 98.0, False),
        ("tflops:-3%", 100.0, 96.0, True),
        ("tflops:-3%", 100.0, 200.0, False),
        ("registers:+0", 128, 128, False),
        ("registers:+0", 128, 129, True),
        ("spill:+0", 0, 8, True),
        ("occupancy:-0", 0.5, 0.25, True),
    ],
)
def test_a_condition_fails_in_its_direction_only(
    text: str, before: float, after: float, fails: bool
) -> None:
    assert parse_condition(text).exceeded(before, after) is fails


def test_short_names_stand_for_metrics() -> None:
    assert parse_condition("time:+5%").metric == "time_us"
    assert parse_condition("C.rel_fro:+10%").metric == "C.rel_fro"


@pytest.mark.parametrize("text", ["", "time", "time:5%", "time:+", "time:+5 %%", ":+5%", "a b:+1"])
def test_what_is_no_condition_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(GateError, match="METRIC"):
        parse_condition(text)
