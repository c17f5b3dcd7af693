from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from workbench.core.jobs import PassesResult
from workbench.session.code_inputs import CodeInputs, Stage
from workbench.session.code_passes import PassTrace
from workbench.session.code_view import CodeView, Place
from workbench.ui.panes.code.row_delegate import RowDelegate
from workbench.ui.panes.code.row_list import RowModel
from workbench.ui.panes.code.rows import TextRow, pass_rows, stage_rows
from workbench.ui.panes.code.side_list import SideList
from workbench.ui.theme.icons import Icons

Passes = tuple[PassesResult, list[bytes]]


@pytest.fixture
def trace(passes: Passes) -> PassTrace:
    return PassTrace(passes[0], tuple(passes[1]))


@pytest.fixture
def side(qtbot: QtBot, icons: Icons, inputs: CodeInputs, trace: PassTrace) -> SideList:
    side = SideList(icons)
    qtbot.addWidget(side)
    side.resize(232, 600)
    side.show()
    side.show_view(CodeView(inputs, {"h100": trace}), Place("h100", pass_index=1), False)
    return side


def test_the_model_is_sound(qtbot: QtBot) -> None:
    model = RowModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.set_rows([TextRow(0, "a"), TextRow(1, "b")])
    model.set_rows([TextRow(0, "a"), TextRow(1, "c")])
    model.set_rows([TextRow(Stage.PTX, "PTX")])
    assert model.data(model.index(0)) == "PTX"


def test_stages_say_how_long_they_are_or_why_they_are_not_there(inputs: CodeInputs) -> None:
    view = CodeView(inputs)
    notes = [(row.name, row.note, row.tone) for row in stage_rows(view, inputs.targets[0])]
    assert notes == [
        ("Tile IR", "1", "fg"),
        ("Lowered IR", "", "fg3"),
        ("Host IR", "", "fg3"),
        ("Source", "42", "fg"),
        ("PTX", "none", "fg3"),
        ("SASS", "1", "fg"),
    ]
    assert {row.icon for row in stage_rows(view, inputs.targets[2])} == {"error"}


def test_passes_are_numbered_and_say_what_they_changed(trace: PassTrace) -> None:
    rows = [(row.number, row.name, row.note, row.changed) for row in pass_rows(trace, False)]
    assert rows == [
        ("1", "Check", "", False),
        ("2", "Simplify", "+1 \u22121", True),
        ("3", "Lower", "", False),
        ("4", "Filter", "+1 \u22120", True),
    ]
    assert [row.number for row in pass_rows(trace, True)] == ["2", "4"]


def test_what_is_read_is_the_current_row(side: SideList) -> None:
    assert (side.passes.current_key(), side.stages.current_key()) == (1, None)


def test_j_and_k_step_as_the_arrows_do(side: SideList, qtbot: QtBot) -> None:
    chosen: list[int] = []
    side.pass_chosen.connect(chosen.append)
    for key in (Qt.Key.Key_J, Qt.Key.Key_Down, Qt.Key.Key_K, Qt.Key.Key_Up):
        qtbot.keyClick(side.passes, key)
    assert chosen == [2, 3, 2, 1]


def test_a_click_chooses_a_stage(side: SideList, qtbot: QtBot) -> None:
    place = side.stages.visualRect(side.stages.rows.index(5)).center()
    with qtbot.waitSignal(side.stage_chosen) as chosen:
        qtbot.mouseClick(side.stages.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [Stage.SASS]


def test_showing_something_is_no_choice(
    side: SideList, qtbot: QtBot, inputs: CodeInputs, trace: PassTrace
) -> None:
    with qtbot.assertNotEmitted(side.pass_chosen), qtbot.assertNotEmitted(side.stage_chosen):
        view = CodeView(inputs, {"h100": trace})
        side.show_view(view, Place("h100", pass_index=3), False)
        side.show_view(view, Place("a100", Stage.TIR), False)
    assert (side.passes.rows.rowCount(), side.stages.current_key()) == (0, Stage.TIR)


def test_the_summary_counts_the_passes(side: SideList) -> None:
    assert side._summary.text() == "2 of 4 · 4.00 ms"
    side.resize(400, 600)
    assert side._summary.text() == "2 of 4 change the kernel · 4.00 ms"
    assert "20.0 ms more" in side._summary.toolTip()


def test_recording_is_offered_where_there_are_no_passes_or_old_ones(
    side: SideList, inputs: CodeInputs, trace: PassTrace
) -> None:
    place = Place("h100", Stage.TIR)
    offers = []
    for traces, recording in (
        ({"h100": trace}, False),
        ({}, False),
        ({}, True),
        ({"h100": replace(trace, stale=True)}, False),
    ):
        side.show_view(CodeView(inputs, traces), place, recording)
        offers.append((side._record.isVisible(), side._record.text(), side._about.text()))
    assert [shown for shown, _, _ in offers] == [False, True, False, True]
    assert offers[2][2] == "Recording the passes…"
    assert offers[3][1:] == ("Record again", "Of an earlier text.")


def test_a_low_one_puts_its_lists_side_by_side(side: SideList) -> None:
    least = side.minimumSizeHint().width()
    side.resize(400, 260)
    assert side.minimumSizeHint().width() > least
    assert side.passes.mapTo(side, side.passes.rect().topLeft()).x() >= side.stages.width()


def test_a_name_is_cut_only_after_its_note_is_left_out(side: SideList, icons: Icons) -> None:
    row = TextRow(0, "InjectSoftwarePipeline", note="+120 \u221280", number="12", changed=True)
    delegate = RowDelegate(side.passes, icons)
    name = QFontMetrics(delegate._strong).horizontalAdvance(row.name)
    image = QImage(400, 24, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    used = [
        delegate._paint_note(painter, QRect(0, 0, width, 24), row) for width in (name + 20, 400)
    ]
    painter.end()
    assert (used[0], used[1] > 0) == (0, True)
