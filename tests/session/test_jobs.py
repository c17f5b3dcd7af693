from __future__ import annotations

from typing import Any

from workbench.core.jobs import CompileRequest, KernelChoice, Source
from workbench.session.jobs import JobController, WorkerStatus
from workbench.session.worker_client import WorkerCommand
from workbench.wire.events import Ended


def request(text: str) -> CompileRequest:
    source = Source("/d.py", text, "/", True)
    return CompileRequest(source, KernelChoice("k", "lazy"), {})


class Ends:
    """Submits jobs and keeps how each ended."""

    def __init__(self, jobs: JobController) -> None:
        self.jobs = jobs
        self.ends: list[Ended] = []

    def submit(self, text: str) -> str | None:
        return self.jobs.submit(request(text), self.ends.append, label=text, lane="work")


def test_a_job_is_listed_while_it_is_open_and_ends_once(jobs: JobController, pump: Any) -> None:
    ends = Ends(jobs)
    job = ends.submit("done")
    assert [info.id for info in jobs.jobs] == [job]
    pump.until(lambda: ends.ends)
    assert (jobs.jobs, [e.outcome for e in ends.ends]) == ((), ["done"])


def test_a_job_that_started_has_a_time(jobs: JobController, pump: Any) -> None:
    ends = Ends(jobs)
    ends.submit("wait")
    pump.until(lambda: jobs.jobs[0].started is not None)


def test_a_cancelled_job_says_so(jobs: JobController, pump: Any) -> None:
    ends = Ends(jobs)
    job = ends.submit("wait")
    assert job is not None
    jobs.cancel(job)
    pump.until(lambda: ends.ends)
    assert ends.ends[0].outcome == "cancelled"


def test_all_jobs_can_be_cancelled(jobs: JobController, pump: Any) -> None:
    ends = Ends(jobs)
    for _ in range(3):
        ends.submit("wait")
    jobs.cancel_all()
    pump.until(lambda: len(ends.ends) == 3)
    assert jobs.jobs == ()


def test_a_lost_worker_ends_its_jobs_and_the_next_job_gets_a_new_one(
    jobs: JobController, pump: Any
) -> None:
    ends = Ends(jobs)
    ends.submit("wait")
    ends.submit("die")
    pump.until(lambda: len(ends.ends) == 2)
    assert {e.outcome for e in ends.ends} == {"lost"}
    assert jobs.state.status is WorkerStatus.LOST
    ends.submit("done")
    pump.until(lambda: len(ends.ends) == 3)
    assert ends.ends[2].outcome == "done"


def test_the_worker_tells_its_versions_when_it_is_ready(jobs: JobController, pump: Any) -> None:
    jobs.warm("live")
    pump.until(lambda: jobs.state.status is WorkerStatus.READY)
    assert jobs.state.versions == {"tilelang": "0.1.15", "torch": "2.13"}


def test_what_a_job_prints_is_logged(jobs: JobController, pump: Any) -> None:
    lines: list[tuple[str, str]] = []
    jobs.logged.connect(lambda lane, text: lines.append((lane, text)))
    ends = Ends(jobs)
    ends.submit("done")
    pump.until(lambda: ends.ends)
    assert lines == [("work", "hello")]


def test_a_worker_that_cannot_start_is_told_and_loses_the_job(pump: Any) -> None:
    controller = JobController(WorkerCommand(("no-such-command",)), pump.post)
    ends = Ends(controller)
    assert ends.submit("done") is None
    pump.until(lambda: ends.ends)
    assert ends.ends[0].outcome == "lost"
    assert "no-such-command" in controller.state.message


def test_a_closed_controller_starts_no_worker_again(jobs: JobController, pump: Any) -> None:
    jobs.close()
    ends = Ends(jobs)
    jobs.warm("live")
    assert ends.submit("done") is None
    pump.until(lambda: ends.ends)
    assert ends.ends[0].outcome == "lost"
