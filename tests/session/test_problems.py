from __future__ import annotations

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.session.problems import Problem, counts, merge_problems


def problem(
    code: str = "a",
    line: int = 1,
    severity: Severity = Severity.ERROR,
    targets: tuple[str, ...] = (),
    stale: bool = False,
) -> Problem:
    return Problem(Diagnostic(code, severity, code, TextRange(line)), "k.py", targets, stale=stale)


def test_the_same_said_for_two_targets_is_one_problem() -> None:
    (merged,) = merge_problems([problem(targets=("h100",)), problem(targets=("a100",))])
    assert merged.targets == ("h100", "a100")


def test_what_concerns_every_target_names_none() -> None:
    (merged,) = merge_problems([problem(), problem(targets=("a100",))])
    assert merged.targets == ()


def test_errors_come_before_warnings_and_then_by_line() -> None:
    rows = merge_problems(
        [problem("w", 1, Severity.WARNING), problem("b", 9), problem("c", 3), problem("d", 20)]
    )
    assert [(p.diagnostic.code, p.line) for p in rows] == [("c", 3), ("b", 9), ("d", 20), ("w", 1)]


def test_a_problem_is_stale_only_where_all_that_say_it_are() -> None:
    (merged,) = merge_problems([problem(stale=True), problem(stale=False)])
    assert merged.stale is False


def told(message: str, target: str, stage: str = "lower", stale: bool = False) -> Problem:
    found = Diagnostic("layout-conflict", Severity.ERROR, message, TextRange(7), stage=stage)
    return Problem(found, "k.py", (target,), stale=stale)


def test_one_thing_that_two_targets_word_differently_is_one_problem() -> None:
    (merged,) = merge_problems([told("spread over warps", "h100"), told("over groups", "a100")])
    assert (merged.diagnostic.message, merged.targets) == ("spread over warps", ("h100", "a100"))


def test_figures_of_one_target_are_not_shown_for_another() -> None:
    rows = merge_problems([told("64 blocks on 132", "h100"), told("64 blocks on 108", "a100")])
    assert {p.targets for p in rows} == {("h100",), ("a100",)}


def test_the_earliest_stage_says_it() -> None:
    (merged,) = merge_problems([told("later", "h100", "simulate"), told("earlier", "h100")])
    assert (merged.diagnostic.message, merged.targets) == ("earlier", ("h100",))


def test_two_things_on_one_line_stay_two_for_all_targets() -> None:
    said = [(what, target) for target in ("h100", "a100") for what in ("a", "b")]
    rows = merge_problems(told(f"{what} on {target}", target) for what, target in said)
    assert [p.diagnostic.message for p in rows] == ["a on h100", "b on h100"]
    assert {p.targets for p in rows} == {("h100", "a100")}


def test_what_was_said_of_an_older_text_is_not_taken_for_another_wording() -> None:
    assert len(merge_problems([told("old", "h100", stale=True), told("new", "a100")])) == 2


def test_problems_are_counted_by_severity() -> None:
    found = counts([problem(), problem("b"), problem("i", severity=Severity.INFO)])
    assert found == {Severity.ERROR: 2, Severity.WARNING: 0, Severity.INFO: 1}
