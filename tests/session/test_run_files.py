"""Runs that leave one history and arrive in another."""

from __future__ import annotations

import platform
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.history import BlobMissingError, History
from workbench.core.run_archive import ArchiveError, model, write_archive
from workbench.core.runs import (
    LOCAL_HOST,
    Artifact,
    Run,
    RunKind,
    RunStatus,
    blob_hash,
    new_run_id,
)
from workbench.session.run_files import export_runs, import_archive

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
TEXT = b"def kernel(): ..."


def run_of(minute: int = 0, **fields: Any) -> Run:
    created = START + timedelta(minutes=minute)
    usual: dict[str, Any] = {
        "kind": RunKind.PROFILE,
        "status": RunStatus.DONE,
        "host": LOCAL_HOST,
        "text_blob": blob_hash(TEXT),
        "artifacts": (Artifact.of("profile.json", "application/json", b"%d" % minute),),
    }
    return Run(**{"id": new_run_id(created), "created": created, **usual, **fields})


@pytest.fixture
def make_history(tmp_path: Path) -> Iterator[Callable[[str], History]]:
    opened: list[History] = []

    def make(name: str) -> History:
        opened.append(History(tmp_path / name / "history.sqlite3"))
        return opened[-1]

    yield make
    for history in opened:
        history.close()


@pytest.fixture
def archive(make_history: Callable[[str], History], tmp_path: Path) -> Path:
    """Two runs of a machine called gpu7."""
    there = make_history("there")
    for minute in range(2):
        there.add(run_of(minute, pinned=minute == 1), [TEXT, b"%d" % minute])
    path = tmp_path / "h200.tlw.zip"
    write_archive(path, there.list().runs, there.blob, "gpu7")
    return path


@pytest.fixture
def here(make_history: Callable[[str], History]) -> History:
    return make_history("here")


def test_runs_arrive_with_what_they_stored(here: History, archive: Path) -> None:
    found = import_archive(here, archive)
    assert (len(found.added), found.present, found.problems, found.absent) == (2, (), (), 0)
    newest = here.list().runs[0]
    assert newest.pinned
    assert here.blob(newest.artifacts[0].blob) == b"1"
    assert here.blob(blob_hash(TEXT)) == TEXT


def test_a_run_that_arrived_tells_where_from(here: History, archive: Path) -> None:
    import_archive(here, archive)
    assert {run.host for run in here.list().runs} == {"gpu7"}
    assert {run.origin for run in here.list().runs} == {"h200.tlw.zip, from gpu7"}


def test_runs_that_come_home_are_of_this_machine_again(here: History, tmp_path: Path) -> None:
    there_path = tmp_path / "own.tlw.zip"
    export_runs(here, [run_of(), run_of(1, host="gpu1")], there_path)
    import_archive(here, there_path)
    assert [run.host for run in here.list().runs] == ["gpu1", LOCAL_HOST]


@pytest.mark.parametrize("identity", [None, "another"])
def test_runs_of_another_machine_of_the_same_name_are_of_that(
    here: History, tmp_path: Path, identity: str | None
) -> None:
    path = tmp_path / "theirs.tlw.zip"
    write_archive(path, [run_of(), run_of(1, host="gpu1")], here.blob, machine_id=identity)
    import_archive(here, path)
    assert [run.host for run in here.list().runs] == ["gpu1", platform.node()]


def test_what_is_passed_on_keeps_its_first_origin(
    here: History, archive: Path, make_history: Callable[[str], History], tmp_path: Path
) -> None:
    import_archive(here, archive)
    export_runs(here, here.list().runs, tmp_path / "again.tlw.zip")
    third = make_history("third")
    import_archive(third, tmp_path / "again.tlw.zip")
    assert third.list().runs == here.list().runs


def test_a_second_import_changes_nothing(here: History, archive: Path) -> None:
    first = import_archive(here, archive)
    found = import_archive(here, archive)
    assert found.added == ()
    assert sorted(found.present) == sorted(first.added)
    assert here.count() == 2


def test_a_content_at_fault_costs_that_content(here: History, archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    entries[model.blob_entry(blob_hash(b"1"))] = b"other"
    del entries[model.blob_entry(blob_hash(b"0"))]
    with zipfile.ZipFile(archive, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    found = import_archive(here, archive)
    assert (len(found.added), found.absent) == (2, 1)
    assert found.problems == (f"blobs/{blob_hash(b'1')}: its content has another hash",)
    with pytest.raises(BlobMissingError):
        here.blob(blob_hash(b"1"))


def test_names_in_an_archive_lead_nowhere(here: History, archive: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("../escaped.txt", "x")
        file.writestr("/tmp/escaped.txt", "x")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    import_archive(here, archive)
    arrived = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert all(path.is_relative_to(here.path.parent) for path in arrived)
    assert not (tmp_path.parent / "escaped.txt").exists()


def test_what_came_before_a_bound_stays(
    here: History, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(archive) as file:
        first = file.read(model.MANIFEST) + file.read(model.RUNS).splitlines(keepends=True)[0]
    monkeypatch.setattr(model, "MOST_BYTES", len(first) + len(TEXT) + 10)
    found = import_archive(here, archive)
    assert len(found.added) == 1
    assert "not read further" in found.problems[0]


def test_a_file_that_is_no_archive_is_refused(here: History, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError):
        import_archive(here, tmp_path / "nothing.tlw.zip")


def test_runs_of_an_older_writer_arrive_with_what_differs_from_their_case(
    here: History, tmp_path: Path
) -> None:
    text = b"import tilelang\n\n\n@tilelang.jit\ndef k(M=8, N=8):\n    return None\n"
    run = run_of(
        kernel="k", case="default", args={"M": 16, "N": 8}, text_blob=blob_hash(text), artifacts=()
    )
    path = tmp_path / "old.tlw.zip"
    write_archive(path, [run], lambda name: text, "gpu7")
    import_archive(here, path)
    assert here.get(run.id).overrides == {"M": 16}
