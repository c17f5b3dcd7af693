"""Marks of runs, and deleting runs with a way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.chart_runs import run
from workbench.core.history import History, RunNotFoundError
from workbench.core.runs import blob_hash
from workbench.session.run_marking import (
    Marking,
    RunDeletionError,
    delete_runs,
    mark_runs,
    restore_runs,
)
from workbench.session.tasks import Step, TaskCancelledError

TEXT = b"def matmul(): pass\n"


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as opened:
        for number in range(3):
            made = replace(run(number, {"time_us": 10.0}), text_blob=blob_hash(TEXT))
            opened.add(replace(made, tags=("old",), origin="elsewhere.zip"), [TEXT])
        yield opened


def test_marks_are_added_and_taken_and_the_rest_stays(history: History) -> None:
    marking = Marking(add=("new", "new"), remove=("old",), note="fast", pinned=True)
    changed = mark_runs(history, ["run0", "run1", "run0"], marking)
    assert [(r.id, r.tags, r.note, r.pinned) for r in changed] == [
        ("run0", ("new",), "fast", True),
        ("run1", ("new",), "fast", True),
    ]
    (again,) = mark_runs(history, ["run0"], Marking(note=""))
    assert (again.tags, again.note, again.pinned) == (("new",), None, True)


def test_a_run_that_is_not_there_leaves_the_others_as_they_are(history: History) -> None:
    with pytest.raises(RunNotFoundError):
        mark_runs(history, ["run0", "nothing"], Marking(pinned=True))
    assert not history.get("run0").pinned


def test_deleted_runs_come_back_as_they_were(history: History) -> None:
    before = history.list().runs
    deleted = delete_runs(history, ["run0", "run2"])
    assert [each.id for each in history.list().runs] == ["run1"]
    restored = restore_runs(history, deleted)
    assert (len(restored.added), restored.problems) == (2, ())
    assert history.list().runs == before
    assert history.blob(blob_hash(TEXT)) == TEXT


def test_a_deletion_that_is_ended_while_runs_are_kept_deletes_none(history: History) -> None:
    with pytest.raises(TaskCancelledError):
        delete_runs(history, ["run0", "run2"], ended_at("texts and artifacts"))
    assert history.count() == 3
    assert not list((history.path.parent / "deleted").iterdir())


def test_a_deletion_that_is_ended_leaves_the_others(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.session.run_marking._AT_ONCE", 1)
    asked = [0]

    def step(done: int, total: int, what: str) -> None:
        asked[0] += 1
        if asked[0] == 6:  # three runs and their text were kept, and one run is gone
            raise TaskCancelledError

    deleted = delete_runs(history, ["run0", "run1", "run2"], step)
    assert (deleted.runs, deleted.asked) == (("run0",), 3)
    assert [each.id for each in history.list().runs] == ["run2", "run1"]
    assert restore_runs(history, deleted).added == ("run0",)


def test_a_run_that_cannot_be_read_is_not_deleted(history: History) -> None:
    history._database.execute("UPDATE runs SET body = '{' WHERE id = 'run1'")
    deleted = delete_runs(history, ["run0", "run1", "gone"])
    assert (deleted.runs, deleted.unreadable) == (("run0",), 1)
    assert history.count() == 2


def test_marking_that_is_ended_leaves_the_others(history: History) -> None:
    assert mark_runs(history, ["run0"], Marking(pinned=True), ended_at("runs")) == ()
    assert not history.get("run0").pinned


def test_an_import_that_is_ended_keeps_what_came(history: History) -> None:
    deleted = delete_runs(history, ["run0", "run1", "run2"])

    def step(done: int, total: int, what: str) -> None:
        if done == 2:
            raise TaskCancelledError

    restored = restore_runs(history, deleted, step)
    assert (restored.added, restored.was_ended) == (("run0", "run1"), True)
    assert history.count() == 2


def ended_at(what: str) -> Step:
    """A step at which work on these ends."""

    def step(done: int, total: int, now: str) -> None:
        if now == what:
            raise TaskCancelledError

    return step


def test_what_cannot_be_kept_is_not_deleted(history: History) -> None:
    (history.path.parent / "deleted").write_text("in the way")
    with pytest.raises(RunDeletionError, match="nothing is deleted"):
        delete_runs(history, ["run0"])
    assert history.count() == 3
