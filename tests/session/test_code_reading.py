from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.core.jobs import CompileResult, PassesResult, PassRecord
from workbench.session.code_comparisons import ALONE, Against, Comparison
from workbench.session.code_inputs import CodeInputs, Stage, State, TargetCode
from workbench.session.code_reading import CodeReading
from workbench.session.code_view import Place

SOURCE = CompileResult(None, emitted={"source": "a"})
PTX = CompileResult(None, emitted={"source": "a", "ptx": "b"})


def inputs(
    result: CompileResult | None = SOURCE, running: bool = False, stale: bool = False
) -> CodeInputs:
    targets = (
        TargetCode("h100", "H100", 0, result, running),
        TargetCode("a100", "A100", 1, SOURCE),
    )
    return CodeInputs("gemm.py", targets, stale)


def trace(*names: str) -> tuple[PassesResult, tuple[bytes, ...]]:
    records = [PassRecord(i, name, i > 0, max(0, i - 1), i, 0.1) for i, name in enumerate(names)]
    return PassesResult(None, tuple(records)), tuple(f"{i}".encode() for i in range(len(names)))


@pytest.fixture
def reading() -> CodeReading:
    reading = CodeReading()
    reading.set_results(inputs())
    return reading


def test_the_source_of_the_first_target_is_read_first(reading: CodeReading) -> None:
    assert reading.place == Place("h100", Stage.SOURCE)
    assert reading.right is not None
    assert reading.right.text == "a"


def test_nothing_is_read_without_targets() -> None:
    reading = CodeReading()
    reading.set_results(CodeInputs("gemm.py"))
    assert (reading.place, reading.right, reading.left) == (None, None, None)


def test_a_stage_is_asked_for_when_it_is_opened_and_once(reading: CodeReading) -> None:
    reading.choose_stage(Stage.PTX)
    assert reading.take_wanted() == (("h100", Stage.PTX),)
    assert reading.take_wanted() == ()
    assert reading.right is not None
    assert reading.right.state is State.LOADING


def test_what_is_compared_with_is_asked_for_too(reading: CodeReading) -> None:
    reading.choose_stage(Stage.SASS)
    reading.choose_comparison(Comparison(Against.TARGET, "a100"))
    assert reading.take_wanted() == (("h100", Stage.SASS), ("a100", Stage.SASS))


def test_it_is_loading_until_the_answer_is_there(reading: CodeReading) -> None:
    reading.choose_stage(Stage.PTX)
    reading.take_wanted()
    states = []
    for result, running in ((SOURCE, False), (SOURCE, True), (PTX, False)):
        reading.set_results(inputs(result, running))
        assert reading.right is not None
        states.append(reading.right.state)
    assert states == [State.LOADING, State.LOADING, State.READY]


def test_an_answer_without_the_text_is_not_asked_for_again_by_itself(reading: CodeReading) -> None:
    reading.choose_stage(Stage.PTX)
    reading.take_wanted()
    reading.set_results(inputs(replace(SOURCE)))
    assert reading.take_wanted() == ()
    assert reading.right is not None
    assert reading.right.state is State.ABSENT
    reading.ask("h100", Stage.PTX)
    assert reading.right.state is State.LOADING


def test_work_that_ends_without_a_result_is_an_answer_too(reading: CodeReading) -> None:
    reading.choose_stage(Stage.PTX)
    reading.take_wanted()
    states = []
    for running in (False, True, False):
        reading.set_results(inputs(SOURCE, running))
        assert reading.right is not None
        states.append(reading.right.state)
    assert states == [State.LOADING, State.LOADING, State.ABSENT]
    assert reading.take_wanted() == ()


def test_a_new_result_after_an_answer_is_asked_again(reading: CodeReading) -> None:
    reading.choose_stage(Stage.PTX)
    reading.take_wanted()
    reading.set_results(inputs(PTX))
    reading.set_results(inputs(replace(SOURCE)))
    assert reading.take_wanted() == (("h100", Stage.PTX),)


