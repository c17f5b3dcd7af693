"""What a verification on another place than the simulator here tells besides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.verification_results import Results
from workbench.core.jobs import Failure, ThreeWay, VerifyResult
from workbench.session.verification_view import Subject, resolve

READING = ThreeWay(
    "kernel",
    "Simulator and device agree with each other and not with the reference.",
    "mend the kernel, or its reference",
)


def measured(on: str = "local", **changes: object) -> Subject:
    results = Results()
    subject: Subject = results.subject((results.output(np.ones((4, 4), np.float32)),))
    assert subject.result is not None
    usual: dict[str, Any] = {"device": "NVIDIA H200", **changes}
    return replace(subject, result=replace(subject.result, **usual), on=on)


@pytest.mark.parametrize(
    ("on", "device", "where"),
    [
        ("simulator", None, ""),
        ("cpu", None, "cpu"),
        ("local", "NVIDIA H200", "NVIDIA H200"),
        ("gpu1", "NVIDIA H200", "NVIDIA H200 · gpu1"),
        ("gpu1:simulator", None, "gpu1:simulator"),
    ],
)
def test_another_place_is_named(on: str, device: str | None, where: str) -> None:
    assert resolve(measured(on, device=device)).where == where


def test_who_is_at_fault_follows_the_conclusion_and_says_what_to_do() -> None:
    view = resolve(measured(three_way=READING))
    assert view.conclusion.endswith(READING.sentence)
    assert view.reading == "Mend the kernel, or its reference."


def test_where_all_agree_there_is_nothing_to_do() -> None:
    agree = ThreeWay("agree", "Reference, simulator and device agree.")
    view = resolve(measured(three_way=agree))
    assert view.conclusion.endswith("Reference, simulator and device agree.")
    assert view.reading == ""


def test_what_compute_sanitizer_found_is_told_by_tool() -> None:
    view = resolve(measured(sanitized={"memcheck": "no errors"}))
    assert view.sanitized == ("memcheck: no errors",)


def test_a_failure_on_a_host_names_the_host() -> None:
    failed = Subject(VerifyResult(Failure("environment", "it was lost")), on="gpu1")
    assert resolve(failed).where == "gpu1"
