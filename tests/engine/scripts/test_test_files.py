"""One file of tests, run once without a GPU; each test here looks at what became of one of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import RunScriptResult, ScriptTest
from workbench.engine.scripts.job import run_script

SHARED = Path(__file__).with_name("conftest.py")
FILE = """
import flash_attn_of_nobody
import flash_attn_of_nobody.triton as fat
import math
import os
import pytest
import threading
import tilelang.testing

try:
    import another_of_nobody
except ImportError:
    another_of_nobody = None


@fat.jit
def decorated():
    pass


@tilelang.jit
def scale(A, B, block: int = 32):
    M = T.dynamic("M")
    A: T.Tensor[[M], "float32"]
    B: T.Tensor[[M], "float32"]
    with T.Kernel(T.ceildiv(M, block), threads=32) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] * 2


@tilelang.autotune(configs=[{"block": 16}, {"block": 64}])
@tilelang.jit(out_idx=[-1])
def tuned(M, block=128):
    @T.prim_func
    def main(A: T.Tensor((M,), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, block), threads=32) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] + 1
    return main


@tilelang.jit(out_idx=[-1])
def growing(block=32):
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m,), "float16"), B: T.Tensor((m, 2), "float16")):
        with T.Kernel(T.ceildiv(m, block), threads=32) as bx:
            for i, j in T.Parallel(block, 2):
                B[bx * block + i, j] = A[bx * block + i]
    return main


@tilelang.jit(out_idx=[-1])
def overrun():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            part = T.alloc_shared((32,), "float32")
            for i in T.Parallel(64):
                part[i] = A[i]
            for i in T.Parallel(64):
                B[i] = A[i]
    return main


@tilelang.jit(out_idx=[-1])
def foreign():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(64):
                B[i] = T.call_extern("float32", "of_nobody", A[i])
    return main


def test_lazy():
    a, b = torch.randn(64, 128, device="cuda"), torch.randn(64, 128).cuda()
    torch.testing.assert_close(add(64, 128)(a, b), a + b)


def test_eager():
    a = torch.randn(100, device="cuda:0")
    b = torch.empty_like(a)
    scale(a, b)
    assert torch.equal(b, a * 2)


def test_profiler():
    profiler = add(64, 128).get_profiler()
    profiler.assert_allclose(lambda a, b: a + b, atol=1e-6, rtol=1e-6)
    assert math.isnan(profiler.do_bench(warmup=1, rep=1))


def test_profiler_finds_a_mismatch():
    add(64, 128).get_profiler().assert_allclose(lambda a, b: a - b)


def test_autotune():
    kernel = tuned(256)
    assert kernel.config == {"block": 16}
    assert math.isnan(kernel.latency)
    a = torch.randn(256, device="cuda")
    assert torch.equal(kernel(a), a + 1)


def test_dynamic_output():
    a = torch.randn(70, dtype=torch.float16, device="cuda")
    assert torch.equal(growing()(a), a[:, None].expand(70, 2))


def test_wrong():
    a = torch.ones(64, 128, device="cuda")
    kernel = add(64, 128)
    assert torch.equal(kernel(a, a), a), "is not the sum"


def test_absent():
    flash_attn_of_nobody.attention(1)


def test_guarded_import():
    assert another_of_nobody is None


def test_foreign():
    foreign()(torch.ones(64, device="cuda"))


def test_overrun():
    a = torch.ones(64, device="cuda")
    assert torch.equal(overrun()(a), a)


def test_source():
    source = add(64, 128).get_kernel_source()
    assert "__global__" in source and "void main_kernel" in source


def test_device():
    a = torch.ones(3, device="cuda")
    assert a.is_cuda and a.device == torch.device("cuda:0") and a.device.type == "cuda"
    properties = torch.cuda.get_device_properties(0)
    assert properties.multi_processor_count == 132
    assert torch.cuda.get_device_capability() == (9, 0)
    assert "H200" in torch.cuda.get_device_name()
    start = torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    assert math.isnan(start.elapsed_time(start))
    with torch.device("cuda"), torch.cuda.stream(torch.cuda.Stream()):
        assert torch.zeros(2).tolist() == [0, 0]
    assert torch.nn.Linear(2, 2).cuda().to("cuda")(torch.ones(1, 2, device=a.device)).is_cuda


def test_profile():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        torch.ones(2, device="cuda")
    assert "nothing was measured" in profile.key_averages().table(sort_by="cuda_time_total")


def test_extension():
    from torch.utils.cpp_extension import load_inline
    load_inline("nobodys", cpp_sources="")


def test_thread():
    found = []
    run = lambda: found.append(torch.ones(2, device="cuda").is_cuda)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [True]


@tilelang.testing.requires_cuda
@tilelang.testing.requires_cuda_compute_version_ge(9, 0)
def test_requires_hopper():
    pass


@tilelang.testing.requires_cuda_compute_version_ge(10, 0)
def test_requires_blackwell():
    pass


