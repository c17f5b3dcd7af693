"""What is done with runs of the list in the window, and making room in the history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QInputDialog

from tests.support.chart_runs import run
from workbench.app import Application
from workbench.core.history import History, RunFilter
from workbench.core.jobs import CompileRequest
from workbench.core.runs import RunKind, blob_hash
from workbench.ui.clean_up_dialog import CleanUpDialog

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


def test_deleted_runs_can_be_had_back(application: Application) -> None:
    before = history_of(application).get("run1")
    application.controller.changes.do("delete", ("run1",))
    assert shown(application) == ["run2", "run0"]
    toast = application.window.toasts.toasts[-1]
    assert toast.text == "1 run was deleted."
    toast.action_triggered.emit()
    assert shown(application) == ["run2", "run1", "run0"]
    assert history_of(application).get("run1") == before


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
    qtbot.waitUntil(lambda: shown(application) == ["run1"])
    pane._filter.clear()
    pane._search.setText("M=192")
    qtbot.waitUntil(lambda: shown(application) == ["run2"])
    pane._filter.menu().aboutToShow.emit()
    assert pane._filter._choices.kernels == ("matmul",)


def test_further_pages_come_as_the_list_is_scrolled(qtbot: Any, application: Application) -> None:
    for number in range(10, 260):
        history_of(application).add(run(number, {"time_us": 1.0}, text_blob=None))
    application.session.runs_changed.emit()
    pane = application.controller.panels.runs
    pane._filter.choose("kernel", "matmul", "matmul")
    qtbot.waitUntil(lambda: pane._summary.text.startswith("253 runs"))

    def all_loaded() -> bool:
        pane._table.scrollToBottom()
        return len(pane.runs) == 253

    qtbot.waitUntil(all_loaded)


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
        said.append(dialog.sentences)
        dialog._remove.click()
        return True

    monkeypatch.setattr(CleanUpDialog, "exec", answer)
    application.controller.changes.clean_up()
    ((freed, stays),) = said
    assert "would be freed. That is 1 text or artifact of 3 runs." in freed
    assert stays.endswith("of 1 pinned or tagged run are never removed.")
    assert 0 < history.stored_bytes() < stored
    assert history.blob(blob_hash(b"kept")) == b"kept"
