from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.core.diagnostics import Severity
from workbench.session.problems import Problem
from workbench.ui.panes.problems.rows import ProblemFilter, rows_of, summary

TARGETS = ("h100", "a100", "mi300x")
ALL = ProblemFilter()


def test_the_first_clause_stands_apart(problems: tuple[Problem, ...]) -> None:
    row = rows_of(problems, ALL, TARGETS)[1]
    assert (row.clause, row.rest) == ("8-way store conflict:", "28,672 wavefronts are replays")


def test_marks_are_places_among_the_chosen_targets(problems: tuple[Problem, ...]) -> None:
    assert [row.marks for row in rows_of(problems, ALL, TARGETS)] == [(), (0, 1), (2,)]


def test_a_place_is_the_line_alone_in_one_file(problems: tuple[Problem, ...]) -> None:
    assert [row.place for row in rows_of(problems, ALL, TARGETS)] == ["33", "58", ""]


def test_a_place_names_the_file_among_several(problems: tuple[Problem, ...]) -> None:
    other = replace(problems[0], path="/kernels/gemm.py")
    rows = rows_of((*problems, other), ALL, TARGETS)
    assert [row.place for row in rows] == ["flash.py:33", "flash.py:58", "flash.py", "gemm.py:33"]


def test_a_message_of_several_lines_is_one_line_in_its_row(problems: tuple[Problem, ...]) -> None:
    long = replace(problems[0].diagnostic, message="One thing.\n  Another.")
    (row,) = rows_of((replace(problems[0], diagnostic=long),), ALL, TARGETS)
    assert (row.clause, row.rest) == ("One thing.", "Another.")


@pytest.mark.parametrize(
    ("wanted", "codes"),
    [
        (ALL.with_severity(Severity.WARNING, False), ["gemm-shape", "no-metadata"]),
        (ProblemFilter(target="a100"), ["gemm-shape", "bank-conflict"]),
        (ProblemFilter(target="mi300x"), ["gemm-shape", "no-metadata"]),
        (ProblemFilter(words="CONFLICT store"), ["bank-conflict"]),
        (ProblemFilter(words="flash.py block"), ["no-metadata"]),
        (ProblemFilter(words="nothing of this"), []),
    ],
)
def test_the_filter_keeps(
    problems: tuple[Problem, ...], wanted: ProblemFilter, codes: list[str]
) -> None:
    assert [row.code for row in rows_of(problems, wanted, TARGETS)] == codes


def test_a_filter_comes_back_from_its_saved_form() -> None:
    wanted = ProblemFilter(frozenset({Severity.ERROR}), "h100", "words are not kept")
    assert ProblemFilter.from_json(wanted.to_json()) == replace(wanted, words="")


def test_a_broken_saved_form_hides_nothing() -> None:
    assert ProblemFilter.from_json({"hidden": "error", "target": 3}) == ALL


def test_the_summary_counts(problems: tuple[Problem, ...]) -> None:
    assert summary(problems) == "1 error, 1 warning, 1 note in flash.py."


def test_the_summary_names_how_many_files(problems: tuple[Problem, ...]) -> None:
    other = replace(problems[0], path="/kernels/gemm.py")
    assert summary((problems[0], other)) == "2 errors in 2 files."


def test_an_old_problem_says_so_in_its_tip(problems: tuple[Problem, ...]) -> None:
    (row,) = rows_of((replace(problems[0], stale=True),), ALL, TARGETS)
    assert "of an earlier text" in row.tip
