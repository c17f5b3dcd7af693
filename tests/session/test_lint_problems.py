from __future__ import annotations

from dataclasses import replace

from faulty_kernels import FAULTY

from workbench.core.targets.table import load_targets
from workbench.session.lint_problems import lint_problems
from workbench.session.open_document import OpenDocument

TARGETS = [load_targets().resolve("h100")]
TEXT = FAULTY["never cleared (eager)"]


def test_text_alone_shows_a_problem() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    (problem,) = lint_problems(document, TARGETS)
    assert problem.diagnostic.code == "gemm-uninitialized-accumulator"
    assert not problem.stale


def test_later_stage_that_says_the_same_takes_its_place() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    (problem,) = lint_problems(document, TARGETS)
    assert lint_problems(document, TARGETS, [problem]) == []
    assert lint_problems(document, TARGETS, [replace(problem, stale=True)]) == [problem]


def test_arguments_of_the_form_count() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.overrides = {"bk": 24}
    codes = {p.diagnostic.code for p in lint_problems(document, TARGETS)}
    assert "unaligned-block-k" in codes


def test_guidelines_that_are_switched_off_are_not_told() -> None:
    document = OpenDocument.of(
        TEXT.replace("Pipelined(", "serial(").replace(", num_stages=3", ""), None, "k.py"
    )
    told = {p.diagnostic.code for p in lint_problems(document, TARGETS)}
    off = lint_problems(document, TARGETS, hints_off=("missing-pipelining",))
    assert told - {p.diagnostic.code for p in off} == {"missing-pipelining"}


def test_mistakes_cannot_be_switched_off() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    assert lint_problems(document, TARGETS, hints_off=("gemm-uninitialized-accumulator",))


def test_text_that_python_cannot_read_has_none() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.set_text("def f(:\n" + TEXT)
    assert lint_problems(document, TARGETS) == []
