from __future__ import annotations

from workbench.engine.analysis.live_registers import live_by_address, source_line_by_address

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
