"""Runs of an older writer, told with what differs from their case."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from workbench.core.history import BlobMissingError
from workbench.core.runs import Run, RunKind, RunStatus, blob_hash
from workbench.session.told_cases import with_told_cases

TEXT = b"""\
# /// workbench
# [[case]]
# name = "small"
# args = { M = 64 }
# ///
import tilelang


@tilelang.jit
def matmul(M, N=8):
    return None
"""


def run_of(**fields: Any) -> Run:
    usual: dict[str, Any] = {
        "kernel": "matmul",
        "case": "small",
        "args": {"M": 8192, "N": 8},
        "text_blob": blob_hash(TEXT),
    }
    created = datetime(2026, 11, 30, tzinfo=timezone.utc)
    return Run("run0", created, RunKind.PROFILE, RunStatus.DONE, **{**usual, **fields})


def lost(name: str) -> bytes:
    raise BlobMissingError(name)


def test_the_text_of_a_run_tells_what_differs_from_its_case() -> None:
    (told,) = with_told_cases([run_of()], lambda name: TEXT)
    assert told.overrides == {"M": 8192}
    assert told.case_title() == "small, M=8192"


def test_a_run_that_tells_it_is_not_looked_up() -> None:
    runs = [run_of(overrides={}), run_of(case=None), run_of(text_blob=None)]
    assert with_told_cases(runs, lost) == tuple(runs)


def test_a_run_whose_text_is_lost_stays_as_it_is() -> None:
    assert with_told_cases([run_of()], lost) == (run_of(),)
    assert with_told_cases([run_of()], lambda name: None) == (run_of(),)


def test_of_many_differences_the_first_are_named() -> None:
    run = run_of(overrides={"M": 1, "N": 2, "K": 3})
    assert run.case_title(2) == "small, M=1, N=2, … 1 more"
    assert run.case_title(3) == "small, M=1, N=2, K=3"
