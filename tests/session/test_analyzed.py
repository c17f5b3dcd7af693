from __future__ import annotations

from analysis_results import analyzed

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import CompileResult, Failure, Resources
from workbench.core.targets.table import load_targets
from workbench.session.analysis_problems import analysis_problems
from workbench.session.analyzed import Analyses, Analyzed
from workbench.session.limit_problems import limit_problems
from workbench.session.open_document import Compiled, OpenDocument
from workbench.session.problems import merge_problems

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"
FAILED = AnalyzeResult(Failure("crash", "it died"))
HAZARD = Diagnostic("pipeline-hazard", Severity.ERROR, "not awaited", TextRange(6))


def document_with(*found: tuple[str, AnalyzeResult]) -> OpenDocument:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.targets = ("h100", "a100")
    for target, result in found:
        document.analyses.take(target, Analyzed(document.revision, 1, result))
    return document


def test_a_later_revision_is_never_replaced_by_an_earlier_one() -> None:
    analyses = Analyses()
    new = Analyzed(3, 1, analyzed())
    assert analyses.take("h100", new)
    assert not analyses.take("h100", Analyzed(2, 2, analyzed()))
    assert analyses.newest["h100"] is new


def test_the_higher_level_of_a_revision_stays() -> None:
    analyses = Analyses()
    full = Analyzed(3, 2, analyzed())
    assert analyses.take("h100", full)
    assert not analyses.take("h100", Analyzed(3, 1, analyzed()))
    assert analyses.good["h100"] is full


def test_a_failure_keeps_the_last_figures_and_hides_none_of_its_own_revision() -> None:
    analyses = Analyses()
    good = Analyzed(3, 1, analyzed())
    analyses.take("h100", good)
    assert not analyses.take("h100", Analyzed(3, 2, FAILED))
    assert analyses.take("h100", Analyzed(4, 1, FAILED))
    assert analyses.good["h100"] is good
    assert not analyses.knows("h100", 4)


def test_results_of_targets_that_are_not_chosen_any_more_are_forgotten() -> None:
    document = document_with(("h100", analyzed()), ("a100", FAILED))
    document.targets = ("a100",)
    document.drop_targets()
    assert document.analyses.newest.keys() == {"a100"}
    assert document.analyses.good == {}


def test_what_an_analysis_finds_is_a_problem_of_its_targets_at_its_line() -> None:
    found = analyzed(diagnostics=(HAZARD,))
    document = document_with(("h100", found), ("a100", found))
    (problem,) = merge_problems(analysis_problems(document))
    assert (problem.line, problem.targets, problem.stale) == (6, ("h100", "a100"), False)
    document.set_text(TEXT + "\n")
    assert [p.stale for p in analysis_problems(document)] == [True, True]


def test_of_a_text_that_python_cannot_read_no_older_finding_is_told() -> None:
    document = document_with(("h100", analyzed(diagnostics=(HAZARD,))))
    document.set_text("def kernel(:\n")
    assert analysis_problems(document) == []


def test_a_limit_that_an_analysis_tells_is_not_told_twice() -> None:
    over = Diagnostic("shared-memory-over-limit", Severity.ERROR, "too much", TextRange(6))
    document = document_with(("a100", analyzed(diagnostics=(over,))))
    much = Resources(shared_dynamic_bytes=200 * 1024, registers=255, spill_bytes=8)
    document.take("a100", Compiled(document.revision, CompileResult(None, resources=much)))
    codes = [p.diagnostic.code for p in limit_problems(document, [load_targets().resolve("a100")])]
    assert codes == ["register-spill"]  # level 1 knows nothing of spills
