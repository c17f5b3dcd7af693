"""Hazards are found where order is taken away from a right kernel, and nowhere else."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from workbench.core.diagnostics import Diagnostic

from .conftest import ORACLE, Analyze

ROOT = pathlib.Path(__file__).parents[3]
GEMM = ROOT / "kernels" / "gemm.py"
FAULTS = ROOT.parent / "shared" / "faults"
COUNTED = ROOT / "tests" / "data" / "counters" / "kernels"
LIBRARY = sorted(path for path in (ROOT / "kernels").glob("*.py") if "cpu" not in path.stem)
KERNELS = (
    *((path, target) for path in (GEMM, GEMM.parent / "softmax.py") for target in ("a100", "h100")),
    *((path, "a100") for path in LIBRARY if '"a100"' in path.read_text("utf-8")),
)
HEADER = """
# /// workbench
# kernel = "kernel"
# [[case]]
# name = "all"
# args = { N = 128 }
# targets = ["a100"]
# ///
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=N) as bx:
            s = T.alloc_shared((N,), "float32")
            tx = T.get_thread_binding()
            s[tx] = A[tx]
""".lstrip()
DELAY_LINE = """
# /// workbench
# kernel = "delay_line"
# [[case]]
# name = "all"
# args = { K = 8, N = 128 }
# targets = ["a100"]
# ///
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def delay_line(K, N):
    @T.prim_func
    def main(A: T.Tensor((K, N), "float32"), B: T.Tensor((K, N), "float32")):
        with T.Kernel(1, threads=N) as bx:
            s = T.alloc_shared((N,), "float32")
            T.clear(s)
            for k in T.Pipelined(K, num_stages=2):
                for i in T.Parallel(N):
                    B[k, i] = s[i] + 1.0
                T.copy(A[k, 0:N], s)

    return main
