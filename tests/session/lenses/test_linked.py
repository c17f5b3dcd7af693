"""The linked picture of texts made by hand: eleven rows of which every figure can be counted."""

from __future__ import annotations

from typing import Any

from tests.support.analysis_results import COPY, GEMM, shared_report, shared_site
from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.linked_code import DOCUMENT, linked, linked_target
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.linked_code import LinkedResult, LinkedText
from workbench.session.lenses.linked import HUES, LinkedPicture, linked_picture


def picture(target: Any = None) -> LinkedPicture:
    target = target if target is not None else linked_target()
    made = linked_picture(lens_subject(target), target)
    assert made is not None
    return made


def test_without_texts_there_is_no_picture() -> None:
    nothing = lens_target("h100")
    assert linked_picture(lens_subject(nothing), nothing) is None


def test_the_rows_of_a_line_are_its_partners() -> None:
    made = picture()
    assert made.column("python").rows == tuple(DOCUMENT.splitlines())
    assert made.column("lowered").partners == {COPY: (1, 2), GEMM: (3,)}
    assert made.column("sass").partners == {COPY: (2, 3), GEMM: (4, 5, 6)}
    assert made.counts(GEMM) == {"tir": 1, "lowered": 1, "source": 1, "ptx": 1, "sass": 3}
    assert made.counts(1) == {"tir": 0, "lowered": 0, "source": 0, "ptx": 0, "sass": 0}


def test_a_line_of_the_document_is_its_own_partner_if_it_came_to_something() -> None:
    assert picture().column("python").partners == {COPY: (COPY - 1,), GEMM: (GEMM - 1,)}


def test_neighbouring_lines_have_different_hues() -> None:
    made = picture()
    assert made.hues == {COPY: 0, GEMM: 1}
    assert all(hue < HUES for hue in made.hues.values())


def test_sass_is_set_close_and_has_its_live_registers() -> None:
    sass = picture().column("sass")
    assert sass.rows[3] == "/*0020*/ STS.128 [R2], R4 ;"
    assert sass.live == {1: 2, 2: 9, 3: 10, 4: 30, 5: 31, 6: 12, 7: 40}
    assert sass.peak == 7


def test_the_document_has_the_most_registers_of_each_line() -> None:
    made = picture()
    assert made.column("python").live == {COPY - 1: 10, GEMM - 1: 31}
    assert made.peak_line == GEMM


def test_conflicts_stand_at_the_instructions_that_have_them() -> None:
    made = picture()  # of 800 wavefronts of the copy's stores 600 are conflicts, 4 ways
    costs = made.column("sass").costs
    assert {row: cost.text for row, cost in costs.items()} == {3: "4×"}
    assert "600 of 800 wavefronts" in costs[3].tip
    assert [made.column("ptx").rows[row].strip() for row in made.column("ptx").costs] == [
        "st.shared.v4.u32 [%r1], {%r2};"
    ]


def test_conflicts_of_an_earlier_text_are_left_out() -> None:
    report = shared_report(shared_site(COPY, SharedKind.STORE, wavefronts=8, conflicts=4, ways=2))
    assert picture(linked_target(shared=report)).column("sass").costs
    assert not picture(linked_target(stale=True)).column("sass").costs


def test_the_conclusion_counts() -> None:
    assert picture().conclusion == (
        "3 of 7 SASS instructions for H100 come from line 5, more than from any other; "
        "most registers are live at line 5: 31 (40 at code of no line)."
    )


def test_without_a_compiler_the_source_is_the_last_text() -> None:
    source = LinkedText("source", "a\nb\nc", (0, COPY, COPY))
    result = LinkedResult(None, (source,), {"sass": "no compiler"})
    made = picture(linked_target(result=result))
    assert made.column("sass").missing == "no compiler"
    assert made.column("ptx").missing == "it was not made"
    assert made.peak_line is None
    assert made.conclusion == (
        "2 of 3 rows of Source for H100 come from line 4, more than from any other."
    )


def test_lines_with_as_many_rows_are_told() -> None:
    source = LinkedText("source", "a\nb\nc", (0, COPY, GEMM))
    assert picture(linked_target(result=LinkedResult(None, (source,)))).conclusion == (
        "1 of 3 rows of Source for H100 comes from line 4, as many as from 1 other line."
    )


def test_the_nearest_text_with_lines_is_told_of() -> None:
    lowered = LinkedText("lowered", "a\nb\nc", (0, COPY, COPY))
    source = LinkedText("source", "a\nb", (0, 0))
    assert picture(linked_target(result=LinkedResult(None, (lowered, source)))).conclusion == (
        "2 of 3 rows of Lowered IR for H100 come from line 4, more than from any other. "
        "No row of Source tells its line."
    )


def test_texts_without_lines_say_so() -> None:
    result = LinkedResult(None, (LinkedText("source", "a\nb", (0, 0)),))
    assert picture(linked_target(result=result)).conclusion == (
        "No row of Source for H100 tells the line that it came from."
    )
    assert linked(result).result is result
