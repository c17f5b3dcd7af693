from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from tests.support.profiles import WRONG, wrong_profile
from tests.support.stored_profiles import stored_run
from workbench.core.history import FileIdentity, FilterChoices, Listing, RowProblem, RunFilter
from workbench.core.runs import Run, RunStatus
from workbench.ui.panes.runs import RunsPane
from workbench.ui.panes.runs.columns import COLUMNS, TEXT, RunRow
from workbench.ui.panes.runs.detail import RunDetail
from workbench.ui.panes.runs.swatch import SourceSwatch
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState

_SELECT_ROW = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot, runs: tuple[Run, ...]) -> RunsPane:
    pane = RunsPane(theme, icons)
    qtbot.addWidget(pane)
    pane.resize(1400, 260)
    pane.set_listing(Listing(runs))
    pane.show()
    return pane


def detail_texts(pane: RunsPane) -> list[str]:
    detail = pane.findChild(RunDetail)
    assert detail is not None
    return [label.text() for label in detail.findChildren(QLabel)]


def press(pane: RunsPane, text: str) -> None:
    next(button for button in pane.findChildren(QPushButton) if button.text() == text).click()


def empty_of(pane: RunsPane) -> EmptyState:
    empty = pane.findChild(EmptyState)
    assert empty is not None
    return empty


def summary_of(pane: RunsPane) -> str:
    label = pane.findChild(ElidedLabel)
    assert label is not None
    return label.text


def test_the_list_concludes(pane: RunsPane) -> None:
    assert summary_of(pane) == "3 runs; 1 failed."


def test_the_details_follow_the_cursor(pane: RunsPane, runs: tuple[Run, ...]) -> None:
    assert pane.select_run(runs[1].id)
    texts = detail_texts(pane)
    assert "Line 33: C is wrong in 3 %" in texts
    assert "0.0314" in texts


def test_a_profile_with_a_wrong_result_says_where_and_how_much(pane: RunsPane) -> None:
    run, _ = stored_run(wrong_profile(), blobs=(b"map.",))
    pane.set_listing(Listing((run,)))
    assert pane.select_run(run.id)
    texts = detail_texts(pane)
    assert f"Line 12: {WRONG}" in texts
    assert "error-map.seed-0.Out" in [each.text() for each in pane.findChildren(QPushButton)]


def test_a_predicted_figure_is_hatched_and_says_so(pane: RunsPane, runs: tuple[Run, ...]) -> None:
    pane.select_run(runs[0].id)
    swatch = pane.findChild(SourceSwatch)
    assert swatch is not None
    assert (swatch.accessibleName(), swatch.toolTip()) == ("predicted", "predicted, ptxas 13.0.88")


def test_enter_activates_a_run(pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot) -> None:
    pane.select_run(runs[2].id)
    with qtbot.waitSignal(pane.run_activated, timeout=1000) as heard:
        qtbot.keyClick(pane._table, Qt.Key.Key_Return)
    assert heard.args == [runs[2].id]


