"""Two sweeps on one machine with two GPUs: real processes, lanes and locks.

What is not there is the GPU: `tests.support.two_gpus` says what stands in for it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.two_gpus import GPUS, Measurement, TwoGpus, two_gpus
from workbench.engine.device.locking import lock_path, locked
from workbench.session.sweeps.lanes import lanes_a_gpu

ROOT = Path(__file__).parents[3]
POINTS = 4
LONGEST_SECONDS = 240.0  # on a machine that has much else to do
WORDS = ["--vary", "block_M=8,16", "--vary", "threads=128,256", "--exhaustive"]
WORDS += ["--target", "h200", "--on", "local", "--jobs", "1", "--json"]


@dataclass(frozen=True)
class Ran:
    """What both sweeps said at their ends, what was measured, and what of it while GPU 0 was held
    by somebody else."""

    sweeps: tuple[dict[str, Any], ...]
    workspaces: tuple[str, ...]
    measured: list[Measurement]
    meanwhile: list[Measurement]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    machine = two_gpus(tmp_path_factory.mktemp("two_gpus"))
    workspaces = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(machine.locks))
        with contextlib.ExitStack() as sweeps:
            with locked(lock_path(GPUS[0]), "GPU 0", print):
                both = [sweeps.enter_context(begun(machine, each)) for each in workspaces]
                until(lambda: used_by(machine.measurements()) == set(map(str, workspaces)), both)
                meanwhile = machine.measurements()
            told = [sweep.communicate()[0] for sweep in both]
    assert [sweep.returncode for sweep in both] == [0, 0]
    names = tuple(map(str, workspaces))
    return Ran(tuple(map(json.loads, told)), names, machine.measurements(), meanwhile)


@contextlib.contextmanager
def begun(machine: TwoGpus, workspace: Path) -> Iterator[subprocess.Popen[str]]:
    document = workspace / "add.py"
    shutil.copy(ROOT / "kernels" / "elementwise_add.py", document)
    command = [sys.executable, "-m", "workbench", "sweep", str(document), *WORDS]
    with subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        cwd=ROOT,
        env=machine.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()  # it has ended, unless something is wrong


def until(condition: Callable[[], bool], sweeps: list[subprocess.Popen[str]]) -> None:
    end = time.monotonic() + LONGEST_SECONDS
    while not condition():
        assert time.monotonic() < end, "a sweep measures nothing"
        assert all(sweep.poll() is None for sweep in sweeps), "a sweep ended early"
        time.sleep(0.02)


def used_by(measured: list[Measurement]) -> set[str]:
    return {each.workspace for each in measured}


def test_a_gpu_that_another_holds_is_waited_for_while_the_other_one_is_used(ran: Ran) -> None:
    assert {each.gpu for each in ran.meanwhile} == {"GPU-1"}
    assert used_by(ran.meanwhile) == set(ran.workspaces)


def test_there_are_never_two_measurements_on_one_gpu_at_once(ran: Ran) -> None:
    for gpu in GPUS:
        own = sorted((m for m in ran.measured if m.gpu == gpu.uuid), key=lambda m: m.began)
        assert len(own) > 2
        assert all(a.ended <= b.began for a, b in itertools.pairwise(own))


def test_each_sweep_uses_both_gpus_by_a_process_for_each_measurement(ran: Ran) -> None:
    for workspace in ran.workspaces:
        own = [each for each in ran.measured if each.workspace == workspace]
        assert {each.gpu for each in own} == {"GPU-0", "GPU-1"}
        assert len({each.process for each in own}) == len(own)


def test_every_point_of_each_is_measured_once_and_the_best_confirmed(ran: Ran) -> None:
    for sweep, workspace in zip(ran.sweeps, ran.workspaces, strict=True):
        assert sweep["ended"] == "done"
        counts = sweep["counts"]
        assert counts["measured"] + counts["confirmed"] == POINTS
        own = [each for each in ran.measured if each.workspace == workspace]
        assert len(own) == POINTS + counts["confirmed"]
        points = {(each.args["block_M"], each.args["threads"]) for each in own}
        assert len(points) == POINTS


@pytest.mark.parametrize(
    ("cpus", "gpus", "lanes"), [(2, 2, 2), (32, 2, 8), (16, 1, 8), (None, 4, 2), (20, 2, 5)]
)
def test_a_gpu_has_as_many_lanes_as_processors_can_prepare_for(
    cpus: int | None, gpus: int, lanes: int
) -> None:
    assert lanes_a_gpu(cpus, gpus) == lanes
