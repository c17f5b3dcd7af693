"""The page of a comparison: its table, its views, and what a person asks of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from tests.support.chart_runs import profile, run, samples, subject
from workbench.core.comparison.comparing import compare_runs
from workbench.session.charts.catalog import all_charts
from workbench.session.charts.subject import Content
from workbench.session.code_inputs import Stage, State
from workbench.session.code_view import Content as CodeContent
from workbench.session.comparison_desk import Loaded, Order
from workbench.session.comparison_jobs import StageText, stage_content
from workbench.session.comparison_view.view import comparison_view
from workbench.ui.compare.code_panel import document_content
from workbench.ui.compare.page import ComparePage
from workbench.ui.theme.icons import Icons

TEXT = "def matmul(M, block_M=128):\n    A = T.alloc_shared((block_M, 32))\n    B = M\n"


def loaded(*times: float) -> Loaded:
    runs = [
        run(n, {"time_us": t, "registers": 128}, args={"M": 4096, "block_M": 64 * (n + 1)})
        for n, t in enumerate(times)
    ]
    found = compare_runs(runs, {f"run{n}": samples(t) for n, t in enumerate(times)})
    contents = {n: Content(profile(samples(t))) for n, t in enumerate(times)}
    shown = subject(*runs, contents=contents)
    texts = tuple(TEXT for _ in runs)
    return Loaded(
        Order(tuple(each.id for each in runs)),
        found,
        shown,
        texts,
        comparison_view(found, shown, texts),
        comparison_view(found, shown, texts, is_complete=True),
        all_charts(shown),
    )


@pytest.fixture
def page(qtbot: QtBot, icons: Icons) -> ComparePage:
    made = ComparePage(icons)
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    qtbot.waitExposed(made)
    show(made, loaded(358.0, 206.0, 205.8))
    return made


def show(page: ComparePage, what: Loaded, stages: dict[str, StageText] | None = None) -> None:
    heads = {head.run_id: head for head in what.short.heads}

    def content(run_id: str, stage: Stage | None) -> CodeContent:
        if stage is None:
            return document_content(heads[run_id], TEXT.replace("32", heads[run_id].title))
        given = (stages or {}).get(run_id, StageText(None))
        return stage_content(run(0), heads[run_id].letter, "H200", stage, given)

    page.set_loaded(what, content, lambda run_id: None)


def test_the_page_opens_on_its_conclusion_and_the_table(page: ComparePage) -> None:
    assert page._conclusion.conclusion.startswith("Runs B and C are equally fast")
    assert page.view == "overview"
    assert page.overview.table.view is page.loaded.short if page.loaded else False


def test_hovering_tells_what_chance_explains_of_a_time(page: ComparePage) -> None:
    table = page.overview.table
    places = table.places
    assert places is not None
    at = next(n for n, place in enumerate(places.rows) if place.row.title == "Time, median")
    point = QPointF(places.column_left(1) + 60, places.rows[at].top + 8)
    assert "chance explains" in table.tip_at(point)
    assert "run run1" in table.tip_at(QPointF(places.column_left(1) + 60, 10))


def test_arrows_move_a_cell_and_a_reader_hears_it(qtbot: QtBot, page: ComparePage) -> None:
    table = page.overview.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert table.current_run == "run1"
    assert table.accessibleDescription() == "B, Time, median: 206 µs −42.5 %"


def test_the_menu_of_a_column_acts_on_its_run(qtbot: QtBot, page: ComparePage) -> None:
    table = page.overview.table
    actions = {action.text(): action for action in table.menu_of(1).actions()}
    with qtbot.waitSignal(table.base_requested) as held:
        actions["Hold the Others Against B"].trigger()
    with qtbot.waitSignal(table.move_requested) as moved:
        actions["Move Left"].trigger()
    assert (held.args, moved.args) == (["run1"], ["run1", -1])
    assert not table.menu_of(0).actions()[0].isEnabled()  # it is the baseline already


def test_more_than_fits_is_scrolled_and_the_titles_stay(qtbot: QtBot, page: ComparePage) -> None:
    show(page, loaded(*(100.0 + n for n in range(8))))
    table = page.overview.table
    assert table.horizontalScrollBar().maximum() > 0
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert table.place_at(QPointF(table.viewport().width() - 20, 10))[0] == 7
    assert table.place_at(QPointF(20, 10))[0] is None


def test_every_metric_is_shown_on_demand(page: ComparePage) -> None:
    few = page.overview.table.places
    page.set_complete(True)
    many = page.overview.table.places
    assert few is not None
    assert many is not None
    assert page.overview.table.view is (page.loaded.complete if page.loaded else None)
    page._search.setText("registers")
    shown = page.overview.table.view
    assert shown is not None
    assert [row.name for group in shown.groups for row in group.rows] == ["registers"]


def test_the_texts_of_two_runs_stand_side_by_side_with_words_marked(page: ComparePage) -> None:
    page.overview.table.difference_requested.emit("run2")
    assert page.view == "code"
    assert page.code.shown == ("run0", "run2")
    found = page.code.pair.difference
    assert found is not None
    assert len(found.changes) == 1


def test_a_stage_that_is_not_there_can_be_asked_for(qtbot: QtBot, page: ComparePage) -> None:
    page.show_view("code")
    page.code.choose("sass")
    with qtbot.waitSignal(page.code.stage_wanted) as asked:
        page.code._empty.action_triggered.emit()
    assert asked.args == [("run0", "run1"), Stage.SASS]
    done = {"run0": StageText("MOV R1, R2\n"), "run1": StageText("MOV R3, R4\n")}
    show(page, loaded(358.0, 206.0), done)
    assert page.code._said.text.startswith("The same, addresses and numbers of registers aside")


def test_a_text_that_cannot_be_made_says_why() -> None:
    found = stage_content(run(0), "A", "H200", Stage.SASS, StageText(None, "ptxas is missing"))
    assert (found.state, found.sentence) == (State.MISSING, "ptxas is missing")


def test_a_run_without_an_analysis_says_so_in_place_of_its_lens(page: ComparePage) -> None:
    page.show_view("lenses")
    assert page.lenses.lenses == ()


def test_saved_comparisons_are_offered_by_name(qtbot: QtBot, page: ComparePage) -> None:
    page.set_name("tiles", True, ["tiles", "shapes"])
    menu = page._saved.menu()
    assert menu is not None
    actions = {action.text(): action for action in menu.actions()}
    assert actions["tiles"].isChecked()
    with qtbot.waitSignal(page.saved_chosen) as chosen:
        actions["shapes"].trigger()
    with qtbot.waitSignal(page.forget_requested):
        actions["Forget “tiles”"].trigger()
    assert chosen.args == ["shapes"]


def test_without_runs_it_says_what_to_do(qtbot: QtBot, icons: Icons) -> None:
    made = ComparePage(icons)
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.runs_requested):
        made._empty.action_triggered.emit()
    made.show_nothing("The history is locked.")
    assert made._empty.sentence == "The history is locked."


def test_the_view_is_remembered(qtbot: QtBot, icons: Icons, page: ComparePage) -> None:
    page.show_view("charts")
    page.set_complete(True)
    other = ComparePage(icons)
    qtbot.addWidget(other)
    other.restore(page.state())
    assert (other.view, other.state()["complete"]) == ("charts", True)
    other.restore({"version": 99, "view": "code"})
    assert other.view == "charts"


def test_escape_leads_back_to_the_documents(qtbot: QtBot, page: ComparePage) -> None:
    with qtbot.waitSignal(page.left):
        qtbot.keyClick(page, Qt.Key.Key_Escape)


def test_a_column_of_another_target_bears_its_mark() -> None:
    what = loaded(10.0, 20.0)
    first, second = what.found.runs
    shown = subject(first, replace(second, target="a100"))
    view = comparison_view(what.found, shown, what.texts)
    assert [head.mark for head in view.heads] == [0, 1]