def test_the_text_of_a_run_can_be_asked_for(
    pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    pane.select_run(runs[0].id)
    with qtbot.waitSignal(pane.text_requested, timeout=1000) as heard:
        press(pane, "The document as it was run")
    assert heard.args == [runs[0].id]


def test_an_artifact_can_be_asked_for(pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot) -> None:
    pane.select_run(runs[0].id)
    assert "2 KiB" in detail_texts(pane)
    with qtbot.waitSignal(pane.artifact_requested, timeout=1000) as heard:
        press(pane, "ptx")
    assert heard.args == [runs[0].id, "ptx"]


def test_words_are_looked_for_when_typing_pauses(pane: RunsPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.filter_changed, timeout=1000):
        pane._search.setText("softmax  verify")
    assert pane.wanted == RunFilter(search="softmax verify")


def test_a_filter_that_matches_nothing_says_so_and_can_be_cleared(
    pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    pane._search.setText("attention  h200")
    pane._filter.choose("status", RunStatus.DONE, "Done")
    pane.set_listing(Listing(()))
    assert empty_of(pane).sentence.startswith("No run matches \u201cattention h200, Done\u201d.")
    assert empty_of(pane).isVisible()
    assert pane._search.isVisible()
    with qtbot.waitSignal(pane.filter_changed, timeout=1000):
        press(pane, "Clear the filter")
    assert not pane.is_filtered
    pane.set_listing(Listing(runs))
    assert not empty_of(pane).isVisible()


def test_the_menu_of_the_filter_offers_what_runs_have(pane: RunsPane, qtbot: QtBot) -> None:
    button = pane._filter
    pane.choices_wanted.connect(
        lambda: pane.set_choices(FilterChoices(("matmul", "softmax"), ("h200",), ("gpu1",), ()))
    )
    menu = button.menu()
    menu.aboutToShow.emit()
    titles = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert titles == [
        *("Kernel", "Target", "Host", "Date", "Run", "Ended", "Tag"),
        *("Pinned Only", "Clear the Filter"),
    ]
    assert not menu.actions()[6].isEnabled()  # no run has a tag
    kernels = menu.actions()[0].menu()
    next(action for action in kernels.actions() if action.text() == "softmax").trigger()
    assert (pane.wanted, button.text()) == (RunFilter(kernel="softmax"), "softmax")
    button.choose("pinned", True, "pinned")
    button.choose("host", "gpu1", "gpu1")
    assert button.text() == "softmax, pinned +1"
    button.choose("kernel", None, "Any")
    assert pane.wanted == RunFilter(pinned=True, host="gpu1")


def test_a_date_counts_whole_days(pane: RunsPane) -> None:
    menu = pane._filter.menu()
    menu.aboutToShow.emit()
    dates = menu.actions()[3].menu()
    next(action for action in dates.actions() if action.text() == "Last 7 days").trigger()
    since = pane.wanted.since
    assert since is not None
    assert (since.hour, since.minute) == (0, 0)
    assert datetime.now().astimezone() - since < timedelta(days=7, hours=2)


def test_rows_that_are_not_counted_yet_are_told_so(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...]
) -> None:
    pane.set_uncounted(Listing(many(make_run, runs, 100)))
    assert summary_of(pane) == "More than 100 runs; 0 of these failed."
    pane.append_listing(Listing(many(make_run, runs, 100)))
    pane.set_total(5000)
    assert summary_of(pane) == "5,000 runs, 200 loaded; 0 failed."


def test_actions_fit_the_selection_and_tell_the_runs_from_the_oldest(
    pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    actions = pane._actions.by_key
    assert [key for key, action in actions.items() if action.isEnabled()] == ["delete-all"]
    pane.select_run(runs[0].id)
    assert actions["repeat"].isEnabled()
    assert not actions["compare"].isEnabled()
    pane._table.selectAll()
    assert not actions["text"].isEnabled()
    with qtbot.waitSignal(pane.action_wanted, timeout=1000) as heard:
        actions["delete"].trigger()
    assert heard.args == ["delete", (runs[2].id, runs[1].id, runs[0].id)]


def many(make_run: Callable[..., Run], runs: tuple[Run, ...], count: int) -> tuple[Run, ...]:
    start = runs[0].created
    return tuple(make_run(created=start - timedelta(minutes=at)) for at in range(count))


def test_the_next_page_is_asked_for_at_the_end(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(pane.more_requested):
        pane.set_listing(Listing(many(make_run, runs, 200)), 450)
    assert summary_of(pane) == "450 runs, 200 loaded; 0 failed."
    with qtbot.waitSignal(pane.more_requested, timeout=1000) as heard:
        pane._table.scrollToBottom()
    assert heard.args == [200]


def test_a_page_is_asked_for_once(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...]
) -> None:
    asked: list[int] = []
    pane.more_requested.connect(asked.append)
    pane.set_listing(Listing(many(make_run, runs, 200)), 450)
    pane._table.scrollToBottom()
    pane._table.scrollToTop()
    pane._table.scrollToBottom()
    assert asked == [200]


def test_a_next_page_keeps_place_and_cursor(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...]
) -> None:
    first = many(make_run, runs, 100)
    pane.set_listing(Listing(first), 200)
    pane.select_run(first[90].id)
    pane._table.scrollToBottom()
    place = pane._table.verticalScrollBar().value()
    pane.append_listing(Listing(many(make_run, runs, 100)))
    assert pane.current_run() == first[90]
    assert pane._table.verticalScrollBar().value() == place


def test_rows_that_are_read_again_keep_place_and_selection(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...]
) -> None:
    rows = many(make_run, runs, 200)
    newest = make_run(created=runs[0].created + timedelta(minutes=1))
    pane.set_listing(Listing(rows), 300)
    for at in (100, 102):
        pane._table.selectionModel().select(pane._table.model().index(at, 0), _SELECT_ROW)
    pane._table.scrollToBottom()
    pane._table.verticalScrollBar().setValue(99)
    assert 99 < pane.reach < 200
    pane.set_listing(Listing((newest, *rows)), 301)
    assert pane._table.verticalScrollBar().value() == 100
    assert pane.selected_runs() == (rows[100], rows[102])
    pane.set_listing(Listing(rows[:100]), 200)
    assert pane._header.compare.isHidden()


