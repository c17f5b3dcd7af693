from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.session.recovery import (
    DELAY_SECONDS,
    RETRY_SECONDS,
    RecoveryStore,
    Snapshot,
    digest,
)

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "data" / "recovery"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock):
    made = RecoveryStore(tmp_path, clock)
    yield made
    made.close()


def crash(root: Path, text: str) -> None:
    """Write a copy in a process that is then killed."""
    script = (
        "import sys, time, os, signal\n"
        "from pathlib import Path\n"
        "from workbench.session.recovery import *\n"
        "store = RecoveryStore(Path(sys.argv[1]), lambda: next(times))\n"
        "times = iter([0.0, 9.0])\n"
        "store.note_change('a', lambda: Snapshot(Path('k.py'), sys.argv[2], b'old'))\n"
        "assert store.write_due() == ()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(root), text], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL


def copies(root: Path) -> list[Path]:
    return sorted(root.glob("[!.]*/*.json"))


def test_a_change_is_copied_when_it_is_due(store, tmp_path, clock) -> None:
    store.note_change("a", lambda: Snapshot(None, "text"))
    assert store.write_due() == ()
    assert not copies(tmp_path)
    clock.now += DELAY_SECONDS
    store.write_due()
    assert len(copies(tmp_path)) == 1
    assert not store.is_waiting


def test_typing_without_a_pause_is_copied_too(store, tmp_path, clock) -> None:
    for _ in range(4):
        store.note_change("a", lambda: Snapshot(None, "text"))
        clock.now += 1
        store.write_due()
    assert len(copies(tmp_path)) == 1


def test_a_saved_document_is_discarded(store, tmp_path, clock) -> None:
    store.note_change("a", lambda: Snapshot(None, "text"))
    clock.now += DELAY_SECONDS
    store.write_due()
    store.note_change("a", lambda: Snapshot(None, "more"))
    store.discard("a")
    clock.now += DELAY_SECONDS
    store.write_due()
    assert not copies(tmp_path)


def test_what_a_crash_leaves_is_found(store, tmp_path) -> None:
    crash(tmp_path, "x = 'é'\r\n")
    found = store.left_by_crash()
    assert found.problems == ()
    (copy,) = found.copies
    assert (copy.path, copy.text) == (Path("k.py"), "x = 'é'\r\n")
    assert copy.base_digest == digest(b"old")


def test_a_dropped_copy_is_gone(store, tmp_path, clock) -> None:
    crash(tmp_path, "x")
    store.drop(store.left_by_crash().copies[0])
    store.close()
    assert not list(tmp_path.iterdir())


def test_a_copy_that_nobody_decided_on_is_found_again(tmp_path, clock) -> None:
    crash(tmp_path, "x")
    for _ in range(2):
        store = RecoveryStore(tmp_path, clock)
        assert len(store.left_by_crash().copies) == 1
        store.close()


def test_the_copies_of_a_running_window_are_its_own(store, tmp_path, clock) -> None:
    store.note_change("a", lambda: Snapshot(None, "text"))
    clock.now += DELAY_SECONDS
    store.write_due()
    other = RecoveryStore(tmp_path, clock)
    assert other.left_by_crash().copies == ()
    other.close()
    assert len(copies(tmp_path)) == 1


def test_what_one_window_claims_another_does_not_get(store, tmp_path, clock) -> None:
    crash(tmp_path, "x")
    assert len(store.left_by_crash().copies) == 1
    other = RecoveryStore(tmp_path, clock)
    assert other.left_by_crash().copies == ()
    other.close()


def test_a_regular_end_leaves_nothing(tmp_path, clock) -> None:
    store = RecoveryStore(tmp_path, clock)
    store.note_change("a", lambda: Snapshot(None, "text"))
    clock.now += DELAY_SECONDS
    store.write_due()
    store.close()
    assert not list(tmp_path.iterdir())


def test_a_damaged_copy_costs_that_copy_alone(store, tmp_path) -> None:
    crash(tmp_path, "x")
    (copies(tmp_path)[0].parent / "0.json").write_text("{")
    found = store.left_by_crash()
    assert len(found.copies) == 1
    assert "damaged" in found.problems[0]


@pytest.mark.parametrize("text", ['{"version": 9}', '{"version": 1, "path": null}'])
def test_a_copy_of_another_form_is_told(store, tmp_path, text: str) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "1.json").write_text(text)
    found = store.left_by_crash()
    assert found.copies == ()
    assert "1.json" in found.problems[0]


def test_a_copy_of_version_1_is_read(store, tmp_path) -> None:
    folder = tmp_path / "old"
    folder.mkdir()
    shutil.copy(SAMPLES / "version-1.json", folder / "1.json")
    (copy,) = store.left_by_crash().copies
    assert copy.path == Path("/kernels/gemm.py")
    assert copy.text == "import tilelang\n"


def test_a_failure_is_told_and_tried_again(store, tmp_path, clock, monkeypatch) -> None:
    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    store.note_change("a", lambda: Snapshot(None, "text"))
    clock.now += DELAY_SECONDS
    with monkeypatch.context() as patch:
        patch.setattr("workbench.session.recovery.write_atomically", full)
        (problem,) = store.write_due()
    assert "No space left on device" in problem
    assert store.write_due() == ()
    clock.now += RETRY_SECONDS
    assert store.write_due() == ()
    assert len(copies(tmp_path)) == 1


def test_what_a_window_leaves_is_found_at_the_next_start(tmp_path: Path) -> None:
    store = RecoveryStore(tmp_path)
    store.note_change("a", lambda: Snapshot(Path("/a.py"), "unsaved"))
    store.leave()
    following = RecoveryStore(tmp_path)
    assert [c.text for c in following.left_by_crash().copies] == ["unsaved"]
    following.close()


def test_a_text_of_another_machine_stays_one(tmp_path: Path) -> None:
    crashed = RecoveryStore(tmp_path, clock=lambda: 0.0)
    crashed.note_change("a", lambda: Snapshot(None, "text", foreign=True))
    crashed.note_change("b", lambda: Snapshot(None, "own"))
    crashed.leave()
    store = RecoveryStore(tmp_path)
    found = {copy.text: copy.foreign for copy in store.left_by_crash().copies}
    assert found == {"text": True, "own": False}
    store.close()
