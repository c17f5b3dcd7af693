from __future__ import annotations

from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.session.fix_choices import ChoiceKind, choices_at, preview_lines
from workbench.session.problems import Problem
from workbench.session.text_differences import Change

TEXT = "one = a + b\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def problem(line: int, title: str = "Fix it", code: str = "a-code", safe: bool = True) -> Problem:
    edit = Edit(TextRange(line, 1, line, 2), "X")
    fix = Fix(title, (edit,), safe)
    where = TextRange(line, 1, line, 4)
    return Problem(Diagnostic(code, Severity.WARNING, "Message.", where, fixes=(fix,)), "k.py")


def test_fixes_come_first_then_what_explains() -> None:
    choices = choices_at([problem(2)], 2)
    assert [(c.kind, c.title, c.note) for c in choices] == [
        (ChoiceKind.FIX, "Fix it", "safe"),
        (ChoiceKind.EXPLAIN, "Explain a-code", "F1"),
        (ChoiceKind.SHOW, "Show in Problems", ""),
    ]


def test_all_of_a_kind_are_offered_where_there_are_several() -> None:
    found = choices_at([problem(2), problem(5)], 2)
    (wide,) = [c for c in found if c.kind is ChoiceKind.FIX_ALL]
    assert wide.offered is not None
    assert len(wide.offered.fix.edits) == 2


def test_fixes_of_one_title_are_told_apart_by_their_lines() -> None:
    wide = problem(2)
    diagnostic = replace(wide.diagnostic, range=TextRange(2, 1, 3, 4))
    found = choices_at([replace(wide, diagnostic=diagnostic), problem(3, safe=False)], 3)
    titles = [c.title for c in found if c.kind is ChoiceKind.FIX]
    assert titles == ["Line 2: Fix it", "Line 3: Fix it"]
    assert [c.is_safe for c in found[:2]] == [True, False]


def test_a_problem_without_a_fix_can_be_explained_and_shown() -> None:
    plain = Problem(Diagnostic("b-code", Severity.ERROR, "Odd.", TextRange(2)), "k.py")
    assert [c.kind for c in choices_at([plain], 2)] == [ChoiceKind.EXPLAIN, ChoiceKind.SHOW]


def test_a_line_without_problems_has_no_choices() -> None:
    assert choices_at([problem(2), replace(problem(3), stale=True)], 3) == ()


def test_the_preview_shows_each_change_with_a_line_around_it() -> None:
    (wide,) = [c for c in choices_at([problem(1), problem(6)], 1) if c.kind is ChoiceKind.FIX_ALL]
    assert wide.offered is not None
    lines = preview_lines(TEXT, wide.offered)
    assert [(x.number, x.change, x.text) for x in lines] == [
        (1, Change.REMOVED, "one = a + b"),
        (1, Change.ADDED, "Xne = a + b"),
        (2, Change.EQUAL, "two"),
        (5, Change.EQUAL, "five"),
        (6, Change.REMOVED, "six"),
        (6, Change.ADDED, "Xix"),
        (7, Change.EQUAL, "seven"),
    ]
    assert [x.is_after_gap for x in lines] == [False, False, False, True, False, False, False]
    assert lines[1].words == ((0, 3),)
