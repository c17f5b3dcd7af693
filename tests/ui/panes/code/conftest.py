"""Results of a kernel on three targets, and its passes on one."""

from __future__ import annotations

import pytest

from workbench.core.jobs import CompileResult, Failure, PassesResult, PassRecord, Resources
from workbench.session.code_inputs import CodeInputs, TargetCode

NEEDS_NVCC = "no CUDA compiler on this machine: pip install nvidia-cuda-nvcc==13.0.88, and g++"


def source(arch: str) -> str:
    head = [f"#include <{arch}.h>", *(f"int a{i};" for i in range(20))]
    return "\n".join([*head, f"int x_{arch} = {arch[-2:]};", *(f"int b{i};" for i in range(20))])


@pytest.fixture
def inputs() -> CodeInputs:
    h100 = CompileResult(
        None,
        emitted={"tir": "a\n", "source": source("sm_90"), "sass": "EXIT ;\n"},
        missing={"ptx": NEEDS_NVCC},
        resources=Resources(registers=64, spill_bytes=0),
    )
    a100 = CompileResult(None, emitted={"tir": "a\n", "source": source("sm_80")})
    failed = CompileResult(Failure("kernel", "no layout for C_local"))
    targets = (
        TargetCode("h100", "H100", 0, h100),
        TargetCode("a100", "A100", 1, a100),
        TargetCode("cpu", "CPU", 2, failed, source_suffix=".c"),
    )
    return CodeInputs("kernels/gemm.py", targets)


@pytest.fixture
def passes() -> tuple[PassesResult, list[bytes]]:
    names = ("tl.Check", "tl.Simplify", "tl.Lower", "tirx.Filter")
    texts = ((0, 0), (0, 1), (1, 1), (1, 2))
    records = tuple(
        PassRecord(index, name, before != after, before, after, 0.001)
        for index, (name, (before, after)) in enumerate(zip(names, texts, strict=True))
    )
    blobs = [b"x = 1\ny = 2\n", b"x = 1\ny = 3\n", b"x = 1\ny = 3\nz = 4\n"]
    return PassesResult(None, records, seconds={"record": 0.02}), blobs
