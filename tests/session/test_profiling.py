"""Measuring documents with a worker that answers what a file holds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.host_reports import REACHED
from tests.support.profiles import H200, profile
from workbench.core.hosts import LOCAL, HostsFile, make_host
from workbench.core.plain import to_plain
from workbench.core.runs import Run, RunKind, RunStatus
from workbench.core.targets.table import load_targets
from workbench.session.device_targets import own_target, target_for
from workbench.session.hosts.places import DEVICE, Place
from workbench.session.hosts.pool import HostPool
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.profiled import Profiled
from workbench.session.profiling import LANE, Options, ProfilingController
from workbench.session.results import NothingToRunError
from workbench.session.worker_client import WorkerCommand
from workbench.wire.messages import Limits

ROOT = Path(__file__).resolve().parents[2]
HERE = Place(LOCAL, DEVICE)
TEXT = """\
import tilelang

# /// workbench
# [[case]]
# name = "small"
# args = { M = 16 }
# [[case]]
# name = "large"
# args = { M = 32 }
# ///


@tilelang.jit
def kernel(M=16):
    return None
"""
WORKER = '''
"""Answers a profile with what result.json holds; waits or dies where a file says so."""
import json, os, pathlib, sys
from workbench.wire.events import Ended, ExecutorReady, Hello, Progress, Started, encode_event
from workbench.wire.frames import FrameWriter, read_frame
from workbench.wire.messages import PROTOCOL_MAX

folder = pathlib.Path(sys.argv[1])
writer = FrameWriter(sys.stdout.buffer)
def send(event):
    writer.write(*encode_event(event))

send(Hello(1, PROTOCOL_MAX, "3.11", os.getpid(), {"tilelang": "0.1.15"}))
send(ExecutorReady("work", os.getpid(), {}, ("NVIDIA H200",)))
waiting = []
while (frame := read_frame(sys.stdin.buffer)) is not None:
    kind, job = frame.header["type"], frame.header.get("job")
    if kind == "submit":
        with open(folder / "asked", "a") as log:
            log.write(json.dumps(frame.header) + "\\n")
        send(Started(job))
        if (folder / "die").exists():
            os._exit(3)
        if (folder / "wait").exists():
            send(Progress(job, "timing", 0.5))
            waiting.append(job)
            continue
        send(Ended(job, "done", json.loads((folder / "result.json").read_text())))
    elif kind in ("cancel", "withdraw") and job in waiting:
        waiting.remove(job)
        send(Ended(job, "cancelled"))
'''


class Desk:
    """A document, its controller, and what became of it."""

    def __init__(self, folder: Path, pump: Any) -> None:
        self.folder, self.pump = folder, pump
        script = folder / "worker.py"
        script.write_text(WORKER)
        words = (sys.executable, str(script), str(folder))
        self.jobs = JobController(WorkerCommand(words, {"PYTHONPATH": str(ROOT)}), pump.post)
        self.pool = HostPool(HostsFile(folder / "hosts.json"), self.jobs, pump.post)
        self.trusted = True
        self.runs: list[Run] = []
        self.found: list[Profiled] = []
        self.controller = ProfilingController(
            self.pool,
            load_targets(),
            folder,
            lambda _: self.trusted,
            lambda: Limits(60.0, None),
            lambda run, _: self.runs.append(run),
        )
        self.controller.finished.connect(lambda _, found: self.found.append(found))
        self.document = OpenDocument.of(TEXT, None, "k.py")
        self.document.targets = ("h100", "a100")
        self.answer(profile())

    def answer(self, result: Any) -> None:
        (self.folder / "result.json").write_text(json.dumps(to_plain(result)))

    def asked(self) -> list[dict[str, Any]]:
        lines = (self.folder / "asked").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def until_idle(self) -> None:
        self.pump.until(lambda: not self.jobs.jobs)


@pytest.fixture
def desk(tmp_path: Path, pump: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    made = Desk(tmp_path, pump)
    yield made
    made.pool.close()
    made.jobs.close()


def test_a_profile_is_filed_recorded_and_told(desk: Desk) -> None:
    desk.controller.profile(desk.document, HERE)
    desk.until_idle()
    (found,) = desk.found
    assert desk.document.profiles.latest is found
    assert (found.revision, found.kernel, found.case, found.arguments) == (
        desk.document.revision,
        "kernel",
        "small",
        {"M": 16},
    )
    (run,) = desk.runs
    assert (run.kind, run.status, run.id) == (RunKind.PROFILE, RunStatus.DONE, found.run)


def test_it_stands_for_the_devices_own_target(desk: Desk) -> None:
    desk.controller.profile(desk.document, HERE)
    desk.until_idle()
    assert desk.found[0].target == "h200"  # lowered for h100, which is the same code


def test_the_request_has_what_was_chosen_and_a_lane_of_its_own(desk: Desk) -> None:
    desk.controller.profile(desk.document, HERE, Options(counters=True, lines=True))
    desk.until_idle()
    (asked,) = desk.asked()
    payload = asked["payload"]
    assert (asked["kind"], asked["lane"]) == ("profile", LANE)
    assert (payload["counters"], payload["lines"], payload["cache"]) == (True, True, "cold")


def test_every_case_is_measured_as_one_group(desk: Desk) -> None:
    desk.controller.profile_cases(desk.document, HERE)
    desk.until_idle()
    assert [found.case for found in desk.found] == ["small", "large"]
    assert len({run.group for run in desk.runs}) == 1
    shapes = desk.document.profiles.shapes()
    assert [shape.arguments["M"] for shape in shapes] == [16, 32]


def test_a_running_measurement_tells_how_far_it_is_and_can_be_ended(desk: Desk) -> None:
    (desk.folder / "wait").touch()
    desk.controller.profile(desk.document, HERE)
    desk.pump.until(lambda: desk.jobs.jobs and desk.jobs.jobs[0].fraction == 0.5)
    running = desk.controller.running(desk.document)
    assert running is not None
    assert running.text == "timing"
    assert desk.controller.running_place(desk.document) == HERE
    desk.controller.cancel(desk.document)
    desk.until_idle()
    assert desk.controller.running_place(desk.document) is None
    assert desk.found == []
    assert desk.runs == []


def test_a_lost_worker_is_a_lost_measurement_that_is_recorded(desk: Desk) -> None:
    (desk.folder / "die").touch()
    desk.controller.profile(desk.document, HERE)
    desk.until_idle()
    (found,) = desk.found
    assert found.lost
    assert found.result.failure is not None
    assert desk.runs[0].status is RunStatus.LOST
    assert desk.document.profiles.newest == {}


def test_what_is_not_trusted_is_not_measured(desk: Desk) -> None:
    desk.trusted = False
    with pytest.raises(NothingToRunError, match="not trusted"):
        desk.controller.profile(desk.document, HERE)


def test_a_host_that_is_gone_is_told(desk: Desk) -> None:
    with pytest.raises(NothingToRunError, match="no host called gone"):
        desk.controller.profile(desk.document, Place("gone", DEVICE))


def test_ceilings_of_a_known_device_are_sent_along(desk: Desk) -> None:
    desk.pool.reports[LOCAL] = REACHED
    desk.answer(profile(ceilings=replace(profile().ceilings, uuid="GPU-1")))  # type: ignore[type-var]
    for _ in range(2):
        desk.controller.profile(desk.document, HERE)
        desk.until_idle()
    first, second = (asked["payload"]["ceilings"] for asked in desk.asked())
    assert first is None
    assert second["copy_gb_s"] == 4021.0


def test_a_document_is_lowered_for_the_device_that_is_known(desk: Desk) -> None:
    table, place = load_targets(), Place("gpu1", DEVICE)
    assert target_for(("a100", "h100"), place, desk.pool, table).name == "a100"
    desk.pool.save(make_host("gpu1", "ssh gpu1"))
    desk.pool.reports["gpu1"] = REACHED
    assert target_for(("a100", "h100"), place, desk.pool, table).name == "h200"
    assert target_for(("a100", "h200"), place, desk.pool, table).name == "h200"


def test_code_of_another_lowering_stands_for_itself() -> None:
    table = load_targets()
    assert own_target(table.resolve("h100"), H200, table).name == "h200"
    assert own_target(table.resolve("a100"), H200, table).name == "a100"
    assert own_target(table.resolve("a100"), None, table).name == "a100"
