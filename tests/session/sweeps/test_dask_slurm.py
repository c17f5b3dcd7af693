"""What Slurm is asked for, and what is said where it refuses, in the words of Slurm 22.05."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.session.sweeps import dask_slurm
from workbench.session.sweeps.backend import BackendError

pytest.importorskip("distributed", reason="Dask is an extra")
ADDRESS = "slurm://?..."


def test_a_job_asks_for_one_gpu_unless_told_otherwise() -> None:
    found = dask_slurm.job_arguments(ADDRESS, {"queue": "gpu", "qos": "short"})
    assert found["job_extra_directives"] == ["--qos=short", "--gres=gpu:1"]
    assert found["worker_extra_args"][-2:] == ["--resources", "GPU=1"]
    assert found["queue"] == "gpu"


def test_a_job_without_a_gpu_offers_none() -> None:
    found = dask_slurm.job_arguments(ADDRESS, {"gres": "none"})
    assert found["job_extra_directives"] == []
    assert "--resources" not in found["worker_extra_args"]


def test_a_worker_tells_nothing_by_http_beyond_its_node() -> None:
    found = dask_slurm.job_arguments(ADDRESS, {})
    assert found["worker_extra_args"][:3] == [
        "--no-dashboard",
        "--dashboard-address",
        "127.0.0.1:0",
    ]
    assert "export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'" in found["job_script_prologue"]


def test_a_job_script_says_what_slurm_reads() -> None:
    slurm = pytest.importorskip("dask_jobqueue.slurm", reason="dask-jobqueue is an extra")
    options = {"queue": "gpu", "account": "me", "walltime": "02:00:00", "gres": "gpu:a100:1"}
    arguments = dask_slurm.job_arguments(ADDRESS, {**options, "cores": "4", "memory": "16GiB"})
    lines = slurm.SLURMJob("tls://192.0.2.1:1", "name", **arguments).job_script().splitlines()
    assert [line for line in lines if line.startswith("#SBATCH")] == [
        "#SBATCH -J dask-worker",
        "#SBATCH -p gpu",
        "#SBATCH -A me",
        "#SBATCH -n 1",
        "#SBATCH --cpus-per-task=4",
        "#SBATCH --mem=16G",
        "#SBATCH -t 02:00:00",
        "#SBATCH --gres=gpu:a100:1",
    ]


def test_a_machine_without_slurm_is_told_where_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BackendError, match=r"no 'sbatch' on this machine.*login node"):
        dask_slurm.start("slurm://", "", lambda text: None)


REFUSALS = [
    (
        "sbatch: error: invalid partition specified: nope\n"
        "allocation failure: Invalid partition name specified",
        "invalid partition specified: nope. Name one of its partitions, debug, gpu",
    ),
    ("allocation failure: Requested node configuration is not available", "No node has so much"),
    ("sbatch: error: Invalid generic resource (gres) specification", "gres=gpu:1, or gres=none"),
    ("sbatch: error: Invalid --time specification", "walltime=02:00:00"),
    ("sbatch: error: something else", "something else. See 'sinfo'"),
]


@pytest.mark.parametrize(("said", "what"), REFUSALS)
def test_what_slurm_refuses_is_said_with_a_cure(
    said: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "sbatch", f"cat >&2 <<'END'\n{said}\nEND\nexit 1")
    _program(tmp_path / "sinfo", "echo debug; echo gpu")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(BackendError) as refused:
        dask_slurm.check_job("#!/bin/sh\n")
    assert what in str(refused.value)


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
