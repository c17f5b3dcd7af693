"""Kernels that are broken on purpose, run in the simulator, and what their results are called."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.data_files import find_data
from workbench.core.jobs import KernelChoice, OutputComparison, Source, VerifyRequest, VerifyResult
from workbench.core.mismatches import error_sentence
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.engine.verify.job import verify
from workbench.engine.verify.signatures import lengths_of

GEMM = find_data("kernels") / "gemm.py"
SOFTMAX = find_data("kernels") / "softmax.py"
SQUARE = {"M": 256, "N": 256, "K": 128, "block_M": 64, "block_N": 64, "block_K": 32}
RAGGED = {"M": 200, "N": 328, "K": 104, "block_M": 64, "block_N": 64, "block_K": 32}
ROWS = {"M": 64, "N": 1024, "block_M": 1, "block_N": 256}


def run(text: str, kernel: str, args: dict[str, Any]) -> VerifyResult:
    request = VerifyRequest(
        source=Source(str(GEMM), text, str(GEMM.parent), trusted=True),
        kernel=KernelChoice(kernel, "lazy", args),
        target=load_targets().resolve("a100").to_json(),
        reference="ref_program",
    )
    result, _ = verify(request, lambda text, fraction: None)
    assert result.failure is None, result.failure
    return result


def broken_gemm(old: str, new: str, args: dict[str, int]) -> OutputComparison:
    text = GEMM.read_text()
    assert text.count(old) == 1, old
    return run(text.replace(old, new), "matmul", args).seeds[0].outputs[0]


MUTATIONS = {
    "clear": ("            T.clear(C_local)\n", "", SQUARE, "not-a-number", "NaN"),
    "k floor": (
        "T.Pipelined(T.ceildiv(K, block_K)",
        "T.Pipelined(K // block_K",
        RAGGED,
        "k-step",
        "K step 4 of 4 is missing, 32 along K a step",
    ),
    "k less one": (
        "T.Pipelined(T.ceildiv(K, block_K)",
        "T.Pipelined(T.ceildiv(K, block_K) - 1",
        SQUARE,
        "k-step",
        "K step 4 of 4 is missing",
    ),
    "clear in the loop": (
        "                T.gemm(A_shared",
        "                T.clear(C_local)\n                T.gemm(A_shared",
        SQUARE,
        "k-step",
        "got is K step 4 of 4 alone",
    ),
    "same tile of A": (
        "A[by * block_M, k * block_K]",
        "A[by * block_M, 0]",
        SQUARE,
        "operand-stays",
        "takes tile 1 of 4 of A",
    ),
    "twice": (
        "                T.gemm(A_shared, B_shared, C_local)\n",
        "                T.gemm(A_shared, B_shared, C_local)\n" * 2,
        SQUARE,
        "scaled",
        "got equals 2 × expected",
    ),
    "row below": (
        "A[by * block_M, k",
        "A[by * block_M + 1, k",
        SQUARE,
        "shifted",
        "one row further",
    ),
    "blocks swapped": (
        "C[by * block_M, bx * block_N]",
        "C[bx * block_M, by * block_N]",
        SQUARE,
        "other-tile",
        "the one with row and column swapped",
    ),
    "no store": (
        "            T.copy(C_local, C[by * block_M, bx * block_N])",
        "            pass",
        SQUARE,
        "never-written",
        "hold what was there before the run",
    ),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_gemm_is_called_what_it_is(name: str) -> None:
    old, new, args, code, text = MUTATIONS[name]
    output = broken_gemm(old, new, args)
    assert output.signatures, output
    assert (output.signatures[0].code, output.signatures[0].confidence) == (code, "strong")
    assert text in output.signatures[0].sentence


def test_tails_that_no_block_writes_are_told_with_their_place() -> None:
    output = broken_gemm("T.ceildiv(M, block_M), thr", "M // block_M, thr", RAGGED)
    assert [s.code for s in output.signatures] == ["never-written", "only-tails"]
    assert "the last 8 rows, which do not fill a tile of 64" in output.signatures[1].sentence


def test_a_softmax_that_is_not_normalised() -> None:
    text = SOFTMAX.read_text()
    assert text.count(" / total[i]") == 1
    result = run(text.replace(" / total[i]", ""), "softmax", ROWS)
    assert [s.code for s in result.seeds[0].outputs[0].signatures] == ["scaled-by-row"]


@pytest.mark.parametrize(
    ("path", "kernel", "args"), [(GEMM, "matmul", RAGGED), (SOFTMAX, "softmax", ROWS)]
)
def test_right_kernels_have_none(path: Any, kernel: str, args: dict[str, Any]) -> None:
    result = run(path.read_text(), kernel, args)
    assert result.seeds[0].passed
    assert result.seeds[0].outputs[0].signatures == ()


def test_the_problem_says_it_and_all_of_it_survives_the_wire() -> None:
    old, new, args, _, text = MUTATIONS["k less one"]
    result = run(GEMM.read_text().replace(old, new), "matmul", args)
    (problem,) = [d for d in result.diagnostics if d.code == "reference-mismatch"]
    assert text in (problem.help or "")
    assert problem.evidence["signatures"] == ["k-step"]
    assert error_sentence(result.seeds[0].outputs[0]) in problem.message
    assert from_plain(VerifyResult, to_plain(result)) == result


def test_lengths_of_k_come_first() -> None:
    args = {"M": 256, "block_M": 64, "block_K": 32, "flag": True, "name": "x", "BK": 16}
    assert lengths_of(args) == (32, 16, 256, 64)
