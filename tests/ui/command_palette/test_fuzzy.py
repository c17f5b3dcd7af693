from __future__ import annotations

import pytest

from workbench.ui.command_palette.fuzzy import match


def best(query: str, *texts: str) -> str:
    fits = {text: fit.score for text in texts if (fit := match(query, text)) is not None}
    return max(fits, key=lambda text: fits[text])


@pytest.mark.parametrize(
    ("query", "text", "positions"),
    [
        ("comp", "Compile", (0, 1, 2, 3)),
        ("COMP", "compile", (0, 1, 2, 3)),
        ("theme dark", "Dark Theme", (0, 1, 2, 3, 5, 6, 7, 8, 9)),
        ("np", "Next Problem", (0, 5)),
        ("oplem", "Open a problem", (0, 7, 11, 12, 13)),
        ("fp", "gemm_fp8.py", (5, 6)),
    ],
)
def test_what_was_typed_is_found(query: str, text: str, positions: tuple[int, ...]) -> None:
    fit = match(query, text)
    assert fit is not None
    assert fit.positions == positions


@pytest.mark.parametrize(("query", "text"), [("xyz", "Compile"), ("pc", "cp"), ("a b", "a")])
def test_what_does_not_occur_is_not_found(query: str, text: str) -> None:
    assert match(query, text) is None


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("ver", "Verify", "Recover"),
        ("verify", "Verify", "Verify Again"),
        ("problem", "Next Problem", "Improbleme"),
        ("sa", "Save As", "Usable tasks"),
        ("gemm", "gemm.py", "a_gemm.py"),
        ("op", "Open", "Stop"),
    ],
)
def test_the_better_comes_first(query: str, better: str, worse: str) -> None:
    assert best(query, worse, better) == better


def test_a_word_may_occur_beside_the_title() -> None:
    fit = match("gemm models", "gemm.py", "kernels/models")
    assert fit is not None
    assert fit.positions == (0, 1, 2, 3)


def test_the_title_counts_more_than_what_is_beside() -> None:
    in_title, beside = match("gemm", "gemm.py", ""), match("gemm", "main.py", "gemm")
    assert in_title is not None
    assert beside is not None
    assert in_title.score > beside.score


def test_letters_that_grow_in_lower_case_keep_their_places() -> None:
    fit = match("tile", "İ tile")
    assert fit is not None
    assert fit.positions == (2, 3, 4, 5)
