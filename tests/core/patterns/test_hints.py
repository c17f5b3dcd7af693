from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import generated

from workbench.core.patterns.generating import IllegalError
from workbench.core.patterns.table import pattern_named
from workbench.core.patterns.values import completed, effective

FLAG = "--def-load-cache=cs"


@pytest.mark.parametrize("pattern", ["elementwise", "norm", "reduction"])
def test_a_kernel_without_hints_says_nothing_of_them(pattern: str) -> None:
    text = generated(pattern, min_blocks=None, streaming=None).text
    assert "min_blocks" not in text
    assert "streaming" not in text
    assert FLAG not in text


@pytest.mark.parametrize("pattern", ["elementwise", "norm", "reduction"])
def test_hints_stand_in_the_kernel(pattern: str) -> None:
    text = generated(pattern, streaming=True, min_blocks=2).text
    assert FLAG in text
    assert "T.annotate_min_blocks_per_sm(min_blocks)" in text


def test_a_row_read_twice_is_not_kept_between() -> None:
    text = generated("norm", reread_N=2048, block_N=2048, threads=256).text
    assert text.count("unroll_factor=1") == 2
    assert "reread_N" not in generated("norm", reread_N=None).text


def test_a_row_beyond_registers_is_read_twice_without_being_asked_for() -> None:
    assert generated("norm", "a100", N=200_000, M=64).values["reread_N"] == 4096
    with pytest.raises(IllegalError, match="Whole rows"):
        generated("norm", "a100", N=200_000, M=64, residual=True)


def test_copies_by_tma_have_a_hint_each() -> None:
    text = generated("reduction", axis="columns", streaming=True).text
    assert 'tile, eviction_policy="evict_first")' in text
    assert FLAG not in text


@pytest.mark.parametrize(
    ("pattern", "targets", "values", "said"),
    [
        ("norm", "mi300x", {"streaming": True}, "NVIDIA"),
        ("elementwise", "mi300x", {"min_blocks": 2}, "NVIDIA"),
        ("norm", "h200", {"min_blocks": 9, "threads": 256}, "2048 threads, not 2304"),
        ("norm", "h200", {"one_barrier": True, "residual": True}, "without a residual"),
        ("norm", "h200", {"one_barrier": True, "block_M": 2}, "one row"),
        ("norm", "h200", {"one_barrier": True, "N": 512, "threads": 128}, "1024 values"),
        ("norm", "h200", {"reread_N": 2048, "residual": True}, "without a residual"),
        ("norm", "h200", {"reread_N": 1024, "threads": 256}, "reread_N is a multiple of the 2048"),
        ("norm", "h200", {"reread_N": 8192}, "in one turn"),
        ("norm", "mi300x", {"reread_N": 4096}, "warps of 32"),
        ("norm", "h200", {"bulk_row": True, "one_barrier": False}, "with one barrier"),
        ("norm", "a100", {"bulk_row": True, "one_barrier": True}, "for Hopper"),
        ("norm", "h200", {"bulk_row": True, "one_barrier": True, "N": 8191}, "16382 B"),
    ],
)
def test_what_they_need(pattern: str, targets: str, values: dict[str, Any], said: str) -> None:
    with pytest.raises(IllegalError, match=said):
        generated(pattern, targets, **values)


def test_blocks_at_once_are_advised_where_registers_would_leave_room_for_fewer() -> None:
    def advised(**given: Any) -> Any:
        return generated("elementwise", **given).values["min_blocks"]

    assert advised(op="silu_mul") == 3
    others = ({"op": "silu"}, {"dtype": "float32"}, {"threads": 1024}, {"M": 1, "N": 64})
    assert [advised(**{"op": "silu_mul", **other}) for other in others] == [None] * 4


def test_hints_of_rows_are_advised_for_what_was_measured_alone() -> None:
    def advised(pattern: str, field: str, **given: Any) -> Any:
        return generated(pattern, **given).values[field]

    assert [advised("norm", "threads", kind=kind) for kind in ("rms", "layer")] == [512, 256]
    assert [advised("norm", "min_blocks", kind=kind) for kind in ("rms", "layer")] == [4, 4]
    assert advised("norm", "bulk_row") is True
    unlike: tuple[dict[str, Any], ...] = ({"one_barrier": False}, {"residual": True}, {"N": 8191})
    assert [advised("norm", "bulk_row", **other) for other in unlike] == [None] * 3
    others: tuple[dict[str, Any], ...] = (
        {"kind": "rms", "threads": 128},
        {"kind": "layer", "threads": 512},
        {"kind": "layer", "dtype": "float32"},
        {"kind": "layer", "N": 4096},
    )
    assert [advised("norm", "min_blocks", **other) for other in others] == [None] * 4
    assert advised("reduction", "streaming", op="sum") is True
    sums: tuple[dict[str, Any], ...] = ({"op": "max"}, {"dtype": "float32"}, {"N": 1024})
    assert [advised("reduction", "streaming", **{"op": "sum", **s}) for s in sums] == [None] * 3


def test_more_blocks_than_there_is_room_for_have_a_mend() -> None:
    with pytest.raises(IllegalError) as refused:
        generated("elementwise", threads=1024, min_blocks=3)
    (breach,) = refused.value.breaches
    assert [(mend.field, mend.value) for mend in breach.mends] == [
        ("min_blocks", 2),
        ("threads", 512),
    ]


def test_a_row_that_comes_by_one_copy_is_not_streamed() -> None:
    norm = pattern_named("norm")
    asked = {"one_barrier": True, "bulk_row": True, "streaming": True}
    values = effective(norm, completed(norm, asked))
    assert values["streaming"] is None
    assert effective(norm, completed(norm, {**asked, "bulk_row": False}))["streaming"]
    made = generated("norm", "h200", M=16384, N=8192, **asked)
    assert FLAG not in made.text
