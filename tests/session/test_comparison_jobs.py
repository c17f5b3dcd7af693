"""What a comparison has lowered and predicted: from the text that a run ran, with its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart_runs import run
from workbench.core.jobs import AnalyzeRequest, CompileRequest, CompileResult, Failure
from workbench.core.plain import to_plain
from workbench.core.runs import Artifact, Run
from workbench.session.code_inputs import Stage
from workbench.session.comparison_jobs import ComparisonJobs
from workbench.session.session import Session, surroundings_of
from workbench.wire.events import Ended

TEXT = """import tilelang


@tilelang.jit(out_idx=[-1])
def matmul(M=4096, block_M=128):
    return None
"""


class Silent:
    """A timer that never ends."""

    def restart(self, milliseconds: int) -> None: ...

    def stop(self) -> None: ...


class Worker:
    """Notes what is asked; the test answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Callable[[Ended], None]]] = []

    def submit(self, request: Any, on_end: Callable[[Ended], None], **_: object) -> str:
        self.asked.append((request, on_end))
        return "job"


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
def session(
    tmp_path: Path, pump: Any, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Session]:
    (tmp_path / ".git").mkdir()
    made = Session(tmp_path, surroundings_of(pump.post, lambda call: Silent()))
    monkeypatch.setattr(made.jobs, "submit", worker.submit)
    made.trust.grant(tmp_path)
    yield made
    made.close()


def tile(block: int, **changes: Any) -> Run:
    return run(0, args={"M": 64, "block_M": block}, document="gemm.py", **changes)


def test_a_stage_is_lowered_with_the_arguments_of_the_run(session: Session, worker: Worker) -> None:
    jobs, made = ComparisonJobs(session), tile(32)
    assert jobs.stage(made, Stage.SASS).text is None
    jobs.lower(made, TEXT, Stage.SASS)
    ((request, on_end),) = worker.asked
    assert isinstance(request, CompileRequest)
    assert (request.kernel.args, request.emit) == ({"M": 64, "block_M": 32}, ("sass",))
    assert jobs.stage(made, Stage.SASS).is_coming
    on_end(Ended("job", "done", to_plain(CompileResult(None, {"sass": "MOV R1"}))))
    assert jobs.stage(made, Stage.SASS).text == "MOV R1"
    jobs.lower(made, TEXT, Stage.SASS)
    assert len(worker.asked) == 1  # it is there


def test_what_lowering_refuses_is_said(session: Session, worker: Worker) -> None:
    jobs, made = ComparisonJobs(session), tile(32)
    jobs.lower(made, TEXT, Stage.SOURCE)
    failed = CompileResult(Failure("kernel", "block_M must divide M"))
    worker.asked[0][1](Ended("job", "done", to_plain(failed)))
    assert jobs.stage(made, Stage.SOURCE).why == "block_M must divide M"


def test_a_text_that_the_run_stored_needs_no_worker(session: Session, worker: Worker) -> None:
    artifact = Artifact.of("source", "text/plain", b"__global__")
    made = tile(32, artifacts=(artifact,), text_blob=None)
    session.history().add(made, [b"__global__"])
    assert ComparisonJobs(session).stage(made, Stage.SOURCE).text == "__global__"
    assert worker.asked == []


@pytest.mark.parametrize(
    ("changes", "text", "said"),
    [
        ({"origin": "h200.tlw.zip"}, TEXT, "came from elsewhere"),
        ({}, None, "is not kept"),
        ({"kernel": "softmax"}, TEXT, "softmax"),
    ],
)
def test_a_run_that_cannot_be_lowered_here_says_why(
    session: Session, worker: Worker, changes: dict[str, Any], text: str | None, said: str
) -> None:
    jobs, made = ComparisonJobs(session), tile(32, **changes)
    jobs.lower(made, text, Stage.TIR)
    assert said in jobs.stage(made, Stage.TIR).why
    assert worker.asked == []


def test_predictions_for_targets_become_runs(session: Session, worker: Worker) -> None:
    jobs = ComparisonJobs(session)
    jobs.predict(tile(32), TEXT, ["a100", "mi300x"])
    assert [r.target["name"] for r, _ in worker.asked if isinstance(r, AnalyzeRequest)] == [
        "a100",
        "mi300x",
    ]
    worker.asked[0][1](Ended("job", "failed", failure=Failure("timeout", "too long")))
    (recorded,) = session.history().list().runs
    assert (recorded.target, recorded.kind.value, recorded.error) == ("a100", "predict", "too long")
