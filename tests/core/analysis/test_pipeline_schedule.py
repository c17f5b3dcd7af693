"""Schedules of small loops, each worked by hand beside it."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.support.analysis_results import analysis, estimate, work
from tests.support.pipelines import GEMM_LINE, handed_over, one_stage, step, two_stages
from workbench.core.analysis.estimate import EstimateConstants
from workbench.core.analysis.pipeline import Pipeline, PipelineLoop, StepKind
from workbench.core.analysis.pipeline_costs import StepClocks, executions, step_clocks
from workbench.core.analysis.pipeline_schedule import Schedule, schedule
from workbench.core.analysis.pipeline_stretches import Part
from workbench.core.plain import from_plain, to_plain

# Whole numbers, so that the sums beside the tests can be done in the head.
CONSTANTS = EstimateConstants(latency=350, line=4, wait=240, barrier=30)


def scheduled(pipeline: Pipeline, tensor: float) -> Schedule:
    clocks = tuple(
        StepClocks(tensor=tensor) if each.kind is StepKind.TENSOR else StepClocks()
        for each in pipeline.steps
    )
    return schedule(pipeline, clocks, {}, CONSTANTS)


def stretches(found: Schedule, part: Part) -> list[tuple[float, float]]:
    return [(each.begin, each.end) for each in found.stretches if each.part is part]


def test_with_one_stage_each_turn_waits_for_its_whole_copy() -> None:
    found = scheduled(one_stage(turns=6), tensor=100)
    # 350 clocks of a copy, then 100 of a product, and again.
    assert stretches(found, Part.WAIT)[:2] == [(0, 350), (450, 800)]
    assert stretches(found, Part.TENSOR)[:2] == [(350, 450), (800, 900)]
    assert stretches(found, Part.COPY)[:2] == [(0, 350), (450, 800)]
    assert found.turns == (0, 450, 900, 1350, 1800, 2250)
    assert found.period == 450
    assert (found.total_turns, found.block_clocks, found.is_cut) == (6, 2700, False)


def test_with_two_stages_a_long_product_hides_the_copy() -> None:
    found = scheduled(two_stages(), tensor=500)
    # Only the first copy is waited for: the next ones are under way for 500 clocks.
    assert stretches(found, Part.WAIT) == [(0, 350)]
    assert found.period == 500
    assert found.block_clocks == 350 + 24 * 500


def test_with_two_stages_a_short_product_halves_the_turn() -> None:
    found = scheduled(two_stages(), tensor=100)
    # A copy is started two products before it is used: twice the turn is 350 + 100.
    assert found.period == pytest.approx(225)
    # The first copy is waited for alone, so that turns are 100 and 350 long by turns.
    assert found.cycle == 2


def test_a_stage_is_filled_again_when_it_was_handed_back() -> None:
    # A copy takes 350 + 128 * 4 = 862; a stage is held for 240 + 260 = 500: over two, 681.
    found = scheduled(handed_over(), tensor=260)
    assert found.period == pytest.approx(681)
    assert found.role == 1
    waits = [s for s in found.stretches if s.part is Part.WAIT]
    assert {each.buffers for each in waits} == {("a_s",)}
    # With 1000 clocks of work the copies are early, and a turn is work and hand-over.
    busy = scheduled(handed_over(), tensor=1000)
    assert busy.period == 1240
    assert [s for s in busy.stretches if s.part is Part.ROOM and s.clocks > 100]


def test_a_counter_in_a_register_names_the_stage() -> None:
    counted = handed_over()
    steps = []
    for each in counted.steps:
        role = "k" if each.warps == (0, 3) else "j"
        slot = each.slot and dataclasses.replace(
            each.slot, index=each.slot.index.replace(role, "c")
        )
        value = each.value and each.value.replace(f"{role} ", "c ")
        steps.append(dataclasses.replace(each, slot=slot, value=value))
    ends = [n for n, each in enumerate(steps) if each.kind in (StepKind.COPY, StepKind.ARRIVE)]
    for place in (ends[-1], ends[1]):
        more = {"warps": steps[place].warps, "loops": steps[place].loops}
        steps.insert(place + 1, step(StepKind.COUNT, text="c", value="c + 1", **more))
    begin = step(StepKind.COUNT, text="c", value="0", warps=(0, 7))
    found = scheduled(dataclasses.replace(counted, steps=(begin, *steps)), tensor=260)
    assert found.period == pytest.approx(681)
    # Without its first value nobody knows which stage a wait is for.
    assert scheduled(dataclasses.replace(counted, steps=tuple(steps)), tensor=260).is_untold


def test_turns_beyond_those_followed_take_the_steady_time() -> None:
    found = scheduled(two_stages(turns=1000), tensor=500)
    assert found.is_cut
    assert found.block_clocks == pytest.approx(350 + 1000 * 500)


def test_a_wait_for_what_never_comes_ends_the_schedule() -> None:
    whole = handed_over()
    steps = tuple(each for each in whole.steps if each.kind is not StepKind.ARRIVE)
    assert scheduled(dataclasses.replace(whole, steps=steps), tensor=100).is_unmet


def test_a_kernel_without_a_pipeline_is_a_sequence() -> None:
    steps = (
        step(StepKind.LOAD, 4),
        step(StepKind.TENSOR, GEMM_LINE, loops=(0,)),
        step(StepKind.BARRIER, loops=(0,)),
    )
    made = Pipeline(128, 32, ((0, 3),), (PipelineLoop("k", "k", "8", 3),), steps)
    found = scheduled(made, tensor=10)
    assert found.main is None
    assert stretches(found, Part.TENSOR) == [(0, 80)]  # all eight turns


def test_a_loop_that_the_block_decides_is_that_of_a_block_in_the_middle() -> None:
    loop = PipelineLoop("k", "k", "bx + 1", 3)
    inner = step(StepKind.TENSOR, GEMM_LINE, loops=(0,), guards=("k < 2",))
    made = Pipeline(128, 32, ((0, 3),), (loop,), (inner,))
    assert executions(made, dataclasses.replace(inner, guards=()), {"bx": 4}) == 5
    assert executions(made, inner, {"bx": 4}) == 2


def test_the_clocks_of_a_block_are_those_of_the_estimate() -> None:
    kernel = analysis(work=work(), estimate=estimate(tensor=600.0, shared=1000.0))
    pipeline = one_stage(turns=6)
    clocks = step_clocks(pipeline, kernel)
    assert clocks is not None
    spent = [
        sum(
            getattr(each, part) * executions(pipeline, s, {})
            for each, s in zip(clocks, pipeline.steps, strict=True)
        )
        for part in ("tensor", "shared")
    ]
    assert spent == pytest.approx([600, 1000])
    # The copy's line has 800 of 1000 wavefronts (tests/support/analysis_results.py).
    assert clocks[0].shared == pytest.approx(1000 * 0.8 / 6)
    assert step_clocks(pipeline, dataclasses.replace(kernel, estimate=None)) is None


def test_a_pipeline_survives_json() -> None:
    made = handed_over()
    assert from_plain(Pipeline, json.loads(json.dumps(to_plain(made)))) == made
