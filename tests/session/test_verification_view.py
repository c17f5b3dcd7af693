from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verification_results import ATOL, CAVEAT, Results

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import BlockSample, Failure, OutputBlocks, Signature, VerifyResult
from workbench.session.verification_errors import OUTSIDE, ErrorGrid
from workbench.session.verification_layout import layout_of
from workbench.session.verification_sample import without_others
from workbench.session.verification_view import Choice, Outcome, Subject, resolve

Array = np.ndarray[Any, Any]


def matrix(
    wrong: Callable[[Array], None] | None = None, shape: Any = (64, 96)
) -> tuple[Array, Array]:
    """What was got, spoilt by `wrong`, and what was expected."""
    expected = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    got = expected.copy()
    if wrong is not None:
        wrong(got)
    return got, expected


GRID = OutputBlocks((6, 4), (16, 16), (1, 0))


def last_column(got: Array) -> None:
    for top in range(0, 64, 16):
        got[top + 12 : top + 16, 80:96] += 8


def test_the_sentence_names_the_blocks_and_the_rows_that_are_wrong() -> None:
    results = Results()
    view = resolve(results.subject((results.output(*matrix(last_column), GRID),)))
    assert view.outcome is Outcome.MISMATCH
    assert view.conclusion == (
        "C is wrong in 256 of 6,144 elements, all in the blocks of bx 5. "
        "Within a block they lie in rows 12–15. The largest error is 80 times its tolerance."
    )


def test_wrong_elements_are_counted_by_block_and_by_row_within_one() -> None:
    results = Results()
    view = resolve(results.subject((results.output(*matrix(last_column), GRID),)))
    columns, within, rows = view.groups
    assert [g.title for g in view.groups] == [
        "Wrong by block column", "Wrong by row within a block", "Wrong by block row",
    ]  # fmt: skip
    assert [(c.label, c.wrong) for c in columns.counts][-2:] == [("bx 4", 0), ("bx 5", 256)]
    assert [(c.label, c.wrong) for c in rows.counts] == [(f"by {at}", 64) for at in range(4)]
    assert [(c.label, c.wrong) for c in within.counts] == [
        ("0–3", 0), ("4–7", 0), ("8–11", 0), ("12–15", 256),
    ]  # fmt: skip
    assert view.passes == ("20 of 24 blocks are right", "no NaN, no infinity")


def test_many_blocks_are_counted_in_ranges() -> None:
    results = Results()
    got, expected = matrix(lambda got: got[3].__iadd__(9), (16, 320))
    output = results.output(got, expected, OutputBlocks((20, 1), (16, 16), (1, None)))
    (_, columns) = resolve(results.subject((output,))).groups
    assert [c.label for c in columns.counts][:2] == ["bx 0–2", "bx 3–5"]
    assert [c.label for c in columns.counts][-1] == "bx 18–19"
    assert sum(c.wrong for c in columns.counts) == 320


def test_the_figures_are_those_of_the_output() -> None:
    results = Results()
    figures = resolve(results.subject((results.output(*matrix(last_column), GRID),))).figures
    assert figures is not None
    assert (figures.name, figures.dtype, figures.wrong, figures.total) == (
        "C",
        "float16",
        256,
        6144,
    )
    assert figures.largest_error == pytest.approx(8)
    assert (figures.seeds_passed, figures.seeds) == (0, 1)


def test_an_element_knows_its_block_and_its_values() -> None:
    results = Results()
    got, expected = matrix(last_column)
    output = resolve(results.subject((results.output(got, expected, GRID),))).output
    assert output is not None
    element = output.element_at(30, 85)
    assert element is not None
    assert (element.label, element.block, element.within) == (
        "C[30, 85]", "bx 5, by 1", "row 14, column 5",
    )  # fmt: skip
    assert (element.got, element.expected) == (got[30, 85], expected[30, 85])
    assert element.difference == pytest.approx(8)
    assert (element.allowed, element.wrong) == (pytest.approx(ATOL), True)


def test_a_place_beyond_the_output_is_no_element() -> None:
    results = Results()
    blocks = OutputBlocks((3, 2), (16, 16), (1, 0))
    output = resolve(results.subject((results.output(*matrix(shape=(20, 40)), blocks),))).output
    assert output is not None
    assert output.layout.extent == (32, 48)
    assert output.element_at(20, 0) is None
    assert output.errors.values[19, 39] == 0
    assert output.errors.values[20, 0] == output.errors.values[0, 40] == OUTSIDE


def test_a_pass_says_how_much_of_the_tolerance_is_used() -> None:
    results = Results()
    got, expected = matrix(lambda got: got.__iadd__(0.05))
    view = resolve(results.subject((results.output(got, expected, GRID),)))
    assert view.outcome is Outcome.PASS
    assert view.conclusion == (
        "C agrees with the reference in all 6,144 elements. "
        "The largest error is 0.5 of its tolerance."
    )
    assert (view.method, view.caveats) == ("float64", (CAVEAT,))
    assert view.groups == ()


def test_equal_outputs_are_said_to_be_equal() -> None:
    results = Results()
    view = resolve(results.subject((results.output(*matrix()),)))
    assert view.conclusion.endswith("Every element is equal.")


