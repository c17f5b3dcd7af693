"""On a machine without a GPU, what needs one says what was looked for and what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from workbench.core.jobs import KernelChoice, Source, VerifyRequest
from workbench.core.plain import to_plain
from workbench.core.profiles import ProfileRequest
from workbench.core.python_path import python_path
from workbench.core.targets.table import load_targets
from workbench.engine import blame, jobs
from workbench.engine.device import finding, launching
from workbench.engine.device.job import profile
from workbench.engine.verify.job import verify

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")


@pytest.fixture
def gemm() -> tuple[Source, KernelChoice]:
    path = ROOT / "kernels" / "gemm.py"
    source = Source(str(path), path.read_text("utf-8"), str(ROOT), trusted=True)
    return source, KernelChoice("matmul", "lazy", {"M": 128, "N": 128, "K": 64})


def target() -> dict[str, object]:
    return load_targets().resolve("h100").to_json()


def test_verify_on_this_machine_is_an_environment_failure(
    gemm: tuple[Source, KernelChoice],
) -> None:
    request = VerifyRequest(
        *gemm, target(), "ref_program", "local", three_way=True, sanitize=("memcheck",)
    )
    result, blobs = verify(request, lambda *_: None)
    assert result.failure is not None
    assert result.failure.kind == "environment"
    assert "no GPU on this machine" in result.failure.message
    assert "/dev/nvidiactl" in result.failure.message
    assert "--on simulator" in result.failure.message
    assert not result.sanitized
    assert not blobs


def test_a_torch_without_cuda_beside_a_driver_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(finding, "_NODES", {"NVIDIA": str(tmp_path)})
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    with pytest.raises(blame.StepError) as raised:
        finding.find_device()
    assert "is built without CUDA and ROCm" in raised.value.failure.message


def test_a_torch_that_sees_no_gpu_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(finding, "_NODES", {"NVIDIA": str(tmp_path)})
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with pytest.raises(blame.StepError) as raised:
        finding.find_device()
    assert "(built for 13.0) sees no GPU" in raised.value.failure.message
    assert "CUDA_VISIBLE_DEVICES" in raised.value.failure.message


def test_a_launch_for_a_profiler_is_refused_with_a_sentence(
    gemm: tuple[Source, KernelChoice], tmp_path: Path
) -> None:
    request, about = tmp_path / "request.json", tmp_path / "about.json"
    request.write_text(json.dumps(to_plain(ProfileRequest(*gemm, target()))), "utf-8")
    command = [sys.executable, "-m", "workbench.engine.device.launching", str(request), str(about)]
    environment = {**os.environ, "PYTHONPATH": python_path()}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == launching.REFUSED
    assert "no GPU on this machine" in done.stderr.splitlines()[-1]
    assert not about.exists()


def test_a_profile_says_why_there_is_none(gemm: tuple[Source, KernelChoice]) -> None:
    result, blobs = profile(ProfileRequest(*gemm, target()), lambda *_: None)
    assert result.failure is not None
    assert result.failure.kind == "environment"
    assert "no GPU on this machine" in result.failure.message
    assert result.latency is None
    assert not blobs


def test_jobs_on_a_gpu_are_told_from_others() -> None:
    assert jobs.uses_device("profile", {})
    assert jobs.uses_device("verify", {"on": "local"})
    assert not jobs.uses_device("verify", {"on": "simulator"})
    assert not jobs.uses_device("compile", {})