@pytest.mark.parametrize("n", [1, 2])
def test_parametrized(n):
    assert n == 1
"""


def shared() -> Any:
    """The neighbouring conftest, which importlib mode does not let one import by name."""
    spec = importlib.util.spec_from_file_location("scripts_shared", SHARED)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> RunScriptResult:
    path = tmp_path_factory.mktemp("scripts") / "test_many.py"
    text = shared().ADD + FILE
    request = shared().request_for(path, text, as_tests=True, seconds=240.0)
    return run_script(request, lambda *said: None)


def outcome_of(result: RunScriptResult, name: str) -> ScriptTest:
    (found,) = [t for t in result.tests if t.name.rpartition("::")[2] == name]
    return found


def line_of(text: str) -> int:
    lines = (shared().ADD + FILE).splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.strip() == text]
    return number


PASSING = [
    *("test_lazy", "test_eager", "test_profiler", "test_autotune", "test_dynamic_output"),
    *("test_guarded_import", "test_source", "test_device", "test_thread", "test_overrun"),
    *("test_requires_hopper", "test_profile", "test_parametrized[1]"),
]


@pytest.mark.parametrize("name", PASSING)
def test_passes_as_on_a_gpu(result: RunScriptResult, name: str) -> None:
    test = outcome_of(result, name)
    assert (test.outcome, test.message) == ("passed", None)


def test_a_wrong_kernel_fails_at_the_assertion(result: RunScriptResult) -> None:
    test = outcome_of(result, "test_wrong")
    assert test.outcome == "failed"
    assert "is not the sum" in str(test.message)
    assert test.line == line_of('assert torch.equal(kernel(a, a), a), "is not the sum"')


@pytest.mark.parametrize("name", ["test_profiler_finds_a_mismatch", "test_parametrized[2]"])
def test_fails(result: RunScriptResult, name: str) -> None:
    assert outcome_of(result, name).outcome == "failed"


def test_calling_an_absent_package_names_it_and_the_line(result: RunScriptResult) -> None:
    test = outcome_of(result, "test_absent")
    assert (test.outcome, test.lacking) == ("skipped", True)
    assert "flash_attn_of_nobody is not installed" in str(test.message)
    assert test.line == line_of("flash_attn_of_nobody.attention(1)")


def test_an_absent_package_is_told_with_its_import(result: RunScriptResult) -> None:
    place = result.mocked["flash_attn_of_nobody"]
    assert place.endswith(f"test_many.py:{line_of('import flash_attn_of_nobody')}")
    assert list(result.mocked) == ["flash_attn_of_nobody"]


def test_an_operation_that_is_not_simulated_is_named_at_its_line(result: RunScriptResult) -> None:
    test = outcome_of(result, "test_foreign")
    (found,) = [d for d in result.diagnostics if d.code == "not-simulated"]
    line = line_of('B[i] = T.call_extern("float32", "of_nobody", A[i])')
    assert (test.outcome, test.lacking, test.line) == ("skipped", True, line)
    assert found.range is not None
    assert found.range.line == line


def test_a_finding_has_the_kernels_line(result: RunScriptResult) -> None:
    (found,) = [d for d in result.diagnostics if d.code == "out-of-bounds-write"]
    assert found.range is not None
    assert found.range.line == line_of("part[i] = A[i]")
    assert found.evidence["kernel"] == "overrun"


def test_an_extension_in_cuda_is_refused_at_its_line(result: RunScriptResult) -> None:
    test = outcome_of(result, "test_extension")
    assert (test.outcome, test.lacking) == ("skipped", True)
    assert test.line == line_of('load_inline("nobodys", cpp_sources="")')


def test_the_device_decides_which_tests_are_skipped(result: RunScriptResult) -> None:
    test = outcome_of(result, "test_requires_blackwell")
    assert (test.outcome, test.lacking) == ("skipped", False)
    assert "10" in str(test.message)


def test_what_was_not_measured_is_said_at_the_line(result: RunScriptResult) -> None:
    lines = {d.range.line for d in result.diagnostics if d.code == "not-measured" and d.range}
    assert line_of("assert math.isnan(profiler.do_bench(warmup=1, rep=1))") in lines
    assert line_of("kernel = tuned(256)") in lines


def test_kernels_come_with_arguments_and_launches(result: RunScriptResult) -> None:
    kernels = {kernel.name: kernel for kernel in result.kernels}
    assert kernels["tuned"].args == {"M": 256, "block": 16}
    assert kernels["scale"].args == {"block": 32}
    assert kernels["growing"].dims == {"m": 70}
    assert kernels["scale"].launches == 1
    assert result.launches == sum(kernel.launches for kernel in result.kernels)


def test_a_failed_test_is_the_scripts_failure(result: RunScriptResult) -> None:
    assert result.failure is not None
    assert (result.failure.kind, result.finished) == ("kernel", True)
    assert any("pipelining" in caveat for caveat in result.caveats)
