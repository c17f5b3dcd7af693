from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from workbench.core.jobs import PassesResult
from workbench.session.code_comparisons import Against, Comparison
from workbench.session.code_inputs import CodeInputs, Stage
from workbench.ui.panes.code import CodePane
from workbench.ui.panes.code.side_list import WIDTH
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

Passes = tuple[PassesResult, list[bytes]]


class Answers:
    """Stands for the person in the dialog that asks for a file."""

    def __init__(self) -> None:
        self.path, self.suggested = "", ""

    def __call__(self, parent: QWidget, suggested: str) -> str:
        self.suggested = suggested
        return self.path


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme, icons: Icons, answers: Answers) -> CodePane:
    pane = CodePane(theme, icons, choose=answers)
    qtbot.addWidget(pane)
    pane.resize(1200, 600)
    return pane


@pytest.fixture
def shown(pane: CodePane, inputs: CodeInputs) -> CodePane:
    pane.show()
    pane.set_results(inputs)
    return pane


def text(pane: CodePane) -> str:
    """What is read; empty where something else stands in its place."""
    is_text = pane._stack.currentWidget() is pane._pair
    return pane._pair.right.view.toPlainText() if is_text else ""


def press(pane: CodePane, tool: str) -> None:
    pane._header._tools[tool].click()


def test_an_empty_pane_says_what_it_would_show(pane: CodePane) -> None:
    pane.show()
    assert "Compile a kernel" in pane._empty.sentence
    assert text(pane) == ""


def test_the_source_of_the_first_target_is_shown_with_its_conclusion(shown: CodePane) -> None:
    assert "int x_sm_90 = 90;" in text(shown)
    assert shown._header.sentence.text == "Source for H100: 42 lines."


def test_a_chip_shows_another_target(shown: CodePane, qtbot: QtBot) -> None:
    chips = shown._header._chips
    assert chips is not None
    chips.button("a100").click()
    assert "int x_sm_80 = 80;" in text(shown)
    assert chips.current == "a100"


