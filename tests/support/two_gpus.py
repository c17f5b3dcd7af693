"""A machine with two GPUs on which nothing can be executed: processes started in it see them.

What stands in: the driver's answer, torch's and nvidia-smi's list of GPUs, and the engine in an
executor, which predicts by a formula and "measures" by waiting while it holds the GPU's lock. The
command line, the runner, supervisors, lanes, executors and the locks are the product's own.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.profiles import DeviceInfo

GPUS = tuple(DeviceInfo("NVIDIA H200", "sm_90", uuid=f"GPU-{n}", index=n) for n in range(2))
HOLDS_SECONDS = 0.1
_TORCH = """
__version__ = "2.11"
class version:
    cuda, hip = "13.0", None
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 2)
    get_device_name = staticmethod(lambda index: "NVIDIA H200")
"""
_DRIVER = """
from dataclasses import dataclass, field
@dataclass
class Driver:
    devices: list = field(default_factory=list)
    driver: str = "580"
    cuda: str = "13.0"
def look(problems):
    names = dict(name="NVIDIA H200", arch="sm_90")
    return Driver([dict(names, uuid=f"GPU-{n}", index=n) for n in range(2)])
"""
_ENVIRONMENT = """
def prepare(): pass
def versions(): return {"tilelang": "0.1.15"}
def devices(): return ("NVIDIA H200", "NVIDIA H200")
"""
_JOBS = """
import json, os, time
from workbench.core.plain import from_plain
from workbench.core.profiles import DeviceInfo, Latency, ProfileRequest, ProfileResult
from workbench.engine.device.locking import lock_path, locked

def uses_device(kind, payload):
    return kind == "profile"

def run(kind, payload, report):
    if kind == "analyze":
        from workbench.core.analysis.estimate import Estimate
        from workbench.core.analysis.kernel_analysis import KernelAnalysis
        from workbench.core.analysis.result import AnalyzeResult
        time_us = 100.0 + payload["kernel"]["args"]["block_M"]
        estimate = Estimate(time_us, "hbm", "model", 1, None, 1, 1.0, (), None)
        kernel = KernelAnalysis("main", (1, 1, 1), (128, 1, 1), 0, estimate=estimate)
        return AnalyzeResult(None, (kernel,)), []
    request = from_plain(ProfileRequest, payload)
    uuid = f"GPU-{request.device}"
    device = DeviceInfo("NVIDIA H200", "sm_90", uuid=uuid, index=request.device)
    with locked(lock_path(device), device.name, report):
        began = time.monotonic()
        time.sleep(float(os.environ["TWO_GPUS_HOLD"]))
        entry = dict(gpu=uuid, workspace=request.source.workspace, args=dict(request.kernel.args),
                     began=began, ended=time.monotonic(), process=os.getpid())
        with open(os.environ["TWO_GPUS_LOG"], "a") as log:
            log.write(json.dumps(entry) + "\\n")
    latency = Latency(120.0, 119.0, 121.0, (120.0,) * 20, "events", "cold")
    return ProfileResult(None, device, latency), []
"""
_CUSTOMIZE = """
import importlib.abc, importlib.util, os, sys
_PLACES = {
    "workbench.worker.cuda_driver": "stand_in_driver.py",
    "workbench.engine.environment": "stand_in_environment.py",
    "workbench.engine.jobs": "stand_in_jobs.py",
}
class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in _PLACES:
            return None
        place = os.path.join(os.path.dirname(__file__), _PLACES[name])
        return importlib.util.spec_from_file_location(name, place)
sys.meta_path.insert(0, _Finder())
"""
_FILES = {
    "sitecustomize.py": _CUSTOMIZE,
    "torch.py": _TORCH,
    "tilelang.py": "",
    "stand_in_driver.py": _DRIVER,
    "stand_in_environment.py": _ENVIRONMENT,
    "stand_in_jobs.py": _JOBS,
    "nvidia-smi": '#!/bin/sh\necho "NVIDIA H200"\necho "NVIDIA H200"\n',
    "nvcc": '#!/bin/sh\necho "release 13.0, V13.0.88"\n',
}


@dataclass(frozen=True)
class Measurement:
    """One measurement as an executor noted it: on which GPU, of which workspace, from when to when.

    Times are those of the machine's one steady clock, in seconds.
    """

    gpu: str
    workspace: str
    args: dict[str, Any]
    began: float
    ended: float
    process: int


@dataclass(frozen=True)
class TwoGpus:
    """The machine: `environment` is what a process has to be started with to be on it."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """With locks in a folder of its own, and our stand-ins before what is installed."""
        path = os.pathsep.join([str(self.folder), os.environ.get("PATH", "")])
        return {
            **os.environ,
            "PYTHONPATH": str(self.folder),
            "PATH": path,
            "TMPDIR": str(self.locks),
            "TWO_GPUS_LOG": str(self._log),
            "TWO_GPUS_HOLD": str(HOLDS_SECONDS),
        }

    @property
    def locks(self) -> Path:
        """The folder of the GPUs' locks."""
        return self.folder / "tmp"

    @property
    def _log(self) -> Path:
        return self.folder / "measured.jsonl"

    def measurements(self) -> list[Measurement]:
        """What has been measured so far, in the order of its ends."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [Measurement(**json.loads(line)) for line in lines]


def two_gpus(folder: Path) -> TwoGpus:
    """Make the machine in an empty folder."""
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    for name in ("nvidia-smi", "nvcc"):
        (folder / name).chmod(0o755)
    made = TwoGpus(folder)
    made.locks.mkdir()
    return made
