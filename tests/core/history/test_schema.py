"""Versions of the history file: old samples are read, older migrated, newer refused."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.history.schema import STEPS, open_database
from workbench.core.runs import Run

SAMPLES = Path(__file__).parents[2] / "data" / "history"
NEXT_STEP = "ALTER TABLE runs ADD COLUMN note TEXT;\nCREATE INDEX runs_by_note ON runs (note);"
BROKEN_STEP = "CREATE TABLE notes (note TEXT);\nINSERT INTO nowhere VALUES (1);"


def version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def columns(path: Path) -> set[str]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return {row[1] for row in database.execute("PRAGMA table_info(runs)")}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the newest sample."""
    folder = SAMPLES / f"version-{len(STEPS)}"
    return Path(shutil.copytree(folder, tmp_path / "sample")) / "history.sqlite"


def test_every_version_has_a_sample_of_it() -> None:
    for number in range(1, len(STEPS) + 1):
        assert version(SAMPLES / f"version-{number}" / "history.sqlite") == number


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_a_sample_of_each_version_is_read(tmp_path: Path, number: int) -> None:
    folder = shutil.copytree(SAMPLES / f"version-{number}", tmp_path / "sample")
    with History(folder / "history.sqlite") as history:
        listing = history.list()
        assert [run.kind.value for run in listing.runs] == ["profile", "verify", "compile"]
        assert not listing.problems
        pinned = history.list(RunFilter(tag="baseline")).runs[0]
        assert pinned.extra == {"weather": "sunny"}
        assert pinned.metrics["latency"].extra == {"confidence": [4.4, 4.6]}
        assert b"__global__" in history.blob(listing.runs[2].artifacts[0].blob)


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
@pytest.mark.parametrize("words", ["a100", "scale N=1024", "BASELINE", "nvidia kernels/scale.py"])
def test_runs_of_every_version_are_found_by_their_words(
    tmp_path: Path, number: int, words: str
) -> None:
    folder = shutil.copytree(SAMPLES / f"version-{number}", tmp_path / "sample")
    with History(folder / "history.sqlite") as history:
        found = history.list(RunFilter(search=words)).runs
        assert "profile" in [run.kind.value for run in found]
        assert history.list(RunFilter(search=f"{words} nowhere")).runs == ()
        assert [run.pinned for run in history.list(RunFilter(pinned=True)).runs] == [True]


def test_a_body_that_is_no_json_is_migrated_with_what_its_columns_say(tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLES / "version-1", tmp_path / "sample")
    with contextlib.closing(sqlite3.connect(folder / "history.sqlite")) as database:
        database.execute("UPDATE runs SET body = '{' WHERE kind = 'verify'")
        database.commit()
    with History(folder / "history.sqlite") as history:
        assert history.count(RunFilter(search="verify scale")) == 1
        assert history.count(RunFilter(search="profile scale")) == 1


def test_an_older_file_is_migrated_and_a_copy_kept(sample: Path) -> None:
    open_database(sample, 1.0, [*STEPS, NEXT_STEP]).close()
    backup = sample.with_name(f"history.sqlite.v{len(STEPS)}.bak")
    assert version(sample) == len(STEPS) + 1
    assert "note" in columns(sample)
    assert version(backup) == len(STEPS)
    assert "note" not in columns(backup)


def test_the_copy_is_a_whole_history(sample: Path) -> None:
    open_database(sample, 1.0, [*STEPS, NEXT_STEP]).close()
    with History(sample.with_name(f"history.sqlite.v{len(STEPS)}.bak")) as copy:
        assert copy.count() == 3


def test_a_migration_that_fails_changes_nothing(sample: Path) -> None:
    with pytest.raises(HistoryError, match="nowhere"):
        open_database(sample, 1.0, [*STEPS, BROKEN_STEP])
    assert version(sample) == len(STEPS)
    with History(sample) as history:
        assert history.count() == 3


def test_a_newer_file_is_refused_with_both_versions_and_left_as_it_is(sample: Path) -> None:
    newer = len(STEPS) + 1
    open_database(sample, 1.0, [*STEPS, NEXT_STEP]).close()
    before = sample.read_bytes()
    with pytest.raises(HistoryError, match=rf"version {newer}; .* up to version {len(STEPS)}"):
        History(sample)
    assert sample.read_bytes() == before


def test_a_file_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(HistoryError, match="something else"):
        History(path)


def test_the_file_is_in_wal_mode(history: History) -> None:
    with contextlib.closing(sqlite3.connect(history.path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("field", ["kernel", "document", "target", "kind", "status"])
def test_a_filter_is_answered_by_an_index_in_order(
    history: History, make_run: Callable[..., Run], field: str
) -> None:
    with contextlib.closing(sqlite3.connect(history.path)) as database:
        rows = database.execute(
            f"EXPLAIN QUERY PLAN SELECT id FROM runs WHERE {field} = 'x' "
            "ORDER BY created_us DESC, id DESC LIMIT 100"
        ).fetchall()
    assert [row[3] for row in rows] == [
        f"SEARCH runs USING COVERING INDEX runs_by_{field} ({field}=?)"
    ]
