"""Which buffers there are to look at, the one shown, and conflicts as one picture."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.layout_buffers import accumulator, plain, swizzled, wide_accumulator
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.plain import to_plain
from workbench.session.lenses.layouts.conflict import conflict_conclusion, conflict_of
from workbench.session.lenses.layouts.fragment import Fragment
from workbench.session.lenses.layouts.picture import (
    Kind,
    LayoutsPicture,
    allocation_lines,
    layouts_picture,
)
from workbench.session.lenses.layouts.shared import SharedTile
from workbench.session.lenses.subject import LensTarget

TEXT = """
def main():
    A_shared = T.alloc_shared((64, 64), "float16")
    C_local = T.alloc_fragment((16, 8), "float32")
    n = compute()
"""


def conflict(*maps: LayoutMap) -> Diagnostic:
    evidence = {"buffers": ["s", "p"], "maps": [to_plain(each) for each in maps]}
    return Diagnostic(
        "layout-conflict", Severity.ERROR, "", TextRange(41), evidence=evidence, help="Do this."
    )


def picture(target: LensTarget, wanted: str | None = None) -> LayoutsPicture:
    found = layouts_picture(lens_subject(target, text=TEXT), target, wanted)
    assert found is not None
    return found


def test_fragments_come_first_the_largest_at_the_head() -> None:
    target = lens_target("h100", layouts=(swizzled(), accumulator(), wide_accumulator()))
    found = picture(target)
    assert [each.name for each in found.buffers] == ["acc", "C_local", "A_shared"]
    assert [each.kind for each in found.buffers] == [Kind.FRAGMENT, Kind.FRAGMENT, Kind.SHARED]
    assert found.shown.name == "acc"
    assert isinstance(found.drawing, Fragment)


def test_a_buffer_that_is_wanted_is_shown_with_its_line() -> None:
    target = lens_target("h100", layouts=(swizzled(), accumulator()))
    found = picture(target, "A_shared")
    assert (found.shown.summary, found.shown.line) == ("float16 64 × 64", 3)
    assert isinstance(found.drawing, SharedTile)
    assert picture(target, "gone").shown.name == "C_local"


def test_warps_have_the_size_that_the_target_has() -> None:
    found = picture(lens_target("mi300x", layouts=(wide_accumulator(),)))
    assert isinstance(found.drawing, Fragment)
    assert found.drawing.warps(64, 16) == (0, 1)


def test_a_layout_that_is_no_map_says_so() -> None:
    odd = BufferLayout("x", "local.fragment", "(i) → (odd)", 1, "float32", 32)
    found = picture(lens_target("h100", layouts=(odd, replace(plain("int4", 4), name="y"))))
    assert found.drawing is None
    assert "no map" in found.lacks
    assert "parts of a byte" in picture(lens_target("h100", layouts=(plain("int4", 4),))).lacks


def test_without_buffers_there_is_no_picture() -> None:
    target = lens_target("h100", layouts=())
    assert layouts_picture(lens_subject(target), target) is None


def test_lines_are_those_of_allocations() -> None:
    assert allocation_lines(TEXT) == {"A_shared": 3, "C_local": 4}
    assert allocation_lines("def (") == {}


@pytest.fixture
def maps() -> tuple[LayoutMap, LayoutMap]:
    """The accumulator, and one in which the upper half of the rows belongs to other threads."""
    known = accumulator().map
    assert known is not None
    return known, replace(known, thread="i % 8 * 4 + j % 8 // 2 + select(i < 8, 0, 32)")


def test_a_conflict_tells_which_cells_agree(maps: tuple[LayoutMap, LayoutMap]) -> None:
    found = conflict_of(conflict(*maps))
    assert found is not None
    assert found.agrees[:8].all()
    assert not found.agrees[8:].any()
    assert (found.owners(0, 11, 3), found.owners(1, 11, 3)) == ((13,), (45,))
    assert conflict_conclusion(found) == (
        "s and p agree on the threads of 64 of 128 cells: registers cannot be read across threads. "
        "Do this."
    )


def test_other_numbers_of_copies_never_agree(maps: tuple[LayoutMap, LayoutMap]) -> None:
    found = conflict_of(conflict(maps[0], replace(maps[0], copies=2)))
    assert found is not None
    assert "none of 128 cells: s lies in 1 thread a cell, p in 2." in conflict_conclusion(found)


def test_a_conflict_stands_before_the_buffers(maps: tuple[LayoutMap, LayoutMap]) -> None:
    problem = conflict(*maps)
    target = replace(lens_target("h100", layouts=(accumulator(),)), problems=(problem,))
    found = picture(target)
    assert (found.shown.kind, found.shown.name, found.shown.line) == (Kind.CONFLICT, "s and p", 41)
    assert len(found.buffers) == 2


def test_a_finding_without_two_maps_is_no_conflict(maps: tuple[LayoutMap, LayoutMap]) -> None:
    assert conflict_of(conflict(maps[0])) is None
    assert conflict_of(replace(conflict(*maps), code="race")) is None
    broken = replace(conflict(*maps), evidence={"maps": [{"shape": 1}, {}]})
    assert conflict_of(broken) is None
