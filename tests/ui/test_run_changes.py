"""What is done with runs of the list in the window, and making room in the history."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog

from tests.support.chart_runs import run
from workbench.app import Application
from workbench.core.history import History, RunFilter
from workbench.core.jobs import CompileRequest
from workbench.core.runs import RunKind, blob_hash
from workbench.session.tasks import Step
from workbench.ui.clean_up_dialog import CleanUpDialog
from workbench.ui.widgets.progress_chip import ProgressChip

WAIT_MS = 60_000
TEXT = b"""import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M=4096, block_M=128):
    return None
"""


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    made = Application(qapp, tmp_path)
    made.asked = []  # type: ignore[attr-defined]
    monkeypatch.setattr(
        made.session.jobs,
        "submit",
        lambda request, *_, **__: made.asked.append(request) or "job",  # type: ignore[attr-defined]
    )
    made.session.trust.grant(tmp_path)
    for number in range(3):
        fields = {"text_blob": blob_hash(TEXT), "document": "gemm.py", "kind": RunKind.COMPILE}
        stored = run(number, {"time_us": 1.0}, args={"M": 64 * (number + 1)}, **fields)
        made.session.history().add(stored, [TEXT])
    made.show(())
    qtbot.waitExposed(made.window)
    made.controller.window.docks.show("runs")
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def history_of(application: Application) -> History:
    return application.session.history()


def shown(application: Application) -> list[str]:
    return [each.id for each in application.controller.panels.runs.runs]


def test_pins_tags_and_notes_are_kept(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    do = application.controller.changes.do
    do("pin", ("run0", "run1"))
    assert history_of(application).count(RunFilter(pinned=True)) == 2
    do("pin", ("run0", "run1"))
    assert history_of(application).count(RunFilter(pinned=True)) == 0
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("good  fast", True))
    do("tag", ("run0",))
    do("note", ("run0",))
    found = history_of(application).get("run0")
    assert (found.tags, found.note) == (("good", "fast"), "good  fast")
    assert application.controller.panels.runs.runs[-1] == found


def test_deleted_runs_can_be_had_back(qtbot: Any, application: Application) -> None:
    before = history_of(application).get("run1")
    application.controller.changes.do("delete", ("run1",))
    qtbot.waitUntil(lambda: shown(application) == ["run2", "run0"], timeout=WAIT_MS)
    toast = application.window.toasts.toasts[-1]
    assert toast.text == "1 run was deleted."
    toast.action_triggered.emit()
    qtbot.waitUntil(lambda: shown(application) == ["run2", "run1", "run0"], timeout=WAIT_MS)
    assert history_of(application).get("run1") == before


def test_all_runs_of_the_list_can_be_deleted(qtbot: Any, application: Application) -> None:
    application.controller.changes.do("pin", ("run1",))
    pane = application.controller.panels.runs
    pane._filter.choose("pinned", True, "pinned")
    qtbot.waitUntil(lambda: shown(application) == ["run1"], timeout=WAIT_MS)
    assert not pane._actions.by_key["delete-all"].isEnabled()
    pane._filter.choose("pinned", None, "Any")
    qtbot.waitUntil(lambda: len(shown(application)) == 3, timeout=WAIT_MS)
    pane._filter.choose("kernel", "matmul", "matmul")
    action = pane._actions.by_key["delete-all"]
    assert action.text() == "Delete All 3 Runs of the List"
    action.trigger()
    qtbot.waitUntil(lambda: history_of(application).count() == 0, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    assert application.window.toasts.toasts[-1].text == "3 runs were deleted."


def test_selected_runs_are_exported_and_come_in_elsewhere(
    qtbot: Any, application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "two"), ""))
    application.controller.changes.do("export", ("run0", "run2"))
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    archive = tmp_path / "two.tlw.zip"
    assert application.window.toasts.toasts[-1].text == f"2 runs in {archive}."
    for name in ("run0", "run1"):
        history_of(application).delete(name)
    application.controller.imports.import_files([archive])
    qtbot.waitUntil(lambda: history_of(application).count() == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    assert history_of(application).holds("run0")


def test_long_work_is_told_in_the_status_bar_and_ends_when_asked(
    qtbot: Any, application: Application
) -> None:
    """The work waits after its first step, so that nothing here depends on how fast it is."""
    told, go_on = threading.Event(), threading.Event()

    def work(step: Step) -> None:
        for done in (100, 200):
            step(done, 400, "runs")
            told.set()
            go_on.wait()

    application.session.tasks.start("Deleting 400 runs", work, pytest.fail, pytest.fail, ())
    qtbot.waitUntil(told.is_set, timeout=WAIT_MS)
    chip = application.window.status.findChild(ProgressChip)
    assert chip is not None
    qtbot.waitUntil(lambda: chip.text.startswith("100 of 400 runs · "), timeout=WAIT_MS)
    assert application.controller.actions["cancel"].isEnabled()
    chip.cancel_requested.emit()
    go_on.set()
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    assert not chip.isVisible()


def test_another_process_that_writes_holds_nothing_up(qtbot: Any, application: Application) -> None:
    """Neither what a job came to nor a mark waits in the window's thread, and both get there."""
    history = history_of(application)
    history.set_patience(0.01)
    with contextlib.closing(sqlite3.connect(history.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        application.session._record(run(8, {"time_us": 1.0}, text_blob=blob_hash(TEXT)), [TEXT])
        application.controller.changes.do("pin", ("run1",))
        labels = [job.label for job in application.session.tasks.jobs]
        assert labels == ["Filing a run", "Marking 1 run"]
        assert shown(application) == ["run2", "run1", "run0"]
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    assert history.holds("run8")
    assert history.get("run1").pinned


def test_what_cannot_be_done_is_said(application: Application) -> None:
    application.controller.changes.do("pin", ("nothing",))
    assert "No run 'nothing'" in application.window.toasts.toasts[-1].text


def test_a_run_is_repeated_from_its_text_with_its_arguments(application: Application) -> None:
    application.controller.changes.do("repeat", ("run2",))
    tab = application.controller.tab
    assert tab is not None
    assert tab.document.text == TEXT.decode()
    assert tab.document.targets == ("h200",)
    asked = [r for r in application.asked if isinstance(r, CompileRequest)]  # type: ignore[attr-defined]
    assert asked[-1].kernel.args["M"] == 192


def test_the_list_shows_what_the_filter_asks_for(qtbot: Any, application: Application) -> None:
    pane = application.controller.panels.runs
    application.controller.changes.do("pin", ("run1",))
    pane._filter.choose("pinned", True, "pinned")
    qtbot.waitUntil(lambda: shown(application) == ["run1"], timeout=WAIT_MS)
    pane._filter.clear()
    pane._search.setText("M=192")
    qtbot.waitUntil(lambda: shown(application) == ["run2"], timeout=WAIT_MS)
    pane._filter.menu().aboutToShow.emit()
    assert pane._filter._choices.kernels == ("matmul",)


def test_further_pages_come_as_the_list_is_scrolled(qtbot: Any, application: Application) -> None:
    for number in range(10, 260):
        history_of(application).add(run(number, {"time_us": 1.0}, text_blob=None))
    application.session.runs_changed.emit()
    pane = application.controller.panels.runs
    pane._filter.choose("kernel", "matmul", "matmul")
    qtbot.waitUntil(lambda: pane._header._summary.text.startswith("253 runs"), timeout=WAIT_MS)

    def all_loaded() -> bool:
        pane._table.scrollToBottom()
        return len(pane.runs) == 253

    qtbot.waitUntil(all_loaded, timeout=WAIT_MS)


def test_room_is_made_after_it_was_said_what_goes(
    qtbot: Any, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = history_of(application)
    history.add(
        replace(run(9, {"time_us": 1.0}), text_blob=blob_hash(b"kept"), pinned=True), [b"kept"]
    )
    stored = history.stored_bytes()
    said: list[tuple[str, str]] = []

    def answer(dialog: CleanUpDialog) -> bool:
        dialog.choose(3)
        qtbot.waitUntil(lambda: dialog.is_ready, timeout=WAIT_MS)
        said.append(dialog.sentences)
        dialog._remove.click()
        return True

    monkeypatch.setattr(CleanUpDialog, "exec", answer)
    application.controller.changes.clean_up()
    qtbot.waitUntil(lambda: not application.session.tasks.jobs, timeout=WAIT_MS)
    ((freed, stays),) = said
    assert "would be freed. That is 1 text or artifact of 3 runs." in freed
    assert stays.endswith("of 1 pinned or tagged run are never removed.")
    assert 0 < history.stored_bytes() < stored
    assert history.blob(blob_hash(b"kept")) == b"kept"
