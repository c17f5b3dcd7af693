from __future__ import annotations

from typing import Any

import pytest
from portability_facts import ASKS, KIB, lowered
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.core.jobs import CompileResult, Failure
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.matrix import portability_matrix
from workbench.core.portability.model import CellState, Column
from workbench.core.targets.table import load_targets
from workbench.session.portability import PortabilityView
from workbench.ui.panes.portability import PortabilityPane
from workbench.ui.panes.portability.detail import CellDetail
from workbench.ui.panes.portability.looks import LOOKS
from workbench.ui.panes.portability.model import MatrixModel
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.progress_chip import ProgressChip

FIX = Fix("Use 2 stages", (Edit(TextRange(6, 1, 6, 2), "2"),))
OVER = Diagnostic(
    "shared-memory-over-limit", Severity.ERROR, "too much", TextRange(6), fixes=(FIX,)
)


def facts(name: str, label: str, **changes: Any) -> TargetFacts:
    usual: dict[str, Any] = {"analysis": lowered(), "code": CompileResult(None)}
    return TargetFacts(load_targets().resolve(name), label, name, ASKS, **(usual | changes))


def view(running: bool = False, stale: bool = False) -> PortabilityView:
    over = AnalyzeResult(None, lowered(96 * KIB).kernels, diagnostics=(OVER,))
    refused = AnalyzeResult(Failure("kernel", "InternalError: Check failed"))
    rows = [
        facts("sm_80", "A100"),
        facts("gfx942", "MI300X", analysis=over),
        facts("sm_75", "T4", analysis=None if running else refused, pending=running),
    ]
    matrix = portability_matrix("matmul", "square", rows)
    return PortabilityView(matrix, running, 3 - matrix.pending, 3, stale, 1)


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot) -> PortabilityPane:
    pane = PortabilityPane(theme, icons)
    qtbot.addWidget(pane)
    pane.resize(1300, 420)
    pane.show_survey(view())
    pane.show()
    return pane


def button(pane: PortabilityPane, text: str) -> QPushButton:
    return next(
        b
        for b in pane.findChildren(QPushButton)
        if text in (b.text(), b.accessibleName()) and not b.isHidden()
    )


def detail(pane: PortabilityPane) -> str:
    found = pane.findChild(CellDetail)
    assert found is not None
    return " ".join(label.text() for label in found.findChildren(object) if hasattr(label, "text"))


def test_the_pane_concludes_and_goes_to_the_first_obstacle(pane: PortabilityPane) -> None:
    assert pane.conclusion.startswith("It can run on 1 of 3 targets; on MI300X 96 KiB")
    assert pane.view.place() == ("gfx942", "shared_memory")
    assert "32 KiB more than the 64 KiB" in detail(pane)


def test_line_and_fix_of_a_cell_are_asked_for(pane: PortabilityPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.line_requested) as line:
        button(pane, "Go to line 6").click()
    with qtbot.waitSignal(pane.fix_requested) as fix:
        button(pane, f"Apply: {FIX.title}").click()
    assert line.args == [6]
    assert fix.args == [OVER, FIX]


def test_a_compiler_that_gives_up_can_be_suspected(pane: PortabilityPane, qtbot: QtBot) -> None:
    assert pane.view.go_to("sm_75", "lowers")
    with qtbot.waitSignal(pane.bundle_requested) as asked:
        button(pane, "Suspect the compiler…").click()
    assert asked.args == ["sm_75"]


def test_progress_is_shown_and_can_be_cancelled(pane: PortabilityPane, qtbot: QtBot) -> None:
    pane.show_survey(view(running=True))
    chip = pane.findChild(ProgressChip)
    assert chip is not None
    assert chip.isVisible()
    assert chip.text.startswith("2 of 3 · ")
    with qtbot.waitSignal(pane.cancel_requested):
        chip.cancel_requested.emit()
    pane.show_survey(view())
    assert not chip.isVisible()


def test_the_cursor_stays_while_rows_come(pane: PortabilityPane) -> None:
    pane.view.go_to("sm_80", "copies")
    pane.show_survey(view(running=True))
    pane.show_survey(view())
    assert pane.view.place() == ("sm_80", "copies")


def test_fixes_of_an_earlier_text_are_not_offered(pane: PortabilityPane) -> None:
    pane.show_survey(view(stale=True))
    pane.view.go_to("sm_80", "lowers")
    pane.view.go_to("gfx942", "shared_memory")
    assert not button(pane, f"Apply: {FIX.title}").isEnabled()


def test_an_empty_pane_offers_the_check(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    pane = PortabilityPane(theme, icons)
    qtbot.addWidget(pane)
    empty = pane.findChild(EmptyState)
    assert empty is not None
    assert "Open a kernel" in empty.sentence
    pane.show_survey(PortabilityView())
    assert "every architecture" in empty.sentence
    with qtbot.waitSignal(pane.check_requested):
        button(pane, "Check all targets").click()


def test_the_matrix_is_copied(pane: PortabilityPane) -> None:
    pane.copy_markdown()
    assert "| gfx942 |" in QGuiApplication.clipboard().text()
    pane.copy_tsv()
    assert "gfx942\t" in QGuiApplication.clipboard().text()


def test_the_cell_under_the_cursor_is_remembered(
    pane: PortabilityPane, theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    pane.view.go_to("sm_80", "copies")
    other = PortabilityPane(theme, icons)
    qtbot.addWidget(other)
    other.show_survey(view())
    other.restore(pane.state())
    assert other.view.place() == ("sm_80", "copies")
    other.restore({"version": 2, "place": ["gfx942", "lowers"]})
    assert other.view.place() == ("sm_80", "copies")


def test_states_differ_in_shape_not_in_hue_alone() -> None:
    assert len({look.icon for look in LOOKS.values()}) == len(CellState)


def test_the_model_follows_qt_s_rules(qtbot: QtBot) -> None:
    model = MatrixModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for running in (True, False):
        found = view(running)
        assert found.matrix is not None
        model.set_rows(found.matrix.rows)
    model.set_rows(())
    assert tester.model() is model


def test_a_screen_reader_hears_target_question_and_answer(pane: PortabilityPane) -> None:
    model = pane.view.model()
    at = list(Column).index(Column.SHARED)
    said = model.data(model.index(1, at), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "MI300X, Shared memory: obstacle, 96 of 64 KiB"