def test_a_pass_without_values_claims_no_error() -> None:
    results = Results()
    output = results.output(*matrix(), GRID, values=False)
    view = resolve(results.subject((dataclasses.replace(output, max_share=None),)))
    assert view.conclusion == "C agrees with the reference in all 6,144 elements."
    assert view.output is not None
    assert view.output.element_at(0, 0).got is None  # type: ignore[union-attr]
    assert view.output.errors.largest == 0


def test_an_output_of_nan_alone_says_what_that_may_mean() -> None:
    results = Results()
    got, expected = matrix(lambda got: got.fill(np.nan))
    view = resolve(results.subject((results.output(got, expected, GRID),)))
    assert view.conclusion.startswith("C holds no number in any of its 6,144 elements. ")
    assert "start as NaN" in view.conclusion
    assert view.output is not None
    assert view.output.errors.has_nonfinite
    assert view.output.errors.largest == 0
    assert view.passes == ("0 of 24 blocks are right", "6,144 NaN or infinite")


def test_some_nan_are_counted() -> None:
    results = Results()
    got, expected = matrix(lambda got: got[:2, :3].fill(np.nan))
    view = resolve(results.subject((results.output(got, expected, GRID),)))
    assert "all in the block bx 0, by 0" in view.conclusion
    assert "6 elements are NaN or infinite." in view.conclusion


def test_the_output_that_is_wrong_is_shown_and_the_others_named() -> None:
    results = Results()
    right = results.output(*matrix(), name="dA", index=3)
    wrong = results.output(*matrix(last_column), name="dB", index=4)
    subject = results.subject((right, wrong))
    view = resolve(subject)
    assert view.output is not None
    assert view.output.name == "dB"
    assert view.conclusion.startswith("dB is wrong in 256 of 6,144 elements.")
    assert view.conclusion.endswith("dA is right.")
    assert [(o.key, o.name, o.wrong) for o in view.outputs] == [(3, "dA", 0), (4, "dB", 256)]
    other = resolve(subject, Choice(output=3))
    assert other.output is not None
    assert other.output.name == "dA"
    assert other.conclusion.startswith("dB is wrong")


def test_the_first_seed_that_fails_is_shown() -> None:
    results = Results()
    good, bad = results.output(*matrix()), results.output(*matrix(last_column))
    subject = results.subject((good,), (bad,), (good,))
    view = resolve(subject)
    assert view.seed == 1
    assert view.conclusion.endswith("With seeds 0 and 2 it passes.")
    assert view.figures is not None
    assert (view.figures.seeds_passed, view.figures.seeds) == (2, 3)
    assert resolve(subject, Choice(seed=0)).conclusion == "Seed 0 passes, but seed 1 does not."


def test_without_values_the_pooled_map_is_shown() -> None:
    results = Results()
    got, expected = matrix(last_column)
    output = results.output(got, expected, GRID, values=False)
    pooled = np.zeros((16, 16), "<f4")
    pooled[:, 15] = 80
    blob = results.add(pooled)
    output = dataclasses.replace(output, error_map_shape=(16, 16), error_map_blob=blob)
    view = resolve(results.subject((output,)))
    assert view.output is not None
    errors = view.output.errors
    assert (errors.row_step, errors.column_step, errors.in_tolerances) == (4, 6, True)
    assert (errors.largest, errors.values[0, 0]) == (80, 0)
    assert "all in the blocks of bx 5" in view.conclusion
    assert "80 times its tolerance" in view.conclusion
    worst = view.output.worst[0]
    assert (worst.block, worst.wrong) == (f"bx 5, by {worst.index[0] // 16}", True)


def test_a_vector_shows_a_row_for_each_block() -> None:
    results = Results()
    got, expected = matrix(lambda got: got[64:128].__iadd__(5), (1000,))
    output = results.output(got, expected, OutputBlocks((16,), (64,), (0,)))
    view = resolve(results.subject((output,)))
    assert view.conclusion.startswith("C is wrong in 64 of 1,000 elements, all in the block bx 1.")
    assert view.output is not None
    assert view.output.layout.extent == (16, 64)
    assert view.output.element_at(1, 5).label == "C[69]"  # type: ignore[union-attr]
    titles = [group.title for group in view.groups]
    assert titles == ["Wrong by block", "Wrong by element within a block"]
    layout = view.output.layout
    assert view.output.band_label(layout.rows, 3) == "bx 3"
    assert view.output.band_label(layout.columns, 0) == ""


