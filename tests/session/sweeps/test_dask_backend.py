"""A sweep over a Dask cluster of two worker processes, one of which is killed midway."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed", reason="Dask is an extra")
ROOT = Path(__file__).parents[3]
BLOCKS = ("8", "16")
POINTS = len(BLOCKS)


@dataclass(frozen=True)
class Cluster:
    """The address of the scheduler, the ids of the worker processes, and the whole program."""

    address: str
    workers: list[int]
    process: subprocess.Popen[bytes]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A LocalCluster in a process of its own, ended with all that it started."""
    script = ROOT / "tests" / "support" / "dask_cluster.py"
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, "DASK_CONFIG": str(tmp_path / "dask")},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    try:
        yield Cluster(told["address"], told["workers"], process)
    finally:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def test_a_killed_worker_costs_no_point(cluster: Cluster, tmp_path: Path) -> None:
    document = tmp_path / "add.py"
    shutil.copy(ROOT / "kernels" / "elementwise_add.py", document)
    words = ["sweep", str(document), "--vary", f"block_M={','.join(BLOCKS)}", "--target", "h200"]
    words += ["--on", "none", "--scheduler", cluster.address, "--workspace", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", *words, "--json"],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as sweep:
        assert sweep.stdout is not None
        victim = _wait_for_busy(cluster.workers)
        os.kill(victim, signal.SIGKILL)
        told = json.loads(sweep.stdout.read())
    assert sweep.returncode == 0
    assert told["ended"] == "done"
    assert told["counts"]["predicted"] == POINTS
    assert [point["number"] for point in told["points"]] == list(range(POINTS))
    assert all(point["predicted"]["predicted_us"] for point in told["points"])
    left = [p for p in _below(cluster.process.pid) if "workbench.worker" in " ".join(p.cmdline())]
    assert left == [], "a worker of the workbench is left on the cluster"


def _wait_for_busy(workers: list[int]) -> int:
    """The Dask worker below which the first executor has started."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for worker in workers:
            if any("workbench.worker.executor" in " ".join(p.cmdline()) for p in _below(worker)):
                return worker
        time.sleep(0.05)
    raise AssertionError("no Dask worker began a task")


def _below(pid: int) -> list[psutil.Process]:
    found = []
    try:
        for process in psutil.Process(pid).children(recursive=True):
            if process.status() != psutil.STATUS_ZOMBIE and process.cmdline():
                found.append(process)
    except psutil.NoSuchProcess:
        return found
    return found
