"""Surveys with a worker that answers by the target that it is asked about."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.core.history import History
from workbench.core.portability.model import CellState, Column
from workbench.core.targets.table import TargetTable, load_targets
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.portability import LANE, PortabilityController
from workbench.session.portability_survey import survey_targets
from workbench.session.results import NothingToRunError, Place
from workbench.session.worker_client import WorkerCommand
from workbench.wire.messages import Limits

ROOT = Path(__file__).resolve().parents[2]
WORKER = '''
"""Lowers for every target but Ascend; waits for ever for those that a file names."""
import os, pathlib, sys
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import CompileResult, Failure, Resources
from workbench.core.plain import to_plain
from workbench.wire.events import Ended, ExecutorReady, Hello, Started, encode_event
from workbench.wire.frames import FrameWriter, read_frame

folder = pathlib.Path(sys.argv[1])
writer = FrameWriter(sys.stdout.buffer)
def send(event):
    writer.write(*encode_event(event))

def answer(kind, target):
    if kind == "compile":
        return CompileResult(None, resources=Resources(168, 0, source="ptxas 13.0"))
    if target == "ascend":
        return AnalyzeResult(Failure("kernel", "T.copy() is not allowed"))
    shared = 65536 + 1024
    return AnalyzeResult(None, (KernelAnalysis("main", (1, 1, 1), (128, 1, 1), shared),))

send(Hello(1, 1, "3.11", os.getpid(), {"tilelang": "0.1.15"}))
waiting = []
while (frame := read_frame(sys.stdin.buffer)) is not None:
    kind, job = frame.header["type"], frame.header.get("job")
    if kind == "submit":
        target = frame.header["payload"]["target"]["name"]
        with open(folder / "asked", "a") as log:
            log.write(f"{frame.header['kind']} {target} {frame.header['lane']}\\n")
        send(Started(job))
        if (folder / f"wait-{target}").exists():
            waiting.append(job)
            continue
        send(Ended(job, "done", to_plain(answer(frame.header["kind"], target))))
    elif kind in ("cancel", "withdraw") and job in waiting:
        waiting.remove(job)
        send(Ended(job, "cancelled"))
'''
KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N=128, threads=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16")):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(N):
                B[i] = A[i] * 2

    return main
"""


@pytest.fixture(scope="module")
def table() -> TargetTable:
    return load_targets()


@pytest.fixture
def jobs(tmp_path: Path, pump: Any) -> Iterator[JobController]:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    words = (sys.executable, str(script), str(tmp_path))
    controller = JobController(WorkerCommand(words, {"PYTHONPATH": str(ROOT)}), pump.post)
    yield controller
    controller.close()


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as history:
        yield history


@pytest.fixture
def surveys(
    jobs: JobController, table: TargetTable, tmp_path: Path, history: History
) -> PortabilityController:
    place = Place(tmp_path, lambda document: document.title != "untrusted")
    return PortabilityController(jobs, table, place, lambda: Limits(30.0, 1 << 30), lambda: history)


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[], list[str]]:
    def read() -> list[str]:
        path = tmp_path / "asked"
        return path.read_text().splitlines() if path.exists() else []

    return read


def document(text: str = KERNEL, title: str = "scale.py") -> OpenDocument:
    return OpenDocument.of(text, None, title)


def test_rows_come_one_by_one_and_machine_code_follows(
    surveys: PortabilityController, pump: Any, asked: Any
) -> None:
    opened = document()
    seen: list[int] = []
    surveys.changed.connect(lambda d: seen.append(surveys.view(d).done))
    surveys.check(opened, ("sm_80", "gfx942", "ascend"))
    first = surveys.view(opened)
    assert (first.running, first.done, first.total) == (True, 0, 3)
    assert first.matrix is not None
    assert first.matrix.conclusion.startswith("So far")
    pump.until(lambda: not surveys.view(opened).running)

    assert sorted(set(seen)) == [0, 1, 2, 3]
    assert asked() == [
        f"analyze sm_80 {LANE}",
        f"analyze gfx942 {LANE}",
        f"analyze ascend {LANE}",
        f"compile sm_80 {LANE}",
    ]
    matrix = surveys.view(opened).matrix
    assert matrix is not None
    ampere, mi300x, ascend = matrix.rows
    assert ampere.cell(Column.REGISTERS).text == "168 × 128"
    assert mi300x.cell(Column.SHARED).state is CellState.BAD
    assert ascend.cell(Column.LOWERS).state is CellState.BAD


def test_what_is_known_of_a_text_is_not_asked_again(
    surveys: PortabilityController, pump: Any, asked: Any
) -> None:
    opened = document()
    surveys.check(opened, ("sm_80",))
    pump.until(lambda: not surveys.view(opened).running)
    count = len(asked())
    opened.set_text(KERNEL.replace("* 2", "* 3"))
    assert surveys.view(opened).stale
    opened.set_text(KERNEL)
    surveys.check(opened, ("sm_80",))
    assert not surveys.view(opened).running
    assert not surveys.view(opened).stale
    assert len(asked()) == count


def test_models_of_one_architecture_are_lowered_once(
    surveys: PortabilityController, pump: Any, asked: Any
) -> None:
    opened = document()
    surveys.check(opened, ("h100", "h200"))
    pump.until(lambda: not surveys.view(opened).running)
    assert [line.split()[:2] for line in asked()] == [["analyze", "sm_90a"], ["compile", "sm_90a"]]
    matrix = surveys.view(opened).matrix
    assert matrix is not None
    assert [row.label for row in matrix.rows] == ["H100", "H200"]


def test_a_cancelled_survey_keeps_what_it_has(
    surveys: PortabilityController, pump: Any, tmp_path: Path, jobs: JobController
) -> None:
    (tmp_path / "wait-gfx942").touch()
    opened = document()
    surveys.check(opened, ("ascend", "gfx942"))
    pump.until(lambda: surveys.view(opened).done == 1)
    surveys.cancel(opened)
    view = surveys.view(opened)
    assert (view.running, view.done) == (False, 2)
    assert view.matrix is not None
    assert view.matrix.rows[1].state is CellState.UNKNOWN
    pump.until(lambda: not jobs.jobs)
    assert not surveys.view(opened).running


def test_a_closed_document_is_forgotten(surveys: PortabilityController, tmp_path: Path) -> None:
    (tmp_path / "wait-sm_80").touch()
    opened = document()
    surveys.check(opened, ("sm_80",))
    surveys.forget(())
    assert surveys.view(opened).matrix is None


def test_nothing_of_an_untrusted_folder_is_lowered(surveys: PortabilityController) -> None:
    with pytest.raises(NothingToRunError, match="not trusted"):
        surveys.check(document(title="untrusted"))


def test_without_names_there_is_a_row_for_every_architecture(table: TargetTable) -> None:
    rows = survey_targets(table)
    assert [row.target.name for row in rows] == [arch.name for arch in table.architectures]
    labels = {row.target.name: row.label for row in rows}
    assert labels["gfx942"] == "MI300X"
    assert labels["sm_90a"] == "H100 and H200"
    assert labels["cpu"] == "CPU"


def test_a_target_lowered_for_an_older_one_is_work_of_its_own(table: TargetTable) -> None:
    plain, older = survey_targets(table, ("h200", "h200:sm_80"))
    assert (plain.work.name, older.work.name) == ("sm_90a", "sm_90a:sm_80")
