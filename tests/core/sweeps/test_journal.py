"""A sweep's folder outlives its process, counts each point once, and belongs to one process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import Journal, JournalError
from workbench.core.sweeps.model import (
    Budget,
    Facts,
    Measured,
    Outcome,
    PointRecord,
    Stage,
    SweepPlan,
)
from workbench.core.sweeps.space import Axis


def a_plan(sweep_id: str = "0abc") -> SweepPlan:
    return SweepPlan(
        id=sweep_id,
        created="2026-11-30T05:00:00+00:00",
        workspace="/somewhere",
        document="/somewhere/k.py",
        text="import tilelang\n",
        kernel="k",
        axes=(Axis("a", (1, 2)), Axis("b", ("x", "y"))),
        cases=("default",),
        targets=("h100",),
        budget=Budget(points=2),
    )


def a_record(number: int, time_us: float = 10.0) -> PointRecord:
    measured = Measured(time_us, time_us, time_us, 20, "NVIDIA H200", "this machine")
    return PointRecord(
        number, Stage.MEASURE, Outcome.MEASURED, facts=Facts(predicted_us=9.0), measured=measured
    )


def test_a_sweep_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    with Journal(folder) as kept:
        kept.note(a_record(1), 2.5)
    sweep = journal.read(folder)
    assert sweep.plan == a_plan()
    assert sweep.records[1] == a_record(1)
    assert sweep.records[0] == PointRecord(0)
    assert len(sweep.records) == 4
    assert sweep.seconds == 2.5
    assert sweep.ended is None


def test_listed_configurations_are_read_as_they_were_written(tmp_path: Path) -> None:
    listed = ({"a": 1, "b": "x"}, {"a": 2, "b": None})
    plan = replace(a_plan(), axes=(Axis("c", (True, 1.5)),), configurations=listed)
    read = journal.read(journal.create(tmp_path, plan)).plan
    assert [dict(p.args) for p in read.space.points()] == [
        dict(p.args) for p in plan.space.points()
    ]
    assert read.configurations == listed


def test_the_last_line_of_a_point_counts(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    with Journal(folder) as kept:
        kept.note(a_record(1), 1.0)
        kept.note(replace(a_record(1, 8.0), outcome=Outcome.CONFIRMED), 2.0)
        kept.note_end("done", 3.0)
    sweep = journal.read(folder)
    assert sweep.records[1].time_us == 8.0
    assert sum(r.outcome is not Outcome.OPEN for r in sweep.records) == 1
    assert sweep.ended == "done"


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    with Journal(folder) as kept:
        kept.note(a_record(0), 1.0)
    with (folder / journal.JOURNAL).open("ab") as file:
        file.write(b'{"point": {"number": 1, "sta')
    with Journal(folder) as kept:
        kept.note(a_record(2), 2.0)
    records = journal.read(folder).records
    assert [r.outcome for r in records] == [
        Outcome.MEASURED,
        Outcome.OPEN,
        Outcome.MEASURED,
        Outcome.OPEN,
    ]


def test_an_ended_sweep_that_goes_on_is_open_again(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    with Journal(folder) as kept:
        kept.note_end("cancelled", 3.0)
        kept.note_end(None, 3.0)
    assert journal.read(folder).ended is None


def test_one_process_runs_a_sweep(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    with Journal(folder):
        assert journal.runner_of(folder) == os.getpid()
        with pytest.raises(JournalError, match=f"already running by process {os.getpid()}"):
            Journal(folder)
        with pytest.raises(JournalError, match="cancel it first"):
            journal.remove(folder)
    assert journal.runner_of(folder) is None
    journal.remove(folder)
    assert not folder.exists()


def test_a_process_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    script = (
        "import sys, time; from pathlib import Path;"
        "from workbench.core.sweeps.journal import Journal;"
        "kept = Journal(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    )
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, cwd=root
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert journal.runner_of(folder) == process.pid
        process.kill()
    assert journal.runner_of(folder) is None
    Journal(folder).close()


def test_sweeps_are_found_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    for each in ("0abc", "0abd", "0b"):
        journal.create(tmp_path, a_plan(each))
    assert journal.sweep_ids(tmp_path) == ("0b", "0abd", "0abc")
    assert journal.folder_of(tmp_path, "0b").name == "0b"
    assert journal.folder_of(tmp_path, "0ABC").name == "0abc"
    with pytest.raises(JournalError, match="2 sweeps begin with 0a"):
        journal.folder_of(tmp_path, "0a")
    for unknown in ("zz", "../0b", ""):
        with pytest.raises(JournalError, match="no sweep"):
            journal.folder_of(tmp_path, unknown)


def test_a_newer_plan_is_told_as_that(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan())
    (folder / journal.PLAN).write_text('{"schema": 99}', "utf-8")
    with pytest.raises(JournalError, match="newer workbench"):
        journal.read(folder)
    (folder / journal.PLAN).write_text("{", "utf-8")
    with pytest.raises(JournalError, match="cannot be read"):
        journal.read(folder)
