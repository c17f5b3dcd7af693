from __future__ import annotations

from pathlib import Path

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import CompileResult, Failure
from workbench.session.open_document import Compiled, OpenDocument

TEXT = """# /// workbench
# [[case]]
# name = "small"
# args = { M = 16 }
# [[case]]
# name = "large"
# args = { M = 4096 }
# targets = ["a100"]
# ///
import tilelang


@tilelang.jit
def kernel(M, block=32):
    return None
"""


def opened(text: str = TEXT) -> OpenDocument:
    return OpenDocument.of(text, Path("/w/kernel.py"), "kernel.py")


def test_the_first_kernel_and_case_are_chosen() -> None:
    document = opened()
    assert (document.kernel, document.case) == ("kernel", "small")
    assert document.arguments() == {"M": 16, "block": 32}


def test_an_override_counts_before_the_case() -> None:
    document = opened()
    document.overrides["block"] = 64
    assert document.selection().args == {"M": 16, "block": 64}


def test_an_override_of_a_parameter_that_went_away_is_left_out() -> None:
    document = opened()
    document.overrides["block"] = 64
    document.set_text(TEXT.replace(", block=32", ""))
    assert document.selection().args == {"M": 16}


def test_a_case_that_went_away_is_replaced_by_the_first() -> None:
    document = opened()
    document.case = "large"
    document.set_text(TEXT.replace('"large"', '"huge"'))
    assert document.case == "small"


def test_another_text_is_another_revision_and_the_same_text_is_not() -> None:
    document = opened()
    document.set_text(TEXT)
    assert document.revision == 0
    document.set_text(TEXT + "\n")
    assert document.revision == 1


def test_a_reply_about_an_earlier_revision_does_not_replace_a_later_one() -> None:
    document = opened()
    assert document.take("a100", Compiled(2, CompileResult(None)))
    assert not document.take("a100", Compiled(1, CompileResult(None)))


def test_the_last_good_result_outlives_a_broken_edit() -> None:
    document = opened()
    good, bad = CompileResult(None), CompileResult(Failure("kernel", "no"))
    document.take("a100", Compiled(0, good))
    document.take("a100", Compiled(1, bad))
    assert (document.good["a100"].result, document.compiled["a100"].result) == (good, bad)


def test_a_problem_of_an_earlier_text_is_stale() -> None:
    document = opened()
    said = Diagnostic("lower-error", Severity.ERROR, "no", TextRange(3))
    document.take("a100", Compiled(0, CompileResult(Failure("kernel", "no"), diagnostics=(said,))))
    document.set_text(TEXT + "\n")
    (problem,) = document.problems()
    assert (problem.targets, problem.stale) == (("a100",), True)


def test_a_syntax_error_silences_what_was_said_of_the_text_before() -> None:
    document = opened()
    said = Diagnostic("lower-error", Severity.ERROR, "no", TextRange(3))
    document.take("a100", Compiled(0, CompileResult(Failure("kernel", "no"), diagnostics=(said,))))
    document.set_text("def broken(:\n")
    assert [p.diagnostic.code for p in document.problems()] == ["python-error"]


def test_a_half_typed_line_changes_no_choice() -> None:
    document = opened()
    document.case = "large"
    document.overrides["block"] = 64
    document.set_text(TEXT + "x = [1\n")
    assert (document.kernel, document.case) == ("kernel", "large")
    assert document.arguments() == {"M": 4096, "block": 64}
    document.set_text(TEXT + "x = [1]\n")
    assert document.selection().args == {"M": 4096, "block": 64}


def test_results_of_targets_that_are_not_chosen_are_forgotten() -> None:
    document = opened()
    document.take("a100", Compiled(0, CompileResult(None)))
    document.targets = ("h100",)
    document.drop_targets()
    assert (document.compiled, document.good) == ({}, {})


NEEDY = """import tilelang


@tilelang.jit
def kernel(M, N, block=64):
    return None
"""


def test_what_is_known_of_the_arguments_is_told_though_some_are_missing() -> None:
    document = OpenDocument.of(NEEDY, None, "k.py")
    document.overrides["M"] = 8
    assert document.arguments() == {"M": 8, "block": 64}
    assert document.missing() == ("N",)


def test_missing_arguments_are_a_note_at_the_kernel_until_they_are_given() -> None:
    document = OpenDocument.of(NEEDY, None, "k.py")
    (problem,) = document.problems()
    assert (problem.diagnostic.code, problem.line) == ("arguments-missing", 5)
    assert problem.diagnostic.message == (
        "kernel needs values for M and N: type them under Arguments."
    )
    document.overrides = {"M": 8, "N": 8}
    assert document.problems() == []
