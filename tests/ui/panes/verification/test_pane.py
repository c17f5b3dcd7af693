from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure, VerifyResult
from workbench.session.verification_view import Outcome, Subject
from workbench.ui.panes.verification import VerificationPane
from workbench.ui.panes.verification.arrangement import Arrangement
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.picture_files import ExportError


def button(pane: VerificationPane, text: str) -> QPushButton:
    (found,) = [b for b in pane.findChildren(QPushButton) if b.text() == text and b.isVisible()]
    return found


def test_without_a_result_the_pane_offers_to_verify(pane: VerificationPane, qtbot: QtBot) -> None:
    assert "without a GPU" in pane.findChild(EmptyState).sentence
    with qtbot.waitSignal(pane.verify_requested):
        qtbot.mouseClick(button(pane, "Verify"), Qt.MouseButton.LeftButton)


def test_an_untrusted_folder_has_nothing_to_press(pane: VerificationPane) -> None:
    pane.show_subject(Subject(trusted=False))
    assert "not trusted" in pane.findChild(EmptyState).sentence
    assert not [b for b in pane.findChildren(QPushButton) if b.isVisible()]


def test_a_mismatch_opens_on_its_sentence(shown: VerificationPane) -> None:
    assert shown.view.outcome is Outcome.MISMATCH
    assert shown.body.header.conclusion.startswith(
        "C is wrong in 720 of 3,600 elements, all in the blocks of bx 3."
    )


@pytest.mark.parametrize("which", ["wrong", "right"])
def test_the_reference_and_the_caveats_are_said(
    pane: VerificationPane, request: pytest.FixtureRequest, which: str
) -> None:
    pane.show_subject(request.getfixturevalue(which))
    assert pane.body.header.note == (
        "Reference computed in float64. The simulator does not check synchronisation."
    )


def test_the_worst_element_is_told_until_one_is_chosen(shown: VerificationPane) -> None:
    assert shown.body.element.shown_label == "C[30, 50]"
    shown.choose_element((3, 4))
    assert shown.body.element.shown_label == "C[3, 4]"


def test_a_failure_shows_its_text_and_leads_to_its_line(
    pane: VerificationPane, qtbot: QtBot
) -> None:
    failure = Failure("kernel", "NameError: x", "Traceback\nNameError: x", 12)
    pane.show_subject(Subject(VerifyResult(failure)))
    assert pane.findChild(QPlainTextEdit).toPlainText() == "Traceback\nNameError: x"
    with qtbot.waitSignal(pane.line_requested) as signal:
        qtbot.mouseClick(button(pane, "Go to line 12"), Qt.MouseButton.LeftButton)
    assert signal.args == [12]


def test_a_failure_without_a_line_leads_nowhere(pane: VerificationPane) -> None:
    pane.show_subject(Subject(VerifyResult(Failure("timeout", "It took 60 s"))))
    texts = [b.text() for b in pane.findChildren(QPushButton) if b.isVisible()]
    assert texts == ["Verify again"]


def test_what_was_noticed_leads_to_its_line(
    pane: VerificationPane, wrong: Subject, qtbot: QtBot
) -> None:
    finding = Diagnostic("x", Severity.WARNING, "reads beyond the end", TextRange(7))
    result = wrong.result
    assert result is not None
    noticed = VerifyResult(None, result.seeds, "float64", (), (finding,))
    pane.show_subject(Subject(noticed, wrong.blobs))
    with qtbot.waitSignal(pane.line_requested) as signal:
        button(pane, "line 7").click()
    assert signal.args == [7]


def test_an_old_result_is_greyed_and_says_so(
    pane: VerificationPane, wrong: Subject, qtbot: QtBot
) -> None:
    pane.show_subject(wrong)
    fresh = pane.body.map.grab().toImage()
    pane.show_subject(Subject(wrong.result, wrong.blobs, stale=True))
    assert pane.body.map.grab().toImage() != fresh
    with qtbot.waitSignal(pane.verify_requested):
        qtbot.mouseClick(button(pane, "Verify again"), Qt.MouseButton.LeftButton)


def pickers(pane: VerificationPane) -> list[QToolButton]:
    found = [b for b in pane.findChildren(QToolButton) if b.property("kind") == "picker"]
    return [b for b in found if b.isVisible()]


def test_one_output_and_one_seed_leave_no_choice(shown: VerificationPane) -> None:
    assert pickers(shown) == []


