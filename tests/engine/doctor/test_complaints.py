"""The first error is found in what nvcc, its host compiler and ptxas print."""

from __future__ import annotations

import pytest

from workbench.engine.doctor.complaints import Complaint, complaint_of

# As nvcc 13.0.88 and ptxas 13.0.88 say it.
WARNING = (
    '/x/tl_templates/cuda/common.h(621): warning #1444-D: "longlong4" was declared deprecated\n'
    "    longlong4 result;\n              ^\n\n"
)
OVERLOAD = (
    'kernel.cu(32): error: no instance of overloaded function "tl::tma_load" matches the argument '
    "list"
)
HEADER = "/x/tl_templates/cuda/copy_sm90.h"
IN_HEADER = f"""{HEADER}(503): error: static assertion failed with "sm_90 or later"
    static_assert(kDependentFalse, "sm_90 or later");
    ^
          detected during instantiation of "void tl::tma_store_add(float *)" at line 5 of kernel.cu

1 error detected in the compilation of "kernel.cu".
"""


def test_a_place_in_the_source_is_told() -> None:
    found = complaint_of(f"nvcc ended with status 1:\n{WARNING}{OVERLOAD}\n    tl::tma_load(\n")
    assert found == Complaint(OVERLOAD, OVERLOAD.partition("error: ")[2], 32)


def test_the_folder_that_tilelang_compiles_in_is_left_out() -> None:
    text = OVERLOAD.replace("kernel.cu", "/tmp/tmp7u2lkfuj/tvm_kernels.cu")
    found = complaint_of(text)
    assert found is not None
    assert found.text == OVERLOAD.replace("kernel.cu", "tvm_kernels.cu")
    assert found.source_line == 32


def test_an_error_in_a_header_is_one_of_the_line_that_uses_it() -> None:
    found = complaint_of(WARNING + IN_HEADER)
    assert found is not None
    assert (found.source_line, found.header) == (5, HEADER)


@pytest.mark.parametrize(
    ("text", "source_line", "ptx_line", "said"),
    [
        ("kernel.cu:2:10: fatal error: mine.h: No such file or directory", 2, None, "mine.h: No"),
        ("ptxas kernel.ptx, line 40; error   : Unknown modifier '.bar'", None, 40, "Unknown mod"),
        ("ptxas fatal   : Unresolved extern function '_Z5twicef'", None, None, "Unresolved"),
        ("nvcc fatal   : Unknown option '--no-such'", None, None, "Unknown option"),
        ("ptxas error   : Entry function 'f' uses too much shared data", None, None, "Entry"),
    ],
)
def test_each_tool_is_read(
    text: str, source_line: int | None, ptx_line: int | None, said: str
) -> None:
    found = complaint_of(f"ended with status 1:\n{text}\nptxas info    : 0 bytes gmem\n")
    assert found is not None
    assert found.text == text
    assert (found.source_line, found.ptx_line) == (source_line, ptx_line)
    assert found.said.startswith(said)


def test_a_place_in_what_hipcc_compiles_is_told() -> None:
    found = complaint_of("/tmp/x/my_kernel.cc:32:5: error: use of undeclared identifier 'f'\n")
    assert found is not None
    assert found.text == "my_kernel.cc:32:5: error: use of undeclared identifier 'f'"
    assert found.source_line == 32


def test_words_without_an_error_are_no_complaint() -> None:
    assert complaint_of(WARNING) is None