""".lstrip()

Rewrite = Callable[[Any], Any]


def hazards_of(kernel: Any) -> tuple[Diagnostic, ...]:
    from workbench.engine.analysis.hazards import hazard_report

    report = hazard_report(kernel)
    assert report.given_up is None
    return report.diagnostics


def calls_of(kernel: Any, name: str) -> list[Any]:
    """The statements of a kernel that are calls of an intrinsic, in the order of the code."""
    from tvm import tirx

    from workbench.engine.analysis.translation import class_of, operator

    found: list[Any] = []

    def visit(node: Any) -> None:
        is_call = class_of(node) == "Evaluate" and class_of(node.value) == "Call"
        if is_call and operator(node.value) == name:
            found.append(node)

    tirx.stmt_functor.post_order_visit(kernel.func.body, visit)
    return found


def rewritten(kernel: Any, statement: Any, arguments: Rewrite | None) -> Any:
    """The kernel with other arguments in one call, or without it."""
    from tvm import tirx

    new = tirx.Evaluate(tirx.const(0, "int32"))
    if arguments is not None:
        call = statement.value
        new = tirx.Evaluate(tirx.Call(call.dtype, call.op, arguments(list(call.args))))

    def visit(node: Any) -> Any:
        return new if node.same_as(statement) else None

    body = tirx.stmt_functor.ir_transform(kernel.func.body, None, visit, ["tirx.Evaluate"])
    return replace(kernel, func=kernel.func.with_body(body))


def codes(found: tuple[Diagnostic, ...]) -> set[tuple[str, int | None]]:
    """Code and line of each diagnostic."""
    return {(each.code, each.range.line if each.range else None) for each in found}


def line_of(text: str, part: str) -> int:
    """The line that a part of a text stands in."""
    return 1 + next(i for i, line in enumerate(text.splitlines()) if part in line)


@pytest.mark.parametrize(("path", "target"), KERNELS, ids=lambda v: getattr(v, "stem", v))
def test_a_right_kernel_has_no_hazard(path: pathlib.Path, target: str, analyze: Analyze) -> None:
    assert hazards_of(analyze(path, target).kernel) == ()


@pytest.mark.thorough
@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_a_kernel_of_the_library_has_no_hazard_on_its_own_target(
    path: pathlib.Path, analyze: Analyze
) -> None:
    from workbench.engine.analysis.hazards import hazard_report

    report = hazard_report(analyze(path).kernel)
    assert report.diagnostics == ()
    # How many blocks are computed, or whose tile a block has, stands in a tensor there.
    from_data = {"block_sparse_attention", "gemm_grouped"}
    assert (report.given_up is not None) is (path.stem in from_data)


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(COUNTED.glob("*.py")), ids=lambda path: path.stem)
def test_a_kernel_that_ran_right_has_no_hazard(path: pathlib.Path, analyze: Analyze) -> None:
    assert hazards_of(analyze(path).kernel) == ()


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(p.stem for p in (ORACLE / "kernels").glob("*.py")))
def test_a_measured_kernel_has_no_hazard(name: str, analyze: Analyze) -> None:
    assert hazards_of(analyze(ORACLE / "kernels" / f"{name}.py").kernel) == ()


def test_a_copy_that_nobody_waits_for_is_told_at_its_line(analyze: Analyze) -> None:
    (found,) = hazards_of(analyze(DELAY_LINE).kernel)
    copy, use = line_of(DELAY_LINE, "T.copy"), line_of(DELAY_LINE, "s[i] + 1.0")
    assert (found.code, found.stage) == ("pipeline-hazard", "analysis")
    assert found.range is not None
    assert (found.range.line, found.related[0].range.line) == (copy, use)
    assert found.evidence["first"]["by"] == "cp.async"
    assert found.evidence["second"] == {
        "line": use,
        "buffer": "s",
        "access": "read",
        "by": "thread",
        "thread": 0,
        "element": 0,
        "turns": {"k": 0},
    }


@pytest.mark.skipif(not os.access(FAULTS, os.R_OK), reason="the corpus of faults is not at hand")
def test_the_corpus_of_faults_has_the_hazard_and_its_twin_has_none(analyze: Analyze) -> None:
    assert codes(hazards_of(analyze(FAULTS / "85-pipeline-war.py").kernel)) == {
        ("pipeline-hazard", 25)
    }
    assert hazards_of(analyze(FAULTS / "85-pipeline-war.fixed.py").kernel) == ()


@pytest.mark.parametrize("name", ["tvm_storage_sync", "ptx_wait_group"])
def test_each_barrier_and_each_wait_of_a_pipelined_product_matters(
    name: str, analyze: Analyze
) -> None:
    made = analyze(GEMM, "a100")
    lines = {line_of(made.text, part) for part in ("T.copy(A[", "T.copy(B[", "T.gemm(")}
    for statement in calls_of(made.kernel, name):
        found = hazards_of(rewritten(made.kernel, statement, None))
        assert found, statement
        assert {line for _, line in codes(found)} <= lines


def test_a_wait_that_leaves_one_group_too_many_is_a_hazard(analyze: Analyze) -> None:
    kernel = analyze(GEMM, "a100").kernel
    for statement in calls_of(kernel, "ptx_wait_group"):
        found = hazards_of(rewritten(kernel, statement, lambda args: [args[0] + 1]))
        assert {code for code, _ in codes(found)} == {"pipeline-hazard"}


PRODUCER, CONSUMER = 0, 1


@pytest.mark.parametrize(
    ("name", "place", "arguments", "code", "part"),
    [
        ("mbarrier_wait_parity", CONSUMER, None, "pipeline-hazard", "T.copy("),
        ("mbarrier_wait_parity", PRODUCER, None, "stage-overwritten", "T.gemm("),
        ("mbarrier_wait_parity", PRODUCER, "parity", "barrier-deadlock", "T.copy("),
        ("warpgroup_wait", 0, None, "stage-overwritten", "T.gemm("),
        ("warpgroup_wait", 0, "one more", "stage-overwritten", "T.gemm("),
        ("ptx_arrive_barrier", 0, None, "mbarrier-arrival-count", "T.copy("),
        ("ptx_arrive_barrier_expect_tx", 0, "half", "mbarrier-transaction-bytes", "T.copy("),
        ("mbarrier_expect_tx", 0, "half", "mbarrier-transaction-bytes", "T.copy("),
        ("ptx_init_barrier_thread_count", 3, "half", "mbarrier-arrival-count", "T.gemm("),
        ("ptx_init_barrier_thread_count", 3, "twice", "mbarrier-arrival-count", "T.gemm("),
        ("tvm_storage_sync", 0, None, "mbarrier-not-initialised", "T."),
    ],
)
def test_what_a_warp_specialised_product_loses_is_found(
    name: str, place: int, arguments: str | None, code: str, part: str, analyze: Analyze
) -> None:
    made = analyze(GEMM, "h100")
    statement = calls_of(made.kernel, name)[place]
    change = CHANGES[arguments] if arguments else None
    found = hazards_of(rewritten(made.kernel, statement, change))
    told = [each for each in found if each.code == code]
    assert told, found
    lines = made.text.splitlines()
    places = [each.range for each in told if each.range is not None]
    assert any(part in lines[place.line - 1] for place in places)


def _other_parity(args: list[Any]) -> list[Any]:
    return [args[0], 1 - args[1]]


CHANGES: dict[str, Rewrite] = {
    "parity": _other_parity,
    "one more": lambda args: [args[0] + 1],
    "half": lambda args: [args[0], args[1] // 2],
    "twice": lambda args: [args[0], args[1] * 2],
}


def test_a_mutual_wait_is_told_of_both_sides(analyze: Analyze) -> None:
    kernel = analyze(GEMM, "h100").kernel
    statement = calls_of(kernel, "mbarrier_wait_parity")[PRODUCER]
    producer, consumer = hazards_of(rewritten(kernel, statement, _other_parity))
    assert "128 threads wait for a phase of mbarrier[3] that never ends" in producer.message
    assert "128 threads wait for a phase of mbarrier[0] that never ends" in consumer.message
    assert producer.evidence["turns"] == consumer.evidence["turns"] == {"k": 0}


def test_a_write_that_another_warp_reads_without_a_barrier_is_a_race(analyze: Analyze) -> None:
    text = HEADER + "            B[tx] = s[N - 1 - tx]\n\n    return main\n"
    kernel = analyze(text).kernel
    assert hazards_of(kernel) == ()
    (barrier,) = calls_of(kernel, "tvm_storage_sync")
    (found,) = hazards_of(rewritten(kernel, barrier, None))
    assert (found.code, found.range and found.range.line) == (
        "shared-memory-race",
        line_of(text, "B[tx] ="),
    )
    first, second = found.evidence["first"], found.evidence["second"]
    assert (first["access"], second["access"]) == ("write", "read")
    assert first["thread"] == first["element"] == second["element"]
    assert second["thread"] == 127 - first["thread"]


def test_lanes_of_one_warp_have_no_order_of_their_own(analyze: Analyze) -> None:
    text = (HEADER + "            B[tx] = s[N - 1 - tx]\n\n    return main\n").replace("128", "32")
    kernel = analyze(text).kernel
    (barrier,) = calls_of(kernel, "tvm_storage_sync")
    (found,) = hazards_of(rewritten(kernel, barrier, None))
    assert found.code == "shared-memory-race"


def test_what_a_thread_wrote_itself_it_reads_without_a_barrier(analyze: Analyze) -> None:
    text = HEADER + "            B[tx] = s[tx]\n\n    return main\n"
    assert hazards_of(analyze(text).kernel) == ()


@pytest.mark.parametrize(
    ("condition", "barrier", "found"),
    [
        ("tx < 64", "T.sync_threads(1, 96)", {"barrier-divergence"}),
        ("tx < 64", "T.sync_threads(1, 64)", set()),
        ("tx % 2 == 0", "T.sync_threads()", {"barrier-divergence"}),
        ("bx == 0", "T.sync_threads()", set()),
    ],
)
def test_a_barrier_that_some_threads_do_not_come_to(
    condition: str, barrier: str, found: set[str], analyze: Analyze
) -> None:
    rest = f"            if {condition}:\n                {barrier}\n                B[tx] = 1.0\n"
    text = HEADER + rest + "\n    return main\n"
    told = hazards_of(analyze(text).kernel)
    assert {each.code for each in told} == found
    for each in told:
        assert each.range is not None
        assert abs(each.range.line - line_of(text, barrier)) <= 1