def test_a_stage_that_was_not_made_is_asked_for_and_loads(shown: CodePane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(shown.emit_requested) as asked:
        shown._on_stage_chosen(Stage.LOWERED)
    assert asked.args == ["h100", "lowered"]
    assert shown._empty.sentence.startswith("Making Lowered IR for H100…")


def test_nothing_is_asked_for_while_nobody_sees_it(
    pane: CodePane, inputs: CodeInputs, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(pane.emit_requested):
        pane.set_results(inputs)
        pane._on_stage_chosen(Stage.LOWERED)
    with qtbot.waitSignal(pane.emit_requested):
        pane.show()


def test_what_is_missing_has_its_cure_and_its_command_to_copy(shown: CodePane) -> None:
    shown._on_stage_chosen(Stage.PTX)
    assert "No PTX for H100: no CUDA compiler on this machine." in shown._empty.sentence
    shown._empty.action_triggered.emit()
    assert QGuiApplication.clipboard().text() == "pip install nvidia-cuda-nvcc==13.0.88"


def test_a_kernel_that_does_not_build_says_why_and_offers_its_passes(
    shown: CodePane, qtbot: QtBot
) -> None:
    shown._on_target_chosen("cpu")
    assert "no layout for C_local" in shown._empty.sentence
    with qtbot.waitSignal(shown.passes_requested) as asked:
        shown._empty.action_triggered.emit()
    assert asked.args == ["cpu"]


def test_an_answer_without_the_text_offers_to_ask_again(
    shown: CodePane, inputs: CodeInputs, qtbot: QtBot
) -> None:
    shown._on_stage_chosen(Stage.HOST)
    targets = [replace(t, result=replace(t.result)) if t.result else t for t in inputs.targets]
    with qtbot.assertNotEmitted(shown.emit_requested):
        shown.set_results(replace(inputs, targets=tuple(targets)))
    with qtbot.waitSignal(shown.emit_requested) as asked:
        shown._empty.action_triggered.emit()
    assert asked.args == ["h100", "host"]


def test_a_pass_is_shown_beside_what_it_was_given(shown: CodePane, passes: Passes) -> None:
    shown.set_passes("h100", *passes)
    shown._on_pass_chosen(1)
    assert shown._pair.left.view.toPlainText() == "x = 1\ny = 2"
    assert text(shown) == "x = 1\ny = 3"
    assert shown._header._position.text() == "1 of 1"
    assert shown._header.sentence.text.startswith("Simplify changes the kernel: 1 line new, 1 gone")


def test_steps_leave_out_passes_that_change_nothing(shown: CodePane, passes: Passes) -> None:
    shown.set_passes("h100", *passes)
    shown._side.set_only_changes(True)
    found = []
    for _ in range(3):
        shown._on_step_requested(1)
        found.append(shown._side.passes.current_key())
    assert found == [1, 3, 3]


def test_recording_asks_once_and_again_for_another_target(
    shown: CodePane, passes: Passes, qtbot: QtBot
) -> None:
    asked: list[str] = []
    shown.passes_requested.connect(asked.append)
    shown._side.record_requested.emit()
    shown.set_passes("h100", *passes)
    shown._on_target_chosen("a100")
    assert asked == ["h100", "a100"]


def test_two_targets_are_compared_and_it_is_said_in_a_sentence(shown: CodePane) -> None:
    shown._on_comparison_chosen(Comparison(Against.TARGET, "a100"))
    assert shown._header.sentence.text == (
        "Source for H100 against A100: 2 lines new, 2 gone in 2 places, indentation aside."
    )
    assert shown._header._position.text() == "1 of 2"
    press(shown, "next")
    assert shown._header._position.text() == "2 of 2"


def test_the_menu_offers_what_can_be_compared_and_marks_what_is(shown: CodePane) -> None:
    shown._on_comparison_chosen(Comparison(Against.TARGET, "a100"))
    actions = shown._header._menu.actions()
    assert [action.text() for action in actions if action.isChecked()] == ["A100"]
    next(action for action in actions if action.text() == "Nothing").trigger()
    assert shown._pair.difference is None


def test_a_pinned_text_stays_on_the_left(shown: CodePane) -> None:
    press(shown, "pin")
    shown._on_stage_chosen(Stage.TIR)
    assert shown._pair.left.title == "Source for H100"
    assert text(shown) == "a"


def test_a_text_is_copied(shown: CodePane) -> None:
    press(shown, "copy")
    assert "int x_sm_90" in QGuiApplication.clipboard().text()


def test_a_text_is_saved_under_the_name_that_was_chosen(
    shown: CodePane, answers: Answers, tmp_path: Path
) -> None:
    answers.path = str(tmp_path / "kernel.cu")
    press(shown, "save")
    assert answers.suggested == "gemm.h100.cu"
    assert "int x_sm_90" in (tmp_path / "kernel.cu").read_text()


def test_a_file_that_cannot_be_written_is_said(
    shown: CodePane, answers: Answers, tmp_path: Path
) -> None:
    answers.path = os.fspath(tmp_path / "nowhere" / "kernel.cu")
    press(shown, "save")
    assert shown._notice.text.startswith(f"{answers.path} was not written")


def test_old_results_are_pale_and_said_to_be_old(shown: CodePane, inputs: CodeInputs) -> None:
    shown.set_results(replace(inputs, stale=True))
    assert shown._notice.isVisible()
    assert "earlier text" in shown._notice.text
    shown.set_results(inputs)
    assert not shown._notice.isVisible()


def test_the_choice_of_stage_and_filter_is_remembered(
    shown: CodePane, pane: CodePane, theme: Theme, icons: Icons, qtbot: QtBot, inputs: CodeInputs
) -> None:
    shown._on_stage_chosen(Stage.SASS)
    shown._side.set_only_changes(True)
    other = CodePane(theme, icons)
    qtbot.addWidget(other)
    other.restore(shown.state())
    other.set_results(inputs)
    assert text(other) == "EXIT ;"
    assert other._side.only_changes


@pytest.mark.parametrize("state", [{}, {"stage": "nonsense", "only_changes": 3}, {"stage": None}])
def test_a_state_that_is_not_understood_costs_nothing(
    pane: CodePane, inputs: CodeInputs, state: dict[str, object]
) -> None:
    pane.restore(state)
    pane.set_results(inputs)
    assert "int x_sm_90" in text(pane)


def test_a_narrow_and_high_pane_has_its_lists_above_the_text(shown: CodePane) -> None:
    def is_above(pane: CodePane) -> bool:
        bottom = pane._side.mapTo(pane, pane._side.rect().bottomLeft()).y()
        return bottom < pane._pair.mapTo(pane, pane._pair.rect().topLeft()).y()

    shown.resize(520, 690)
    assert is_above(shown)
    assert shown._pair.width() > 500
    shown.resize(1200, 690)
    assert not is_above(shown)
    assert shown._side.width() == WIDTH


def test_the_room_of_the_lists_is_remembered(
    shown: CodePane, theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    shown._splitter.setSizes([300, 900])
    shown._on_splitter_moved()
    other = CodePane(theme, icons)
    qtbot.addWidget(other)
    other.restore(shown.state())
    other.resize(1200, 600)
    other.show()
    assert other._side.width() == shown._side.width() != WIDTH


def test_the_find_tool_searches_the_text_in_sight(shown: CodePane) -> None:
    shown._on_comparison_chosen(Comparison(Against.TARGET, "a100"))
    shown.resize(520, 690)
    press(shown, "find")
    assert shown._pair.unified.close_bars()


@pytest.mark.parametrize(("width", "height"), [(1000, 150), (1400, 260), (500, 640)])
def test_it_fits_where_it_is_docked(
    shown: CodePane, qapp: QApplication, width: int, height: int
) -> None:
    shown.resize(width, height)
    qapp.processEvents()  # the narrow arrangement needs less than the one before it
    shown.resize(width, height)
    assert (shown.width(), shown.height()) == (width, height)


def test_every_tool_has_a_name(shown: CodePane) -> None:
    assert all(tool.accessibleName() for tool in shown._header._tools.values())
    assert shown._pair.right.view.accessibleName()


def test_another_theme_repaints_everything(shown: CodePane, theme: Theme) -> None:
    before = shown.grab().toImage()
    theme.set_choice("light")
    after = shown.grab().toImage()
    assert after.pixelColor(600, 300).lightness() > before.pixelColor(600, 300).lightness()
