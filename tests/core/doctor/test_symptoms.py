"""A person's words find the symptom, and what is not known is not ruled out."""

from __future__ import annotations

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.rule_table import RULES, rule
from workbench.core.doctor.symptoms import SYMPTOMS, Results, Verdict, diagnose, search, symptom
from workbench.core.doctor.symptoms_causes import NEEDS, SIGNATURES, TITLES
from workbench.core.jobs import Failure, VerifyResult
from workbench.core.verification.detectors import DETECTORS

_WORDS = {
    "shared-memory-exceeded": (
        "out of shared memory",
        "ptxas error: uses too much shared data (0x1a000 bytes, 0xc000 max)",
        "CUDA_ERROR_INVALID_VALUE at launch",
        "smem exceeds the limit of my GPU",
    ),
    "shape-mismatch": ("dimension mismatch in gemm", "shapes do not match", "wrong rank"),
    "all-zeros": ("my kernel returns only zeros", "output tensor is all 0", "nothing is written"),
    "nan-or-inf": ("loss becomes nan", "inf values in the softmax", "it overflows"),
    "low-throughput": ("too slow", "only 20 TFLOPS", "slower than cublas", "poor bandwidth"),
    "low-occupancy": ("low occupancy", "only 4 warps active per SM", "one block per SM"),
    "bank-conflicts": ("bank conflicts in ldmatrix", "l1tex__data_bank_conflicts is high"),
    "wrong-results": (
        "wrong results",
        "AssertionError: Tensor-likes are not close!",
        "results differ between runs",
        "garbage in the output",
    ),
}


@pytest.mark.parametrize(("wanted", "text"), [(k, w) for k, ws in _WORDS.items() for w in ws])
def test_words_find_the_symptom(wanted, text):
    assert search(text)[0].symptom.id == wanted


@pytest.mark.parametrize("text", ["", "   ", "my kernel is", "qwertz"])
def test_words_that_say_nothing_find_nothing(text):
    assert search(text) == ()


def test_there_are_the_eight_symptoms_each_with_causes_and_a_way_to_confirm_it():
    assert [each.id for each in SYMPTOMS] == list(_WORDS)
    assert all(each.causes and each.confirm and each.words for each in SYMPTOMS)


def test_every_cause_is_a_rule_or_has_a_title_of_its_own():
    causes = [cause for each in SYMPTOMS for cause in each.causes]
    rules = {cause.code for cause in causes if not cause.is_signature}
    assert {code for code in rules if rule(code) is None} <= TITLES.keys()
    assert rules <= NEEDS.keys()


def test_every_rule_is_the_cause_of_a_symptom_unless_nothing_can_be_seen_of_a_kernel():
    causes = {code for each in SYMPTOMS for cause in each.causes for code in cause.codes}
    stopped = {"python-error", "no-kernel-found", "removed-api", "bulk-copy-hint"}
    assert {record.code for record in RULES} - causes == stopped


def test_kinds_of_mismatch_are_those_of_the_verification():
    assert SIGNATURES.keys() == {detector.code for detector in DETECTORS}


def _error(code, line):
    return Diagnostic(code, Severity.ERROR, "it is wrong", TextRange(line))


def _state(applied, code):
    return next(state for state in applied.causes if state.cause.code == code)


def test_a_finding_makes_its_cause_apply_at_its_line():
    applied = diagnose(symptom("all-zeros"), [_error("output-not-covered", 7)], Results())
    assert [state.cause.code for state in applied.applying] == ["output-not-covered"]
    assert applied.applying[0].lines == (7,)
    assert applied.causes[0] is applied.applying[0]


def test_causes_with_errors_come_before_hints():
    hint = Diagnostic("nan-source", Severity.INFO, "it follows", TextRange(9))
    applied = diagnose(symptom("nan-or-inf"), [hint, _error("epsilon-missing", 7)], Results())
    assert [c.cause.code for c in applied.applying] == ["epsilon-missing", "nan-source"]


def test_the_hint_of_an_epsilon_stands_for_its_cause():
    hint = Diagnostic("epsilon-advised", Severity.INFO, "may be 0", TextRange(7))
    applied = diagnose(symptom("nan-or-inf"), [hint], Results())
    assert [c.cause.code for c in applied.applying] == ["epsilon-missing"]


def test_nothing_is_ruled_out_by_what_was_not_run():
    applied = diagnose(symptom("wrong-results"), [], Results())
    race = _state(applied, "block-race")
    assert race.verdict is Verdict.NOT_CHECKED
    assert race.reason == "the kernel was not verified in the simulator"
    assert applied.present is None


def test_the_source_alone_rules_out_what_it_shows():
    applied = diagnose(symptom("wrong-results"), [], Results())
    assert _state(applied, "wrong-transpose").verdict is Verdict.RULED_OUT
    unread = diagnose(symptom("wrong-results"), [], Results(linted=False))
    assert _state(unread, "wrong-transpose").reason == "the source cannot be read"


def test_a_source_that_tells_all_rules_out_what_the_lint_stage_looks_for():
    told = diagnose(symptom("wrong-results"), [], Results(source_tells=True))
    assert _state(told, "gemm-uninitialized-accumulator").verdict is Verdict.RULED_OUT
    assert _state(told, "block-race").verdict is Verdict.NOT_CHECKED
    partly = diagnose(symptom("wrong-results"), [], Results())
    assert _state(partly, "gemm-uninitialized-accumulator").verdict is Verdict.NOT_CHECKED


def test_a_later_job_that_failed_leaves_a_rule_of_the_lint_stage_open():
    failed = {"a100": AnalyzeResult(Failure("kernel", "no layout"))}
    known = Results(source_tells=True, analyses=failed)
    state = _state(diagnose(symptom("shape-mismatch"), [], known), "warp-partition-illegal")
    assert (state.verdict, state.reason) == (Verdict.NOT_CHECKED, "a100: no layout")


def test_a_kernel_that_does_not_lower_says_so_for_each_target():
    failed = AnalyzeResult(Failure("kernel", "no layout\nlong trace"))
    applied = diagnose(symptom("bank-conflicts"), [], Results(analyses={"a100": failed}))
    assert _state(applied, "bank-conflict").reason == "a100: no layout"


def test_a_run_of_some_blocks_rules_nothing_out():
    from workbench.core.jobs import BlockSample

    sampled = VerifyResult(None, sample=BlockSample(4, 100))
    applied = diagnose(symptom("wrong-results"), [], Results(verification=sampled))
    assert _state(applied, "block-race").reason == "sampled 4 of 100 blocks"


def test_a_window_s_own_word_for_a_limit_counts_too():
    found = [_error("shared-memory-limit", 3)]
    applied = diagnose(symptom("shared-memory-exceeded"), found, Results())
    assert _state(applied, "shared-memory-over-limit").verdict is Verdict.APPLIES
    assert applied.present is True
