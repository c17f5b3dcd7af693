"""The bank lens shows sites, steps through what lanes do, and offers changes to make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from tests.support.banked_tiles import TRANSPOSE, report_of, transpose
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.bank_changes import ChangeKind
from workbench.core.diagnostics import Fix
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject
from workbench.ui.lenses.banks.lens import BanksLens
from workbench.ui.lenses.banks.stage import Shown
from workbench.ui.lenses.banks.table import COLUMNS
from workbench.ui.theme.icons import Icons

TILES = transpose()
H200 = lens_target("h200", 0, shared=report_of(TILES), shared_tiles=TILES, estimate=None)


def subject(**fields: Any) -> LensSubject:
    return lens_subject(H200, text=TRANSPOSE, kernel="transpose", revision=7, **fields)


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> BanksLens:
    made = BanksLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 640)
    made.show()
    made.set_subject(subject())
    made.grab()
    return made


def shown(lens: BanksLens) -> Shown:
    assert lens.shown is not None
    return lens.shown


def buttons(lens: BanksLens) -> list[QPushButton]:
    return [button for card in lens.choices.cards for button in card.findChildren(QPushButton)]


def test_it_opens_on_the_worst_site_with_the_best_change_beside_it(lens: BanksLens) -> None:
    assert lens.conclusion.startswith("32-way load conflict on line 26")
    row = lens.table.current_row()
    assert row is not None
    assert row.line == 26
    assert shown(lens).after_title == "S padded by 1"
    assert shown(lens).after is not None
    assert [card.what_if.title for card in lens.choices.cards] == [
        "Pad by 1",
        "XOR of columns",
        "Pad by 2",
        "Swizzle 128 B",
        "Pad by 4",
        "Transpose the tile",
    ]


def test_a_row_selects_its_line_and_a_line_its_row(lens: BanksLens, qtbot: Any) -> None:
    with qtbot.waitSignal(lens.selected) as selected:
        lens.table.selectRow(1)
    assert selected.args == [Selection(23, "S")]
    assert shown(lens).detail.row.line == 23
    assert lens.choices.cards == ()
    with qtbot.assertNotEmitted(lens.selected):
        lens.set_selection(Selection(line=26))
    assert shown(lens).detail.row.line == 26
    lens.set_selection(Selection(line=1))
    assert shown(lens).detail.row.line == 26


def test_turns_and_warps_are_stepped_through_with_keys(lens: BanksLens, qtbot: Any) -> None:
    assert shown(lens).detail.steps[shown(lens).place].label == "warp 0, r = 0"
    qtbot.keyClick(lens, Qt.Key.Key_Period)
    assert shown(lens).card.where == "bank 8"
    qtbot.keyClick(lens, Qt.Key.Key_BraceRight)
    assert shown(lens).detail.steps[shown(lens).place].label == "warp 1, r = 1"
    qtbot.keyClick(lens, Qt.Key.Key_Comma)
    qtbot.keyClick(lens, Qt.Key.Key_BraceLeft)
    qtbot.keyClick(lens, Qt.Key.Key_Comma)
    assert shown(lens).card.where == "bank 24"  # the last turn comes before the first


def test_a_click_on_a_small_card_shows_its_turn(lens: BanksLens, qtbot: Any) -> None:
    (third,) = (hit for hit in lens.stage.hits if hit.key == ("step", 16))
    qtbot.mouseClick(lens.stage, Qt.MouseButton.LeftButton, pos=third.area.center().toPoint())
    assert shown(lens).card.where == "bank 16"


def test_the_head_of_the_card_leads_to_the_line(lens: BanksLens, qtbot: Any) -> None:
    (head,) = (hit for hit in lens.stage.hits if hit.selection is not None)
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.mouseClick(lens.stage, Qt.MouseButton.LeftButton, pos=head.area.center().toPoint())
    assert selected.args == [Selection(26, "S")]


def test_a_change_is_drawn_when_it_is_clicked_and_made_by_its_button(
    lens: BanksLens, qtbot: Any
) -> None:
    (swizzle,) = (
        card for card in lens.choices.cards if card.what_if.change.kind is ChangeKind.SWIZZLE
    )
    qtbot.mouseClick(swizzle, Qt.MouseButton.LeftButton, pos=swizzle.rect().topLeft())
    assert shown(lens).after_title == "S swizzled, 128 B"
    after = shown(lens).after
    assert after is not None
    assert after.ways == 4
    with qtbot.waitSignal(lens.fix_requested) as wanted:
        qtbot.mouseClick(buttons(lens)[0], Qt.MouseButton.LeftButton)
    fix, revision = wanted.args
    assert isinstance(fix, Fix)
    assert (fix.title, revision) == ("Pad S by 1", 7)


def test_nothing_is_applied_to_a_text_that_has_changed(lens: BanksLens) -> None:
    assert all(button.isEnabled() for button in buttons(lens))
    lens.set_subject(replace(subject(), targets=(replace(H200, stale=True),)))
    assert buttons(lens)
    assert not any(button.isEnabled() for button in buttons(lens))


def hidden_columns(lens: BanksLens) -> set[str]:
    return {column.key for place, column in enumerate(COLUMNS) if lens.table.isColumnHidden(place)}


def test_choices_wrap_and_derived_columns_hide_where_it_is_narrow(
    lens: BanksLens, qtbot: Any
) -> None:
    def rows() -> int:
        lens.grab()
        return len({card.y() for card in lens.choices.cards})

    assert rows() == 2
    assert hidden_columns(lens) == {"executions", "measured", "ideal"}
    lens.resize(1040, 640)
    qtbot.waitUntil(lambda: rows() == 1)
    assert hidden_columns(lens) == {"measured"}


def test_it_remembers_the_site_of_a_document(lens: BanksLens, icons: Icons, qtbot: Any) -> None:
    lens.table.selectRow(1)
    again = BanksLens(icons.theme, icons)
    qtbot.addWidget(again)
    again.restore(lens.state())
    again.set_subject(subject())
    assert shown(again).detail.row.line == 23


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_is_exported(lens: BanksLens, tmp_path: Path, suffix: str) -> None:
    lens.export(tmp_path / f"banks.{suffix}")
    assert (tmp_path / f"banks.{suffix}").stat().st_size > 10_000
