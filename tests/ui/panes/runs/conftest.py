from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.runs import Artifact, Metric, MetricSource, Run, RunKind, RunStatus, new_run_id

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=timezone.utc)
MEASURED, PREDICTED = MetricSource.MEASURED, MetricSource.PREDICTED


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """A run as the session records it, with fields of one's choice."""

    def make(
        kind: RunKind = RunKind.COMPILE, status: RunStatus = RunStatus.DONE, **fields: Any
    ) -> Run:
        created = fields.pop("created", NOON)
        usual = {
            "document": "kernels/gemm.py",
            "kernel": "matmul",
            "case": "square",
            "target": "h100",
            "seconds": 1.43,
            "host": "this machine",
        }
        return Run(new_run_id(created), created, kind, status, **{**usual, **fields})

    return make


@pytest.fixture
def runs(make_run: Callable[..., Run]) -> tuple[Run, ...]:
    """A compile with figures and files, a verification that found a mismatch, a lost profile."""
    registers = Metric(136, "", PREDICTED, "ptxas 13.0.88")
    errors = {"C.rel_fro": Metric(0.0314, "", MEASURED, "on simulator, worst seed")}
    problem = Diagnostic("reference-mismatch", Severity.ERROR, "C is wrong in 3 %", TextRange(33))
    return (
        make_run(
            args={"M": 1024, "dtype": "float16"},
            metrics={"registers": registers},
            text_blob="a" * 64,
            artifacts=(Artifact("ptx", "text/plain", "b" * 64, 2048),),
            versions={"tilelang": "0.1.15"},
        ),
        make_run(
            RunKind.VERIFY,
            RunStatus.FAILED,
            kernel="softmax",
            created=NOON - timedelta(hours=1),
            metrics=errors,
            diagnostics=(problem,),
        ),
        make_run(RunKind.PROFILE, RunStatus.LOST, created=NOON - timedelta(days=3)),
    )
