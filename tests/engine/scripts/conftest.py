"""What the tests of running scripts share: a request for a script's text, and its result."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import RunScriptRequest, RunScriptResult, Source
from workbench.core.targets.table import load_targets
from workbench.engine.scripts.job import run_script
from workbench.engine.scripts.recording import record_cases

ADD = """
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def add(M, N, block_M=32, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            for i, j in T.Parallel(block_M, N):
                C[bx * block_M + i, j] = A[bx * block_M + i, j] + B[bx * block_M + i, j]

    return main

"""


def request_for(path: Path, text: str, **options: Any) -> RunScriptRequest:
    path.write_text(text)
    source = Source(str(path), text, str(path.parent), trusted=True)
    return RunScriptRequest(
        source, load_targets().resolve("h200").to_json(), cwd=str(path.parent), **options
    )


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., RunScriptResult]:
    """Run a text after the kernel `add` and return the result."""
    return lambda text, **options: run_script(_request(tmp_path, text, options), _silent)


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., RunScriptResult]:
    """Note the kernels of a text after the kernel `add`, and return the result."""
    return lambda text, **options: record_cases(_request(tmp_path, text, options), _silent)


def _request(folder: Path, text: str, options: dict[str, Any]) -> RunScriptRequest:
    whole = ADD + textwrap.dedent(text)
    return request_for(folder / "script.py", whole, **{"seconds": 240.0, **options})


def _silent(*said: object) -> None:
    """Nobody watches a test."""
