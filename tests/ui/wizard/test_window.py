"""The wizard in the window: ways in, choices by mouse and keys, what becomes of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.support.wizards import Jobs
from workbench.app import Application
from workbench.core.jobs import CompileRequest, VerifyRequest
from workbench.ui.wizard.field_row import ValueField
from workbench.ui.wizard.page import WizardPage

CHECKS = (CompileRequest, VerifyRequest)
SENTENCE = "FP16 matrix multiplication for A100, M=N=K=256"


class Window:
    """A window on an empty folder whose worker never answers."""

    def __init__(self, qtbot: Any, app: QApplication, folder: Path, patch: Any) -> None:
        self.jobs = Jobs()
        self.application = Application(app, folder)
        for name in ("submit", "withdraw", "cancel", "warm"):
            patch.setattr(
                self.application.session.jobs, name, getattr(self.jobs, name, lambda *_: None)
            )
        self.application.show(())
        qtbot.waitExposed(self.application.window)

    @property
    def controller(self) -> Any:
        return self.application.controller

    @property
    def page(self) -> WizardPage:
        page: WizardPage = self.controller.wizards.page
        return page

    def trigger(self, name: str) -> None:
        self.controller.actions[name].trigger()

    def step(self) -> str:
        assert self.page.view is not None
        return self.page.view.step

    def choices(self, name: str) -> dict[Any, Any]:
        return {b.value: b for b in self.page.form.row_of(name).strip(name).buttons}

    def generate(self) -> None:
        """Make the kernel of the sentence, up to its document."""
        self.trigger("new-kernel")
        type_into(self.page.start.sentence.line, SENTENCE)
        self.controller.wizards.wizard.go("done")
        QTest.mouseClick(self.page.next, Qt.MouseButton.LeftButton)


def type_into(line: Any, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


@pytest.fixture
def open_window(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: Any
) -> Iterator[Callable[[], Window]]:
    (tmp_path / ".git").mkdir()
    made: list[Window] = []

    def open_one() -> Window:
        made.append(Window(qtbot, qapp, tmp_path, monkeypatch))
        return made[-1]

    yield open_one
    for window in made:
        window.application.close()
    QApplication.sendPostedEvents(None, 0)


@pytest.fixture
def window(open_window: Callable[[], Window]) -> Window:
    return open_window()


def test_nothing_of_the_wizard_is_built_before_it_is_opened(window: Window) -> None:
    assert window.controller.wizards._page.built is None
    assert window.application.session._wizard is None


def test_a_sentence_leads_from_the_menu_to_the_requirements(window: Window) -> None:
    window.trigger("new-kernel")
    assert window.page.currentWidget() is window.page.start

    type_into(window.page.start.sentence.line, SENTENCE)

    assert window.step() == "requirements"
    assert window.page.form.row_of("M").line("M").text() == "256"
    assert window.application.window.windowTitle().startswith("New kernel")
    assert window.application.window.docks["navigator"].isHidden()


def test_a_sentence_that_is_not_understood_says_so(window: Window) -> None:
    window.trigger("new-kernel")

    type_into(window.page.start.sentence.line, "make it quick")

    assert "names no kind of kernel" in window.page.start.sentence.error
    assert window.page.currentWidget() is window.page.start


def test_the_navigator_lists_the_patterns(window: Window, qtbot: Any) -> None:
    window.controller.starting.loaded.emit()

    window.controller.panels.navigator.pattern_activated.emit("softmax")

    assert window.page.view is not None
    assert window.page.view.title == "Softmax over rows"


def test_a_choice_is_taken_by_mouse_and_by_keys(window: Window) -> None:
    window.controller.wizards.open_pattern("gemm")
    window.controller.wizards.wizard.go("tiles")
    QTest.mouseClick(window.choices("block_M")[64], Qt.MouseButton.LeftButton)
    assert window.choices("block_M")[64].choice.is_current

    window.choices("block_M")[64].setFocus()
    QTest.keyClick(window.choices("block_M")[64], Qt.Key.Key_Right)
    assert window.choices("block_M")[128].hasFocus()
    QTest.keyClick(window.choices("block_M")[128], Qt.Key.Key_Space)
    assert window.choices("block_M")[128].choice.is_current


def test_a_choice_that_hides_a_field_keeps_the_focus(window: Window) -> None:
    window.controller.wizards.wizard.read("RMSNorm of 16384 x 8192 fp16 on H200")
    window.controller.wizards.open()
    window.controller.wizards.wizard.go("tiles")
    assert "bulk_row" in [name for row in window.page.form.rows for name in row.names]

    QTest.mouseClick(window.choices("one_barrier")[False], Qt.MouseButton.LeftButton)

    assert "bulk_row" not in [name for row in window.page.form.rows for name in row.names]
    assert window.choices("one_barrier")[False].choice.is_current
    assert window.choices("one_barrier")[False].hasFocus()


def test_a_long_sentence_shows_how_it_begins(window: Window) -> None:
    window.controller.wizards.wizard.read(f"{SENTENCE}, please with a good reason for every size")
    window.controller.wizards.open()

    assert window.page.form.sentence.line.cursorPosition() == 0


def test_enter_goes_on_and_escape_leaves_what_was_chosen(window: Window) -> None:
    window.controller.wizards.open_pattern("gemm")
    line = window.page.form.row_of("M").line("M")
    type_into(line, "100")
    assert window.step() == "tiles"

    QTest.keyClick(window.page, Qt.Key.Key_Escape)
    assert window.application.window.editors.page is None
    assert not window.application.window.docks["navigator"].isHidden()
    window.trigger("new-kernel")
    assert window.step() == "tiles"
    assert window.controller.wizards.wizard.draft.given == {"M": 100}


def test_leaving_ends_the_checks_that_run(window: Window) -> None:
    window.trigger("new-kernel")
    type_into(window.page.start.sentence.line, SENTENCE)
    window.controller.wizards.wizard.go("check")
    asked = {job for job, request, _ in window.jobs.asked if isinstance(request, CHECKS)}
    assert asked

    window.controller.wizards.leave()

    assert asked <= set(window.jobs.cancelled)


def test_an_illegal_choice_is_mended_by_one_click(window: Window) -> None:
    window.controller.wizards.open_pattern("gemm")
    wizard = window.controller.wizards.wizard
    wizard.set_targets(("rtx4090",))
    wizard.go("tiles")
    for name, value in (("block_M", 128), ("block_N", 256), ("block_K", 64), ("threads", 256)):
        wizard.choose(name, value)
    (card,) = window.page.costs.cards.cards

    window.page.costs.cards.mend_chosen.emit(card.mends[0].field, card.mends[0].value)

    assert window.page.costs.cards.cards == ()


def test_what_is_no_number_stays_typed_and_blocks_the_way(window: Window) -> None:
    window.controller.wizards.open_pattern("gemm")

    type_into(window.page.form.row_of("M").line("M"), "many")

    assert window.step() == "requirements"
    line: ValueField = window.page.form.row_of("M").line("M")
    assert line.text() == "many"
    assert not window.page.next.isEnabled()
    assert "whole number" in window.page.why_not.text


def test_finishing_opens_a_document_that_is_not_saved(window: Window) -> None:
    window.generate()

    tab = window.controller.tab
    assert tab.document.title == "matmul.py"
    assert tab.document.targets == ("a100",)
    assert tab.buffer.is_modified
    assert window.application.window.editors.page is None
    assert not window.application.window.docks["navigator"].isHidden()


def test_a_generated_document_is_changed_in_the_wizard_as_one_step_of_undo(
    window: Window,
) -> None:
    window.generate()
    before = window.controller.tab.buffer.text()
    window.trigger("change-pattern")
    assert window.page.form.row_of("M").line("M").text() == "256"
    window.controller.wizards.wizard.choose("bias", True)
    window.controller.wizards.wizard.go("done")
    assert window.page.next.text() == "Replace the text of matmul.py"
    assert window.page.done.difference.isVisible()

    QTest.mouseClick(window.page.next, Qt.MouseButton.LeftButton)

    assert "Bias" in window.controller.tab.buffer.text()
    assert len(window.application.window.editors.tabs) == 1
    window.trigger("undo")
    assert window.controller.tab.buffer.text() == before


def test_an_edited_document_can_be_kept_beside_the_new_one(window: Window) -> None:
    window.generate()
    buffer = window.controller.tab.buffer
    buffer.replace_text(buffer.text() + "\n# by hand\n")
    window.trigger("change-pattern")
    window.controller.wizards.wizard.choose("bias", True)
    window.controller.wizards.wizard.go("done")
    assert "was edited" in window.page.done.warning.text()

    QTest.mouseClick(window.page.other, Qt.MouseButton.LeftButton)

    assert len(window.application.window.editors.tabs) == 2
    assert "by hand" in window.application.window.editors.tabs[0].buffer.text()


def test_a_port_opens_as_a_new_document(window: Window) -> None:
    window.generate()
    window.trigger("port-pattern")
    window.controller.wizards.port("mi300x")
    assert window.step() == "tiles"
    window.controller.wizards.wizard.go("done")

    QTest.mouseClick(window.page.next, Qt.MouseButton.LeftButton)

    assert window.controller.tab.document.targets == ("mi300x",)
    assert len(window.application.window.editors.tabs) == 2


def test_a_document_that_is_closed_is_replaced_by_nothing(window: Window) -> None:
    window.generate()
    tab = window.controller.tab
    window.trigger("change-pattern")
    window.controller.wizards.wizard.choose("bias", True)
    window.controller.files.ask = lambda _: "discard"

    window.controller.files.close_tab(tab)

    assert window.controller.wizards.is_in_front
    window.controller.wizards.wizard.go("done")
    assert window.page.next.text() == "Open as a document"
    assert not window.page.other.isVisible()


def test_panels_keep_their_widths(window: Window, qtbot: Any) -> None:
    window.generate()
    qtbot.wait(50)
    docks = window.application.window.docks
    before = [docks[key].width() for key in ("navigator", "memory")]

    window.trigger("change-pattern")
    qtbot.wait(50)
    window.controller.wizards.leave()
    qtbot.wait(50)

    assert [docks[key].width() for key in ("navigator", "memory")] == before


def test_another_perspective_leaves_the_page_its_room(window: Window) -> None:
    window.controller.wizards.open_pattern("gemm")

    window.trigger("debug")

    assert window.application.window.docks["navigator"].isHidden()
    window.controller.wizards.leave()
    assert not window.application.window.docks["navigator"].isHidden()


def test_what_was_not_generated_is_refused_in_a_toast(window: Window, tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("x = 1\n")
    window.controller.files.open(path)

    window.trigger("change-pattern")

    assert [toast.topic for toast in window.application.window.toasts.toasts] == ["wizard"]
    assert window.application.window.editors.page is None


def test_a_wizard_left_open_comes_back_with_the_window(
    open_window: Callable[[], Window],
) -> None:
    first = open_window()
    first.controller.wizards.open_pattern("gemm")
    type_into(first.page.form.row_of("N").line("N"), "100")
    first.application.close()

    second = open_window()

    assert second.controller.wizards.is_in_front
    assert second.step() == "tiles"
    assert second.controller.wizards.wizard.draft.given == {"N": 100}


def test_a_step_with_room_for_its_fields_has_no_scroll_bar(window: Window, qtbot: Any) -> None:
    window.application.window.resize(1280, 800)
    window.controller.wizards.open_pattern("flash-attention-backward")
    window.controller.wizards.wizard.go("done")  # higher than what follows
    window.controller.wizards.wizard.go("pipeline")

    qtbot.waitUntil(lambda: window.page.fields_bar.maximum() == 0)


def test_a_narrow_window_shows_the_steps_as_discs(window: Window, qtbot: Any) -> None:
    window.controller.wizards.open_pattern("gemm")
    window.application.window.resize(1000, 700)
    qtbot.waitUntil(lambda: window.page.steps.width() < 80)

    window.application.window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.page.steps.width() > 180)
