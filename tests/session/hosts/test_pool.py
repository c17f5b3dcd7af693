"""The hosts of a window: what is kept of them, and what ends when they change."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.core.host_report import HostReport
from workbench.core.hosts import Host, HostError, HostsFile, make_host
from workbench.core.jobs import ReferenceRequest
from workbench.session.hosts.places import Place
from workbench.session.hosts.pool import HostPool
from workbench.session.jobs import JobController
from workbench.session.worker_client import WorkerCommand
from workbench.wire.events import Ended

WAIT_SECONDS = 60.0


class Loop:
    """The thread that owns a pool."""

    def __init__(self) -> None:
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self.post = self._calls.put

    def until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            self._calls.get(timeout=max(0.01, deadline - time.monotonic()))()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def pool(loop: Loop, tmp_path: Path) -> Iterator[HostPool]:
    local = JobController(WorkerCommand(("no-such-worker",)), loop.post)
    made = HostPool(HostsFile(tmp_path / "hosts.json"), local, loop.post)
    yield made
    made.close()
    local.close()


@pytest.fixture
def box(empty_python: Path, tmp_path: Path) -> Host:
    environment = {"TILELANG_WORKBENCH_CACHE": str(tmp_path / "far cache")}
    return make_host("box", ["env"], str(empty_python), environment=environment)


def test_this_machine_keeps_its_controller(pool: HostPool) -> None:
    assert pool.jobs("local") is pool.controllers["local"]
    assert pool.names == ("local",)


def test_each_host_has_one_controller_which_is_announced(pool: HostPool, box: Host) -> None:
    pool.save(box)
    made: list[JobController] = []
    pool.made.connect(lambda host, controller: made.append(controller))
    assert pool.jobs("box") is pool.jobs("box")
    assert made == [pool.jobs("box")]


def test_a_host_that_is_not_there_has_none(pool: HostPool) -> None:
    with pytest.raises(HostError, match="no host called box"):
        pool.jobs("box")


def test_places_are_read_with_the_hosts_of_the_moment(pool: HostPool, box: Host) -> None:
    pool.save(box)
    assert pool.place("box:cpu") == Place("box", "cpu")


def test_a_change_of_a_host_ends_its_worker_and_loses_its_jobs(
    pool: HostPool, box: Host, loop: Loop
) -> None:
    pool.save(box)
    controller = pool.jobs("box")
    ends: list[Ended] = []
    controller.submit(ReferenceRequest(), ends.append, label="x", lane="work")
    pool.save(make_host("box", ["env", "A=b"], box.python), old_name="box")
    loop.until(lambda: ends)
    assert ends[0].outcome in ("lost", "failed")  # it may have said first that tilelang is missing
    assert pool.jobs("box") is not controller


def test_removing_a_host_is_told(pool: HostPool, box: Host) -> None:
    pool.save(box)
    told: list[tuple[str, ...]] = []
    pool.changed.connect(lambda: told.append(pool.names))
    pool.remove("box")
    assert told == [("local",)]


def test_a_test_reports_to_its_owner_and_is_kept_for_a_saved_host(
    pool: HostPool, box: Host, loop: Loop
) -> None:
    pool.save(box)
    reports: list[HostReport] = []
    steps: list[str] = []
    pool.test(box, reports.append, steps.append)
    loop.until(lambda: reports)
    assert reports[0].reached
    assert pool.reports["box"] is reports[0]
    assert steps == ["Reaching box …", "Looking around on box …"]


def test_a_test_of_a_host_that_hangs_can_be_ended(pool: HostPool, loop: Loop) -> None:
    host = make_host("slow", ["sh", "-c", "exec sleep 60", "sh"])
    reports: list[HostReport] = []
    running = pool.test(host, reports.append)
    running.cancel()
    loop.until(lambda: reports)
    assert reports[0].reason == "The test of slow was ended."
    assert "slow" not in pool.reports


def test_closing_ends_tests_and_workers(pool: HostPool, box: Host) -> None:
    pool.save(box)
    pool.jobs("box").warm("work")
    pool.test(make_host("slow", ["sh", "-c", "exec sleep 60", "sh"]), lambda report: None)
    pool.close()
    assert pool.controllers.keys() == {"local"}
