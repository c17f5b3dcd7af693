"""Findings of compute-sanitizer, in the forms of its versions, on the lines of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.diagnostics import Severity
from workbench.core.sanitizer_report import (
    TOOLS,
    Place,
    diagnostics_of,
    is_complete,
    read_report,
)

HOST = """\
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x2f1e3c] in libcuda.so.1
=========         Host Frame: PyObject_Call at 0x12 in call.c:7
"""
MEMCHECK = f"""\
========= COMPUTE-SANITIZER
a line that the program printed
========= Invalid __global__ write of size 4 bytes
=========     at main_kernel(float *)+0x90 in /tmp/tmpab/tvm_kernels.cu:12
=========     by thread (0,0,0) in block (3,0,0)
=========     Access at 0x7f0f00001200 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0f00001000 of size 512 bytes
{HOST}=========
========= Invalid __global__ write of size 4 bytes
=========     at main_kernel(float *)+0x90 in /tmp/tmpab/tvm_kernels.cu:12
=========     by thread (1,0,0) in block (3,0,0)
=========     Access at 0x7f0f00001204 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f0f00001000 of size 512 bytes
{HOST}=========
========= Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to cudaStreamSynchronize.
{HOST}=========
========= ERROR SUMMARY: 3 errors
"""
OLD_MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at 0x90 in /tmp/tmpab/tvm_kernels.cu:12:main_kernel
=========     by thread (5,0,0) in block (0,1,0)
=========     Address 0x7f0f00001208 is misaligned
=========
========= ERROR SUMMARY: 1 error
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at main_kernel+0x1c0 in /x/tvm_kernels.cu:20
=========     and Read access at main_kernel+0x2d0 in /tmp/x/tvm_kernels.cu:24 [508 hazards]
=========
========= Warning: Race reported between Write access at main_kernel+0x1c0 in /x/tvm_kernels.cu:20
=========     and Write access at main_kernel+0x1c0 in /tmp/x/tvm_kernels.cu:20 [16 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at main_kernel+0x70 in /tmp/x/copy_sm90.h:88
=========     by thread (32,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
DATA = Path(__file__).parents[1] / "data" / "sanitizer"
LINES = {12: 31, 20: 40, 24: 42}


def test_accesses_outside_of_memory_are_told_once_with_their_line() -> None:
    (found,) = read_report(MEMCHECK)
    assert found.places == (Place("main_kernel", "/tmp/tmpab/tvm_kernels.cu", 12),)
    assert found.count == 2
    (diagnostic,) = diagnostics_of("memcheck", [found], LINES, "tvm_kernels.cu", 5)
    assert diagnostic.code == "sanitizer-memcheck"
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.range is not None
    assert diagnostic.range.line == 31
    assert diagnostic.message == (
        "invalid __global__ write of size 4 bytes: out of bounds, 1 byte after an allocation of "
        "512 bytes; first by thread (0,0,0) of block (3,0,0); 2 times"
    )
    assert diagnostic.evidence == {"count": 2, "places": ["tvm_kernels.cu:12"]}


def test_the_older_form_is_read_too() -> None:
    (found,) = read_report(OLD_MEMCHECK)
    assert found.places == (Place("main_kernel", "/tmp/tmpab/tvm_kernels.cu", 12),)
    assert found.detail == "misaligned"


def test_a_race_is_at_one_access_and_names_the_other() -> None:
    error, warning = diagnostics_of("racecheck", read_report(RACECHECK), LINES, "tvm_kernels.cu", 5)
    assert error.message == "race between a write and a read"
    assert error.range is not None
    assert error.range.line == 40
    assert [(r.range.line, r.text) for r in error.related] == [(42, "the other access")]
    assert warning.severity is Severity.WARNING
    assert warning.message == "race between a write and a write"
    assert not warning.related


def test_code_without_a_line_of_the_document_says_where_it_is() -> None:
    (found,) = diagnostics_of("synccheck", read_report(SYNCCHECK), LINES, "tvm_kernels.cu", 5)
    assert found.range is not None
    assert found.range.line == 5
    assert "in main_kernel at copy_sm90.h:88, no line of the document is known" in found.message
    assert found.message.startswith("barrier error detected. Divergent thread(s) in block")


@pytest.mark.parametrize("text", [CLEAN, "", "anything that is no report"])
def test_a_clean_report_has_no_finding(text: str) -> None:
    assert read_report(text) == ()


def test_a_report_without_its_last_line_is_not_complete() -> None:
    assert is_complete(CLEAN)
    assert is_complete(RACECHECK)
    assert not is_complete(MEMCHECK.partition("ERROR SUMMARY")[0])


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_says_what_to_do(tool: str) -> None:
    (found,) = diagnostics_of(tool, read_report(OLD_MEMCHECK), LINES, "tvm_kernels.cu", 5)
    assert found.help


def test_what_was_recorded_of_an_access_on_an_h200_is_read() -> None:
    text = (DATA / "memcheck.txt").read_text("utf-8")
    assert is_complete(text)
    (found,) = diagnostics_of("memcheck", read_report(text), {25: 22}, "tvm_kernels.cu", 5)
    assert found.range is not None
    assert found.range.line == 22
    assert found.message == (
        "invalid __global__ write of size 8 bytes: out of bounds, 1 byte after an allocation of "
        "4,096 bytes; first by thread (124,0,0) of block (3,0,0); 4 times"
    )


def test_what_was_recorded_of_a_race_on_an_h200_is_read() -> None:
    text = (DATA / "racecheck.txt").read_text("utf-8")
    lines = {20: 19, 21: 21}
    (found,) = diagnostics_of("racecheck", read_report(text), lines, "tvm_kernels.cu", 5)
    assert found.range is not None
    assert (found.range.line, found.related[0].range.line) == (19, 21)
    assert found.message == "race between a write and a read; 2 times"


def test_a_report_that_was_cut_says_so() -> None:
    cut = MEMCHECK + "========= ERROR SUMMARY: 416 errors were not printed. Use --print-limit\n"
    (found,) = diagnostics_of("memcheck", read_report(cut), LINES, "tvm_kernels.cu", 5)
    assert found.message.endswith("2 times or more")
