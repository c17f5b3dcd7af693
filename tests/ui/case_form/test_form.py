from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QPushButton, QSlider
from pytestqt.qtbot import QtBot

from workbench.core.documents.model import Case, Kernel
from workbench.ui.case_form import CaseForm
from workbench.ui.case_form.row import ChangeDot, FieldRow
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.fields import ComboBox, StepField


@pytest.fixture
def form(
    theme: Theme, icons: Icons, qtbot: QtBot, kernel: Kernel, case: Case, args: dict[str, Any]
) -> CaseForm:
    form = CaseForm(theme, icons)
    qtbot.addWidget(form)
    form.resize(420, 600)
    form.show_arguments(kernel, case, args)
    form.show()
    return form


def inside(form: CaseForm, name: str, kind: type[Any]) -> Any:
    found = form.rows[name].findChild(kind)
    assert found is not None
    return found


def button(form: CaseForm, text: str) -> QPushButton:
    return next(b for b in form.findChildren(QPushButton) if b.text() == text)


def said(form: CaseForm) -> list[str]:
    return [label.text for label in form.findChildren(ElidedLabel)]


def text_of(form: CaseForm, name: str) -> str:
    return str(inside(form, name, QLineEdit).text())


def dot(form: CaseForm, name: str) -> bool:
    return bool(inside(form, name, ChangeDot).is_shown)


def test_a_slider_tells_each_value_it_passes(form: CaseForm) -> None:
    heard: list[tuple[str, object]] = []
    form.value_changed.connect(lambda name, value: heard.append((name, value)))
    slider = inside(form, "block_M", QSlider)
    for at in (7, 8):
        slider.setValue(at)
    assert heard == [("block_M", 128), ("block_M", 256)]
    assert text_of(form, "block_M") == "256"


def test_a_slider_can_be_held_while_its_answers_arrive(
    form: CaseForm, kernel: Kernel, case: Case, args: dict[str, Any]
) -> None:
    slider = inside(form, "block_M", QSlider)
    slider.setValue(8)
    form.show_arguments(kernel, case, {**args, "block_M": 256}, {"block_M": "Too large."})
    assert inside(form, "block_M", QSlider) is slider
    assert slider.value() == 8


def test_what_is_shown_from_outside_is_not_told(
    form: CaseForm, kernel: Kernel, case: Case, args: dict[str, Any], qtbot: QtBot
) -> None:
    other = {**args, "block_M": 256, "causal": True, "scale": 1.0, "dtype": "int8", "M": 3}
    with qtbot.assertNotEmitted(form.value_changed):
        form.show_arguments(kernel, case, other)
    assert [form.rows[name].value for name in ("block_M", "M", "dtype")] == [256, 3, "int8"]


def test_the_arrows_of_a_spin_box_walk_along_the_steps(form: CaseForm) -> None:
    spin = inside(form, "block_M", StepField)
    spin.stepBy(1)
    spin.stepBy(2)
    assert text_of(form, "block_M") == "512"
    spin.stepBy(1)
    assert text_of(form, "block_M") == "512"


def test_a_typed_value_between_the_steps_is_taken(form: CaseForm, qtbot: QtBot) -> None:
    spin = inside(form, "block_M", StepField)
    spin.selectAll()
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        qtbot.keyClicks(spin, "96")
        qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert heard.args == ["block_M", 96]


