"""Several processes on one history: nothing is lost, and none is turned away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.core.history import History
from workbench.core.history.schema import STEPS, open_database

ROOT = Path(__file__).parents[3]
RUNS_EACH = 25

# Every writer shares one content with the others and has one of its own; a small quota makes
# them collect each other's while they write.
WRITER = """
import sys
from datetime import datetime, timezone
from pathlib import Path
from workbench.core.history import History
from workbench.core.runs import Artifact, Run, RunKind, RunStatus, new_run_id

path, name, count, quota = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.stdin.readline()
with History(path, quota_bytes=quota, busy_timeout_s=60) as history:
    for i in range(count):
        now = datetime.now(timezone.utc)
        contents = [b"shared", f"{name} {i}".encode() * 50]
        artifacts = tuple(Artifact.of("a", "x/y", content) for content in contents)
        run = Run(new_run_id(now), now, RunKind.COMPILE, RunStatus.DONE, kernel=name,
                  artifacts=artifacts)
        history.add(run, contents)
        history.list(limit=2)
"""


def write_from_processes(path: Path, names: str, quota_bytes: int) -> None:
    """Let one process a name write at the same time; all begin once all are up."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name, str(RUNS_EACH), str(quota_bytes)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for name in names
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert (writer.returncode, errors) == (0, "")


@pytest.mark.parametrize("quota_bytes", [10**9, 500])
def test_processes_make_and_fill_one_history_together(tmp_path: Path, quota_bytes: int) -> None:
    path = tmp_path / "history.sqlite"
    write_from_processes(path, "abc", quota_bytes)
    with History(path) as history:
        runs = history.list(limit=None).runs
        assert len(runs) == history.count() == 3 * RUNS_EACH
        assert history.blob(runs[0].blobs[0]) == b"shared"
        files = [p for p in (tmp_path / "blobs").rglob("*") if p.is_file()]
        assert history.stored_bytes() == sum(p.stat().st_size for p in files)


def test_a_process_killed_while_writing_leaves_a_whole_history(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    History(path).close()
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), "a", "100000", "1000"],
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert writer.stdin is not None
    writer.stdin.write("\n")
    writer.stdin.flush()
    with History(path) as history:
        while history.count() < 10:
            assert writer.poll() is None
        writer.kill()
        writer.communicate()
        listing = history.list(limit=None)
        assert len(listing.runs) == history.count() >= 10
        assert not listing.problems


def test_two_processes_migrate_once(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    History(path).close()
    steps = "CREATE TABLE notes (note TEXT);"
    script = (
        "import sys; from pathlib import Path; from workbench.core.history.schema import *\n"
        f"sys.stdin.readline(); open_database(Path({str(path)!r}), 60, [*STEPS, {steps!r}]).close()"
    )
    migrators = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(3)
    ]
    for migrator in migrators:
        assert migrator.stdin is not None
        migrator.stdin.write("\n")
        migrator.stdin.flush()
    for migrator in migrators:
        assert migrator.communicate(timeout=60)[1] == ""
    database = open_database(path, 1.0, [*STEPS, steps])
    assert database.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    database.close()
