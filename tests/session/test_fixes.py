from __future__ import annotations

from typing import Any

import pytest

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.session.fixes import (
    OfferedFix,
    StaleFixError,
    all_of_kind,
    apply_fix,
    fixes_at,
    made,
    preview,
    with_offers,
)
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

TEXT = "one\ntwo\nthree\n"


def fix(*edits: tuple[int, int, int, int, str]) -> Fix:
    return Fix("test", tuple(Edit(TextRange(a, b, c, d), text) for a, b, c, d, text in edits))


def test_a_range_is_replaced() -> None:
    assert apply_fix(TEXT, fix((2, 1, 2, 4, "TWO"))) == "one\nTWO\nthree\n"


def test_an_empty_range_inserts() -> None:
    assert apply_fix(TEXT, fix((3, 1, 3, 1, "# "))) == "one\ntwo\n# three\n"


def test_several_edits_are_made_whatever_their_order() -> None:
    edits = fix((3, 1, 3, 6, "3"), (1, 1, 1, 4, "1"))
    assert apply_fix(TEXT, edits) == "1\ntwo\n3\n"


def test_a_whole_line_can_go() -> None:
    assert apply_fix(TEXT, fix((2, 1, 3, 1, ""))) == "one\nthree\n"


@pytest.mark.parametrize(
    "edit", [(9, 1, 9, 2, "x"), (1, 5, 1, 6, "x"), (2, 3, 1, 1, "x"), (0, 1, 0, 1, "x")]
)
def test_a_range_outside_the_text_is_stale(edit: tuple[int, int, int, int, str]) -> None:
    with pytest.raises(StaleFixError):
        apply_fix(TEXT, fix(edit))


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(StaleFixError, match="overlap"):
        apply_fix(TEXT, fix((1, 1, 1, 3, "x"), (1, 2, 1, 4, "y")))


SOURCE = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"


def problem(
    line: int,
    *fixes: Fix,
    code: str = "removed-api",
    severity: Severity = Severity.ERROR,
    **more: Any,
) -> Problem:
    where = TextRange(line, 1, more.pop("end_line", line), 5)
    return Problem(Diagnostic(code, severity, "It is so.", where, fixes=fixes), "k.py", **more)


def test_fixes_of_a_line_come_gravest_and_best_first() -> None:
    first, second, hint = fix((1, 1, 1, 2, "a")), fix((1, 1, 1, 2, "b")), fix((1, 1, 1, 2, "c"))
    problems = [
        problem(1, hint, code="unused-buffer", severity=Severity.WARNING),
        problem(1, first, second),
        problem(2, fix((2, 1, 2, 2, "d"))),
    ]
    offered = fixes_at(problems, 1)
    assert [o.fix for o in offered] == [first, second, hint]
    assert [(o.place, o.is_preferred) for o in offered] == [(0, True), (1, False), (0, True)]


def test_a_problem_of_several_lines_is_met_on_each() -> None:
    problems = [problem(2, fix((2, 1, 2, 2, "x")), end_line=4)]
    assert [len(fixes_at(problems, line)) for line in (1, 2, 4, 5)] == [0, 1, 1, 0]


def test_what_is_of_an_earlier_text_is_not_offered() -> None:
    stale = problem(1, fix((1, 1, 1, 2, "x")), stale=True)
    assert fixes_at([stale], 1) == ()
    assert all_of_kind([stale, stale], "removed-api") is None


def test_all_of_a_kind_are_one_fix() -> None:
    problems = [problem(n, fix((n, 1, n, 2, "X")), revision=3) for n in (1, 2, 3)]
    offered = all_of_kind(problems, "removed-api")
    assert offered is not None
    assert (offered.revision, len(offered.problems)) == (3, 3)
    assert apply_fix(TEXT, offered.fix) == "Xne\nXwo\nXhree\n"


def test_of_two_that_overlap_the_first_is_made() -> None:
    problems = [
        problem(1, fix((1, 1, 1, 3, "X"))),
        problem(1, fix((1, 2, 1, 4, "Y"))),
        problem(2, fix((2, 1, 2, 2, "Z"))),
    ]
    offered = all_of_kind(problems, "removed-api")
    assert offered is not None
    assert apply_fix(TEXT, offered.fix) == "Xe\nZwo\nthree\n"


def test_an_edit_that_two_need_is_made_once() -> None:
    shared = (1, 1, 1, 1, "import x\n")
    problems = [problem(n, fix(shared, (n, 1, n, 2, "X"))) for n in (2, 3)]
    offered = all_of_kind(problems, "removed-api")
    assert offered is not None
    assert apply_fix(TEXT, offered.fix) == "import x\none\nXwo\nXhree\n"


def test_the_preview_shows_the_lines_that_change() -> None:
    shown = preview(TEXT, fix((2, 1, 2, 4, "2")))
    assert shown.unified == "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    assert (shown.lines.added, shown.lines.removed, shown.is_empty) == (1, 1, False)


def test_the_preview_of_a_fix_that_does_not_fit_is_refused() -> None:
    with pytest.raises(StaleFixError):
        preview(TEXT, fix((9, 1, 9, 2, "x")))


def offered_for(document: OpenDocument) -> OfferedFix:
    (offered,) = fixes_at([problem(1, fix((1, 1, 1, 7, "IMPORT")), revision=document.revision)], 1)
    return offered


def test_a_fix_is_made_on_the_text_it_is_for() -> None:
    document = OpenDocument.of(SOURCE, None, "k.py")
    assert made(document, SOURCE, offered_for(document)).startswith("IMPORT tilelang\n")


def test_a_fix_is_refused_once_the_document_or_its_editor_changed() -> None:
    document = OpenDocument.of(SOURCE, None, "k.py")
    offered = offered_for(document)
    with pytest.raises(StaleFixError, match="changed since"):
        made(document, "# typed\n" + SOURCE, offered)
    document.set_text("# typed\n" + SOURCE)
    with pytest.raises(StaleFixError, match="changed since"):
        made(document, document.text, offered)


RACE = """import tilelang
import tilelang.language as T


@tilelang.jit
def count(N=64):
    @T.prim_func
    def main(X: T.Tensor((N,), "int32"), Y: T.Tensor((N,), "int32")):
        with T.Kernel(1) as bx:
            for i in T.Parallel(N):
                Y[X[i]] += 1

    return main
"""


def test_later_findings_get_their_fixes_and_the_revision_in_the_session() -> None:
    document = OpenDocument.of(RACE, None, "k.py")
    found = problem(11, code="parallel-race")
    old = problem(11, fix((11, 1, 11, 2, "x")), code="parallel-race", stale=True)
    fresh, stale = with_offers([found, old], document, ())
    (made_fix,) = fresh.diagnostic.fixes
    assert made(document, RACE, fixes_at([fresh], 11)[0]).count("T.atomic_add(Y[X[i]], 1)") == 1
    assert (made_fix.title, made_fix.safe, fresh.revision) == ("Use T.atomic_add", True, 0)
    assert stale.diagnostic.fixes == ()