def test_another_output_can_be_shown(pane: VerificationPane, results: Any) -> None:
    ones = np.ones((8, 8), np.float32)
    first, second = (
        results.output(ones, name="A", index=3),
        results.output(ones * 2, name="B", index=4),
    )
    pane.show_subject(results.subject((first, second)))
    (picker,) = pickers(pane)
    assert picker.text() == "B"
    actions = picker.menu().actions()
    assert [a.text() for a in actions] == ["A, right", "B, 64 wrong"]
    actions[0].trigger()
    assert pane.view.output is not None
    assert pane.view.output.name == "A"
    assert picker.text() == "A"


def test_another_seed_can_be_shown(pane: VerificationPane, results: Any) -> None:
    ones = np.ones((8, 8), np.float32)
    pane.show_subject(results.subject((results.output(ones),), (results.output(ones * 2),)))
    (picker,) = pickers(pane)
    assert (picker.text(), pane.view.seed) == ("seed 1", 1)
    picker.menu().actions()[0].trigger()
    assert pane.view.seed == 0


def test_the_number_of_wrong_outputs_is_told(
    pane: VerificationPane, wrong: Subject, right: Subject, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(pane.count_changed) as signal:
        pane.show_subject(wrong)
    assert signal.args == [1]
    with qtbot.waitSignal(pane.count_changed) as signal:
        pane.show_subject(right)
    assert signal.args == [0]


def test_the_whole_output_is_offered_while_a_part_is_in_sight(
    shown: VerificationPane, qtbot: QtBot
) -> None:
    def offers() -> list[QToolButton]:
        return [
            b
            for b in shown.findChildren(QToolButton)
            if b.text() == "Whole output" and b.isVisible()
        ]

    assert offers() == []
    shown.choose_element((30, 50))
    offers()[0].click()
    assert shown.body.map.view.is_whole


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1400, 800), Arrangement.WIDE),
        ((930, 740), Arrangement.MEDIUM),
        ((500, 640), Arrangement.NARROW),
        ((1400, 260), Arrangement.LOW),
        ((1000, 150), Arrangement.LOW),
    ],
)
def test_the_map_is_in_sight_at_every_size(
    shown: VerificationPane,
    settle: Callable[[], None],
    size: tuple[int, int],
    expected: Arrangement,
) -> None:
    shown.resize(*size)
    settle()
    assert (shown.width(), shown.height()) == size
    assert shown.body.arrangement is expected
    frame = shown.body.map.frame
    assert frame is not None
    assert min(frame.rect.width(), frame.rect.height()) > 80
    assert not shown.body.map.visibleRegion().isEmpty()


def test_the_map_is_written_as_png_at_twice_its_size(
    shown: VerificationPane, tmp_path: Path
) -> None:
    path = tmp_path / "map.png"
    shown.export(path)
    image = QImage(str(path))
    assert image.size() == shown.body.map.size() * 2
    frame = shown.body.map.frame
    assert frame is not None
    point = frame.cells(10, 55, 1, 1).center() * 2
    scene = shown.body.map.scene
    assert scene is not None
    assert image.pixelColor(point.toPoint()).name().upper() == scene.colours.of(8).upper()


def test_the_map_is_written_as_svg(shown: VerificationPane, tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    shown.export(path)
    renderer = QSvgRenderer(str(path))
    assert renderer.isValid()
    assert renderer.viewBox().size() == shown.body.map.size()
    assert "bx 3" in path.read_text()


@pytest.mark.parametrize("name", ["map.png", "map.svg"])
def test_a_file_that_cannot_be_written_is_named(
    shown: VerificationPane, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "missing" / name
    with pytest.raises(ExportError, match="missing"):
        shown.export(path)


def test_without_a_map_there_is_nothing_to_write(pane: VerificationPane, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="no map"):
        pane.export(tmp_path / "map.png")


def test_the_columns_of_the_worst_elements_are_kept(
    shown: VerificationPane, theme: Any, icons: Any, qtbot: QtBot
) -> None:
    state = shown.state()
    state["worst"]["sort"] = "got"
    other = VerificationPane(theme, icons)
    qtbot.addWidget(other)
    other.restore(state)
    assert other.state()["worst"]["sort"] == "got"
    other.restore({})


def test_a_worst_element_leads_to_its_place(shown: VerificationPane) -> None:
    shown.body.element.table.selectRow(1)
    chosen = shown.body.map.chosen
    assert chosen is not None
    assert chosen.index == (0, 48)


def test_a_letter_typed_pales_what_is_shown_and_makes_nothing_anew(
    shown: VerificationPane, wrong: Subject
) -> None:
    before = shown.view.output
    shown.show_subject(replace(wrong, stale=True))
    assert (shown.view.output is before, shown.view.stale) == (True, True)
    assert shown.body.header._stale.isVisible()
    shown.show_subject(wrong)
    assert not shown.body.header._stale.isVisible()
