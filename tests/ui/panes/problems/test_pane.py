from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.session.problems import Problem
from workbench.ui.panes.problems import ProblemsPane
from workbench.ui.panes.problems.detail import ProblemDetail
from workbench.ui.panes.problems.filter_button import FilterButton
from workbench.ui.panes.problems.header import SeverityToggle
from workbench.ui.panes.problems.list_view import ProblemList
from workbench.ui.panes.problems.rows import ProblemFilter
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.empty_state import EmptyState


def list_of(pane: ProblemsPane) -> ProblemList:
    view = pane.findChild(ProblemList)
    assert view is not None
    return view


def detail_of(pane: ProblemsPane) -> ProblemDetail:
    detail = pane.findChild(ProblemDetail)
    assert detail is not None
    return detail


def click(pane: ProblemsPane, row: int, qtbot: QtBot, fix: bool = False) -> None:
    view = list_of(pane)
    rect = view.visualRect(view.model().index(row, 0))
    point = view._painter.fix_rect(row).center() if fix else QPoint(200, rect.center().y())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def press(pane: ProblemsPane, text: str) -> None:
    button = next(b for b in detail_of(pane).findChildren(QPushButton) if b.text() == text)
    button.click()


def test_a_click_goes_to_the_problem(pane: ProblemsPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.problem_activated, timeout=1000) as heard:
        click(pane, 1, qtbot)
    assert heard.args == ["/kernels/flash.py", 58, 9]


def test_enter_goes_to_the_problem(pane: ProblemsPane, qtbot: QtBot) -> None:
    list_of(pane).step(1)
    with qtbot.waitSignal(pane.problem_activated, timeout=1000) as heard:
        qtbot.keyClick(list_of(pane), Qt.Key.Key_Return)
    assert heard.args == ["/kernels/flash.py", 33, 5]


def test_a_problem_without_a_line_leads_to_the_first(pane: ProblemsPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.problem_activated, timeout=1000) as heard:
        click(pane, 2, qtbot)
    assert heard.args == ["/kernels/flash.py", 1, 1]


def test_next_goes_around_the_end(pane: ProblemsPane, qtbot: QtBot) -> None:
    lines = []
    pane.problem_activated.connect(lambda _path, line, _column: lines.append(line))
    for _ in range(4):
        pane.next_problem()
    pane.previous_problem()
    assert lines == [33, 58, 1, 33, 1]


def test_next_without_problems_goes_nowhere(pane: ProblemsPane, qtbot: QtBot) -> None:
    pane.set_problems(())
    with qtbot.assertNotEmitted(pane.problem_activated):
        pane.next_problem()


def test_a_click_on_the_fix_asks_for_it(
    pane: ProblemsPane, problems: tuple[Problem, ...], qtbot: QtBot
) -> None:
    with qtbot.waitSignal(pane.fix_requested, timeout=1000) as heard:
        click(pane, 1, qtbot, fix=True)
    assert heard.args == [problems[1], problems[1].diagnostic.fixes[0]]


def test_the_fix_of_an_old_problem_cannot_be_clicked(
    pane: ProblemsPane, problems: tuple[Problem, ...]
) -> None:
    pane.set_problems([replace(problem, stale=True) for problem in problems])
    assert list_of(pane)._painter.fix_rect(1).isEmpty()
    pane.set_details_shown(True)
    list_of(pane).step(2)
    button = next(
        b for b in detail_of(pane).findChildren(QPushButton) if b.text() == "Pad O_s by 8"
    )
    assert not button.isEnabled()


def test_the_cursor_stays_on_its_problem(
    pane: ProblemsPane, problems: tuple[Problem, ...], qtbot: QtBot
) -> None:
    list_of(pane).setCurrentIndex(list_of(pane).model().index(1, 0))
    pane.set_problems((problems[1], problems[2]))
    assert list_of(pane).current_problem() == problems[1]


def test_the_count_is_told(pane: ProblemsPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.count_changed, timeout=1000) as heard:
        pane.set_problems(())
    assert heard.args == [0]


