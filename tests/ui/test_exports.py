"""The action that exports the kernel in front, with a worker that the test stands for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from exported_kernels import DYNAMIC
from PySide6.QtWidgets import QApplication, QFileDialog

from workbench.app import Application
from workbench.core.exporting.model import ExportRequest, ExportResult
from workbench.core.jobs import Failure
from workbench.core.plain import to_plain
from workbench.wire.events import Ended


class Worker:
    """Notes what is submitted; the test ends it."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Any, Any]] = []

    def submit(self, request: Any, on_end: Any, **_: Any) -> str:
        if isinstance(request, ExportRequest):
            self.jobs.append((request, on_end))
        return "job"

    def end(self, result: ExportResult) -> None:
        """Answer the last request."""
        self.jobs[-1][1](Ended("job", "done", result=to_plain(result)))


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
def application(
    qtbot: Any,
    qapp: QApplication,
    tmp_path: Path,
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "dynamic.py").write_text(DYNAMIC)
    made = Application(qapp, tmp_path)
    monkeypatch.setattr(made.session.jobs, "submit", worker.submit)
    made.session.trust.grant(tmp_path)
    made.show((tmp_path / "dynamic.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def choose(monkeypatch: pytest.MonkeyPatch, folder: Path | str) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))


def said(application: Application) -> list[str]:
    return [t.text for t in application.window.toasts.toasts if t.topic == "export"]


def test_the_kernel_goes_into_the_folder_that_was_chosen(
    application: Application, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    choose(monkeypatch, folder)
    application.controller.actions["export-kernel"].trigger()
    (request, _) = worker.jobs[-1]
    assert request.kernel.name == "dynamic"
    assert request.source.trusted
    worker.end(ExportResult(None, texts={"source": "code"}, missing={"cubin": "no nvcc"}))
    assert (folder / "kernel.cu").read_text() == "code"
    assert (folder / "test_dynamic.py").is_file()
    (sentence,) = said(application)
    assert f"is in {folder}, " in sentence
    assert "It has no cubin" in sentence


def test_a_folder_with_other_files_gets_one_of_the_kernels_name(
    application: Application, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path)  # which holds the document
    application.controller.actions["export-kernel"].trigger()
    worker.end(ExportResult(None, texts={"source": "code"}))
    assert (tmp_path / "dynamic-h100" / "launch.json").is_file()


def test_a_kernel_at_fault_writes_nothing_and_says_why(
    application: Application, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    choose(monkeypatch, folder)
    application.controller.actions["export-kernel"].trigger()
    worker.end(ExportResult(Failure("kernel", "the tile does not fit")))
    assert said(application) == ["Nothing was exported: the tile does not fit"]
    assert not folder.exists()


def test_without_a_folder_nothing_is_asked(
    application: Application, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, "")
    application.controller.actions["export-kernel"].trigger()
    assert not worker.jobs


def test_an_untrusted_document_is_not_run(
    application: Application, worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application.session.trust.revoke(tmp_path)
    choose(monkeypatch, tmp_path / "out")
    application.controller.actions["export-kernel"].trigger()
    assert not worker.jobs