def test_nothing_is_asked_of_an_earlier_text(reading: CodeReading) -> None:
    reading.set_results(inputs(stale=True))
    reading.choose_stage(Stage.PTX)
    assert reading.take_wanted() == ()


def test_the_place_is_kept_through_new_results(reading: CodeReading) -> None:
    reading.choose_target("a100")
    reading.choose_stage(Stage.SASS)
    reading.set_results(inputs(PTX))
    assert reading.place == Place("a100", Stage.SASS)


def test_another_document_is_read_from_its_first_target_on(reading: CodeReading) -> None:
    reading.set_passes("h100", *trace("tl.A"))
    reading.pin()
    reading.choose_pass(0)
    reading.set_results(replace(inputs(), document="softmax.py"))
    assert reading.place == Place("h100", Stage.SOURCE)
    assert (reading.pinned, dict(reading.view.traces)) == (None, {})


def test_passes_are_compared_with_what_they_were_given_and_stages_stand_alone(
    reading: CodeReading,
) -> None:
    reading.set_passes("h100", *trace("tl.A", "tl.B"))
    assert reading.left is None
    reading.choose_pass(1)
    assert reading.left is not None
    assert reading.left.text == "0"
    reading.choose_comparison(ALONE)
    assert reading.left is None


def test_steps_leave_out_what_changes_nothing_where_that_is_wanted(reading: CodeReading) -> None:
    reading.set_passes("h100", *trace("tl.A", "tl.B", "tl.C"))
    reading.only_changes = True
    reading.step_pass(1)
    assert reading.place == Place("h100", pass_index=1)
    reading.only_changes = False
    reading.step_pass(-1)
    assert reading.place == Place("h100", pass_index=0)


def test_another_target_shows_its_pass_of_the_same_name_or_its_source(
    reading: CodeReading,
) -> None:
    reading.set_passes("h100", *trace("tl.A", "tl.B"))
    reading.set_passes("a100", *trace("tl.X", "tl.A"))
    reading.choose_pass(0)
    reading.choose_target("a100")
    assert reading.place == Place("a100", pass_index=1)
    reading.choose_target("h100")
    reading.choose_pass(1)
    reading.choose_target("a100")
    assert reading.place == Place("a100", Stage.SOURCE)


def test_a_pinned_text_is_what_all_others_are_compared_with(reading: CodeReading) -> None:
    reading.pin()
    assert reading.left is None
    reading.set_passes("h100", *trace("tl.A"))
    for choose in (lambda: reading.choose_pass(0), lambda: reading.choose_stage(Stage.TIR)):
        choose()
        assert reading.left_place == Place("h100", Stage.SOURCE)


def test_passes_are_wanted_once_somebody_asked_and_again_when_they_are_stale(
    reading: CodeReading,
) -> None:
    assert reading.take_wanted_passes() is None
    reading.wants_passes = True
    assert reading.take_wanted_passes() == "h100"
    assert reading.is_recording
    assert reading.take_wanted_passes() is None
    reading.set_passes("h100", *trace("tl.A"))
    assert not reading.is_recording
    assert reading.take_wanted_passes() is None
    reading.set_results(inputs(stale=True))
    assert reading.take_wanted_passes() is None
    reading.set_results(inputs(PTX))
    assert reading.take_wanted_passes() == "h100"


def test_passes_can_come_stale(reading: CodeReading) -> None:
    reading.set_passes("h100", *trace("tl.A"), stale=True)
    assert reading.view.traces["h100"].stale
    reading.wants_passes = True
    assert reading.take_wanted_passes() == "h100"


def test_passes_become_stale_with_the_text(reading: CodeReading) -> None:
    reading.set_passes("h100", *trace("tl.A"))
    reading.set_results(inputs(stale=True))
    assert reading.view.traces["h100"].stale
