from __future__ import annotations

import pytest

from workbench.engine import environment, machine_code
from workbench.engine.analysis.live_registers import (
    live_by_address,
    live_registers,
    source_line_by_address,
)

SOURCE = """extern "C" __global__ void twice(float* a) {
  __shared__ float held[64];
  held[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = 2 * held[63 - threadIdx.x];
}
"""

LIVES = """
	.section	.text.other,"ax",@progbits
        /*0000*/                   MOV R1, R2 ;      // |  90   |        |        |
	.section	.text.main_kernel,"ax",@progbits
                                                     // | GPR   | PRED   | UGPR   |
                                                     // |   #   |   #    |   #    |
        .global         main_kernel                  // |       |        |        |
        /*0000*/                   LDC R1, c[0x0][0x28] ; // |   1   |        |        |
        /*0010*/              @!P0 LDG.E R8, [R2] ;  // |  10   |   1    |   2    |
"""
PLACES = """
	.section	.text.main_kernel,"ax",@progbits
	//## File "/tmp/nvcc-1/kernel.cu", line 19
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/tl_templates/cuda/reduce.h", line 7 inlined at "/tmp/nvcc-1/kernel.cu", line 31
	//## File "/tmp/nvcc-1/kernel.cu", line 31
        /*0010*/              @!P0 LDG.E R8, [R2] ;
	.section	.text.other,"ax",@progbits
	//## File "/tmp/nvcc-1/kernel.cu", line 80
        /*0020*/                   EXIT ;
"""


def test_live_registers_are_those_of_the_kernel_asked_for() -> None:
    assert live_by_address(LIVES, "main_kernel") == {0: 1, 16: 10}
    assert live_by_address(LIVES, "other") == {0: 90}


def test_inlined_code_is_at_the_line_that_called_it() -> None:
    assert source_line_by_address(PLACES, "main_kernel") == {0: 19, 16: 31}


def test_the_lines_of_a_real_kernel_have_registers() -> None:
    toolkit = environment.cuda_toolkit()
    if toolkit is None or "nvdisasm" not in toolkit.tools:
        pytest.skip("no nvdisasm on this machine")
    spec = {"kind": "cuda", "arch": "sm_80"}
    made = machine_code.compile_cuda(SOURCE, spec, {}, ("-lineinfo",), toolkit)
    found = {each.line: each for each in live_registers(made.cubin, "twice", {3: 30, 5: 50})}
    assert {30, 50} <= set(found)
    assert all(each.live >= 1 and each.instructions >= 1 for each in found.values())
