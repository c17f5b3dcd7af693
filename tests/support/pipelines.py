"""Small pipelines whose schedules can be worked by hand."""

from __future__ import annotations

from typing import Any

from workbench.core.analysis.pipeline import (
    Pipeline,
    PipelineLoop,
    PipelineStep,
    Slot,
    SlotArrivals,
    StepKind,
)

COPY_LINE, GEMM_LINE = 4, 5


def step(kind: StepKind, line: int | None = None, **more: Any) -> PipelineStep:
    usual: dict[str, Any] = {"text": kind.value, "warps": (0, 3), "threads": 128}
    return PipelineStep(kind, line, **{**usual, **more})


def _copies(loops: tuple[int, ...]) -> tuple[PipelineStep, ...]:
    copy = step(StepKind.COPY, COPY_LINE, text="cp.async", buffers=("a_s",), loops=loops, bytes=512)
    return copy, step(StepKind.COMMIT, loops=loops)


def one_stage(turns: int = 6) -> Pipeline:
    """Each turn copies, waits for it, and multiplies."""
    steps = (
        *_copies((0,)),
        step(StepKind.WAIT, 3, text="cp.async wait", loops=(0,), value="0"),
        step(StepKind.TENSOR, GEMM_LINE, text="mma m16n8k16", loops=(0,)),
    )
    return Pipeline(128, 32, ((0, 3),), (PipelineLoop("k", "k", str(turns), 3, 1),), steps, (), 1)


def two_stages(turns: int = 24) -> Pipeline:
    """Each turn copies for the next one, waits for its own copy, and multiplies."""
    steps = (
        *_copies(()),
        *_copies((0,)),
        step(StepKind.WAIT, 3, text="cp.async wait", loops=(0,), value="1"),
        step(StepKind.TENSOR, GEMM_LINE, text="mma m16n8k16", loops=(0,)),
    )
    return Pipeline(128, 32, ((0, 3),), (PipelineLoop("k", "k", str(turns), 3, 2),), steps, (), 2)


def handed_over(turns: int = 24) -> Pipeline:
    """Warps 0 to 3 copy into two stages, 128 rows each time; warps 4 to 7 multiply."""
    copier = {"warps": (0, 3), "loops": (0,)}
    worker = {"warps": (4, 7), "loops": (1,)}
    full, free = (
        (lambda k: Slot("mbarrier", f"{k} % 2")),
        (lambda k: Slot("mbarrier", f"{k} % 2 + 2")),
    )
    steps = (
        step(StepKind.WAIT, slot=free("k"), value="bitxor(k % 4 // 2, 1)", **copier),
        step(StepKind.ARRIVE, slot=full("k"), **{**copier, "threads": 1}),
        step(
            StepKind.COPY,
            COPY_LINE,
            text="TMA load",
            buffers=("a_s",),
            slot=full("k"),
            lines=128,
            **{**copier, "threads": 1},
        ),
        step(StepKind.WAIT, slot=full("j"), value="j % 4 // 2", **worker),
        step(StepKind.TENSOR, GEMM_LINE, text="wgmma m64n64k16", **worker),
        step(StepKind.ARRIVE, slot=free("j"), **worker),
    )
    loops = (PipelineLoop("k", "k", str(turns), None), PipelineLoop("j", "k", str(turns), None))
    arrivals = tuple(SlotArrivals("mbarrier", n, 1 if n < 2 else 128) for n in range(4))
    return Pipeline(256, 32, ((0, 3), (4, 7)), loops, steps, arrivals, 2)


LOOP_TEXT = """\
with T.Kernel(8) as bx:
    a_s = T.alloc_shared((64,), "float16")
    for k in T.Pipelined(6, num_stages=1):
        T.copy(A[k * 64], a_s)
        T.gemm(a_s, b_s, c)
"""
"""A document with the lines of these pipelines."""
