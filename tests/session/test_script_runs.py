"""Scripts of open documents: what is offered, sent, told and recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import Failure, RunScriptRequest, RunScriptResult, ScriptKernel, ScriptTest
from workbench.core.plain import to_plain
from workbench.core.runs import Run, RunKind, RunStatus
from workbench.core.targets.table import load_targets
from workbench.session.cases import with_recorded_cases
from workbench.session.open_document import OpenDocument
from workbench.session.results import NothingToRunError, Place
from workbench.session.script_runs import ScriptController, script_offer
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

TEXT = """
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def add(M, N, block=32):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        pass
    return main
"""
MAIN = "\nif __name__ == '__main__':\n    add(8, 16)\n"
BLOCK = "# /// workbench\n# [[case]]\n# name = 'mine'\n# args = { M = 1, N = 2 }\n# ///\n"


class Jobs:
    """Takes jobs, and ends them when told to."""

    def __init__(self) -> None:
        self.requests: list[RunScriptRequest] = []
        self._on_end: list[Callable[[Ended], None]] = []

    def submit(self, request: Any, on_end: Any, **options: Any) -> str:
        self.requests.append(request)
        self._on_end.append(on_end)
        return "job"

    def end(self, outcome: str = "done", result: RunScriptResult | None = None) -> None:
        plain = to_plain(result) if result is not None else None
        failure = None if outcome == "done" else Failure("environment", "it went away")
        self._on_end.pop()(Ended("job", outcome, plain, failure=failure))


class Bench:
    def __init__(self, folder: Path, trusted: bool = True) -> None:
        self.folder = folder
        self.jobs = Jobs()
        self.runs: list[Run] = []
        place = Place(folder, lambda document: trusted)
        self.scripts = ScriptController(
            self.jobs,  # type: ignore[arg-type] # the part of it that is used
            load_targets(),
            place,
            lambda: Limits(60.0, 2**30),
            lambda run, blobs: self.runs.append(run),
        )

    def document(self, text: str, name: str = "script.py") -> OpenDocument:
        document = OpenDocument.of(text, self.folder / name, name)
        document.targets = ("h100",)
        return document

    def kernel(self, document: OpenDocument, **args: int) -> ScriptKernel:
        return ScriptKernel("add", str(document.path), 6, args, launches=1)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("text", "name", "offered"),
    [
        (TEXT + MAIN, "script.py", True),
        (TEXT, "test_add.py", True),
        (TEXT + "\ndef main():\n    add(8, 16)\n", "script.py", True),
        (TEXT, "library.py", False),
        (BLOCK + TEXT + MAIN, "script.py", False),
        ("print(1)\n" + MAIN, "script.py", False),
    ],
)
def test_what_is_offered(bench: Bench, text: str, name: str, offered: bool) -> None:
    offer = script_offer(bench.document(text, name))
    assert (offer is not None and offer.can_run) is offered


def test_an_unsaved_document_and_an_untrusted_one_are_not_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path, trusted=False)
    with pytest.raises(NothingToRunError, match="not trusted"):
        bench.scripts.run(bench.document(TEXT + MAIN))
    with pytest.raises(NothingToRunError, match="save it first"):
        bench.scripts.run(OpenDocument.of(TEXT + MAIN, None, "untitled"))
    assert bench.jobs.requests == []


def test_a_run_gives_cases_and_a_record(bench: Bench) -> None:
    document = bench.document(TEXT + MAIN)
    bench.scripts.run(document)
    (request,) = bench.jobs.requests
    assert (request.execute, request.as_tests, request.cwd) == (True, False, str(bench.folder))
    offer = script_offer(document)
    assert offer is not None
    assert offer.is_running
    with pytest.raises(NothingToRunError, match="already"):
        bench.scripts.run(document)

    kernels = (bench.kernel(document, M=8, N=16), bench.kernel(document, M=9, N=16))
    bench.jobs.end(result=RunScriptResult(None, kernels=kernels, launches=2, seconds={"run": 2.0}))
    assert [case.name for case in document.cases] == ["recorded-1", "recorded-2"]
    assert (document.case, document.arguments()["M"], document.has_block) == (
        "recorded-1",
        8,
        False,
    )
    offer = script_offer(document)
    assert offer is not None
    assert offer.lead == "It ran to its end: 2 launches of 2 kernels."
    assert (offer.can_write, offer.can_run) == (True, False)
    (run,) = bench.runs
    assert (run.kind, run.status, run.kernel) == (RunKind.SCRIPT, RunStatus.DONE, "add")
    assert (run.metrics["launches"].value, run.seconds, run.document) == (2, 2.0, "script.py")


def test_found_cases_stay_while_typing_until_a_block_is_written(bench: Bench) -> None:
    document = bench.document(TEXT + MAIN)
    bench.scripts.find_cases(document)
    kernels = (bench.kernel(document, M=8, N=16),)
    bench.jobs.end(result=RunScriptResult(None, kernels=kernels))
    assert bench.runs == []  # nothing was executed
    document.set_text(document.text + "\n# more\n")
    assert [case.name for case in document.cases] == ["recorded-1"]
    written = with_recorded_cases(document.text.encode(), document).decode()
    assert written.startswith("# /// workbench\n")
    assert written.endswith(document.text)
    document.set_text(written)
    assert document.has_block
    assert script_offer(document) is None
    assert document.cases[0].args == {"M": 8, "N": 16}


def test_a_block_of_the_persons_own_is_not_overruled(bench: Bench) -> None:
    document = bench.document(TEXT + MAIN)
    bench.scripts.run(document)
    document.set_text(BLOCK + document.text)
    kernels = (bench.kernel(document, M=8, N=16),)
    bench.jobs.end(result=RunScriptResult(None, kernels=kernels))
    assert [case.name for case in document.cases] == ["mine"]


def test_a_script_that_fails_is_told_and_recorded(bench: Bench) -> None:
    document = bench.document(TEXT, "test_add.py")
    bench.scripts.run(document)
    assert bench.jobs.requests[0].as_tests
    failure = Failure("kernel", "1 test failed\nmore", line=9)
    tests = (ScriptTest("a", "passed"), ScriptTest("b", "failed"))
    bench.jobs.end(result=RunScriptResult(failure, tests=tests))
    offer = script_offer(document)
    assert offer is not None
    assert offer.lead == "It failed: 1 test failed."
    assert (offer.can_write, offer.can_run) == (False, True)
    (run,) = bench.runs
    assert run.status is RunStatus.FAILED
    assert run.metrics["tests.failed"].value == 1


def test_a_cancelled_script_is_offered_again(bench: Bench) -> None:
    document = bench.document(TEXT + MAIN)
    bench.scripts.run(document)
    bench.jobs.end("cancelled")
    offer = script_offer(document)
    assert offer is not None
    assert offer.can_run
    assert bench.runs[0].status is RunStatus.CANCELLED
