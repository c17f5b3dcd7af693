from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tilelang.jit.kernel import JITKernel

from workbench.core.jobs import RunScriptResult
from workbench.engine.scripts.job import run_script

Script = Callable[..., RunScriptResult]
FIRST = 18  # the first line of a text that begins with an empty one


def test_a_script_runs_with_its_arguments_and_changes_nothing_here(script: Script) -> None:
    compile_call, do_call = JITKernel._compile_and_create_adapter, torch.cuda.is_available
    result = script(
        """
        import sys
        from pathlib import Path

        if __name__ == "__main__":
            a = torch.ones(64, 32, device="cuda")
            Path("out.txt").write_text(f"{sys.argv[1:]} {add(64, 32)(a, a).sum().item()}")
        """,
        args=("--m", "3"),
    )
    assert (result.failure, result.finished, result.launches) == (None, True, 1)
    kernel = result.kernels[0]
    assert (kernel.name, kernel.line) == ("add", 8)
    assert kernel.args == {"M": 64, "N": 32, "block_M": 32, "dtype": "float32"}
    assert Path(str(kernel.file)).with_name("out.txt").read_text() == "['--m', '3'] 4096.0"
    assert JITKernel._compile_and_create_adapter is compile_call
    assert torch.cuda.is_available is do_call
    assert not torch.cuda.is_available()


@pytest.mark.thorough  # the command line runs scripts that fail
def test_an_exception_has_the_scripts_own_line(script: Script) -> None:
    result = script(
        """
        def check(x):
            return torch.ones(2) @ x

        check(torch.ones(3))
        """
    )
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("kernel", FIRST + 1)
    assert "size" in result.failure.message
    assert "check(torch.ones(3))" in str(result.failure.raw)
    assert "executing.py" not in str(result.failure.raw)


def test_too_large_a_tensor_is_told_at_its_line(script: Script) -> None:
    result = script("a = torch.empty(1 << 40, device='cuda')", memory_bytes=8 << 30)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.line) == ("memory", FIRST - 1)


def test_the_time_limit_leaves_what_was_done(script: Script) -> None:
    result = script(
        """
        import time
        a = torch.ones(64, 32, device="cuda")
        add(64, 32)(a, a)
        print("now", flush=True)
        while True:
            add(64, 32)(a, a)
        """,
        seconds=6.0,
    )
    assert result.failure is not None
    assert (result.failure.kind, result.finished) == ("timeout", False)
    assert "6 s" in result.failure.message
    assert result.kernels[0].name == "add"
    assert result.launches > 0


def test_a_crash_leaves_what_was_done(script: Script) -> None:
    result = script(
        """
        import os, signal
        a = torch.ones(64, 32, device="cuda")
        add(64, 32)(a, a)
        os.kill(os.getpid(), signal.SIGSEGV)
        """
    )
    assert result.failure is not None
    assert result.failure.kind == "crash"
    assert "SIGSEGV" in result.failure.message
    assert result.launches == 1


def test_recording_builds_kernels_of_any_size_and_runs_none(record: Script) -> None:
    result = record(
        """
        import nobodys_package

        def main(n=1 << 20):
            a = torch.randn(n, 4096, device="cuda")
            c = add(n, 4096)(a, a)
            torch.testing.assert_close(c, a + a)
            add.compile(64, N=64, block_M=16)

        main()
        """
    )
    assert result.failure is None
    assert [(k.args["M"], k.args["block_M"]) for k in result.kernels] == [(1 << 20, 32), (64, 16)]
    assert result.caveats == ()


def test_recording_goes_on_with_values_where_the_flow_needs_them(record: Script) -> None:
    result = record(
        """
        a = torch.ones(64, 32, device="cuda")
        add(int(a.sum().item()), 32)
        """
    )
    assert result.failure is None
    assert [kernel.args["M"] for kernel in result.kernels] == [2048]


def test_a_script_that_is_not_trusted_is_not_run(tmp_path: Path, request: Any) -> None:
    from workbench.core.jobs import RunScriptRequest, Source

    path = tmp_path / "script.py"
    order = RunScriptRequest(Source(str(path), "open('made', 'w')", str(tmp_path)), {})
    result = run_script(replace(order, cwd=str(tmp_path)), lambda *said: None)
    assert result.failure is not None
    assert result.failure.kind == "environment"
    assert not (tmp_path / "made").exists()
