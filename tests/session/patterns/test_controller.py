"""The wizard without a window: sentences, choices, steps, checks, reopening and ports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.wizards import Wizard, page_text
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    CompileResult,
    Failure,
    Resources,
    SeedResult,
    VerifyRequest,
    VerifyResult,
)
from workbench.core.patterns.model import PatternError
from workbench.core.plain import to_plain
from workbench.session.open_document import OpenDocument
from workbench.session.patterns.fields_view import Mark
from workbench.session.patterns.wizard_view import StepState

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "wizard"
CHECKS = (CompileRequest, VerifyRequest)
SENTENCE = "FP16 matrix multiplication for A100, M=N=K=4096"


@pytest.fixture
def wizard(tmp_path: Path) -> Wizard:
    return Wizard(tmp_path)


def _document(wizard: Wizard) -> OpenDocument:
    generated = wizard.controller.generated
    assert generated is not None
    return OpenDocument.of(generated.text, None, "mine.py")


def test_a_sentence_fills_the_fields(wizard: Wizard) -> None:
    assert wizard.controller.read(SENTENCE)

    assert wizard.view.targets == ("a100",)
    assert [wizard.field(name).text for name in "MNK"] == ["4096"] * 3
    assert wizard.view.why_not == ""


def test_what_a_sentence_does_not_say_is_asked_for(wizard: Wizard) -> None:
    wizard.controller.read("fp16 matmul for h100, M=N=4096")

    assert wizard.field("K").is_asked
    assert wizard.view.why_not == "K is missing."
    assert wizard.view.conclusion.startswith("K: the sentence does not say it.")
    wizard.controller.type_text("K", "8192")
    assert wizard.view.why_not == ""


def test_several_sizes_that_are_missing_are_told_together(wizard: Wizard) -> None:
    wizard.controller.read("fp16 matmul for h100, M=4096")

    assert wizard.view.why_not == "N and K are missing."
    assert "say them. Fill them in" in wizard.view.conclusion
    assert wizard.field("N").reason == "The sentence does not say N and K."


def test_a_target_for_which_there_is_no_form_is_said_where_targets_are_chosen(
    tmp_path: Path,
) -> None:
    wizard = Wizard(tmp_path, "ascend910b")
    wizard.controller.begin("top_k")

    assert wizard.view.conclusion.startswith("No Top-k along rows for Ascend 910B2: ")
    assert wizard.view.steps[0].state is StepState.ERROR
    assert wizard.view.why_not.endswith("choose another target.")
    assert wizard.view.cards[0].title == "No Top-k along rows for Ascend 910B2"


def test_a_sentence_that_names_no_kernel_changes_nothing(wizard: Wizard) -> None:
    wizard.controller.read(SENTENCE)

    assert not wizard.controller.read("something quick, please")

    assert "names no kind of kernel" in wizard.controller.sentence_error
    assert wizard.field("M").text == "4096"


def test_what_of_a_sentence_was_not_used_is_said(wizard: Wizard) -> None:
    wizard.controller.read(f"{SENTENCE} and batch 5")

    assert wizard.controller.sentence_error == "not used of the sentence: “batch 5”"
    wizard.controller.begin("softmax")
    assert wizard.controller.sentence_error == ""


def test_what_is_no_value_is_kept_and_said(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.type_text("M", "many")

    assert wizard.field("M").text == "many"
    assert wizard.field("M").problem == "M takes a whole number, not 'many'"
    assert wizard.view.why_not
    assert not wizard.controller.next()
    assert wizard.view.step == "requirements"


def test_an_illegal_choice_names_its_rule_and_the_nearest_legal_value(tmp_path: Path) -> None:
    wizard = Wizard(tmp_path, "h100", "a100", "rtx4090")
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")
    for name, value in (("block_M", 128), ("block_N", 256), ("block_K", 64), ("threads", 256)):
        wizard.controller.choose(name, value)
    wizard.controller.choose("num_stages", 3)

    (card,) = wizard.view.cards
    assert card.title == "RTX 4090: too much shared memory"
    assert card.drop == "rtx4090"
    assert {step.key: step.state for step in wizard.view.steps}["tiles"] is StepState.ERROR
    wizard.controller.choose(card.mends[0].field, card.mends[0].value)
    assert wizard.view.cards == ()


def test_a_hidden_field_keeps_no_choice_from_being_finished(wizard: Wizard) -> None:
    wizard.controller.read("RMSNorm of 16384 x 8192 fp16 on H200")
    wizard.controller.go("tiles")
    assert wizard.field("bulk_row").choices[1].is_current
    wizard.controller.choose("one_barrier", False)

    assert wizard.view.conclusion.startswith("1 × 8192, 512 threads, blocks at once 4: legal on")
    assert wizard.controller.generated is not None
    assert "bulk_row" not in wizard.controller.generated.text
    wizard.controller.use_recommended()
    assert wizard.field("bulk_row").choices[1].is_current


def test_what_is_added_to_the_result_has_the_rest_recommended_anew(wizard: Wizard) -> None:
    wizard.controller.read("fp16 matmul for h200, M=N=K=4096")
    wizard.controller.go("pipeline")
    assert wizard.field("stays").choices[1].is_current
    wizard.controller.go("epilogue")
    wizard.controller.choose("bias", True)

    assert wizard.controller.generated is not None
    wizard.controller.go("pipeline")
    assert not wizard.field("stays").choices[1].is_current


def test_a_step_tells_of_an_illegal_choice_in_another_one(wizard: Wizard) -> None:
    wizard.controller.read("fp16 matmul for a100, M=N=K=4096")
    wizard.controller.go("tiles")
    wizard.controller.choose("threads", 64)
    wizard.controller.go("epilogue")

    assert wizard.view.conclusion.startswith(
        "Through shared memory: a choice of Tiles and memory is not legal."
    )


def test_only_legal_combinations_are_checked_or_finished(tmp_path: Path) -> None:
    wizard = Wizard(tmp_path, "rtx4090")
    wizard.controller.begin("gemm")
    wizard.controller.go("cases")
    for name, value in (("block_N", 256), ("block_K", 128), ("num_stages", 4), ("threads", 256)):
        wizard.controller.choose(name, value)

    assert "only legal combinations" in wizard.view.why_not
    wizard.controller.go("done")
    assert wizard.view.step == "cases"
    assert wizard.controller.generated is None


def test_the_page_of_tiles_is_as_it_was_looked_at(tmp_path: Path) -> None:
    wizard = Wizard(tmp_path, "h100", "rtx4090")
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")
    for name, value in (("block_M", 128), ("block_N", 256), ("block_K", 64), ("threads", 256)):
        wizard.controller.choose(name, value)

    _is_golden("gemm-tiles", page_text(wizard.view))


def test_the_page_of_requirements_is_as_it_was_looked_at(wizard: Wizard) -> None:
    wizard.controller.read("softmax, 4096 x 1000, bf16 for h100")

    _is_golden("softmax-requirements", page_text(wizard.view))


def test_a_recommended_value_is_starred_and_says_why(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")

    block = wizard.field("block_N")
    assert [c.title for c in block.choices if c.is_recommended] == ["256"]
    assert "FLOP" in block.reason
    wizard.controller.choose("block_N", 64)
    assert wizard.field("block_N").reason.startswith("H100: 256 is recommended.")
    assert wizard.view.can_recommend
    wizard.controller.use_recommended()
    assert [c.title for c in wizard.field("block_N").choices if c.is_current] == ["256"]


def test_a_choice_that_no_target_allows_is_struck(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")

    marks = {choice.value: choice.mark for choice in wizard.field("threads").choices}

    assert marks[64] is Mark.ILLEGAL
    assert marks[256] is Mark.LEGAL
    tip = next(c.tip for c in wizard.field("threads").choices if c.value == 64)
    assert "spill" in tip


def test_what_a_knob_changed_in_the_code_is_marked(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")
    assert wizard.view.code.first is None

    wizard.controller.choose("block_K", 32)

    code = wizard.view.code
    assert code.first is not None
    line = code.lines[code.first]
    assert [line.text[a:b] for a, b in line.changed] == ["32"]
    assert code.note == "changed by Block K"


def test_figures_are_asked_for_once_the_choices_rest(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("tiles")
    wizard.controller.choose("block_K", 32)
    assert wizard.jobs.asked == []

    wizard.rest()
    assert [type(request) for _, request, _ in wizard.jobs.asked] == [AnalyzeRequest]
    assert wizard.view.updated == "lowering…"
    wizard.controller.choose("block_K", 64)
    wizard.rest()
    assert wizard.jobs.withdrawn == ["job-1"]
    wizard.jobs.answer(to_plain(AnalyzeResult(Failure("kernel", "it does not lower"))))
    assert wizard.view.meters.rows == ()
    (card,) = wizard.view.cards
    assert (card.title, card.text) == ("H100: TileLang does not lower it", "it does not lower")


def test_a_worker_that_went_away_is_no_word_of_tilelang(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.rest()

    wizard.jobs.answer(to_plain(AnalyzeResult(Failure("environment", "the worker went away"))))

    assert wizard.view.cards == ()
    assert wizard.view.meters.rows[0].cells[0].note == "the worker went away"


def test_a_check_compiles_for_all_targets_and_verifies_the_small_cases(tmp_path: Path) -> None:
    wizard = Wizard(tmp_path, "h100", "a100")
    wizard.controller.begin("gemm")
    wizard.controller.go("check")

    kinds = [type(request) for _, request, _ in wizard.jobs.asked]
    assert kinds == [CompileRequest, CompileRequest, VerifyRequest, VerifyRequest]
    for _ in range(2):
        resources = Resources(168, 0, source="ptxas")
        wizard.jobs.answer(to_plain(CompileResult(None, resources=resources)))
    seed = SeedResult(0, True, (), 0.1, 0.1)
    for _ in range(2):
        wizard.jobs.answer(to_plain(VerifyResult(None, (seed,))))

    check = wizard.view.check
    assert check is not None
    assert check.is_good
    assert check.items[0].text == "168 registers a thread"
    assert wizard.view.conclusion.startswith("It compiles for H100 and A100;")


def test_a_failed_check_is_told_first(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("check")
    wizard.jobs.answer(to_plain(CompileResult(Failure("kernel", "no such instruction."))))

    wizard.controller.stop_checking()

    assert wizard.view.conclusion.endswith("failed: no such instruction.")
    assert {step.key: step.state for step in wizard.view.steps}["check"] is StepState.ERROR
    wizard.controller.go("done")
    assert "failed its checks" in wizard.view.conclusion


def _take_another(wizard: Wizard) -> None:
    wizard.controller.begin("softmax")


def _leave(wizard: Wizard) -> None:
    wizard.controller.leave_pattern()


def _finish(wizard: Wizard) -> None:
    wizard.controller.finish()


@pytest.mark.parametrize("go_away", [_take_another, _leave, _finish])
def test_a_check_ends_with_the_work_on_its_pattern(
    wizard: Wizard, go_away: Callable[[Wizard], None]
) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.go("check")
    running = {job for job, request, _ in wizard.jobs.asked if isinstance(request, CHECKS)}
    assert running

    go_away(wizard)

    assert not running & {job for job, _, _ in wizard.jobs.asked}


def test_reopening_restores_the_fields(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.type_text("M", "100")
    wizard.controller.choose("block_N", 64)
    document = _document(wizard)
    other = Wizard(Path("."))

    other.controller.reopen(document)

    assert other.field("M").text == "100"
    other.controller.go("tiles")
    assert [c.title for c in other.field("block_N").choices if c.is_current] == ["64"]
    other.controller.go("done")
    assert other.view.done is not None
    assert other.view.done.difference is None
    assert other.view.done.sentence.startswith("Nothing changes")


def test_edits_are_warned_of_before_they_are_replaced(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    document = _document(wizard)
    document.set_text(document.text + "\n# by hand\n")

    wizard.controller.reopen(document)
    wizard.controller.choose("num_stages", 2)
    wizard.controller.go("done")

    done = wizard.view.done
    assert done is not None
    assert done.difference is not None
    assert "was edited since it was generated" in done.warning
    assert (done.action, done.other) == ("Replace the text of mine.py", "Open as a new document")


def test_a_port_has_the_choices_of_its_target_and_a_difference(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.type_text("M", "100")
    document = _document(wizard)

    wizard.controller.port(document, "mi300x")

    assert wizard.view.targets == ("mi300x",)
    assert wizard.view.step == "tiles"
    wizard.controller.go("done")
    done = wizard.view.done
    assert done is not None
    assert done.difference is not None
    assert (done.action, done.other) == ("Open as a document", "")
    assert wizard.controller.generated is not None
    assert wizard.controller.generated.values["M"] == 100


def test_a_document_that_was_not_generated_is_refused(wizard: Wizard) -> None:
    with pytest.raises(PatternError, match="was not generated"):
        wizard.controller.reopen(OpenDocument.of("x = 1\n", None, "x.py"))


def test_a_draft_left_open_comes_back(wizard: Wizard, tmp_path: Path) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.type_text("M", "100")
    wizard.controller.begin("softmax")
    other = Wizard(tmp_path)

    other.controller.restore(wizard.controller.state())

    assert other.view.title == "Softmax over rows"
    other.controller.begin("gemm")
    assert other.field("M").text == "100"


def test_a_finished_draft_begins_anew(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.type_text("M", "100")

    wizard.controller.finish()

    assert wizard.controller.view() is None
    wizard.controller.begin("gemm")
    assert wizard.field("M").text == "4096"


def _is_golden(name: str, text: str) -> None:
    import os

    path = GOLDEN / f"{name}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def test_figures_of_another_pattern_are_not_taken_for_those_of_this_one(wizard: Wizard) -> None:
    wizard.controller.begin("elementwise")
    wizard.rest()
    block = BlockResources(256, None)
    kernel = KernelAnalysis("main", (1, 1, 1), (256, 1, 1), block_resources=block)
    wizard.jobs.answer(to_plain(AnalyzeResult(None, (kernel,))))
    assert wizard.view.meters.rows[0].cells[0].value == "0"

    wizard.controller.begin("gemm")

    assert wizard.view.meters.rows[0].cells[0].note == "lowering follows"


def test_an_answer_that_comes_late_is_of_another_pattern_too(wizard: Wizard) -> None:
    wizard.controller.begin("elementwise")
    wizard.rest()
    wizard.controller.begin("gemm")
    block = BlockResources(256, None)
    kernel = KernelAnalysis("main", (1, 1, 1), (256, 1, 1), block_resources=block)
    wizard.jobs.answer(to_plain(AnalyzeResult(None, (kernel,))))

    assert wizard.view.meters.rows[0].cells[0].note == "lowering follows"
    wizard.controller.begin("elementwise")
    assert wizard.view.meters.rows[0].cells[0].value == "0"


def test_a_further_shared_buffer_leaves_the_earlier_figures_greyed(wizard: Wizard) -> None:
    wizard.controller.begin("gemm")
    wizard.controller.choose("staged", False)
    wizard.rest()
    block = BlockResources(256, None, dynamic_shared_bytes=98304)
    kernel = KernelAnalysis("main", (16, 32, 1), (256, 1, 1), block_resources=block)
    wizard.jobs.answer(to_plain(AnalyzeResult(None, (kernel,))))
    assert not wizard.view.meters.rows[0].cells[0].is_stale

    wizard.controller.choose("staged", True)

    assert wizard.view.meters.rows[0].cells[0].is_stale
