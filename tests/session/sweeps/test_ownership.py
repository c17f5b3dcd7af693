"""A window that is killed takes its sweep along, which can go on later; a detached one goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.support.sweep_points import KERNELS, a_plan
from workbench.core.sweeps import journal
from workbench.core.sweeps.space import parse_axis
from workbench.session.sweeps import planning, store
from workbench.session.sweeps.following import SweepProcess
from workbench.session.sweeps.ownership import interrupted_at_end
from workbench.session.sweeps.states import SweepState, state_of

ROOT = Path(__file__).parents[3]
LONGEST_SECONDS = 120.0  # on a machine that has much else to do
OWNER = """
import sys, time
from pathlib import Path
from workbench.session.sweeps.following import SweepProcess
attached, detached, workspace = map(Path, sys.argv[1:])
one, other = SweepProcess(attached, workspace), SweepProcess(detached, workspace, detached=True)
print(one.pid, other.pid, flush=True)
time.sleep(3600)
"""


def a_long_sweep(folder: Path, sweep_id: str) -> Path:
    """One that does not end by itself meanwhile."""
    text = (KERNELS / "elementwise_add.py").read_text("utf-8")
    plan = replace(
        a_plan(folder),
        id=sweep_id,
        document=str(folder / "add.py"),
        text=text,
        kernel="add",
        axes=(parse_axis("block_M=1..200"),),
        cases=("aligned",),
        cpu_jobs=1,
    )
    return journal.create(store.sweeps_folder(folder), plan)


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def is_gone(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def with_workers(pid: int, folder: Path) -> list[psutil.Process]:
    """The process of a sweep and all below it, once it works on the sweep."""
    begun = folder / journal.JOURNAL
    until(lambda: begun.stat().st_size > 0, "the sweep has not begun")
    assert journal.runner_of(folder) == pid
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def test_a_killed_window_ends_its_own_sweep_and_no_detached_one(tmp_path: Path) -> None:
    attached, detached = (a_long_sweep(tmp_path, name) for name in ("0att", "0det"))
    words = [sys.executable, "-c", OWNER, str(attached), str(detached), str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT) as owner:
        assert owner.stdout is not None
        own, other = map(int, owner.stdout.readline().split())
        below = with_workers(own, attached)
        assert len(below) > 1
        goes_on = with_workers(other, detached)[0]
        owner.kill()
        began = time.monotonic()
    until(lambda: all(map(is_gone, below)), "the window's sweep goes on")
    print(f"ended {time.monotonic() - began:.2f} s after its window was killed")
    assert state_of(attached, journal.read(attached).ended, False) is SweepState.INTERRUPTED

    assert not is_gone(goes_on)
    planning.cancel(detached)
    assert journal.read(detached).ended == "cancelled"
    until(lambda: is_gone(goes_on), "the cancelled sweep goes on")

    again = SweepProcess(attached, tmp_path)
    until(lambda: journal.runner_of(attached) == again.pid, "the sweep does not go on")
    again.pause()
    assert not again.is_running


def test_the_end_of_a_stream_interrupts_and_what_comes_before_does_not() -> None:
    reading, writing = os.pipe()
    interrupted_at_end(reading)
    os.write(writing, b"not yet")

    def end() -> None:
        os.close(writing)
        time.sleep(LONGEST_SECONDS)

    with pytest.raises(KeyboardInterrupt):
        end()
    os.close(reading)


def test_a_process_that_ends_without_a_word_is_told_by_its_status(tmp_path: Path) -> None:
    folder = a_long_sweep(tmp_path, "0gone")
    (folder / journal.LOG).write_text("error: an earlier attempt failed\n")
    process = SweepProcess(folder, tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    assert not process.wait_until_begun(LONGEST_SECONDS)
    assert process.failure == "its process said nothing and ended with status -9"
