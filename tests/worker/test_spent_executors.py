"""A job that uses a GPU gets an executor of its own, and the lane another one after it."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.jobs import VerifyRequest, VerifyResult
from workbench.core.plain import from_plain
from workbench.wire.events import ExecutorReady


def verify_request(worker: Any, on: str) -> VerifyRequest:
    asked = worker.request()
    return VerifyRequest(asked.source, asked.kernel, asked.target, "ref_program", on)


@pytest.fixture(scope="module")
def ready(worker: Any) -> Any:
    """The worker with an executor that has run something."""
    worker.run(worker.request())
    return worker


def ready_pids(worker: Any) -> list[int]:
    return [event.pid for event in worker.events if isinstance(event, ExecutorReady)]


def test_an_executor_that_may_have_used_a_gpu_is_replaced_before_it_is_asked_for(
    ready: Any,
) -> None:
    ready.events.clear()
    ended = ready.run(verify_request(ready, "local"))
    assert ended.outcome == "done"
    assert ended.spent
    assert from_plain(VerifyResult, ended.result).failure is not None  # there is no GPU here
    ready.wait(lambda event: isinstance(event, ExecutorReady))
    assert len(ready_pids(ready)) == 1


def test_other_jobs_share_an_executor(ready: Any) -> None:
    ready.events.clear()
    for _ in range(2):
        ended = ready.run(verify_request(ready, "simulator"))
        assert ended.outcome == "done"
        assert not ended.spent
    assert not ready_pids(ready)


def test_jobs_behind_a_spent_executor_wait_for_the_next_one(ready: Any) -> None:
    ready.events.clear()
    jobs = [ready.client.submit(verify_request(ready, "local"), "work") for _ in range(2)]
    last = ready.client.submit(verify_request(ready, "simulator"), "work")
    ends = [ready.wait_end(job) for job in (*jobs, last)]
    assert [end.outcome for end in ends] == ["done"] * 3
    assert from_plain(VerifyResult, ends[-1].result).seeds[0].passed
    assert len(set(ready_pids(ready))) == 2
