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

    def run(text: str, **options: Any) -> RunScriptResult:
        whole = ADD + textwrap.dedent(text)
        request = request_for(tmp_path / "script.py", whole, **{"seconds": 240.0, **options})
        return run_script(request, lambda *said: None)

    return run
