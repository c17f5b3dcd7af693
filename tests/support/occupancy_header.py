"""Programs over the CUDA toolkit's own occupancy header, and a device as they read it."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from workbench.core.targets.model import Architecture, Vendor
from workbench.core.targets.table import load_targets

HEADER = "cuda_occupancy.h"
NVIDIA = [a for a in load_targets().architectures if a.vendor is Vendor.NVIDIA]


def compiled(program: str, folder: Path) -> Path:
    """The executable of a C++ program that includes the header; skips where either is missing."""
    compiler, include = shutil.which("g++"), _include_folder()
    if compiler is None:
        pytest.skip("g++ is not installed")
    if include is None:
        pytest.skip(f"no package has {HEADER} (nvidia-cuda-runtime does)")
    source, executable = folder / "ask.cpp", folder / "ask"
    source.write_text(program)
    command = [compiler, "-I", str(include), "-o", str(executable), str(source)]
    subprocess.run(command, check=True, timeout=120)
    return executable


def answers(executable: Path, questions: Iterable[str]) -> list[str]:
    """What a program answers to lines, a line each."""
    done = subprocess.run(
        [executable],
        input="\n".join(questions),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def device(arch: Architecture) -> str:
    """The fields of the header's cudaOccDeviceProp from computeMajor on, without numSms."""
    limits = arch.limits
    fields = (
        *divmod(arch.order, 10),
        limits.max_threads_per_block,
        limits.max_threads_per_sm,
        limits.registers_per_block,
        limits.registers_per_sm,
        limits.warp_size,
        limits.shared_bytes_per_block,
        limits.shared_bytes_per_sm,
        limits.shared_bytes_per_block_opt_in,
        limits.shared_bytes_reserved_per_block,
    )
    return " ".join(map(str, fields))


def _include_folder() -> Path | None:
    spec = importlib.util.find_spec("nvidia")
    roots = list(spec.submodule_search_locations or []) if spec else []
    found = [path for root in roots for path in Path(root).rglob(HEADER)]
    return found[0].parent if found else None
