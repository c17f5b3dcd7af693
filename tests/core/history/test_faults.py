"""What goes wrong on a real disk: each costs as little as it can, and says what to do."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from workbench.core.history import CorruptRunError, History, HistoryError, RunFilter
from workbench.core.runs import Run

Make = Callable[..., Run]


def execute(path: Path, statement: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "expected an object"),
        ('{"id": "x"}', "missing"),
        ('{"id": "x", "kind": "compile"}', "missing"),
        (b"\xff\xfe\x00", "codec"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_damaged_row_costs_that_row(
    history: History, make_run: Make, body: str | bytes, said: str
) -> None:
    good, bad = make_run(0, kernel="a"), make_run(1, kernel="a")
    for run in (good, bad):
        history.add(run)
    execute(history.path, "UPDATE runs SET body = ? WHERE id = ?", body, bad.id)
    listing = history.list(RunFilter(kernel="a"))
    assert listing.runs == (good,)
    assert [problem.run_id for problem in listing.problems] == [bad.id]
    assert said in listing.problems[0].message
    with pytest.raises(CorruptRunError, match="delete it"):
        history.get(bad.id)


def test_a_row_of_a_newer_kind_costs_that_row(history: History, make_run: Make) -> None:
    run = make_run(0)
    history.add(run)
    execute(history.path, """UPDATE runs SET body = replace(body, '"compile"', '"tune"')""")
    listing = history.list()
    assert listing.runs == ()
    assert "newer workbench" in listing.problems[0].message


def test_a_row_that_holds_another_run_is_a_problem(history: History, make_run: Make) -> None:
    runs = [make_run(0), make_run(1)]
    for run in runs:
        history.add(run)
    body = "(SELECT body FROM runs WHERE id = ?)"
    execute(history.path, f"UPDATE runs SET body = {body} WHERE id = ?", runs[0].id, runs[1].id)
    assert history.list().runs == (runs[0],)


def test_a_damaged_row_can_be_deleted(history: History, make_run: Make) -> None:
    run = make_run(0)
    history.add(run)
    execute(history.path, "UPDATE runs SET body = 'x'")
    history.delete(run.id)
    assert history.list().problems == ()


def test_a_damaged_page_costs_the_rows_on_it(tmp_path: Path, make_run: Make) -> None:
    path = tmp_path / "history.sqlite"
    runs = [make_run(i, case=f"{i}" * 40_000) for i in range(3)]
    with History(path) as history:
        for run in runs:
            history.add(run)
    content = bytearray(path.read_bytes())
    page = 4096
    # An overflow page begins with the number of the next: one that leads nowhere breaks the row.
    inside = content.index(b"1" * (page - 100)) // page * page + 2 * page
    assert content[inside + 4 : inside + page] == b"1" * (page - 4)
    content[inside : inside + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    with History(path) as history:
        listing = history.list()
    assert listing.runs == (runs[2], runs[0])
    assert "malformed" in listing.problems[0].message


@pytest.mark.parametrize(
    "content", [b"no database at all, " * 500, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_no_history_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "history.sqlite"
    path.write_bytes(content)
    with pytest.raises(HistoryError, match=r"could not be opened: .*history\.sqlite.*aside"):
        History(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_history(tmp_path: Path, make_run: Make) -> None:
    path = tmp_path / "history.sqlite"
    path.touch()
    with History(path) as history:
        history.add(make_run(0))
        assert history.count() == 1


def test_a_locked_file_is_said_after_the_time_to_wait(tmp_path: Path, make_run: Make) -> None:
    with History(tmp_path / "h.sqlite", busy_timeout_s=0.1) as history:
        other = sqlite3.connect(history.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(HistoryError, match=r"another process .*h\.sqlite.* try again"):
            history.add(make_run(0, b"x"), [b"x"])
        assert history.count() == 0  # reading goes on meanwhile
        other.close()
        history.add(make_run(0, b"x"), [b"x"])
        assert history.count() == 1


def test_a_file_locked_at_the_start_is_said(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "h.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(HistoryError, match="another process"):
        History(tmp_path / "h.sqlite", busy_timeout_s=0.1)
    other.close()


def test_a_folder_that_may_not_be_written_is_said(
    public_folder: Path, read_only: Callable[[Path], AbstractContextManager[None]]
) -> None:
    with (
        read_only(public_folder),
        pytest.raises(HistoryError, match=r"could not be opened: .*h\.sqlite.*What to do"),
    ):
        History(public_folder / "h.sqlite")


def test_an_old_history_that_may_not_be_written_is_said(
    public_folder: Path,
    make_run: Make,
    read_only: Callable[[Path], AbstractContextManager[None]],
) -> None:
    path = public_folder / "h.sqlite"
    History(path).close()
    path.chmod(0o444)
    with read_only(public_folder), pytest.raises(HistoryError, match=r"h\.sqlite.*writ"):
        History(path)


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HistoryError, match="file"):
        History(tmp_path / "file" / "h.sqlite")


def test_a_full_disk_is_said_and_the_history_stays_whole(history: History, make_run: Make) -> None:
    kept = make_run(0, b"kept")
    history.add(kept, [b"kept"])
    pages = history._database.execute("PRAGMA page_count").fetchone()[0]
    history._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(HistoryError, match=r"disk is full .* free some space"):
        history.add(make_run(1, b"lost", case="x" * 100_000), [b"lost"])
    assert history.list().runs == (kept,)
    files = [p.read_bytes() for p in (history.path.parent / "blobs").rglob("*") if p.is_file()]
    assert len(files) == 1


def test_a_disk_without_room_for_a_content_is_said(
    history: History, make_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(HistoryError, match="disk is full"):
        history.add(make_run(0, b"content"), [b"content"])
    assert history.count() == 0
    assert not [p for p in (history.path.parent / "blobs").rglob("*") if p.is_file()]


def test_a_closed_history_says_so(history: History) -> None:
    history.close()
    with pytest.raises(HistoryError, match="closed"):
        history.list()
