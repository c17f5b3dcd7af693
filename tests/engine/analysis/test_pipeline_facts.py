"""Order, roles and stages of real kernels as TileLang lowers them."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from tests.engine.analysis.conftest import ORACLE, Analyze
from workbench.core.analysis.pipeline import Pipeline, Slot, StepKind

GEMM = pathlib.Path(__file__).parents[3] / "kernels" / "gemm.py"
PERSISTENT = pathlib.Path(__file__).parents[2] / "data/counters/kernels/gemm_persistent_sm90.py"
FLASH = ORACLE / "kernels" / "c12_flash_sm80.py"
K = StepKind


def read(analyzed: Any) -> Pipeline:
    from workbench.engine.analysis.copy_lines import copy_lines
    from workbench.engine.analysis.pipeline_facts import pipeline

    kernel = analyzed.kernel
    return pipeline(kernel, copy_lines(kernel.tile_func, kernel.document))


def line(analyzed: Any, text: str) -> int:
    """The first line of the document that has a text."""
    lines = analyzed.text.splitlines()
    return next(number for number, each in enumerate(lines, 1) if text in each)


def test_a_gemm_on_hopper_has_warps_that_copy_and_warps_that_multiply(analyze: Analyze) -> None:
    analyzed = analyze(GEMM, "h100")
    found = read(analyzed)
    assert (found.threads, found.roles, found.stages) == (256, ((0, 3), (4, 7)), 3)
    copying, multiplying = ([found.steps[n] for n in found.of_role(r)] for r in found.roles)
    inside = [(s.kind, s.buffers) for s in copying if s.loops]
    assert inside == [
        (K.WAIT, ()),
        (K.COPY, ("A_shared",)),
        (K.ARRIVE, ()),
        (K.COPY, ("B_shared",)),
    ]
    a, b = (s for s in copying if s.kind is K.COPY)
    assert a.line == line(analyzed, "T.copy(A[by")
    assert a.slot == b.slot == Slot("mbarrier", "k % 3")
    # 128 rows of 32 halves in boxes of 64 B; 32 rows of 128 halves in boxes of 128 B.
    assert [(s.bytes, s.lines) for s in (a, b)] == [(8192, 128), (8192, 64)]
    assert [s.kind for s in multiplying if s.loops] == [K.WAIT, K.TENSOR, K.ARRIVE]
    assert [each.count for each in found.arrivals] == [1, 1, 1, 128, 128, 128]


def test_a_gemm_on_ampere_has_one_role_that_starts_its_copies(analyze: Analyze) -> None:
    analyzed = analyze(GEMM, "a100")
    found = read(analyzed)
    assert (found.roles, found.stages) == (((0, 3),), 3)
    inside = [s.kind for s in found.steps if s.loops]
    copies = [K.COPY, K.COPY, K.COMMIT]
    assert inside == [K.BARRIER, *copies, K.WAIT, K.BARRIER, K.TENSOR]
    (loop,) = found.loops
    assert (loop.label, loop.extent, loop.stages) == ("k", "30", 3)
    (wait,) = [s for s in found.steps if s.loops and s.kind is K.WAIT]
    assert wait.value == "2"


def test_flash_attention_fetches_k_and_v_in_turn(analyze: Analyze) -> None:
    if not FLASH.exists():
        pytest.skip(f"the measured kernels are not at {ORACLE}")
    analyzed = analyze(FLASH)
    found = read(analyzed)
    (loop,) = found.loops
    assert (found.roles, loop.extent, loop.stages, found.stages) == (((0, 3),), "7", 1, 1)
    order = [(s.kind, s.line) for s in found.steps if s.loops and s.kind in (K.COPY, K.TENSOR)]
    scores, values = line(analyzed, "T.gemm(Q_s"), line(analyzed, "T.gemm(acc_c")
    keys, later = line(analyzed, "T.copy(K["), line(analyzed, "T.copy(V[")
    assert order == [(K.TENSOR, scores), (K.COPY, keys), (K.TENSOR, values), (K.COPY, later)]
    reductions = [s.line for s in found.steps if s.loops and s.kind is K.REDUCE]
    assert reductions == [line(analyzed, "T.reduce_max"), line(analyzed, "T.reduce_sum")]


def test_a_persistent_kernel_counts_its_stages_in_a_register(analyze: Analyze) -> None:
    found = read(analyze(PERSISTENT))
    inner = [loop.extent for loop in found.loops]
    assert inner == ["4", "4", "2"]  # 256 / 64 turns in each role, two tiles for 132 blocks
    copying = [found.steps[n] for n in found.of_role((0, 3))]
    (count,) = [s for s in copying if s.kind is K.COUNT and s.loops]
    assert count.value == f"{count.text} + 1"
    (wait,) = [s for s in copying if s.kind is K.WAIT]
    assert wait.slot == Slot("mbarrier", f"{count.text} % 3 + 3")
