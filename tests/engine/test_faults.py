from __future__ import annotations

from pathlib import Path

import pytest

from workbench.engine.faults import kernel_failure, line_of


def raised(path: Path, text: str) -> Exception:
    """The exception that executing a text under a path raises."""
    try:
        exec(compile(text, str(path), "exec"), {})
    except Exception as error:
        return error
    raise AssertionError("the text raises nothing")


def test_the_deepest_line_of_the_document_is_the_line(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    error = raised(path, "def f():\n    int('x')\n\nf()\n")
    assert line_of(error, str(path)) == 2


def test_a_line_that_the_compiler_points_at_counts_more(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    error = raised(path, f"raise ValueError('no layout\\n  --> {path}:41:5')\n")
    assert line_of(error, str(path)) == 41


def test_the_line_of_a_cause_is_found(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    cause = raised(path, "\n\nint('x')\n")
    error = RuntimeError("wrapped")
    error.__cause__ = cause
    assert line_of(error, str(path)) == 3


def test_an_exception_from_elsewhere_has_no_line() -> None:
    assert line_of(ValueError("x"), "/somewhere/document.py") is None


def test_a_message_is_one_line_without_stack_frames() -> None:
    error = ValueError('Traceback (most recent call last):\n  File "x", line 1\nCheck failed: a\nb')
    assert kernel_failure(error, "x").message == "ValueError: Check failed: a"


def test_the_raw_text_is_kept_whole() -> None:
    with pytest.raises(ValueError, match="first"):
        raise ValueError("first\nsecond")
    raw = kernel_failure(ValueError("first\nsecond"), "x").raw
    assert raw is not None
    assert "second" in raw


def test_of_source_that_tilelang_cannot_compile_the_complaint_is_told() -> None:
    said = '/tmp/x/tvm_kernels.cu(3): error: identifier "f" is undefined\n    f();\n    ^\n'
    text = f"#include <cuda.h>\nvoid g() {{\nf();\n}}\nCompilation error:\n{said}\nCommand: nvcc\n"
    assert kernel_failure(RuntimeError(text), "x").message == (
        "RuntimeError: the generated source does not compile: "
        'tvm_kernels.cu(3): error: identifier "f" is undefined'
    )
