"""Convolutions: who gathers the image, and what shapes are legal."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import generated

from workbench.core.patterns.generating import IllegalError


@pytest.mark.parametrize(
    ("target", "values"),
    [
        ("h200", {}),
        ("h200", {"KH": 1, "KW": 1, "padding": 0}),
        ("h100", {"dilation": 2, "padding": 2, "stride": 2}),
        ("h200", {"KH": 5, "KW": 5, "padding": 2, "C": 32}),
    ],
)
def test_hopper_gathers_by_tma(target: str, values: dict[str, Any]) -> None:
    assert "T.im2col(X, X_shared, by, k, KH" in generated("conv2d", target, **values).text


@pytest.mark.parametrize(
    ("target", "values"),
    [
        ("a100", {}),
        ("h200:sm_80", {}),
        ("h200", {"padding": 0}),
        ("h200", {"KH": 3, "KW": 1}),
        ("h200", {"C": 72}),
        ("h200", {"stride": 9}),
    ],
)
def test_threads_gather_what_tma_cannot(target: str, values: dict[str, Any]) -> None:
    made = generated("conv2d", target, **values)
    assert made.values["loads"] == "gather"
    assert "T.im2col" not in made.text


def test_a_step_lies_under_one_tap_where_it_can() -> None:
    assert generated("conv2d", C=96).values["block_K"] == 32
    assert generated("conv2d", C=256).values["block_K"] == 64
    assert generated("conv2d", C=3).values["block_K"] == 64


def broken(**values: Any) -> dict[str, str]:
    with pytest.raises(IllegalError) as caught:
        generated("conv2d", **values)
    return {breach.rule.name: breach.text for breach in caught.value.breaches}


def test_tma_is_refused_where_it_would_read_the_wrong_pixels() -> None:
    text = broken(loads="im2col", padding=0, block_K=64)["im2col-form"]
    assert "padding 1, not 0" in text


def test_a_filter_larger_than_the_image_is_refused() -> None:
    found = broken(H=4, W=4, KH=9, KW=9, padding=0)
    assert "no pixel is left" in found["filter-beyond-image"]


def test_pixels_that_are_no_vectors_are_told() -> None:
    names = {breach.rule.name for breach in generated("conv2d", C=3).warnings}
    assert "channels-not-vectors" in names
