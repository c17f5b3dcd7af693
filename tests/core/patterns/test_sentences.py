"""One sentence leads to a pattern, fields, targets and a goal; what it lacks is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import TABLE
from pattern_samples import SENTENCES

from workbench.core.patterns.model import Goal, PatternError
from workbench.core.patterns.sentences import Reading, read_sentence
from workbench.core.patterns.table import PATTERNS


def read(text: str) -> Reading:
    return read_sentence(text, PATTERNS, TABLE)


@pytest.mark.parametrize(("text", "pattern", "values"), SENTENCES)
def test_a_sentence_says(text: str, pattern: str, values: dict[str, Any]) -> None:
    reading = read(text)
    assert (reading.pattern.id, reading.values) == (pattern, values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("MLA decode, batch 64 context 4096 heads 128",
         {"batch": 64, "context": 4096, "heads": 128}),
        ("MLA decode with 128 heads 64 batch", {"heads": 128, "batch": 64}),
        ("top 8 experts of 256 for 4096 tokens", {"k": 8, "N": 256, "M": 4096}),
        ("permute BSHD, batch 2, 2048 tokens, 32 heads of 128",
         {"form": "heads", "batch": 2, "M": 2048, "heads": 32, "N": 128}),
        ("int4 GEMV of batch 4, group 64", {"M": 4, "group": 64}),
    ],
)  # fmt: skip
def test_a_number_between_two_words_is_for_one_of_them(text: str, values: dict[str, Any]) -> None:
    reading = read(text)
    assert reading.values == values
    assert reading.unused == ()


@pytest.mark.parametrize("text", [text for text, _, _ in SENTENCES])
def test_all_of_a_sample_is_used(text: str) -> None:
    assert read(text).unused == ()


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("fp8 gemm for h100, M=N=K=4096 and batch 5", ("batch 5",)),
        ("gemm for h300 and h100, M=N=K=foo=3", ("h300", "foo=3")),
        ("int4 softmax of 4096x4096", ("int4",)),
        ("gemm 4096x4096x4096x5", ("4096x4096x4096x5",)),
        ("please write a fast gemm with low latency on an NVIDIA H100 GPU, M=N=K=1k", ()),
        ("forward pass of flash attention, fp16 on H200, batch 8, 16 heads", ()),
    ],
)
def test_what_was_not_used_is_told(text: str, unused: tuple[str, ...]) -> None:
    assert read(text).unused == unused


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("gemm for A100", ("a100",)),
        ("gemm on an RTX 4090", ("rtx4090",)),
        ("gemm for MI300X and H100", ("mi300x", "h100")),
        ("gemm for sm_90a", ("sm_90a",)),
        ("gemm for h200:sm_80", ("h200:sm_80",)),
        ("gemm on the CPU", ("cpu",)),
        ("fp16 gemm", ()),
    ],
)
def test_targets_are_found_in_order(text: str, targets: tuple[str, ...]) -> None:
    assert read(text).targets == targets


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("gemm with low latency", Goal.LATENCY),
        ("gemm for throughput", Goal.THROUGHPUT),
        ("gemm", None),
    ],
)
def test_the_goal_is_found(text: str, goal: Goal | None) -> None:
    assert read(text).goal is goal


def test_what_is_missing_is_asked_for() -> None:
    reading = read("gemm with N=4096 for H100")
    assert reading.missing == ("M", "K")
    assert reading.question == (
        "The sentence does not say M, K. Add it, or --set M=... --set K=..."
    )


def test_a_number_of_rows_known_at_launch_is_not_missing() -> None:
    assert read("gemm with dynamic M, N=1024, K=512").missing == ()


def test_a_sentence_about_nothing_names_the_patterns() -> None:
    with pytest.raises(PatternError, match="no kind of kernel; there are scaffold, gemm"):
        read("make me a sandwich")


def test_a_pattern_that_is_misspelt_is_asked_back() -> None:
    with pytest.raises(PatternError, match="no kind of kernel; is softmax meant"):
        read("softmx over rows of 4096 for H100")


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(PatternError, match="`M` is 1 or more, not 0"):
        read("gemm with M=0")
