from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.bug_bundle.suspicion import (
    Evidence,
    SuspicionKind,
    kernel_fault,
    signature_of,
    suspicions,
)
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure, OutputComparison, SeedResult, VerifyResult

DOWNCAST = Failure("kernel", "TypeError: Downcast from tirx.Sub to ir.IntImm failed.", "raw", 16)


def output(mismatched: int) -> OutputComparison:
    return OutputComparison(
        1, "C", (64, 64), "float16", 0.0, 0.0, 0.0, mismatched, 4096, 0, 1e-2, 1e-2, "case"
    )


def verified(mismatched: int = 0, *found: Diagnostic) -> VerifyResult:
    seed = SeedResult(0, not mismatched, (output(mismatched),), 0.1, 0.1)
    return VerifyResult(None, (seed,), diagnostics=found)


def error(code: str, stage: str = "lower") -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, f"{code} is told", TextRange(16), stage=stage)


def refused(failure: Failure = DOWNCAST, code: str = "lower-error") -> AnalyzeResult:
    return AnalyzeResult(failure, diagnostics=(error(code),))


RIGHT = Evidence(analysis=refused(), simulated=verified())


def test_an_internal_check_that_fails_for_a_right_kernel() -> None:
    (found,) = suspicions(RIGHT)
    assert (found.kind, found.strong, found.line) == (SuspicionKind.INTERNAL, True, 16)
    assert "Downcast from tirx.Sub" in found.sentence
    assert "although the kernel computes what its reference does" in found.sentence


def test_without_a_reference_it_is_only_possible() -> None:
    unknown = VerifyResult(Failure("kernel", "there is no reference"))
    (found,) = suspicions(replace(RIGHT, simulated=unknown))
    assert not found.strong


@pytest.mark.parametrize(
    "changes",
    [
        {"simulated": verified(12)},
        {"simulated": verified(0, error("block-race", "simulate"))},
        {"lint": (error("gemm-shape-mismatch", "lint"),)},
    ],
)
def test_a_kernel_at_fault_suspects_nobody(changes: dict[str, Any]) -> None:
    evidence = replace(RIGHT, **changes)
    assert suspicions(evidence) == ()
    assert kernel_fault(evidence) is not None


def test_a_kernel_of_another_dialect_suspects_nobody() -> None:
    assert suspicions(replace(RIGHT, fits_dialect=False)) == ()


def test_an_error_that_the_doctor_explains_is_the_kernel_s() -> None:
    known = refused(replace(DOWNCAST, message="InternalError: Check failed"), "layout-conflict")
    assert suspicions(replace(RIGHT, analysis=known)) == ()


def test_an_ordinary_error_is_the_kernel_s() -> None:
    plain = refused(Failure("kernel", "NameError: name 'x' is not defined"))
    assert suspicions(replace(RIGHT, analysis=plain)) == ()


def test_what_the_machine_lacks_suspects_nobody() -> None:
    for kind in ("environment", "timeout", "memory", "internal"):
        failure = Failure(kind, "Check failed: out of memory")
        assert suspicions(replace(RIGHT, analysis=AnalyzeResult(failure))) == (), kind


def test_a_crash_and_source_that_nvcc_refuses() -> None:
    crash = AnalyzeResult(Failure("crash", "the executor died of signal 11"))
    source = AnalyzeResult(
        Failure("kernel", "the generated source does not compile for sm_80: error: x")
    )
    (died,) = suspicions(replace(RIGHT, analysis=crash))
    (unread,) = suspicions(replace(RIGHT, analysis=source))
    assert (died.kind, unread.kind) == (SuspicionKind.CRASH, SuspicionKind.REFUSED)


def test_a_device_that_differs_from_simulator_and_reference() -> None:
    fine = AnalyzeResult(None)
    (found,) = suspicions(replace(RIGHT, analysis=fine, device=verified(31)))
    assert (found.kind, found.strong) == (SuspicionKind.DEVICE, True)
    assert "31 of 4,096 elements of C" in found.sentence
    assert suspicions(replace(RIGHT, analysis=fine, device=verified())) == ()


def hazardous(code: str, stage: str = "analysis") -> AnalyzeResult:
    return AnalyzeResult(None, diagnostics=(error(code, stage),))


def test_a_hazard_that_only_the_lowered_code_has() -> None:
    evidence = replace(RIGHT, analysis=hazardous("mbarrier-arrival-count"))
    (found,) = suspicions(evidence)
    assert (found.kind, found.strong) == (SuspicionKind.HAZARD, True)
    (own,) = suspicions(replace(evidence, orders_itself=True))
    assert not own.strong


def test_a_copy_that_is_not_awaited_may_be_the_kernel_s_own_order() -> None:
    assert suspicions(replace(RIGHT, analysis=hazardous("pipeline-hazard"))) == ()


def test_a_hazard_that_the_tile_program_has_too_is_the_kernel_s() -> None:
    simulated = VerifyResult(
        None, verified().seeds, diagnostics=(replace(error("shared-memory-race", "simulate"),
                                                     severity=Severity.WARNING),)
    )  # fmt: skip
    evidence = replace(RIGHT, simulated=simulated, analysis=hazardous("shared-memory-race"))
    assert suspicions(evidence) == ()


def test_signatures_forget_what_differs_from_case_to_case() -> None:
    first = Failure("kernel", "Check failed: 128 vs. 64 at 0x7f12 in /home/me/a/kernel.py")
    second = Failure("kernel", "Check failed: 32 vs. 16 at 0x55aa in /tmp/x/kernel.py")
    assert signature_of(first) == signature_of(second)
    assert signature_of(DOWNCAST) == "TypeError: Downcast from tirx.Sub to ir.IntImm failed"