def test_without_problems_the_pane_says_what_stands_here(pane: ProblemsPane) -> None:
    pane.set_problems(())
    empty = pane.findChild(EmptyState)
    assert empty is not None
    assert empty.isVisible()
    assert empty.sentence.startswith("No problems.")


def test_hidden_problems_are_counted_and_can_be_shown(pane: ProblemsPane) -> None:
    for toggle in pane.findChildren(SeverityToggle):
        toggle.click()
    empty = pane.findChild(EmptyState)
    assert empty is not None
    assert empty.sentence == "3 problems are hidden by the filter."
    empty.action_triggered.emit()
    assert list_of(pane).model().rowCount() == 3


def test_a_severity_is_hidden_by_its_count(pane: ProblemsPane) -> None:
    toggle = next(t for t in pane.findChildren(SeverityToggle) if "errors" in t.accessibleName())
    toggle.click()
    assert toggle.accessibleName() == "errors: 1, hidden"
    assert list_of(pane).model().rowCount() == 2


def test_a_target_is_chosen_from_its_menu(pane: ProblemsPane) -> None:
    button = next(b for b in pane.findChildren(FlatToolButton) if b.text() == "All targets")
    menu = button.menu()
    next(action for action in menu.actions() if action.text() == "mi300x").trigger()
    assert (button.text(), list_of(pane).model().rowCount()) == ("mi300x", 2)


def test_a_stage_is_chosen_from_its_menu(pane: ProblemsPane) -> None:
    error, conflict, note = pane.problems
    lowered = replace(error, diagnostic=replace(error.diagnostic, stage="lower"))
    checked = replace(conflict, diagnostic=replace(conflict.diagnostic, stage="verify"))
    pane.set_problems((lowered, checked, note))
    button = next(b for b in pane.findChildren(FilterButton) if b.words() == "All stages")
    actions = button.menu().actions()
    assert [a.text() for a in actions] == ["All stages", "Source", "Lowering", "Simulation"]
    actions[3].trigger()
    assert [p.problem for p in list_of(pane).model().rows] == [checked]
    other = pane.state()
    pane._header.set_filter(ProblemFilter())
    pane.restore(other)
    assert (button.words(), list_of(pane).model().rowCount()) == ("Simulation", 1)


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (1200, "1 error, 1 warning, 1 note in flash.py."),
        (540, "1 error, 1 warning, 1 note."),
        (470, "3 problems."),
    ],
)
def test_the_conclusion_says_less_where_there_is_less_room(
    pane: ProblemsPane, qtbot: QtBot, width: int, text: str
) -> None:
    pane.resize(width, 220)
    summary = pane._header._summary
    needed = summary.fontMetrics().horizontalAdvance(text)
    qtbot.waitUntil(lambda: summary.text == text and summary.width() >= needed)


def test_all_of_a_kind_can_be_fixed_from_the_details(pane: ProblemsPane, qtbot: QtBot) -> None:
    _, conflict, note = pane.problems
    fix = Fix("Pad", (Edit(TextRange(60, 30), "+ 8"),))
    other = replace(conflict.diagnostic, range=TextRange(60, 9), fixes=(fix,))
    pane.set_problems((conflict, replace(conflict, diagnostic=other), note))
    pane.reveal(conflict)
    title = "Fix all 2 of bank-conflict"
    button = next(b for b in pane.findChildren(QPushButton) if b.text() == title)
    with qtbot.waitSignal(pane.all_fixes_requested) as heard:
        button.click()
    assert heard.args == ["bank-conflict"]


def test_revealing_a_hidden_problem_shows_it(pane: ProblemsPane) -> None:
    *_, note = pane.problems
    next(t for t in pane.findChildren(SeverityToggle) if "notes" in t.accessibleName()).click()
    pane.reveal(note)
    assert list_of(pane).current_problem() == note


