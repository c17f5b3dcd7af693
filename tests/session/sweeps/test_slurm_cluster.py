"""A sweep over the jobs of a real Slurm, which runs on this machine for the test alone."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from one_node_slurm import OneNodeSlurm, missing_slurm, start_slurm
from sweep_process import POINTS, SweepProcess, within

pytestmark = pytest.mark.thorough

pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is in the extra 'cluster'")
ADDRESS = "slurm://?queue=gpu&jobs=2&cores=1&memory=1GB"


@pytest.fixture
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneNodeSlurm]:
    if (why := missing_slurm()) is not None:
        pytest.skip(why)
    found = start_slurm(tmp_path_factory.mktemp("slurm"))
    yield found
    found.stop()


def test_jobs_of_slurm_do_a_sweep_also_where_one_is_cancelled(
    slurm: OneNodeSlurm, tmp_path: Path
) -> None:
    sweep = SweepProcess(tmp_path, ADDRESS, slurm.environment)
    jobs = sweep.wait_for(lambda: slurm.jobs() if len(slurm.jobs()) == 2 else None)
    told = slurm.ask("scontrol", "show", "job", jobs[0])
    assert "Partition=gpu" in told
    assert "gres:gpu:1" in told
    sweep.wait_for(lambda: slurm.runs("worker.executor"))
    slurm.ask("scancel", jobs[0])
    result = sweep.result()
    assert result["ended"] == "done"
    assert result["counts"]["predicted"] == POINTS
    assert slurm.jobs() == []


def test_a_cancelled_sweep_ends_jobs_that_run_and_jobs_that_wait(
    slurm: OneNodeSlurm, tmp_path: Path
) -> None:
    sweep = SweepProcess(tmp_path, f"{ADDRESS}&jobs=3", slurm.environment)  # there are two GPUs
    sweep.wait_for(lambda: len(slurm.jobs()) == 3)
    sweep.wait_for(lambda: slurm.runs("worker.executor"))
    sweep.process.send_signal(signal.SIGTERM)
    assert sweep.result()["ended"] == "cancelled"
    assert within(lambda: not slurm.jobs())
    assert within(lambda: not slurm.runs("distributed"))


def test_a_sweep_that_is_cancelled_while_slurm_lets_it_wait_leaves_no_job(
    slurm: OneNodeSlurm, tmp_path: Path
) -> None:
    slurm.ask("sbatch", "--gres=gpu:2", "-o/dev/null", "--wrap", "sleep 3600")
    other = slurm.jobs()
    sweep = SweepProcess(tmp_path, ADDRESS, slurm.environment)
    sweep.wait_for(lambda: len(set(slurm.jobs()) - set(other)) == 2)
    sweep.process.send_signal(signal.SIGTERM)
    sweep.process.communicate()
    assert sweep.process.returncode == 128 + signal.SIGTERM
    assert slurm.jobs() == other


def test_an_unknown_partition_is_said_with_those_there_are(
    slurm: OneNodeSlurm, tmp_path: Path
) -> None:
    sweep = SweepProcess(tmp_path, "slurm://?queue=nope&memory=1GB", slurm.environment)
    out, _ = sweep.process.communicate()
    assert sweep.process.returncode == 2
    assert "partitions, debug, gpu" in json.loads(out)["error"]["message"]
