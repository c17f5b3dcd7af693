"""The lens of linked code: a statement lights up in all columns; nothing is made before a look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from tests.support.analysis_results import COPY, GEMM
from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.linked_code import DOCUMENT, linked, linked_target
from workbench.app import Application
from workbench.core.jobs import Failure
from workbench.core.linked_code import LinkedResult, LinkedText
from workbench.session.lenses.links import Selection
from workbench.session.linking import LinkedCode
from workbench.ui.lenses.linked.lens import LinkedLens
from workbench.ui.lenses.linked.row_painter import (
    HUE_TOKENS,
    LIT_NUMBER,
    LIT_TINT,
    TINT,
    row_height,
)
from workbench.ui.theme.colours import contrast, mix
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import DARK, LIGHT, Palette
from workbench.ui.widgets.empty_state import EmptyState


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> LinkedLens:
    made = LinkedLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 400)
    made.show()
    return made


def empty_sentence(lens: LinkedLens) -> str:
    (shown,) = (each for each in lens.findChildren(EmptyState) if each.isVisible())
    return shown.sentence


def test_the_first_look_asks_for_the_texts_once_they_can_be_made(
    lens: LinkedLens, qtbot: Any
) -> None:
    with qtbot.waitSignal(lens.code_requested) as asked:
        lens.set_subject(lens_subject(lens_target("h100")))
    assert asked.args == ["h100"]
    assert "being made" in empty_sentence(lens)
    with qtbot.assertNotEmitted(lens.code_requested):
        lens.set_subject(lens_subject(replace(lens_target("h100"), linking=True)))


def test_an_edit_makes_nothing_until_the_person_wants_it(lens: LinkedLens, qtbot: Any) -> None:
    with qtbot.assertNotEmitted(lens.code_requested):
        lens.set_subject(lens_subject(linked_target(), revision=3))
    assert lens.conclusion.startswith("Of an earlier text.")
    (button,) = (b for b in lens.findChildren(type(lens._refresh)) if b is lens._refresh)
    with qtbot.waitSignal(lens.code_requested):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_failure_is_told(lens: LinkedLens) -> None:
    failed = LinkedResult(Failure("kernel", "the kernel does not lower"))
    lens.set_subject(lens_subject(linked_target(result=failed)))
    assert empty_sentence(lens) == "the kernel does not lower"


def test_a_click_selects_the_line_and_lights_it_in_all_columns(
    lens: LinkedLens, qtbot: Any
) -> None:
    lens.set_subject(lens_subject(linked_target()))
    python, sass = lens.panels
    lens.selected.connect(lens.set_selection)
    with qtbot.waitSignal(lens.selected) as selected:
        at = QPoint(60, 4 * row_height() + 4)  # the fifth row: the first of the product
        qtbot.mouseClick(sass.rows.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selected.args == [Selection(line=GEMM)]
    assert sass.rows.place == (1, 3)
    assert python.rows.place == (1, 1)


def test_rows_of_no_line_select_nothing(lens: LinkedLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(linked_target()))
    with qtbot.assertNotEmitted(lens.selected):
        qtbot.mouseClick(
            lens.panels[1].rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 4)
        )


def test_one_goes_from_partner_to_partner_around_the_ends(lens: LinkedLens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(linked_target()))
    lens.set_selection(Selection(line=GEMM))
    rows = lens.panels[1].rows
    places = []
    for _ in range(3):
        qtbot.keyClick(rows, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        places.append(rows.place[0])
    assert places == [2, 3, 1]
    qtbot.keyClick(rows, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert rows.place == (3, 3)


def test_a_selection_out_of_sight_is_scrolled_to(lens: LinkedLens) -> None:
    long = LinkedText("sass", "\n".join(["NOP ;"] * 5000), (0,) * 4000 + (COPY,) * 1000)
    lens.set_subject(lens_subject(linked_target(result=LinkedResult(None, (long,)))))
    rows = lens.panels[1].rows
    lens.set_selection(Selection(line=COPY))
    assert 3950 < rows.first_row <= 4000
    before = rows.first_row
    lens.set_selection(None)
    lens.set_selection(Selection(line=COPY))
    assert rows.first_row == before  # a row of the line is in sight


def test_a_text_that_lacks_says_why(lens: LinkedLens) -> None:
    source = LinkedText("source", "a\nb", (0, COPY))
    result = LinkedResult(None, (source,), {"ptx": "no compiler here", "sass": "no compiler here"})
    lens.set_subject(lens_subject(linked_target(result=result)))
    lens.show_columns("source", "ptx", "sass")
    assert [panel.lack for panel in lens.panels] == [
        "",
        "No PTX: no compiler here.",
        "No SASS: no compiler here.",
    ]


def test_the_texts_of_the_columns_are_remembered(lens: LinkedLens) -> None:
    lens.set_subject(lens_subject(linked_target()))
    lens.show_columns("tir", "source", "ptx")
    state = lens.state()
    lens.show_columns("python", "sass")
    lens.restore(state)
    assert [panel.stage for panel in lens.panels] == ["tir", "source", "ptx"]


def test_texts_of_another_text_are_shown_with_that_text(lens: LinkedLens) -> None:
    other = LinkedCode(0, DOCUMENT.replace("bx", "by"), linked().result)
    lens.set_subject(lens_subject(replace(linked_target(), linked=other), text=DOCUMENT))
    assert lens.panels[0].rows.column.rows[1] == "with T.Kernel(1) as by:"


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_writes_what_it_shows(lens: LinkedLens, tmp_path: Path, suffix: str) -> None:
    lens.set_subject(lens_subject(linked_target()))
    lens.export(tmp_path / f"linked.{suffix}")
    assert len((tmp_path / f"linked.{suffix}").read_bytes()) > 2000


@pytest.mark.parametrize("palette", [DARK, LIGHT])
@pytest.mark.parametrize("hue", HUE_TOKENS)
def test_code_is_read_on_every_hue(palette: Palette, hue: str) -> None:
    code = [name for name in vars(palette) if name.startswith("syntax_")]
    for share, tokens in ((TINT, [*code, "fg3"]), (LIT_TINT, code), (LIT_NUMBER, ["fg"])):
        ground = mix(palette.bg1, palette.colour(hue), share)
        assert min(contrast(palette.colour(each), ground) for each in tokens) >= 4.5


def test_the_action_reveals_the_line_at_the_cursor(application: Application) -> None:
    tab = application.window.editors.current
    assert tab is not None
    tab.current.go_to(7)
    application.controller.actions["linked-code"].trigger()
    views = application.controller.panels.lenses
    assert views.lens("linked").selection == Selection(line=7)
    assert views.trail.current == Selection(line=7)
    assert not application.session.jobs.jobs  # a folder that is not trusted runs nothing


def test_a_text_begins_where_the_first_line_has_its_rows(lens: LinkedLens) -> None:
    long = LinkedText("sass", "\n".join(["NOP ;"] * 900), (0,) * 400 + (COPY,) * 500)
    lens.set_subject(lens_subject(linked_target(result=LinkedResult(None, (long,)))))
    rows = lens.panels[1].rows
    assert rows.first_row == 398
    rows.verticalScrollBar().setValue(7)
    lens.set_subject(lens_subject(linked_target(result=LinkedResult(None, (long,)))))
    assert rows.first_row == 7
