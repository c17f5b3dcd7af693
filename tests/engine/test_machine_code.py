from __future__ import annotations

import dataclasses

import pytest

from workbench.core.jobs import Resources
from workbench.engine import environment
from workbench.engine.machine_code import (
    MachineCodeError,
    MissingToolError,
    compile_cuda,
    disassemble,
    handed_on,
    nvcc_options,
    read_resources,
)

SM_80 = {"kind": "cuda", "arch": "sm_80"}
KERNEL = """
extern "C" __global__ void twice(float* a) {
  __shared__ float held[64];
  held[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = 2 * held[63 - threadIdx.x];
}
"""
REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'main_kernel' for 'sm_80'
ptxas info    : Function properties for main_kernel
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 230 registers, used 1 barriers, 1024 bytes smem, 376 bytes cmem[0]
"""


def test_the_report_of_ptxas_is_read() -> None:
    assert read_resources(REPORT, "13.0.88") == Resources(
        230, 28, 8, 1024, None, "ptxas 13.0.88", barriers=1
    )


def test_the_largest_of_several_kernels_counts() -> None:
    other = REPORT.replace("230", "40").replace("1024", "2048")
    resources = read_resources(REPORT + other, "13")
    assert (resources.registers, resources.shared_static_bytes) == (230, 2048)


def test_a_report_without_counts_is_unknown() -> None:
    assert read_resources("", "13").registers is None


def test_cuda_source_becomes_ptx_sass_and_a_resource_report() -> None:
    toolkit = environment.cuda_toolkit()
    made = compile_cuda(KERNEL, SM_80, {}, (), toolkit)
    assert ".target sm_80" in made.ptx
    assert made.resources.shared_static_bytes == 256
    assert "LDS" in disassemble(made.cubin, toolkit)


def test_machine_code_can_be_for_a_newer_device_than_the_ptx() -> None:
    toolkit = environment.cuda_toolkit()
    made = compile_cuda(KERNEL, {**SM_80, "code": ["sm_90"]}, {}, (), toolkit)
    assert ".target sm_80" in made.ptx
    assert ".target\tsm_90" in disassemble(made.cubin, toolkit)


def test_source_that_does_not_compile_is_refused_with_the_compilers_words() -> None:
    with pytest.raises(MachineCodeError, match="no_such_thing"):
        compile_cuda("void f() { no_such_thing(); }", SM_80, {}, (), environment.cuda_toolkit())


def test_an_architecture_that_the_toolkit_dropped_is_named_with_a_cure() -> None:
    with pytest.raises(MissingToolError, match=r"no sm_70 .*CUDA_HOME"):
        compile_cuda(KERNEL, {"arch": "sm_70"}, {}, (), environment.cuda_toolkit())


def test_without_a_toolkit_the_packages_to_install_are_named() -> None:
    with pytest.raises(MissingToolError, match="pip install nvidia-cuda-nvcc"):
        compile_cuda(KERNEL, SM_80, {}, (), None)
    with pytest.raises(MissingToolError, match="pip install nvidia-cuda-nvdisasm"):
        disassemble(b"", None)


def test_without_a_host_compiler_its_package_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toolkit = environment.cuda_toolkit()
    assert toolkit is not None
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingToolError, match="apt-get install g"):
        compile_cuda(KERNEL, SM_80, {}, (), dataclasses.replace(toolkit))


def test_pass_configuration_and_decorator_flags_reach_nvcc() -> None:
    config = {"tl.enable_fast_math": True, "tl.device_compile_flags": ["-DX=1 -DY"]}
    options = nvcc_options(config, ("-DZ",))
    assert options[-4:] == ["-DX=1", "-DY", "-DZ", "--use_fast_math"]


def test_what_nvcc_hands_on_reaches_the_assembler() -> None:
    options = ["-DX=1", "-Xptxas=--def-load-cache=cs,-v", "--ptxas-options", "-O2", "-DY"]
    assert handed_on(options) == ["--def-load-cache=cs", "-v", "-O2"]
    assert handed_on([]) == []
