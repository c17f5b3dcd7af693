"""Analyses of open documents: what is sent, kept and recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import AnalyzeRequest, AnalyzeResult, Failure
from workbench.core.plain import to_plain
from workbench.core.runs import Run, RunKind
from workbench.core.targets.table import load_targets
from workbench.session.analyses import AnalysisController
from workbench.session.open_document import OpenDocument
from workbench.session.results import NothingToRunError, Place
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=8):\n    return None\n"


class Jobs:
    """Takes jobs, and ends them when told to."""

    def __init__(self) -> None:
        self.requests: list[AnalyzeRequest] = []
        self._on_end: list[Callable[[Ended], None]] = []

    def submit(self, request: Any, on_end: Any, **options: Any) -> str:
        self.requests.append(request)
        self._on_end.append(on_end)
        return "job"

    def end(self, number: int, ended: Ended) -> None:
        self._on_end[number](ended)


class Bench:
    """A controller with a document for two targets."""

    def __init__(self, folder: Path, trusted: bool = True) -> None:
        self.jobs, self.runs = Jobs(), list[Run]()
        self.document = OpenDocument.of(TEXT, folder / "kernel.py", "kernel.py")
        self.document.targets = ("h100", "a100")
        self.controller = AnalysisController(
            self.jobs,  # type: ignore[arg-type] # what it needs of a JobController
            load_targets(),
            Place(folder, lambda document: trusted),
            Limits,
            lambda run, blobs: self.runs.append(run),
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def done(name: str) -> Ended:
    return Ended("job", "done", to_plain(AnalyzeResult(None, versions={"name": name})))


def test_each_target_is_analyzed_and_kept_as_a_prediction(bench: Bench) -> None:
    bench.controller.analyze(bench.document, level=1, carveout_bytes=65536)
    sent = [(r.target["name"], r.level, r.carveout_bytes) for r in bench.jobs.requests]
    assert sent == [("h100", 1, 65536), ("a100", 1, 65536)]
    bench.jobs.end(0, done("first"))
    known = bench.controller.of(bench.document, "h100")
    assert known is not None
    assert known.result.versions == {"name": "first"}
    assert bench.controller.of(bench.document, "a100") is None
    assert [(run.kind, run.target) for run in bench.runs] == [(RunKind.PREDICT, "h100")]


def test_an_analysis_of_an_earlier_text_replaces_no_later_one(bench: Bench) -> None:
    bench.controller.analyze(bench.document)
    bench.document.set_text(TEXT + "\n")
    bench.controller.analyze(bench.document)
    bench.jobs.end(2, done("later"))
    bench.jobs.end(0, done("earlier"))
    known = bench.controller.of(bench.document, "h100")
    assert known is not None
    assert known.result.versions == {"name": "later"}


def test_a_job_that_is_lost_is_a_result_that_says_so(bench: Bench) -> None:
    bench.controller.analyze(bench.document)
    bench.jobs.end(0, Ended("job", "lost", failure=Failure("environment", "gone")))
    bench.jobs.end(1, Ended("job", "cancelled"))
    known = bench.controller.of(bench.document, "h100")
    assert known is not None
    assert known.result.failure == Failure("environment", "gone")
    assert bench.controller.of(bench.document, "a100") is None


def test_nothing_of_an_untrusted_folder_is_analyzed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, trusted=False)
    with pytest.raises(NothingToRunError, match="not trusted"):
        bench.controller.analyze(bench.document)
    assert bench.jobs.requests == []


def test_a_closed_document_is_forgotten(bench: Bench) -> None:
    bench.controller.analyze(bench.document)
    bench.jobs.end(0, done("first"))
    bench.controller.forget(bench.document)
    assert bench.controller.of(bench.document, "h100") is None
