"""A mismatch stands at what most likely causes it, and says so."""

from __future__ import annotations

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.verdicts import VERDICT, cause_of, with_cause

MISMATCH = Diagnostic(VERDICT, Severity.ERROR, "C is wrong", TextRange(3), stage="simulate")


def finding(code: str, line: int, severity: Severity = Severity.WARNING) -> Diagnostic:
    return Diagnostic(code, severity, f"{code} is meant", TextRange(line))


def test_a_mismatch_names_its_cause_and_stays_an_error() -> None:
    cause = finding("low-precision-accumulator", 12)
    told = with_cause([cause, MISMATCH])
    assert told[0] is cause
    assert told[1].severity is Severity.ERROR
    assert told[1].message == "C is wrong. See low-precision-accumulator in line 12"
    assert told[1].range == TextRange(12)
    assert [each.text for each in told[1].related] == ["low-precision-accumulator is meant"]


def test_a_mismatch_without_a_cause_stays_as_it_is() -> None:
    others = [finding("bank-conflict", 5), MISMATCH]
    assert with_cause(others) == tuple(others)


def test_an_error_is_likelier_than_a_warning() -> None:
    found = [
        finding("gemm-uninitialized-accumulator", 8),
        finding("block-race", 20, Severity.ERROR),
    ]
    assert cause_of(found) is found[1]


def test_a_cause_is_named_once() -> None:
    once = with_cause([finding("nan-source", 4), MISMATCH])
    assert with_cause(once) == once
