"""Reports of hosts' tests: one with two H200s, and others made from it."""

from __future__ import annotations

from workbench.core.host_report import (
    CounterAccess,
    FoundTool,
    FoundTorch,
    HostReport,
    Probe,
    lacks_of,
)
from workbench.core.profiles import DeviceInfo

DEVICE = DeviceInfo(
    "NVIDIA H200", "sm_90", "GPU-1", 0, 132, 150754820096, 62914560, "580.65.06", "13.0"
)
PROBE = Probe(
    "gpu1.cluster",
    "Linux x86_64",
    "3.12.3",
    "/home/me/venv/bin/python",
    64,
    512 * 1024**3,
    {"torch": "2.13.0", "tilelang": "0.1.15", "numpy": "2.4.0"},
    FoundTorch("2.13.0+cu130", "13.0", None, ("NVIDIA H200", "NVIDIA H200")),
    (DEVICE, DEVICE),
    "580.65.06",
    "13.0",
    FoundTool("/usr/local/cuda/bin/nvcc", "13.0"),
    FoundTool("/usr/local/cuda/bin/ncu", "2025.3.1"),
    FoundTool("/usr/local/cuda/bin/compute-sanitizer", "2025.3"),
    FoundTool("/usr/bin/g++", "13.3"),
    CounterAccess.ALLOWED,
)
REACHED = HostReport(
    "gpu1", "ssh gpu1", True, None, PROBE, lacks_of(PROBE, "gpu1"), seconds=3.2, sent=True
)
NOT_REACHED = HostReport(
    "gpu1",
    "ssh gpu1",
    False,
    "gpu1 did not accept a key: Permission denied (publickey). Run 'ssh gpu1' in a terminal.",
    log=("me@gpu1: Permission denied (publickey).",),
    seconds=0.4,
)
