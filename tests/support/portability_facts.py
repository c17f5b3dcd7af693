"""Facts of kernels on targets, as a worker would give them."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import CompileResult, Resources
from workbench.core.portability.asks import KernelAsks, Place, ProductAsk

KIB = 1024
GEMM = Operation(9, "gemm", "T.gemm A, B -> C", "mma.sync m16n8k16 fp16, fp16 -> fp32")
COPY = Operation(7, "copy", "T.copy A -> A_shared", "cp.async", 16)
ASKS = KernelAsks(
    products=(ProductAsk(9, "float16", "float16", "float32"),),
    dtypes=(Place("float16", 3), Place("float32", 5)),
    threads=128,
    threads_line=4,
    pipelined_line=6,
    dialect="tilelang.language",
)


def lowered(
    shared_bytes: int | None = 48 * KIB,
    threads: int = 128,
    operations: Sequence[Operation] = (GEMM, COPY),
    resources: Resources | None = None,
) -> AnalyzeResult:
    kernel = KernelAnalysis(
        "main", (8, 8, 1), (threads, 1, 1), shared_bytes, operations=tuple(operations)
    )
    return AnalyzeResult(None, (kernel,), resources or Resources())


def compiled(registers: int, spill_bytes: int = 0) -> CompileResult:
    resources = Resources(registers, spill_bytes, source="ptxas 13.0", shared_static_bytes=0)
    return CompileResult(None, resources=resources)
