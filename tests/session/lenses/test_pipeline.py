"""The pipeline picture of schedules that are worked by hand beside the tests."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from tests.support.analysis_results import analysis, analyzed, estimate
from tests.support.lens_subjects import lens_target
from tests.support.pipelines import COPY_LINE, GEMM_LINE, LOOP_TEXT, handed_over, one_stage, step
from workbench.core.analysis.estimate import CONSTANTS
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.pipeline import Pipeline, StepKind
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.session.lenses.links import Selection
from workbench.session.lenses.pipeline.model import Look, PipelinePicture, RowKind
from workbench.session.lenses.pipeline.picture import pipeline_picture
from workbench.session.lenses.subject import LensTarget

GEMM = Operation(GEMM_LINE, "gemm", "T.gemm a_s, b_s -> c", "mma", buffers=("a_s", "b_s", "c"))
MHZ = 1980 * CONSTANTS.clock  # of an H100 SXM


def of(pipeline: Pipeline, name: str = "h100", block: float = 2940.0, **pipes: float) -> LensTarget:
    """A target whose block takes `block` clocks, of which the tensor cores are busy with some."""
    made = replace(estimate(**(pipes or {"tensor": 600.0})), block_clocks=block)
    parts: dict[str, Any] = {"pipeline": pipeline, "operations": (GEMM,), "shared": None}
    return lens_target(name, estimate=made, **parts)


def shown(target: LensTarget) -> PipelinePicture:
    found = pipeline_picture(target, LOOP_TEXT)
    assert found is not None
    return found


def test_one_stage_waits_for_each_copy() -> None:
    # Six turns of 390 clocks of copy and 100 of product: 2940, which is what the estimate says.
    found = shown(of(one_stage(turns=6)))
    assert found.conclusion == (
        "Tensor cores idle 80 % of each iteration: with one stage, a_s comes too late, and 221 of "
        "278 ns is waiting."
    )
    assert found.bracket is not None
    assert found.bracket.text == "steady turn 278 ns · tensor 20 % · waiting 80 %"
    assert found.bracket.end - found.bracket.begin == pytest.approx(490 / MHZ)
    assert found.end == pytest.approx(2940 / MHZ)
    assert "add up to the estimate's" in found.method
    slow = [row.kind for row in found.rows if row.is_bottleneck]
    assert slow == [RowKind.COPIES]
    assert [row.title for row in found.rows] == ["Copies in flight", "Warps 0–3", "Tensor cores"]


def test_blocks_lead_to_their_lines() -> None:
    found = shown(of(one_stage()))
    copy, wait, product = (
        next(b for b in found.blocks if b.look is look)
        for look in (Look.COPY, Look.WAIT, Look.TENSOR)
    )
    assert copy.selection == wait.selection == Selection(line=COPY_LINE, buffer="a_s")
    assert product.selection == Selection(line=GEMM_LINE)
    assert (copy.text, wait.text, product.text) == ("a_s 0", "wait for a_s", "a_s·b_s")
    assert "T.gemm(a_s, b_s, c)" in product.tip
    assert "(100 clocks)" in product.tip
    assert "Predicted: the line's operations" in product.tip


def test_times_are_scaled_to_the_estimate_and_that_is_said() -> None:
    found = shown(of(one_stage(), block=5880.0))
    assert "times scaled by 2.00 to the estimate's" in found.method
    assert found.end == pytest.approx(5880 / MHZ)


def test_roles_have_rows_and_the_one_that_computes_is_the_slow_one() -> None:
    # 24 turns of 1000 clocks of product and 170 of hand-over, after the first copy.
    block = 24 * 1170.0 + 390 + 128 * CONSTANTS.line
    found = shown(of(handed_over(), block=block, tensor=24000.0))
    roles = [(row.title, row.detail) for row in found.rows if row.kind is RowKind.ROLE]
    assert roles == [("Warps 0–3", "producer"), ("Warps 4–7", "consumer")]
    assert "add up" in found.method
    assert found.conclusion == (
        "Tensor cores work 85 % of each iteration: the copies come in time."
    )
    slow = [row.kind for row in found.rows if row.is_bottleneck]
    assert slow == [RowKind.TENSOR]


def test_copies_at_once_lie_below_one_another() -> None:
    found = shown(of(handed_over(), tensor=2400.0))
    copies = [block for block in found.blocks if block.look is Look.COPY]
    assert {block.lane for block in copies} == {0, 1}
    pairs = itertools.pairwise(copies)
    assert all(a.lane != b.lane or a.end <= b.begin + 1e-9 for a, b in pairs)


def test_a_hazard_is_marked_at_its_line_and_told_first() -> None:
    message = "The cp.async into a_s is not awaited."
    hazard = Diagnostic("pipeline-hazard", Severity.ERROR, message, TextRange(COPY_LINE))
    target = of(one_stage())
    assert target.kernel is not None
    found = shown(replace(target, analysis=analyzed(target.kernel, diagnostics=(hazard,))))
    assert found.conclusion.startswith(f"Hazard on line 4: {message} Tensor cores idle")
    marked = {block.look for block in found.blocks if block.hazard}
    assert marked == {Look.COPY, Look.WAIT}


def test_without_a_pipeline_the_sequence_is_shown_once() -> None:
    steps = (step(StepKind.LOAD, COPY_LINE), step(StepKind.TENSOR, GEMM_LINE))
    found = shown(of(Pipeline(128, 32, ((0, 3),), (), steps), block=990.0))
    # A latency of 390 clocks, then the 600 of the product.
    assert found.conclusion == (
        "No copy runs in the background: alone on an SM of H100 a block spends 61 % on the tensor "
        "cores and 39 % waiting for memory."
    )
    assert found.bracket is None
    assert found.opens == (0.0, found.end)


def test_without_an_estimate_there_is_an_order_and_no_time() -> None:
    made = lens_target("mi300x", pipeline=one_stage(), operations=(GEMM,), estimate=None)
    assert made.analysis is not None
    why = {"estimate": "run times are estimated for NVIDIA's models, not for mi300x"}
    found = shown(replace(made, analysis=replace(made.analysis, missing=why)))
    assert not found.is_timed
    assert found.conclusion.startswith("Order without times: run times are estimated for NVIDIA")
    assert [block.look for block in found.blocks] == [Look.COPY, Look.WAIT, Look.TENSOR]
    assert found.bracket is not None
    assert found.bracket.text == "each turn of k, 6 turns"


def test_what_waits_for_the_unknown_has_an_order_alone() -> None:
    whole = handed_over()
    lost = tuple(replace(s, value=None) if s.kind is StepKind.WAIT else s for s in whole.steps)
    never = tuple(s for s in whole.steps if s.kind is not StepKind.ARRIVE)
    for steps in (lost, never):
        found = shown(of(replace(whole, steps=steps)))
        assert not found.is_timed
        assert "what its waits are for could not be followed" in found.conclusion


def test_blocks_that_share_an_sm_are_told() -> None:
    target = of(one_stage())
    assert target.kernel is not None
    assert target.kernel.estimate is not None
    more = replace(target.kernel.estimate, blocks_per_sm=3)
    kernel = analysis(pipeline=one_stage(), operations=(GEMM,), shared=None, estimate=more)
    found = shown(replace(target, analysis=analyzed(kernel)))
    assert found.conclusion.endswith("3 blocks share an SM and can fill one another's gaps.")


def test_nothing_is_shown_where_no_steps_are_known() -> None:
    assert pipeline_picture(lens_target("h100"), LOOP_TEXT) is None


def test_a_copy_that_nobody_waits_for_is_told() -> None:
    whole = one_stage()
    steps = tuple(each for each in whole.steps if each.kind is not StepKind.WAIT)
    found = shown(of(replace(whole, steps=steps), block=600.0))
    assert found.conclusion == "Tensor cores work 100 % of each iteration: no copy is waited for."


def test_a_loop_without_products_says_what_takes_longest() -> None:
    steps = tuple(
        replace(each, kind=StepKind.STORE) if each.kind is StepKind.TENSOR else each
        for each in one_stage().steps
    )
    # Six stores share a latency of 350 clocks; each copy of 350 is waited for: 6 * 58 + 6 * 350.
    found = shown(of(replace(one_stage(), steps=steps), block=2450.0, tensor=0.0))
    assert found.conclusion.startswith("Warps wait 86 % of each iteration: with one stage, a_s")
