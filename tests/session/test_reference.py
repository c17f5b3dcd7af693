from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import Failure, ReferenceResult
from workbench.core.plain import to_plain
from workbench.core.reference.api_cache import read_cache, write_cache
from workbench.core.reference.api_model import Api, ApiEntry
from workbench.core.targets.table import load_targets
from workbench.session import reference
from workbench.session.jobs import WorkerState
from workbench.session.reference import ApiStatus, ReferenceController
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

API = Api("9.9", (ApiEntry("T.gemm", "function", "tilelang", "(A)", "Multiplies."),))


class Worker:
    """Keeps the jobs that are submitted, and ends them when it is told to."""

    def __init__(self, versions: dict[str, str] | None = None) -> None:
        self.state = WorkerState(versions=versions or {})
        self.open: list[Callable[[Ended], None]] = []

    def submit(self, request: object, on_end: Callable[[Ended], None], **_: Any) -> str:
        self.open.append(on_end)
        return "job"

    def end(self, ended: Ended) -> None:
        self.open.pop()(ended)


def made(worker: Worker, cache: Path) -> ReferenceController:
    return ReferenceController(worker, load_targets(), Limits, cache)  # type: ignore[arg-type]


def done() -> Ended:
    return Ended("job", "done", to_plain(ReferenceResult(API)))


def test_the_names_are_asked_for_once_and_kept(tmp_path: Path) -> None:
    worker = Worker()
    controller = made(worker, tmp_path)
    controller.load()
    controller.load()
    assert len(worker.open) == 1
    assert controller.state.status is ApiStatus.READING
    assert controller.library.page("T.gemm") is None
    worker.end(done())
    assert controller.state.status is ApiStatus.READY
    assert controller.library.page("T.gemm") is not None
    assert read_cache(tmp_path, "9.9") == API
    controller.load()
    assert worker.open == []


def test_names_that_were_kept_need_no_worker(tmp_path: Path) -> None:
    write_cache(tmp_path, API)
    worker = Worker({"tilelang": "9.9"})
    controller = made(worker, tmp_path)
    controller.load()
    assert worker.open == []
    assert controller.library.page("T.gemm") is not None


def test_without_a_worker_it_says_why_and_can_try_again(tmp_path: Path) -> None:
    worker = Worker()
    controller = made(worker, tmp_path)
    told = []
    controller.changed.connect(lambda: told.append(controller.state.status))
    controller.load()
    worker.end(Ended("job", "lost", failure=Failure("environment", "there is no Python")))
    assert told == [ApiStatus.READING, ApiStatus.FAILED]
    assert "there is no Python" in controller.state.text
    assert controller.library.page("bank-conflict") is not None
    controller.load()
    assert len(worker.open) == 1


def test_a_cache_that_cannot_be_written_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(reference, "write_cache", full)
    worker = Worker()
    controller = made(worker, tmp_path)
    controller.load()
    worker.end(done())
    assert controller.state.status is ApiStatus.READY
