"""What is said of a wrong output: how much, the largest error against its tolerance, and where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.core.diagnostics import TextRange
from workbench.core.jobs import OutputComparison, Signature, WorstElement
from workbench.core.mismatches import (
    amount,
    error_sentence,
    largest_error,
    mismatch,
    times_tolerance,
)


def wrong(got: float | str = 3.5, expected: float | str = 1.25, **changes: Any) -> OutputComparison:
    """An output with one wrong element that is told."""
    usual = OutputComparison(
        2, "C", (64, 64), "float16", 2.25, 1.8, 0.01, 51, 4096, 0, 0.01, 0.1, "case",
        (WorstElement((12, 7), got, expected),), max_share=20.0,
    )  # fmt: skip
    return replace(usual, **changes)


def test_the_finding_says_the_run_the_largest_error_and_its_place() -> None:
    found = mismatch(wrong(), "seed 0, on NVIDIA H200", 12)
    assert found.message == (
        "C is wrong in 51 of 4,096 elements (seed 0, on NVIDIA H200). The largest error is 20 "
        "times its tolerance, at [12, 7]: got 3.5, expected 1.25, off by 2.25 where 0.113 is "
        "allowed"
    )
    assert (found.code, found.range, found.help) == ("reference-mismatch", TextRange(12), None)
    assert found.evidence["output"] == "C"
    assert found.evidence["largest_error"] == {
        "index": [12, 7],
        "got": 3.5,
        "expected": 1.25,
        "error": 2.25,
        "allowed": pytest.approx(0.1125),
        "share": pytest.approx(20),
    }


def test_what_kind_of_wrong_it_is_comes_before_the_advice() -> None:
    kind = Signature("zero", "Zeros", "All are 0.", "look at the loop", "strong", 1.0, 51)
    found = mismatch(wrong(signatures=(kind,)), "seed 0", None, "Verify it.")
    assert found.help == "All are 0. Then look at the loop. Verify it."
    assert (found.evidence["signatures"], found.range) == (["zero"], TextRange(1))


def test_an_output_without_known_elements_is_told_by_its_amount() -> None:
    found = mismatch(wrong(worst=()), "seed 3", 1)
    assert found.message == "C is wrong in 51 of 4,096 elements (seed 3)"
    assert found.evidence["largest_error"] is None


def test_a_nan_has_no_size_and_the_others_are_told_by_theirs() -> None:
    said = "The worst element is at [12, 7]: got nan, expected 1.25"
    assert error_sentence(wrong("nan", max_share=None)) == said
    assert error_sentence(wrong("nan", max_share=0.5)) == said
    assert error_sentence(wrong("nan")) == f"{said}; of the others one is 20 times its tolerance"


def test_an_infinity_allows_no_more_than_a_0_does() -> None:
    found = largest_error(wrong(3.5, "inf"))
    assert found is not None
    assert (found.error, found.share, found.allowed) == (None, None, 0.1)


def test_an_integer_must_be_equal() -> None:
    exact = wrong(2000000004.0, 2000000001.0, rtol=0.0, atol=0.0, max_share=None)
    assert error_sentence(exact) == (
        "The largest error is at [12, 7]: got 2000000004, expected 2000000001, off by 3 where "
        "nothing is allowed"
    )


def test_one_further_beyond_its_own_tolerance_is_told_too() -> None:
    said = error_sentence(wrong(max_share=60.0))
    assert said.endswith("0.113 is allowed; another is 60 times its tolerance")


def test_values_have_the_digits_in_which_they_differ() -> None:
    said = error_sentence(wrong(1.0000000001, 1.0, rtol=0.0, atol=1e-12, max_share=None))
    assert "got 1.0000000001, expected 1.0, off by 1e-10" in said
    assert "got 0.333251953, expected 0.25," in error_sentence(wrong(0.333251953125, 0.25))


def test_a_scalar_has_no_place() -> None:
    scalar = wrong(worst=(WorstElement((), 3.5, 1.25),))
    assert error_sentence(scalar).startswith(
        "The largest error is 20 times its tolerance: got 3.5, expected 1.25"
    )
    nothing = wrong(worst=(WorstElement((), "nan", 1.25),), max_share=None)
    assert error_sentence(nothing) == "The worst element is this: got nan, expected 1.25"


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (1.001, "just beyond its tolerance"),
        (1.04, "1.04 times its tolerance"),
        (3.14159, "3.1 times its tolerance"),
        (82.4, "82 times its tolerance"),
        (123456.0, "120,000 times its tolerance"),
    ],
)
def test_an_error_is_told_in_multiples_of_what_is_allowed(share: float, said: str) -> None:
    assert times_tolerance(share) == said


def test_an_output_that_is_wrong_everywhere_is_told_so() -> None:
    everywhere = wrong(mismatched=4096)
    assert amount(everywhere) == "C is wrong in all 4,096 elements"
    assert amount(replace(everywhere, nonfinite=4096)) == (
        "C holds no number in any of its 4,096 elements"
    )
