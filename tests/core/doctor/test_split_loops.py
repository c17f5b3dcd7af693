"""What goes wrong only where warps of their own copy is found there, and nowhere else."""

from __future__ import annotations

import ast
import re

import pytest
from split_kernels import ALL_COPY, GATHER, SPLIT

from workbench.core.doctor.fixing import fix_text
from workbench.session.fixes import apply_fix

CODES = {"initialization-moved", "thread-index-too-large", "im2col-bounds"}


def found(linted, text, *targets):
    told = linted(text, targets or ("h200",))
    return [d for d in told if d.code in CODES]


def marked(text: str) -> list[tuple[str, int]]:
    lines = enumerate(text.split("\n"), 1)
    return [(m.group(1), n) for n, line in lines if (m := re.search(r"# <- (.*)", line))]


@pytest.mark.parametrize("name", SPLIT)
def test_a_mistake_is_found_at_its_line(name, linted):
    wrong, _ = SPLIT[name]
    assert [(d.code, d.range.line) for d in found(linted, wrong)] == marked(wrong)


@pytest.mark.parametrize("name", SPLIT)
def test_its_right_form_has_nothing_to_be_told(name, linted):
    _, right = SPLIT[name]
    assert linted(right, ("h200",)) == [] or found(linted, right) == []


@pytest.mark.parametrize("name", SPLIT)
def test_nothing_is_told_where_all_warps_copy(name, linted):
    wrong, _ = SPLIT[name]
    assert found(linted, wrong, "a100", "mi300x") == []
    assert found(linted, wrong.replace("out_idx=[2]", f"out_idx=[2]{ALL_COPY}")) == []
    assert found(linted, wrong.replace("num_stages=3", "num_stages=0")) == []


@pytest.mark.parametrize("name", SPLIT)
def test_the_fix_leaves_nothing_of_it(name, linted):
    wrong, _ = SPLIT[name]
    mended, applied = fix_text(wrong, lambda text: linted(text, ("h200",)), apply_fix)
    ast.parse(mended)
    assert applied
    assert found(linted, mended) == []


def test_only_the_targets_with_tma_are_concerned(linted):
    wrong, _ = SPLIT["sum over an outer loop"]
    (told,) = found(linted, wrong, "a100", "h200")
    assert told.targets == ("h200",)


def test_clearing_again_in_each_turn_is_no_mistake(linted):
    wrong, _ = SPLIT["product over an outer loop"]
    again = wrong.replace(
        "for t in T.serial(2):\n", "for t in T.serial(2):\n" + " " * 16 + "T.clear(c)\n"
    )
    assert found(linted, again) == []


@pytest.mark.parametrize(("pad", "rows"), [(0, 64), (2, 64)])
def test_a_gather_whose_rows_end_elsewhere_is_found(pad, rows, linted):
    (told,) = found(linted, GATHER.format(pad=pad, rows=rows))
    assert told.code == "im2col-bounds"
    assert told.evidence == {"upper_corner": -pad, "right": pad - 2}


@pytest.mark.parametrize(
    ("pad", "rows", "why"),
    [(1, 64, "the image keeps its size"), (9, 32, "a tile stays in a row of 32 pixels")],
)
def test_a_gather_that_is_right_is_left_alone(pad, rows, why, linted):
    assert found(linted, GATHER.format(pad=pad, rows=rows)) == [], why
