"""In the window: the runs of the file in front, those that are offered to it, and its profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from tests.support.profiles import profile
from tests.support.stored_profiles import TEXT, stored_run
from workbench.app import Application
from workbench.core.runs import Run, blob_hash
from workbench.ui.panes.runs import RunsPane

WAIT_MS = 60_000
OTHER = TEXT.replace("M=8", "M=16")


def _filed(number: int, document: str, text: str) -> tuple[Run, list[bytes]]:
    """A profile that was measured elsewhere of a text in a file."""
    run, contents = stored_run(profile())
    others = [each for each in contents if blob_hash(each) != run.text_blob]
    content = text.encode()
    fields = {"id": f"run{number}", "document": document, "text_blob": blob_hash(content)}
    return replace(run, **fields), [content, *others]


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    """A window on a clone of a file, of which two profiles were imported."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernel.py").write_text(TEXT)
    made = Application(qapp, tmp_path)
    monkeypatch.setattr(made.session.jobs, "submit", lambda *_, **__: "job")
    made.session.trust.grant(tmp_path)
    for filed in (_filed(0, "../tree/kernel.py", OTHER), _filed(1, "../tree/kernel.py", TEXT)):
        made.session.history().add(*filed)
    made.show((tmp_path / "kernel.py",))
    qtbot.waitExposed(made.window)
    made.controller.window.docks.show("runs")
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def runs_of(application: Application) -> RunsPane:
    return application.controller.panels.runs


def shown(application: Application) -> set[str]:
    return {run.id for run in runs_of(application).runs}


def test_runs_of_other_paths_are_offered_and_attached_and_undone(
    qtbot: Any, application: Application
) -> None:
    pane = runs_of(application)
    bar = pane.of_file.bar
    qtbot.waitUntil(lambda: shown(application) == {"run0", "run1"}, timeout=WAIT_MS)
    pane.of_file.button.click()
    qtbot.waitUntil(lambda: bar.isVisible() and not pane.runs, timeout=WAIT_MS)
    assert bar.sentence == (
        "2 runs from gpu1 may be of kernel.py: 1 ran its text, 1 another one, in ../tree/kernel.py."
    )
    bar.see_button.click()
    qtbot.waitUntil(lambda: shown(application) == {"run0", "run1"}, timeout=WAIT_MS)
    bar.attach_button.click()
    qtbot.waitUntil(lambda: not bar.isVisible(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: shown(application) == {"run0", "run1"}, timeout=WAIT_MS)
    history = application.session.history()
    assert history.get("run0").documents == ("../tree/kernel.py", "kernel.py")
    toast = application.window.toasts.toasts[-1]
    assert toast.text == "2 runs were attached to kernel.py."
    toast.action_triggered.emit()
    qtbot.waitUntil(lambda: bar.isVisible() and not pane.runs, timeout=WAIT_MS)
    assert history.get("run0").documents == ("../tree/kernel.py",)


def test_a_run_of_another_text_is_told_apart(qtbot: Any, application: Application) -> None:
    pane = runs_of(application)
    application.controller.changes.do("attach", ("run0", "run1"))
    qtbot.waitUntil(
        lambda: application.session.history().get("run1").attached_to != (), timeout=WAIT_MS
    )
    pane.of_file.button.click()
    told = {"run0": False, "run1": True}
    qtbot.waitUntil(
        lambda: {row.run.id: row.ran_text for row in pane._table.rows()} == told, timeout=WAIT_MS
    )


def test_one_run_is_detached_by_its_menu(qtbot: Any, application: Application) -> None:
    history = application.session.history()
    application.controller.changes.do("attach", ("run0", "run1"))
    qtbot.waitUntil(lambda: history.get("run1").attached_to != (), timeout=WAIT_MS)
    application.controller.changes.do("detach", ("run0",))
    qtbot.waitUntil(lambda: history.get("run0").attached_to == (), timeout=WAIT_MS)
    assert history.get("run1").attached_to == ("kernel.py",)


def test_an_empty_profile_offers_the_one_of_its_text(qtbot: Any, application: Application) -> None:
    application.controller.window.docks.show("profile")
    pane = application.controller.panels.deferred_profile.wake()
    words = "of this very text (../tree/kernel.py)"
    qtbot.waitUntil(lambda: words in pane.conclusion, timeout=WAIT_MS)
    pane._empty.action_triggered.emit()
    (document,) = application.session.documents
    assert document.profiles.latest is not None
    assert document.profiles.latest.run == "run1"