def test_four_dimensions_keep_a_blocks_elements_together() -> None:
    results = Results()
    got, expected = matrix(lambda got: got[1, 8:16, 2].__iadd__(5), (2, 24, 3, 8))
    blocks = OutputBlocks((3, 3, 2), (1, 8, 1, 8), (1, 2, 0))
    output = results.output(got, expected, blocks)
    output = dataclasses.replace(
        output,
        owners_blob=results.add(
            np.arange(18, dtype="<i4").reshape(2, 3, 3).transpose(0, 2, 1).copy()
        ),
    )
    view = resolve(results.subject((output,)))
    assert "all in the block bz 1, by 2, bx 1" in view.conclusion
    assert view.output is not None
    element = view.output.element((1, 10, 2, 3))
    assert (element.block, element.within) == ("bx 1, by 2, bz 1", "row 2, column 3")


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3, 1), (1, 5)])
def test_small_outputs_have_a_picture(shape: tuple[int, ...]) -> None:
    results = Results()
    got, expected = matrix(lambda got: got.__setitem__(..., 9.0), shape)
    view = resolve(results.subject((results.output(np.asarray(got), np.asarray(expected)),)))
    assert view.output is not None
    assert view.output.element_at(0, 0) is not None
    assert view.output.element_at(0, 0).difference is not None  # type: ignore[union-attr]
    assert np.count_nonzero(view.output.errors.values > 0) == got.size


def test_an_empty_output_agrees() -> None:
    results = Results()
    view = resolve(results.subject((results.output(*matrix(shape=(0, 4))),)))
    assert view.outcome is Outcome.PASS
    assert view.output is not None
    assert view.output.element_at(0, 0) is None
    assert view.output.layout.extent[0] == 0


def test_without_a_result_there_is_a_word_of_what_would_stand_there() -> None:
    assert resolve(Subject()).outcome is Outcome.NONE
    view = resolve(Subject(trusted=False))
    assert (view.outcome, view.output) == (Outcome.UNTRUSTED, None)
    assert "not trusted" in view.conclusion


def test_a_failure_has_its_message_and_line() -> None:
    failure = Failure("kernel", "Name 'x' is not defined\nmore", "Traceback", 12)
    finding = Diagnostic("load", Severity.ERROR, "x", TextRange(12))
    view = resolve(Subject(VerifyResult(failure, diagnostics=(finding,)), stale=True))
    assert view.outcome is Outcome.ERROR
    assert view.conclusion == (
        "The kernel did not get as far as a comparison: Name 'x' is not defined"
    )
    assert view.failure == failure
    assert view.findings == (finding,)
    assert view.stale


def test_a_result_of_an_earlier_text_is_marked() -> None:
    results = Results()
    assert resolve(results.subject((results.output(*matrix()),), stale=True)).stale


SIGNATURE = Signature(
    "k-step",
    "a wrong sum along K",
    "This looks like a wrong sum along K: K step 7 of 7 is missing.",
    "look at the extent of the loop over K",
    "strong",
    1.0,
    192,
)


def test_the_kind_of_wrong_is_part_of_the_sentence_and_its_evidence_is_told() -> None:
    results = Results()
    output = results.output(*matrix(last_column), GRID)
    output = dataclasses.replace(output, signatures=(SIGNATURE,))
    view = resolve(results.subject((output,)))
    assert "all in the blocks of bx 5. This looks like a wrong sum along K" in view.conclusion
    assert view.evidence == (
        "Strong evidence, from 192 elements: look at the extent of the loop over K."
    )


def sampled(results: Results, wrong: Callable[[Array], None] | None = None) -> Subject:
    """A verification in which the blocks of the two first columns did not run."""
    output = results.output(*matrix(wrong), GRID)
    assert output.owners_blob is not None
    owners = np.arange(24, dtype="<i4").reshape(4, 6)
    owners[:, :2] = -1
    results.blobs[output.owners_blob] = owners.tobytes()
    output = dataclasses.replace(output, total=64 * 64)
    subject = results.subject((output,))
    assert subject.result is not None
    result = dataclasses.replace(subject.result, sample=BlockSample(16, 24))
    return dataclasses.replace(subject, result=result, blobs=tuple(results.blobs))


@pytest.mark.parametrize("wrong", [None, last_column])
def test_what_a_sample_left_out_is_not_shown_as_right(
    wrong: Callable[[Array], None] | None,
) -> None:
    view = resolve(sampled(Results(), wrong))
    assert view.outcome is (Outcome.SAMPLED_PASS if wrong is None else Outcome.MISMATCH)
    assert "ampled 16 of 24 blocks" in view.conclusion
    assert "nothing is said of the other 8" in view.conclusion.lower()
    assert view.passes[0] == f"{16 if wrong is None else 12} of 16 blocks that ran are right"
    output = view.output
    assert output is not None
    values, steps = output.errors.values, (output.errors.row_step, output.errors.column_step)
    assert (values[:, : 32 // steps[1]] == OUTSIDE).all()
    assert (values[:, 32 // steps[1] :] >= 0).all()
    left_out, run = output.element((3, 31)), output.element((3, 32))
    assert (left_out.got, left_out.wrong, left_out.block) == (None, None, "not run")
    assert (run.wrong, run.block) == (False, "bx 2, by 0")


def test_pooled_errors_leave_out_what_was_not_run() -> None:
    errors = ErrorGrid(np.zeros((16, 24), np.float32), 4, 4, in_tolerances=True)
    layout = layout_of((64, 96), (16, 16))
    ran = np.ones((64, 96), bool)
    ran[:16, :32] = False
    values = without_others(errors, ran, layout).values
    assert (values[:4, :8] == OUTSIDE).all()
    assert (values == OUTSIDE).sum() == 32