def test_rows_of_another_filter_are_shown_from_the_first(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...]
) -> None:
    pane.set_listing(Listing(many(make_run, runs, 200)), 300)
    pane._table.scrollToBottom()
    pane._filter.choose("kernel", "softmax", "softmax")
    assert pane.reach == 0
    pane.set_listing(Listing(many(make_run, runs, 200)), 300)
    assert pane._table.verticalScrollBar().value() == 0


def test_an_empty_page_ends_the_history(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    pane.set_listing(Listing(many(make_run, runs, 10)), 20)
    pane.append_listing(Listing(()))
    assert summary_of(pane) == "10 runs; 0 failed."


def test_a_hidden_pane_asks_for_nothing(
    pane: RunsPane, make_run: Callable[..., Run], runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    pane.hide()
    with qtbot.assertNotEmitted(pane.more_requested):
        pane.set_listing(Listing(many(make_run, runs, 3)), 20)
    with qtbot.waitSignal(pane.more_requested, timeout=1000):
        pane.show()


def test_rows_that_cannot_be_read_are_told(pane: RunsPane, runs: tuple[Run, ...]) -> None:
    pane.set_listing(Listing(runs, (RowProblem("x", "The run x is damaged."),)))
    chips = [chip for chip in pane.findChildren(Chip) if chip.text() == "1 unreadable"]
    assert [chip.toolTip() for chip in chips] == ["The run x is damaged."]


def test_without_runs_the_first_can_be_made(pane: RunsPane, qtbot: QtBot) -> None:
    pane.set_listing(Listing(()))
    assert empty_of(pane).sentence.startswith("No runs yet.")
    with qtbot.waitSignal(pane.verify_requested, timeout=1000):
        press(pane, "Verify the open kernel")


def test_a_history_that_cannot_be_read_says_why(pane: RunsPane) -> None:
    pane.show_failure("The history is of a newer workbench.")
    assert empty_of(pane).isVisible()
    assert empty_of(pane).sentence == "The history is of a newer workbench."


def test_the_list_comes_back_after_a_failure(pane: RunsPane, runs: tuple[Run, ...]) -> None:
    pane.show_failure("Busy.")
    pane.set_listing(Listing(runs))
    assert pane._table.isVisible()


def test_the_state_comes_back(pane: RunsPane, theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    pane.set_details_shown(False)
    other = RunsPane(theme, icons)
    qtbot.addWidget(other)
    other.restore(pane.state())
    assert other.state() == pane.state()


def test_a_state_of_another_version_is_left_alone(pane: RunsPane) -> None:
    before = pane.state()
    pane.restore({"version": 2, "details": False})
    assert pane.state() == before


@pytest.mark.parametrize("key", [column.key for column in COLUMNS])
def test_every_column_shows_every_run(key: str, runs: tuple[Run, ...]) -> None:
    column = next(column for column in COLUMNS if column.key == key)
    file = FileIdentity("kernels/gemm.py", "a" * 64)
    cells = [column.cell(RunRow(run, run.created.date(), file)) for run in runs]
    assert any(cell.text for cell in cells)


@pytest.mark.parametrize(
    ("text", "same_code", "words", "is_other"),
    [
        ("a", False, "this one", False),
        ("b", True, "same code", False),
        ("b", False, "another", True),
    ],
)
def test_a_run_tells_which_text_it_ran(
    runs: tuple[Run, ...], text: str, same_code: bool, words: str, is_other: bool
) -> None:
    row = RunRow(
        runs[0], runs[0].created.date(), FileIdentity("kernels/gemm.py", text * 64), same_code
    )
    column = next(column for column in COLUMNS if column.key == TEXT)
    assert column.cell(row).text == words
    assert row.is_other is is_other


def test_the_column_of_texts_is_there_for_a_file_alone(pane: RunsPane) -> None:
    header, at = pane._table.horizontalHeader(), [column.key for column in COLUMNS].index(TEXT)
    assert header.isSectionHidden(at)
    pane.set_file(FileIdentity("kernels/gemm.py", "a" * 64))
    pane.of_file.button.click()
    assert not header.isSectionHidden(at)
    assert pane.wanted == RunFilter(document="kernels/gemm.py")
    pane.set_file(FileIdentity("kernels/softmax.py", "b" * 64))
    assert pane.wanted == RunFilter(document="kernels/softmax.py")
    pane.set_file(None)
    assert pane.wanted == RunFilter(document="kernels/softmax.py")
    pane.of_file.button.click()
    assert header.isSectionHidden(at)
    assert pane.wanted == RunFilter()


def test_runs_are_attached_and_detached_as_it_fits(pane: RunsPane) -> None:
    actions = pane._actions.by_key
    pane._table.selectRow(0)
    assert not actions["attach"].isVisible()
    pane.set_file(FileIdentity("other/gemm.py", "a" * 64))
    assert (actions["attach"].text(), actions["attach"].isVisible()) == ("Attach to gemm.py", True)
    assert not actions["detach"].isVisible()
    pane.set_file(FileIdentity("kernels/gemm.py", "a" * 64))
    assert not actions["attach"].isVisible()


def test_several_selected_runs_can_be_put_side_by_side_from_the_oldest(
    pane: RunsPane, runs: tuple[Run, ...], qtbot: QtBot
) -> None:
    assert pane._header.compare.isHidden()
    pane._table.selectAll()
    assert pane._header.compare.text() == f"Compare {len(runs)}"
    with qtbot.waitSignal(pane.compare_requested) as wanted:
        pane._header.compare.click()
    oldest_first = sorted(runs, key=lambda run: run.created)
    assert wanted.args == [tuple(run.id for run in oldest_first)]
    pane._table.clearSelection()
    assert pane._header.compare.isHidden()


def test_what_is_learnt_of_runs_is_shown_where_they_are(
    pane: RunsPane, runs: tuple[Run, ...]
) -> None:
    pane.select_run(runs[1].id)
    pane.retell([replace(runs[1], overrides={"M": 8192})])
    assert [run.id for run in pane.runs] == [run.id for run in runs]
    assert pane.current_run() == replace(runs[1], overrides={"M": 8192})
    assert "square, M=8192" in detail_texts(pane)
    (cell,) = [column.cell(pane._table.rows()[1]) for column in COLUMNS if column.key == "case"]
    assert (cell.text, cell.icon) == ("square, M=8192", "pencil")
