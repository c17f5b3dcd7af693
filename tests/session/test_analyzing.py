"""When a document is analyzed, with a scripted worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.hosts import HostsFile
from workbench.core.jobs import Failure
from workbench.core.plain import to_plain
from workbench.core.runs import Run, RunKind
from workbench.core.targets.table import load_targets
from workbench.session.hosts.pool import HostPool
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.results import LIVE, WORK, NothingToRunError, Place, ResultsController
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"


class Desk:
    """A document, its results, and what became of them; `sent` are the jobs with their lanes."""

    def __init__(self, jobs: JobController, pump: object, folder: Path) -> None:
        self.trusted = True
        self.jobs, self.pump = jobs, pump
        self.runs: list[Run] = []
        self.finished: list[str] = []
        self.sent: list[tuple[str, str, bool]] = []
        self.document = OpenDocument.of(TEXT, None, "k.py")
        self.document.targets = ("h100", "a100")
        place = Place(folder, lambda _: self.trusted)
        hosts = HostPool(HostsFile(folder / "hosts.json"), jobs, lambda _: None)
        self.results = ResultsController(
            hosts,
            load_targets(),
            place,
            lambda: Limits(60.0, None),
            lambda r, _: self.runs.append(r),
        )
        self.results.finished.connect(self._on_finished)
        jobs.changed.connect(self._on_jobs_changed)

    def until_idle(self) -> None:
        self.pump.until(lambda: not self.jobs.jobs)  # type: ignore[attr-defined]

    def _on_finished(self, document: OpenDocument, what: str, ended: Ended) -> None:
        self.finished.append(what)

    def _on_jobs_changed(self) -> None:
        known = [label for label, _, _ in self.sent]
        for job in self.jobs.jobs:
            if job.label not in known:
                self.sent.append((job.label, job.lane, job.quiet))


@pytest.fixture
def desk(jobs: JobController, pump: object, tmp_path: Path) -> Desk:
    return Desk(jobs, pump, tmp_path)


def test_what_was_lowered_is_analyzed_in_the_same_lane_quietly_and_not_recorded(
    desk: Desk,
) -> None:
    desk.results.refresh(desk.document)
    desk.until_idle()
    assert desk.sent == [
        ("Lower H100", LIVE, True),
        ("Lower A100", LIVE, True),
        ("Analyze H100", LIVE, True),
        ("Analyze A100", LIVE, True),
    ]
    found = desk.document.analyses.newest
    assert {name: (each.revision, each.level) for name, each in found.items()} == {
        "h100": (0, 1),
        "a100": (0, 1),
    }
    assert desk.runs == []
    assert desk.finished == ["refresh", "refresh"]


def test_an_analysis_that_is_asked_for_is_in_full_loud_and_recorded(desk: Desk) -> None:
    desk.document.targets = ("h100",)
    desk.results.analyze(desk.document)
    desk.until_idle()
    assert desk.sent == [("Analyze H100", WORK, False)]
    assert desk.document.analyses.newest["h100"].level == 2
    assert [run.kind for run in desk.runs] == [RunKind.PREDICT]
    assert desk.finished == ["analyze"]


def test_nothing_is_analyzed_for_a_text_that_has_changed_meanwhile(desk: Desk) -> None:
    desk.results.refresh(desk.document)
    desk.document.set_text(TEXT + "\n")
    desk.until_idle()
    assert [label for label, _, _ in desk.sent] == ["Lower H100", "Lower A100"]


def test_a_reply_about_a_target_that_was_dropped_meanwhile_is_not_kept(desk: Desk) -> None:
    desk.results.analyze(desk.document)
    desk.document.targets = ("a100",)
    desk.until_idle()
    assert desk.document.analyses.newest.keys() == {"a100"}


def test_an_untrusted_document_is_not_analyzed(desk: Desk) -> None:
    desk.trusted = False
    with pytest.raises(NothingToRunError, match="not trusted"):
        desk.results.analyze(desk.document)
    assert desk.sent == []


class HeldJobs:
    """Takes jobs, and ends them when told to."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self._on_end: list[Callable[[Ended], None]] = []

    def submit(self, request: Any, on_end: Callable[[Ended], None], **options: Any) -> str:
        self._on_end.append(on_end)
        return "job"

    def end(self, number: int, ended: Ended) -> None:
        self._on_end[number](ended)


@pytest.fixture
def held() -> HeldJobs:
    return HeldJobs()


@pytest.fixture
def held_desk(held: HeldJobs, tmp_path: Path) -> Desk:
    return Desk(held, None, tmp_path)  # type: ignore[arg-type]


def done(name: str) -> Ended:
    return Ended("job", "done", to_plain(AnalyzeResult(None, versions={"name": name})))


def test_an_analysis_of_an_earlier_text_replaces_no_later_one(
    held: HeldJobs, held_desk: Desk
) -> None:
    document = held_desk.document
    held_desk.results.analyze(document)
    document.set_text(TEXT + "\n")
    held_desk.results.analyze(document)
    held.end(2, done("later"))
    held.end(0, done("earlier"))
    assert document.analyses.newest["h100"].result.versions == {"name": "later"}


def test_a_job_that_is_lost_is_a_result_that_says_so(held: HeldJobs, held_desk: Desk) -> None:
    held_desk.results.analyze(held_desk.document)
    held.end(0, Ended("job", "lost", failure=Failure("environment", "gone")))
    held.end(1, Ended("job", "cancelled"))
    newest = held_desk.document.analyses.newest
    assert newest["h100"].result.failure == Failure("environment", "gone")
    assert "a100" not in newest