def test_a_switch_is_told(form: CaseForm, qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        inside(form, "causal", QCheckBox).click()
    assert heard.args == ["causal", True]


def test_a_choice_is_told(form: CaseForm, qtbot: QtBot) -> None:
    box = inside(form, "dtype", ComboBox)
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        box.setCurrentText("bfloat16")
        box.activated.emit(box.currentIndex())
    assert heard.args == ["dtype", "bfloat16"]


def type_into(form: CaseForm, name: str, text: str, qtbot: QtBot) -> None:
    field = inside(form, name, QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_typed_number_is_told(form: CaseForm, qtbot: QtBot) -> None:
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        type_into(form, "scale", "1e-6", qtbot)
    assert heard.args == ["scale", 1e-6]


def test_what_is_no_number_is_refused_beside_the_field(form: CaseForm, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(form.value_changed):
        type_into(form, "scale", "fast", qtbot)
    message = "A number is needed, such as 0.5 or 1e-6. 0.125 stays in force."
    assert form.rows["scale"].message == message
    type_into(form, "scale", "0.125", qtbot)
    assert form.rows["scale"].message == ""


def test_a_missing_value_is_asked_for(form: CaseForm, qtbot: QtBot) -> None:
    assert form.rows["batch"].message == "A value is needed."
    spin = inside(form, "batch", StepField)
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        qtbot.keyClicks(spin, "8")
        qtbot.keyClick(spin, Qt.Key.Key_Return)
    assert heard.args == ["batch", 8]
    assert form.rows["batch"].message == ""


def test_an_error_stands_beside_its_field(form: CaseForm) -> None:
    form.set_errors({"block_M": "Needs 144 KiB of shared memory."})
    assert form.rows["block_M"].message == "Needs 144 KiB of shared memory."
    assert inside(form, "block_M", StepField).property("state") == "error"
    form.set_errors({})
    assert inside(form, "block_M", StepField).property("state") == ""


def test_what_is_not_saved_is_marked_and_counted(form: CaseForm, qtbot: QtBot) -> None:
    inside(form, "block_M", QSlider).setValue(8)
    assert "1 value needed before anything can run" in said(form)
    type_into(form, "batch", "8", qtbot)
    assert "2 values tried, not saved" in said(form)
    assert [dot(form, "block_M"), dot(form, "threads")] == [True, False]


def test_a_field_goes_back_to_what_is_saved(form: CaseForm, qtbot: QtBot) -> None:
    inside(form, "block_M", QSlider).setValue(8)
    back = inside(form, "block_M", FlatToolButton)
    assert back.toolTip() == "Back to 64"
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        back.click()
    assert heard.args == ["block_M", 64]
    assert not dot(form, "block_M")


def test_save_and_reset_wait_for_a_change(form: CaseForm, qtbot: QtBot) -> None:
    assert not button(form, "Keep").isEnabled()
    inside(form, "num_stages", QSlider).setValue(2)
    with qtbot.waitSignals([form.save_requested, form.reset_requested], timeout=1000):
        button(form, "Keep").click()
        button(form, "Reset").click()


def test_another_kernel_has_other_rows(form: CaseForm, kernel: Kernel, case: Case) -> None:
    first = Kernel("small", 1, 2, kernel.style, kernel.parameters[:1])
    form.show_arguments(first, case, {"M": 8})
    assert list(form.rows) == ["M"]
    assert len(form.findChildren(FieldRow)) == 1


def test_without_a_kernel_the_form_says_what_stands_here(form: CaseForm) -> None:
    form.show_arguments(None, None, {})
    empty = form.findChild(EmptyState)
    assert empty is not None
    assert empty.isVisible()
    assert empty.sentence.startswith("The arguments of the open kernel")


def test_a_kernel_without_arguments_says_so(form: CaseForm, kernel: Kernel) -> None:
    form.show_arguments(Kernel("k", 1, 2, kernel.style, ()), None, {})
    empty = form.findChild(EmptyState)
    assert empty is not None
    assert empty.sentence.startswith("This kernel takes no arguments")


def test_a_wheel_changes_only_what_has_the_focus(form: CaseForm) -> None:
    slider = inside(form, "block_M", QSlider)
    before = slider.value()
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(slider.mapToGlobal(QPoint(5, 5))),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(slider, event)
    assert slider.value() == before
    slider.setFocus()
    QApplication.sendEvent(slider, event)
    assert slider.value() == before + 1


def test_a_very_large_number_is_typed(form: CaseForm, kernel: Kernel, qtbot: QtBot) -> None:
    form.show_arguments(kernel, Case("c", args={"M": 2**40}), {"M": 2**40})
    assert inside(form, "M", QLineEdit).text() == str(2**40)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12.5", "“12.5” is no whole number. Legal is 1 to 2,147,483,647. 1,024 stays in force."),
        ("99999999999", "99,999,999,999 is too large. Legal is 1 to 2,147,483,647."),
        ("0", "0 is too small. Legal is 1 to 2,147,483,647."),
        ("-3", "−3 is too small. Legal is 1 to 2,147,483,647."),
        ("13x", "“13x” is no whole number."),
        ("", "A value is needed. Legal is 1 to 2,147,483,647."),
    ],
)
def test_a_wrong_number_stays_as_typed_and_says_what_is_legal(
    form: CaseForm,
    qtbot: QtBot,
    kernel: Kernel,
    case: Case,
    args: dict[str, Any],
    text: str,
    said: str,
) -> None:
    with qtbot.assertNotEmitted(form.value_changed):
        type_into(form, "M", text or "\b", qtbot)
    assert form.rows["M"].message.startswith(said)
    form.show_arguments(kernel, case, args)  # as every answer of a worker does
    assert text_of(form, "M") == text
    assert inside(form, "M", StepField).property("state") == "error"
    assert form.rows["M"].value == 1024


@pytest.mark.parametrize("text", ["2048", "2_048", "2,048", "2**11", "2.048e3", "0x800"])
def test_a_number_is_understood_as_python_writes_it_and_shown(
    form: CaseForm, qtbot: QtBot, text: str
) -> None:
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        type_into(form, "M", text, qtbot)
    assert heard.args == ["M", 2048]
    assert text_of(form, "M") == "2,048"


def test_the_form_counts_what_it_cannot_take_and_does_not_save_it(
    form: CaseForm, qtbot: QtBot
) -> None:
    inside(form, "num_stages", QSlider).setValue(2)
    type_into(form, "M", "many", qtbot)
    assert "1 value cannot be taken" in said(form)
    assert not button(form, "Keep").isEnabled()
    button(form, "Reset").click()
    assert form.rows["M"].message == ""
    assert text_of(form, "M") == "1,024"
    assert button(form, "Keep").isEnabled()


def test_the_way_back_leads_from_a_refused_text_too(form: CaseForm, qtbot: QtBot) -> None:
    type_into(form, "M", "many", qtbot)
    back = inside(form, "M", FlatToolButton)
    assert back.isVisible()
    back.click()
    assert [text_of(form, "M"), form.rows["M"].message] == ["1,024", ""]
    assert not back.isVisible()


def test_what_is_typed_and_not_finished_is_taken_before_a_run(form: CaseForm, qtbot: QtBot) -> None:
    field = inside(form, "M", QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, "512")
    with qtbot.waitSignal(form.value_changed, timeout=1000) as heard:
        form.commit()
    assert form.refused == ()
    assert heard.args == ["M", 512]
    field.selectAll()
    qtbot.keyClicks(field, "5x")
    form.commit()
    assert [row.spec.name for row in form.refused] == ["M"]


def test_a_slider_puts_a_refused_text_right(form: CaseForm, qtbot: QtBot) -> None:
    type_into(form, "block_M", "wide", qtbot)
    inside(form, "block_M", QSlider).setValue(8)
    assert [text_of(form, "block_M"), form.rows["block_M"].message] == ["256", ""]


def test_arrows_walk_on_from_what_is_in_force(form: CaseForm, qtbot: QtBot) -> None:
    type_into(form, "M", "many", qtbot)
    inside(form, "M", StepField).stepBy(-1)
    assert [form.rows["M"].value, form.rows["M"].message] == [1023, ""]
