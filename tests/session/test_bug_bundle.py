"""Inquiries that are answered by hand, as a worker would answer them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    CompileResult,
    Failure,
    PassesRequest,
    PassesResult,
    PassRecord,
    SeedResult,
    VerifyRequest,
    VerifyResult,
)
from workbench.core.plain import to_plain
from workbench.core.targets.table import load_targets
from workbench.session.bug_bundle import Verdict, inquiry
from workbench.session.requests import Item
from workbench.session.worker_client import Request
from workbench.wire.events import Ended

KERNEL = """\
import helpers
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N=256, threads=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16")):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(N):
                B[i] = A[i] * 2

    return main
"""
FAILURE = Failure("kernel", "InternalError: Check failed: stages (3) == 2", "raw", 11)
UNEXPLAINED = Diagnostic("lower-error", Severity.ERROR, FAILURE.message, TextRange(11))
Answer = Callable[[Any], Any]


def item(folder: Path, text: str = KERNEL, target: str = "sm_80") -> Item:
    (folder / "helpers.py").write_text("# of the person's own\n")
    document = parse_document(text, folder / "scale.py")
    (selection,) = select(document)
    return Item(document, selection, load_targets().resolve(target))


def answered(
    asked: Item, folder: Path, answers: dict[type[Any], Answer]
) -> tuple[Verdict, list[Request]]:
    """What an inquiry comes to, and what it asked."""
    requests: list[Request] = []
    steps = inquiry(asked, folder)
    try:
        request = next(steps)
        while True:
            requests.append(request)
            result = answers[type(request)](request)
            request = steps.send(Ended("1", "done", to_plain(result), blobs=(b"tiles", b"later")))
    except StopIteration as end:
        return end.value, requests


def fails_from(least: int) -> Answer:
    """An analysis that fails for sizes from `least` on."""

    def answer(request: AnalyzeRequest) -> AnalyzeResult:
        if request.kernel.args["N"] < least:
            return AnalyzeResult(None)
        return AnalyzeResult(FAILURE, diagnostics=(UNEXPLAINED,), versions={"tilelang": "0.1.15"})

    return answer


RIGHT: dict[type[Any], Answer] = {
    VerifyRequest: lambda _: VerifyResult(None, (SeedResult(0, True, (), 0.1, 0.1),)),
    AnalyzeRequest: fails_from(64),
    PassesRequest: lambda _: PassesResult(
        FAILURE, (PassRecord(0, "tl.InjectSoftwarePipeline", False, 0, None, 0.1),)
    ),
    CompileRequest: lambda _: CompileResult(FAILURE),
}


def test_the_smallest_case_that_still_shows_it_is_bundled(tmp_path: Path) -> None:
    verdict, requests = answered(item(tmp_path), tmp_path, RIGHT)
    assert verdict.suspicions[0].strong
    assert verdict.sentence.startswith("The compiler is suspect: A check inside the compiler fails")
    assert verdict.smallest is not None
    assert verdict.smallest["N"] == 64
    assert verdict.bundle is not None
    assert {"README.md", "reproduce.py", "helpers.py", "ir/tile.tir"} <= set(verdict.names)
    last = requests[-1]
    assert isinstance(last, CompileRequest)
    assert last.kernel.args["N"] == 64


def test_a_smaller_case_with_another_error_is_another_one(tmp_path: Path) -> None:
    other = replace(FAILURE, message="InternalError: Check failed: out of registers")

    def answer(request: AnalyzeRequest) -> AnalyzeResult:
        failure = FAILURE if request.kernel.args["N"] >= 128 else other
        return AnalyzeResult(failure, diagnostics=(UNEXPLAINED,))

    verdict, _ = answered(item(tmp_path), tmp_path, RIGHT | {AnalyzeRequest: answer})
    assert verdict.smallest is not None
    assert verdict.smallest["N"] == 128


def test_a_kernel_at_fault_is_not_asked_about_further(tmp_path: Path) -> None:
    wrong = {VerifyRequest: lambda _: VerifyResult(None, (SeedResult(0, False, (), 0.1, 0.1),))}
    verdict, requests = answered(item(tmp_path), tmp_path, RIGHT | wrong)
    assert verdict.bundle is None
    assert verdict.sentence.startswith("The kernel itself is at fault")
    assert not any(isinstance(r, PassesRequest) for r in requests)


def test_a_right_kernel_that_lowers_suspects_nobody(tmp_path: Path) -> None:
    fine = {AnalyzeRequest: lambda _: AnalyzeResult(None)}
    verdict, _ = answered(item(tmp_path), tmp_path, RIGHT | fine)
    assert (verdict.suspicions, verdict.fault, verdict.trouble) == ((), None, None)
    assert verdict.sentence.startswith("Nothing points at the compiler")


def test_a_machine_that_lacks_something_tells_that(tmp_path: Path) -> None:
    lacks = {AnalyzeRequest: lambda _: AnalyzeResult(Failure("timeout", "60 s are over"))}
    verdict, _ = answered(item(tmp_path), tmp_path, RIGHT | lacks)
    assert verdict.sentence == "It could not be told: 60 s are over"


def test_a_kernel_of_another_dialect_is_not_run_at_all(tmp_path: Path) -> None:
    verdict, requests = answered(item(tmp_path, target="ascend"), tmp_path, RIGHT)
    assert (verdict.suspicions, requests) == ((), [])
