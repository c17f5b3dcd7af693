"""Long work beside the window: it goes on, ends and fails once, in the owner's thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from workbench.session.tasks import Step, TaskCancelledError, Tasks


@pytest.fixture
def tasks(pump: Any) -> Iterator[Tasks]:
    made = Tasks(pump.post)
    yield made
    made.close()


def test_what_work_came_to_is_told_in_the_owners_thread(tasks: Tasks, pump: Any) -> None:
    threads: list[threading.Thread] = []
    tasks.start("Add", lambda _: 3, lambda _: threads.append(threading.current_thread()), fail, ())
    assert [job.label for job in tasks.jobs] == ["Add"]
    pump.until(lambda: threads)
    assert (threads, tasks.jobs) == ([threading.current_thread()], ())


def test_steps_are_told(tasks: Tasks, pump: Any) -> None:
    go_on = threading.Event()

    def work(step: Step) -> None:
        step(1_000, 4_000, "runs")
        go_on.wait()

    answers: list[None] = []
    tasks.start("Delete", work, answers.append, fail, ())
    pump.until(lambda: tasks.jobs[0].text)
    assert (tasks.jobs[0].text, tasks.jobs[0].fraction) == ("1,000 of 4,000 runs", 0.25)
    go_on.set()
    pump.until(lambda: answers)


def test_work_ends_at_its_next_step_when_it_is_cancelled(tasks: Tasks, pump: Any) -> None:
    ended: list[str] = []

    def work(step: Step) -> None:
        try:
            while True:
                step(1, 0, "files")
        except TaskCancelledError:
            ended.append("ended")
            raise

    tasks.start("For ever", work, fail, fail, ())
    tasks.cancel_all()
    pump.until(lambda: not tasks.jobs)
    assert ended == ["ended"]


def test_an_expected_error_is_told_and_another_raised(tasks: Tasks, pump: Any) -> None:
    def work(_: Step) -> None:
        raise OSError("the disk is full")

    told: list[Exception] = []
    tasks.start("Write", work, fail, told.append, (OSError,))
    pump.until(lambda: told)
    assert str(told[0]) == "the disk is full"
    tasks.start("Write", work, fail, fail, (KeyError,))
    with pytest.raises(OSError, match="disk is full"):
        pump.until(lambda: False)


def fail(what: object) -> None:
    raise AssertionError(what)
