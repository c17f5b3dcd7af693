"""When the texts with lines are made, with a scripted worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.hosts import HostsFile
from workbench.core.jobs import Failure
from workbench.core.targets.table import load_targets
from workbench.session.hosts.pool import HostPool
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.results import WORK, NothingToRunError, Place, ResultsController
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"


class Desk:
    """A document and its results; `sent` are the jobs, `told` how often something has changed."""

    def __init__(self, jobs: JobController, pump: Any, folder: Path) -> None:
        self.jobs, self.pump = jobs, pump
        self.trusted = True
        self.sent: list[tuple[str, str, bool]] = []
        self.told = 0
        self.document = OpenDocument.of(TEXT, None, "k.py")
        self.document.targets = ("h100", "a100")
        place = Place(folder, lambda _: self.trusted)
        hosts = HostPool(HostsFile(folder / "hosts.json"), jobs, lambda _: None)
        self.results = ResultsController(
            hosts, load_targets(), place, lambda: Limits(60.0, None), lambda *_: None
        )
        self.results.changed.connect(self._on_changed)
        jobs.changed.connect(self._on_jobs_changed)

    def link(self, target: str = "h100") -> None:
        self.results.link(self.document, target)

    def until_idle(self) -> None:
        self.pump.until(lambda: not self.jobs.jobs)

    def _on_changed(self, document: OpenDocument) -> None:
        self.told += 1

    def _on_jobs_changed(self) -> None:
        known = {name for name, _, _ in self.sent}
        self.sent += [(j.label, j.lane, j.quiet) for j in self.jobs.jobs if j.label not in known]


@pytest.fixture
def desk(jobs: JobController, pump: object, tmp_path: Path) -> Desk:
    return Desk(jobs, pump, tmp_path)


def test_the_texts_of_one_target_are_made_quietly(desk: Desk) -> None:
    desk.link()
    assert desk.document.linking["h100"].result is None
    desk.until_idle()
    assert desk.sent == [("Analyze H100 for linked code", WORK, True)]
    found = desk.document.linked["h100"]
    assert (found.revision, found.text) == (0, TEXT)
    assert found.result is not None
    assert found.result.failure is None
    assert desk.document.linked.keys() == {"h100"}
    assert desk.told == 1


def test_a_revision_is_asked_for_once(desk: Desk) -> None:
    desk.link()
    desk.link()
    desk.until_idle()
    desk.link()
    assert not desk.jobs.jobs
    desk.document.set_text(TEXT + "\n")
    desk.link()
    desk.until_idle()
    assert desk.document.linked["h100"].revision == 1


def test_texts_of_an_earlier_revision_stay_until_newer_ones_are_there(desk: Desk) -> None:
    desk.link()
    desk.until_idle()
    desk.document.set_text(TEXT + "\n")
    desk.link()
    assert desk.document.linked["h100"].revision == 0
    desk.until_idle()
    assert desk.document.linked["h100"].text == TEXT + "\n"


class HeldJobs:
    """Takes jobs, and ends them when told to."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self.on_end: list[Callable[[Ended], None]] = []

    def submit(self, request: Any, on_end: Callable[[Ended], None], **options: Any) -> str:
        self.on_end.append(on_end)
        return "job"


@pytest.fixture
def held() -> HeldJobs:
    return HeldJobs()


@pytest.fixture
def held_desk(held: HeldJobs, tmp_path: Path) -> Desk:
    return Desk(held, None, tmp_path)  # type: ignore[arg-type]


def test_a_lost_job_is_told_and_not_asked_again(held: HeldJobs, held_desk: Desk) -> None:
    held_desk.link()
    gone = Failure("environment", "gone")
    held.on_end[0](Ended("job", "lost", failure=gone))
    found = held_desk.document.linked["h100"].result
    assert found is not None
    assert found.failure == gone
    held_desk.link()
    assert len(held.on_end) == 1


def test_what_was_cancelled_can_be_asked_for_again(held: HeldJobs, held_desk: Desk) -> None:
    held_desk.link()
    held.on_end[0](Ended("job", "cancelled"))
    assert held_desk.document.linked == {}
    held_desk.link()
    assert len(held.on_end) == 2


def test_an_answer_about_an_earlier_text_is_not_kept(held: HeldJobs, held_desk: Desk) -> None:
    held_desk.link()
    held_desk.document.set_text(TEXT + "\n")
    held_desk.link()
    held.on_end[0](Ended("job", "done", {"failure": None}))
    assert held_desk.document.linked == {}
    held.on_end[1](Ended("job", "done", {"failure": None}))
    assert held_desk.document.linked["h100"].revision == 1


def test_nothing_is_made_of_what_is_not_trusted(desk: Desk) -> None:
    desk.trusted = False
    with pytest.raises(NothingToRunError):
        desk.link()
