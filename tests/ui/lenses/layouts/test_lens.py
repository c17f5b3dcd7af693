"""The layouts lens shows a buffer, keeps a thread, marks a phase, and follows what is selected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox

from tests.support.layout_buffers import accumulator, plain, swizzled, wide_accumulator
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.plain import to_plain
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.layouts.buffer_row import BufferRow
from workbench.ui.lenses.layouts.lens import LayoutsLens
from workbench.ui.lenses.layouts.pictures import (
    FragmentPicture,
    grid_area,
    shown_size,
    threads_text,
)
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState

TEXT = """
A_shared = T.alloc_shared((64, 64), "float16")
C_local = T.alloc_fragment((16, 8), "float32")
"""
H100 = lens_target("h100", 0, layouts=(swizzled(), accumulator()))


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> LayoutsLens:
    made = LayoutsLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    return made


def cell(lens: LayoutsLens, row: int, column: int, rows: int = 16, columns: int = 8) -> QPoint:
    lens.cells.grab()  # what answers is told while painting
    area = lens.cells.hits[0].area
    x = area.left() + (column + 0.5) * area.width() / columns
    return QPointF(x, area.top() + (row + 0.5) * area.height() / rows).toPoint()


def click(lens: LayoutsLens, place: QPoint) -> None:
    QTest.mouseClick(lens.cells, Qt.MouseButton.LeftButton, pos=place)


def test_a_click_keeps_a_thread_and_selects_the_buffer(lens: LayoutsLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    with qtbot.waitSignal(lens.selected) as selected:
        click(lens, cell(lens, 3, 2))
    assert selected.args == [Selection(line=3, buffer="C_local")]
    assert lens.told_of_thread == (
        "holds 4 of the 128 in view: row 3 + 8·(r ÷ 2), column 2 + (r mod 2)"
    )
    (field,) = lens.findChildren(QSpinBox)
    assert field.text() == "Thread 13"
    click(lens, cell(lens, 11, 3))  # another cell of the same thread lets it go
    assert field.text() == "No thread"
    field.stepUp()  # with the keys, from the first thread on
    assert field.text() == "Thread 0"
    assert lens.told_of_thread.startswith("holds 4 of the 128 in view: row 8·(r ÷ 2)")


def test_another_target_has_threads_of_its_own(lens: LayoutsLens) -> None:
    late = lens_target("a100", 1, layouts=(accumulator(first_thread=128),))
    lens.set_subject(lens_subject(H100, late, text=TEXT))
    click(lens, cell(lens, 3, 2))
    lens.choose_target(late.target.name)
    picture = lens.cells.picture
    assert isinstance(picture, FragmentPicture)
    assert picture.thread == 128


def test_the_row_offers_every_buffer(lens: LayoutsLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    (row,) = lens.findChildren(BufferRow)
    texts = [action.text() for action in row.menu.actions()]
    assert texts == [
        "C_local   fragment, float32 16 × 8",
        "A_shared   shared, float16 64 × 64",
    ]
    row.menu.actions()[1].trigger()
    assert lens.shown_buffer == "A_shared"


def test_the_cell_under_the_pointer_says_who_holds_it(lens: LayoutsLens) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    hit = lens.cells.hit_at(QPointF(cell(lens, 11, 3)))
    assert hit is not None
    assert hit.tip == "C_local[11, 3]: thread 13, r3 (warp 0, lane 13)"
    assert hit.key == ("thread", 13)


def test_a_buffer_selected_elsewhere_is_shown(lens: LayoutsLens) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    assert lens.shown_buffer == "C_local"
    lens.set_selection(Selection(line=7, buffer="A_shared"))
    assert lens.shown_buffer == "A_shared"
    assert lens.conclusion.startswith("The 128-byte swizzle spreads 8 rows of A_shared")
    lens.set_selection(Selection(line=3))
    assert lens.shown_buffer == "C_local"
    lens.set_selection(Selection(line=99))
    assert lens.shown_buffer == "C_local"


def test_a_buffer_chosen_here_is_selected_everywhere(lens: LayoutsLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    lens.set_selection(Selection(line=3, buffer="C_local"))
    with qtbot.waitSignal(lens.selected) as selected:
        lens.choose_buffer("A_shared")
    assert selected.args == [Selection(line=2, buffer="A_shared")]
    assert lens.shown_buffer == "A_shared"


def test_a_click_on_a_tile_marks_another_phase(lens: LayoutsLens) -> None:
    lens.set_subject(lens_subject(lens_target("h100", layouts=(plain(),)), text=TEXT))
    lens.cells.grab()
    field = lens.cells.hits[0]
    last = field.area.bottomRight() - QPointF(3, 3)
    hit = lens.cells.hit_at(last)
    assert hit is not None
    assert hit.key == ("phase", 31, 31)
    assert hit.tip == "S[31, 31]: byte 4,092, bank 31, line 31"
    click(lens, last.toPoint())
    assert "share 1 of 32 banks" in lens.conclusion


def test_a_conflict_is_shown_where_nothing_could_be_lowered(lens: LayoutsLens) -> None:
    known = accumulator().map
    other = replace(known, first_thread=32) if known is not None else None
    evidence = {"buffers": ["s", "p"], "maps": [to_plain(known), to_plain(other)]}
    problem = Diagnostic("layout-conflict", Severity.ERROR, "", TextRange(9), evidence=evidence)
    failed = replace(H100, analysis=None, problems=(problem,), stale=True)
    lens.set_subject(lens_subject(failed, text=TEXT))
    assert lens.conclusion.startswith("s and p agree on the threads of none of 128 cells")
    assert "earlier text" not in lens.conclusion
    hit = lens.cells.hit_at(QPointF(cell(lens, 3, 2)))
    assert hit is not None
    assert hit.tip == "[3, 2]: thread 13 for s, 45 for p"
    assert hit.selection == Selection(line=9, buffer="s and p")


def test_labels_and_extent_are_remembered_by_document(lens: LayoutsLens) -> None:
    wide = lens_target("h100", layouts=(wide_accumulator(),))
    lens.set_subject(lens_subject(wide, text=TEXT))
    lens.restore_document({"labels": "index", "whole": True, "thread": 5, "buffer": "acc"})
    lens.set_subject(lens_subject(wide, text=TEXT))
    picture = lens.cells.picture
    assert isinstance(picture, FragmentPicture)
    assert (picture.labels.value, picture.is_whole, picture.thread) == ("index", True, 5)
    assert lens.document_state()["labels"] == "index"
    lens.restore_document({"labels": "nonsense", "view": ["a"]})
    assert lens.document_state()["labels"] == "value"


def test_without_layouts_it_says_why(lens: LayoutsLens) -> None:
    lens.set_subject(lens_subject(lens_target("h100", layouts=None)))
    (shown,) = (each for each in lens.findChildren(EmptyState) if each.isVisible())
    assert "unknown" in shown.sentence
    lens.set_subject(lens_subject(lens_target("h100", layouts=())))
    assert "neither fragments nor tiles" in shown.sentence


def test_it_writes_what_it_shows(lens: LayoutsLens, tmp_path: Path) -> None:
    lens.set_subject(lens_subject(H100, text=TEXT))
    lens.export(tmp_path / "layouts.svg")
    assert b"C_local" in (tmp_path / "layouts.svg").read_bytes()


@pytest.mark.parametrize("is_whole", [False, True])
def test_what_is_drawn_fits_into_the_width(is_whole: bool) -> None:
    for tile in ((16, 16), (256, 64), (64, 256), (1, 1)):
        rows, columns = shown_size(*tile, is_whole)
        area = grid_area(488, rows, columns, is_whole)
        assert area.right() <= 488
        assert area.height() <= 421


def test_many_holders_are_told_shortly() -> None:
    assert threads_text((13,)) == "13"
    assert threads_text((4, 5, 6, 7)) == "4…"
    assert threads_text(()) == ""
