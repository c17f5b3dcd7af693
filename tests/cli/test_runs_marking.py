"""`runs mark`, `runs delete`, and finding runs by what was said of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.runs import Artifact, Run, RunKind, RunStatus
from workbench.session.recording import open_history

Add = Callable[..., str]


@pytest.fixture
def add(tmp_path: Path) -> Add:
    """Adds a run of the given day of November 2026 with a stored content; returns its id."""

    def added(day: int, **fields: Any) -> str:
        created = datetime(2026, 11, 1, tzinfo=timezone.utc) + timedelta(days=day - 1)
        content = f"text of {day}".encode()
        run = Run(
            id=f"run{day}",
            created=created,
            kind=RunKind.COMPILE,
            status=RunStatus.DONE,
            artifacts=(Artifact.of("source", "text/plain", content),),
            **fields,
        )
        with open_history(tmp_path) as history:
            history.add(run, [content])
        return run.id

    return added


def _found(cli: Any, *words: str) -> list[str]:
    return [run["id"] for run in cli("runs", "list", *words, "--json").json["runs"]]


def test_a_marked_run_is_found_by_its_marks(cli: Any, add: Add) -> None:
    add(1)
    add(2)
    done = cli("runs", "mark", "run1", "--tag", "best", "--note", "after the swizzle", "--pin")
    assert done.status == 0
    assert 'run1: pinned, #best, "after the swizzle"' in done.stdout
    assert _found(cli, "--tag", "best") == ["run1"]
    assert _found(cli, "--pinned") == ["run1"]
    assert _found(cli, "--search", "Swizzle") == ["run1"]


def test_marks_are_taken_off_again(cli: Any, add: Add) -> None:
    add(1, tags=("old", "kept"), note="x", pinned=True)
    (run,) = cli("runs", "mark", "run1", "--untag", "old", "--note", "", "--unpin", "--json").json[
        "runs"
    ]
    assert (run["tags"], run["note"], run["pinned"]) == (["kept"], None, False)


def test_a_mark_that_says_nothing_is_refused(cli: Any, add: Add) -> None:
    add(1)
    done = cli("runs", "mark", "run1")
    assert done.status == 2
    assert "--tag" in done.stderr


def test_nothing_is_marked_where_one_run_is_unknown(cli: Any, add: Add) -> None:
    add(1)
    assert cli("runs", "mark", "run1", "nowhere", "--tag", "best").status == 2
    assert _found(cli, "--tag", "best") == []


def test_days_bound_a_listing(cli: Any, add: Add) -> None:
    for day in (3, 10, 20):
        add(day)
    assert _found(cli, "--since", "2026-11-05", "--until", "2026-11-15") == ["run10"]
    refused = cli("runs", "list", "--since", "yesterday")
    assert refused.status == 2
    assert "2026-11-30" in refused.stderr


def test_deleted_runs_come_back_from_the_archive_that_is_named(cli: Any, add: Add) -> None:
    add(1, note="mine")
    add(2)
    gone = cli("runs", "delete", "run1", "--json").json
    assert gone["deleted"] == ["run1"]
    assert _found(cli) == ["run2"]
    assert cli("runs", "import", gone["archive"]).status == 0
    assert _found(cli, "--search", "mine") == ["run1"]
    shown = cli("runs", "show", "run1", "--json").json
    assert shown["stored"]["source"] == "text of 1"


def test_nothing_is_deleted_that_cannot_be_kept(cli: Any, add: Add, tmp_path: Path) -> None:
    add(1)
    (tmp_path / ".workbench" / "deleted").write_text("in the way")
    done = cli("runs", "delete", "run1")
    assert done.status == 2
    assert "nothing is deleted" in done.stderr
    assert _found(cli) == ["run1"]