def test_the_details_explain_by_the_rule_and_lead_to_its_page(
    pane: ProblemsPane, qtbot: QtBot
) -> None:
    known = Diagnostic(
        "removed-api",
        Severity.ERROR,
        "T.Buffer is gone.",
        TextRange(3),
        help="rules/removed-api",
    )
    pane.set_problems((replace(pane.problems[0], diagnostic=known),))
    pane.reveal(pane.problems[0])
    texts = [label.text() for label in pane.findChildren(QLabel)]
    assert any("have changed between releases" in text for text in texts)
    assert "rules/removed-api" not in texts
    button = next(b for b in pane.findChildren(QPushButton) if b.text() == "Explain removed-api")
    with qtbot.waitSignal(pane.help_requested) as heard:
        button.click()
    assert heard.args == ["removed-api"]


def test_space_opens_the_details(pane: ProblemsPane, qtbot: QtBot) -> None:
    list_of(pane).step(1)
    qtbot.keyClick(list_of(pane), Qt.Key.Key_Space)
    texts = [edit.toPlainText() for edit in detail_of(pane).findChildren(QPlainTextEdit)]
    assert texts == ["Traceback: 24 % 16 != 0"]


def test_the_details_follow_the_cursor(pane: ProblemsPane) -> None:
    pane.set_details_shown(True)
    list_of(pane).step(1)
    list_of(pane).step(1)
    texts = [label.text() for label in detail_of(pane).findChildren(QLabel)]
    assert "Eight more columns move each row by 16 bytes." in texts


def test_a_related_line_can_be_gone_to(pane: ProblemsPane, qtbot: QtBot) -> None:
    pane.set_details_shown(True)
    list_of(pane).step(2)
    with qtbot.waitSignal(pane.problem_activated, timeout=1000) as heard:
        press(pane, "Line 25")
    assert heard.args == ["/kernels/flash.py", 25, 3]


def test_a_fix_of_the_details_asks_for_it(pane: ProblemsPane, qtbot: QtBot) -> None:
    pane.set_details_shown(True)
    list_of(pane).step(2)
    with qtbot.waitSignal(pane.fix_requested, timeout=1000):
        press(pane, "Pad O_s by 8")


@pytest.mark.parametrize("tip", ["Copy the raw text", "Open the raw text in a view of its own"])
def test_the_raw_text_is_at_hand(
    pane: ProblemsPane, problems: tuple[Problem, ...], tip: str, qtbot: QtBot
) -> None:
    pane.set_details_shown(True)
    list_of(pane).step(1)
    heard = []
    pane.raw_requested.connect(heard.append)
    QGuiApplication.clipboard().clear()
    next(b for b in detail_of(pane).findChildren(FlatToolButton) if b.toolTip() == tip).click()
    copied = QGuiApplication.clipboard().text()
    assert (copied == problems[0].raw) is tip.startswith("Copy")
    assert (heard == [problems[0]]) is tip.startswith("Open")


def test_the_state_comes_back(pane: ProblemsPane, theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    pane.set_details_shown(True)
    next(t for t in pane.findChildren(SeverityToggle) if "notes" in t.accessibleName()).click()
    other = ProblemsPane(theme, icons)
    qtbot.addWidget(other)
    other.set_problems(pane.problems)
    other.restore(pane.state())
    assert other.state() == pane.state()
    assert list_of(other).model().rowCount() == 2


@pytest.mark.parametrize(
    "state", [{}, {"version": 2}, {"version": 1, "filter": 3, "shares": ["a"], "details": 1}]
)
def test_a_state_not_understood_changes_nothing(
    pane: ProblemsPane, state: dict[str, object]
) -> None:
    before = pane.state()
    pane.restore(state)
    assert pane.state() == before


def test_the_search_appears_on_request(pane: ProblemsPane, qtbot: QtBot) -> None:
    pane.resize(500, 220)
    qtbot.keyClick(pane, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert pane._header._search.isVisible()
    pane._header._search.setText("conflict")
    assert [p.diagnostic.severity for p in [list_of(pane).step(1)] if p] == [Severity.WARNING]


def test_it_is_drawn_anew_in_the_other_theme(pane: ProblemsPane, theme: Theme) -> None:
    dark = pane.grab().toImage().pixelColor(600, 215)
    theme.set_choice("light")
    light = pane.grab().toImage().pixelColor(600, 215)
    assert (dark.name(), light.name()) == ("#14181d", "#ffffff")
