"""Sweeps in the window: the form, a sweep that is looked at, and what becomes of a point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from tests.support.sweep_points import KERNELS, TIME, a_plan
from workbench.app import Application
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import Facts, Outcome, PointRecord, Stage, SweepPlan
from workbench.core.sweeps.space import parse_axis
from workbench.session.sweeps import store
from workbench.ui.sweep.page import SweepPage
from workbench.ui.theme.icons import Icons


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "gemm.py").write_bytes((KERNELS / "gemm.py").read_bytes())
    made = Application(qapp, tmp_path)
    made.asked = []  # type: ignore[attr-defined]
    monkeypatch.setattr(
        made.session.jobs,
        "submit",
        lambda request, *_, **__: made.asked.append(request) or "job",  # type: ignore[attr-defined]
    )
    made.session.trust.grant(tmp_path)
    made.show(())
    made.controller.files.open(tmp_path / "gemm.py")
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def a_sweep(folder: Path, plan: SweepPlan | None = None) -> Path:
    plan = plan or a_plan(folder)
    made = journal.create(store.sweeps_folder(folder), plan)
    with Journal(made) as kept:
        facts = Facts(predicted_us=190.0, shared_bytes=65536, registers=168, occupancy=0.25)
        for number, time_us in ((4, 200.0), (1, 300.0)):
            taken = replace(TIME, median_us=time_us)
            kept.note(
                PointRecord(number, Stage.MEASURE, Outcome.MEASURED, facts=facts, measured=taken), 9
            )
        kept.note(PointRecord(0, Stage.LOWER, Outcome.FAILED, reason="no", code="bad"), 9)
        kept.note_end("done", 9.0)
    return made


def test_the_form_counts_what_remains_while_the_window_goes_on(
    qtbot: Any, application: Application
) -> None:
    controller = application.controller
    controller.actions["sweep"].trigger()
    page, desk = controller.sweeping.page, controller.sweeping.desk
    assert controller.sweeping.is_in_front
    assert page.view == "form"
    qtbot.waitUntil(lambda: desk.sieve.result.is_complete, timeout=30_000)
    total = desk.sieve.result.total
    page.form.rows.edited.emit("block_M", "64", True)
    qtbot.waitUntil(
        lambda: desk.sieve.result.is_complete and desk.sieve.result.total == total // 3,
        timeout=30_000,
    )
    page.form.rows.edited.emit("block_M", "64,,", True)
    qtbot.waitUntil(lambda: bool(desk.sieve.result.problem))
    assert not page.form.start.isEnabled()


def test_the_form_is_of_the_document_behind_another_page(application: Application) -> None:
    controller = application.controller
    controller.comparing.open()
    controller.actions["sweep"].trigger()
    form = controller.sweeping.desk.form
    assert controller.sweeping.is_in_front
    assert form is not None
    assert form.kernel == "matmul"
    controller.actions["sweep"].trigger()  # what was filled in stays
    assert controller.sweeping.desk.form is form


def test_a_point_is_opened_as_arguments_beside_the_case(
    qtbot: Any, application: Application, tmp_path: Path
) -> None:
    a_sweep(tmp_path)
    controller = application.controller
    controller.sweeping.open("points")
    page = controller.sweeping.page
    assert page.points.table is not None
    assert page.points.table.rows()[0].number == 4
    page.points.table.row_activated.emit(page.points.table.rows()[0])
    document = controller.tab.document  # type: ignore[union-attr]
    assert not controller.sweeping.is_in_front
    assert document.overrides == {"num_stages": 2}  # block_M is 128 without it
    assert document.targets[0] == "h200"
    assert any(type(each).__name__ == "AnalyzeRequest" for each in application.asked)  # type: ignore[attr-defined]


def test_the_best_is_applied_as_one_step_of_undo(application: Application, tmp_path: Path) -> None:
    a_sweep(tmp_path)
    controller = application.controller
    controller.sweeping.open("points")
    controller.sweeping.page.apply_requested.emit(None)
    tab = controller.tab
    assert tab is not None
    assert "num_stages = 2" in tab.buffer.text()
    assert "a GPU" in tab.buffer.text()
    tab.buffer.document.undo()
    assert tab.buffer.content() == (KERNELS / "gemm.py").read_bytes()


def test_every_view_of_a_sweep_is_filled_and_reasons_lead_to_their_points(
    application: Application, tmp_path: Path
) -> None:
    a_sweep(tmp_path)
    controller = application.controller
    for view in ("points", "map", "lines", "charts", "reasons"):
        controller.sweeping.open(view)
        assert controller.sweeping.page.view == view
    page = controller.sweeping.page
    assert page.map.card.chart is not None
    assert page.map.card.chart.conclusion.startswith("Fastest at")
    assert len(page.charts.cards) == 5
    page.reasons.table.row_activated.emit(page.reasons.table.rows()[0])
    assert page.view == "points"
    assert [row.number for row in page.points.table.rows()] == [0]  # type: ignore[union-attr]


def test_the_page_without_a_sweep_offers_to_make_one(qtbot: Any, icons: Icons) -> None:
    page = SweepPage(icons)
    qtbot.addWidget(page)
    page.show_view("map")
    page._empty.action_triggered.emit()
    assert page.view == "form"


def test_a_folder_that_is_not_trusted_is_asked_about(
    application: Application, tmp_path: Path
) -> None:
    controller = application.controller
    controller.actions["sweep"].trigger()
    desk, pages = controller.sweeping.desk, controller.pages
    desk._trusts = lambda document: False
    asked: list[str] = []
    desk.refused.connect(lambda document: asked.append(document.why_untrusted))
    pages.ask_for_trust = lambda document: asked.append(str(document.path))  # type: ignore[method-assign]
    controller.sweeping.page.form.start_requested.emit()
    assert str(tmp_path / "gemm.py") in asked
    assert any("not trusted" in each for each in asked)
    assert not desk.listed()


def test_going_on_with_a_sweep_of_a_file_elsewhere_asks_about_its_folder(
    application: Application, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    plan = replace(a_plan(tmp_path), document=str(elsewhere / "gemm.py"))
    journal.create(store.sweeps_folder(tmp_path), plan)
    controller = application.controller
    controller.sweeping.desk.open(plan.id)
    bar = controller.pages.trust_bar
    assert bar.isHidden()
    assert not controller.sweeping.desk.resume()
    assert (bar.folder, bar.asking) == (elsewhere, True)
    bar._later.click()
    assert bar.isHidden()
    assert not controller.sweeping.desk.resume()
    bar._trust.click()
    assert bar.isHidden()
    assert application.session.trust.is_trusted(elsewhere / "gemm.py")


def test_a_map_of_one_argument_is_a_sentence_alone(
    application: Application, tmp_path: Path
) -> None:
    a_sweep(tmp_path, replace(a_plan(tmp_path), axes=(parse_axis("block_M=16,32,64,96,128"),)))
    controller = application.controller
    controller.sweeping.open("map")
    panel = controller.sweeping.page.map
    assert panel._empty.isVisible()
    assert not panel._choice.isVisible()
    assert not panel.card.isVisible()
