"""A disk that is really full, a limit on the size of files: what is there stays, and is read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]

# A file system of 1 MiB that the test alone sees; whoever may not make one skips the test.
MOUNTED = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" -c "$3" "$1"'

WITHIN_BOUNDS = r"""
import json, os, sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from workbench.core.history import History, HistoryError
from workbench.core.run_archive import ArchiveError
from workbench.core.runs import Artifact, Run, RunKind, RunStatus, new_run_id
from workbench.session.run_files import export_runs
from workbench.session.run_marking import RunDeletionError, delete_runs

folder = Path(sys.argv[1])
said = {}

def run(minute, *contents):
    created = datetime(2026, 3, 1, tzinfo=timezone.utc) + timedelta(minutes=minute)
    artifacts = tuple(Artifact.of(f"{at}.bin", "x/y", each) for at, each in enumerate(contents))
    return Run(new_run_id(created), created, RunKind.COMPILE, RunStatus.DONE, artifacts=artifacts)

def attempt(name, what):
    try:
        what()
        said[name] = ""
    except (HistoryError, ArchiveError, RunDeletionError) as error:
        said[name] = f"{type(error).__name__}: {error}"

def files():
    return sorted(each.name for each in (folder / "blobs").rglob("*") if each.is_file())

small, large = b"kept", os.urandom(600_000)
kept = run(0, small)
history = History(folder / "history.sqlite3")
history.add(kept, [small])
before = files()
CONFINE
attempt("add", lambda: history.add(run(1, large), [large]))
attempt("mark", lambda: history.update(kept.id, lambda each: each))
ALSO
said["listed"] = [each.id for each in history.list().runs] == [kept.id]
said["read"] = history.blob(kept.blobs[0]) == small
said["blobs"] = files() == before
said["left"] = sorted(each.name for each in folder.iterdir() if each.suffix in (".part", ".zip"))
RELEASE
attempt("again", lambda: history.add(run(1, large[:100_000]), [large[:100_000]]))
said["runs"] = history.count()
with History(folder / "history.sqlite3") as anew:
    said["whole"] = anew._database.execute("PRAGMA integrity_check").fetchone()[0]
print(json.dumps(said))
"""
FILL = r"""
with (folder / "filler").open("wb", buffering=0) as filler:
    try:
        while True:
            filler.write(bytes(4096))
    except OSError:
        pass
"""
EXPORT_AND_DELETE = r"""
attempt("export", lambda: export_runs(history, [run(2, large)], folder / "runs.tlw.zip"))
attempt("delete", lambda: delete_runs(history, [kept.id]))
"""
LIMIT = r"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
"""
UNLIMIT = r"resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)"


def told(command: list[str]) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def script(confine: str, release: str, also: str = "") -> str:
    parts = {"CONFINE": confine, "RELEASE": release, "ALSO": also}
    text = WITHIN_BOUNDS
    for place, part in parts.items():
        text = text.replace(place, part)
    return text


def check_that_all_is_as_it_was(said: dict[str, Any]) -> None:
    assert (said["listed"], said["read"], said["blobs"], said["left"]) == (True, True, True, [])
    assert (said["again"], said["runs"], said["whole"]) == ("", 2, "ok")


def may_mount(folder: Path) -> bool:
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    own = [unshare, "--user", "--map-root-user", "--mount"]
    trial = [*own, "sh", "-c", 'mount -t tmpfs tmpfs "$0"', str(folder)]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def test_a_full_disk_costs_what_was_to_be_written_and_nothing_else(tmp_path: Path) -> None:
    if not may_mount(tmp_path):
        pytest.skip("this machine lets nobody make a file system of his own")
    own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNTED, "sh"]
    code = script(FILL, '(folder / "filler").unlink()', EXPORT_AND_DELETE)
    said = told([*own, str(tmp_path), sys.executable, code])
    for name in ("add", "mark"):
        assert said[name].startswith("HistoryError: The history could not ")
        assert "the disk is full" in said[name]
        assert "free some space" in said[name]
    assert said["export"].startswith("ArchiveError: ")
    assert "No space left" in said["export"]
    assert said["delete"].startswith("RunDeletionError: nothing is deleted")
    check_that_all_is_as_it_was(said)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_limit_on_the_size_of_files_costs_what_is_larger(tmp_path: Path) -> None:
    said = told([sys.executable, "-c", script(LIMIT, UNLIMIT), str(tmp_path)])
    assert "a file may not grow further" in said["add"]
    assert "ulimit -f" in said["add"]
    assert said["mark"] == ""
    check_that_all_is_as_it_was(said)
