from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.session.watching import TICK_NANOSECONDS, ChangeKind, FileWatch

SECOND = 1_000_000_000


class Clock:
    """Nanoseconds, an hour after the file was written."""

    def __init__(self, path: Path) -> None:
        self.now = path.stat().st_mtime_ns + 3600 * SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "k.py"
    path.write_bytes(b"one")
    return path


@pytest.fixture
def watch(path: Path) -> FileWatch:
    return FileWatch(path, b"one", Clock(path))


def test_a_file_that_nobody_touched_is_unchanged(watch) -> None:
    assert watch.check() is None


def test_a_changed_file_is_told_with_its_content_until_it_is_accepted(watch, path) -> None:
    path.write_bytes(b"other")
    for _ in range(2):
        change = watch.check()
        assert change.kind is ChangeKind.CHANGED
        assert change.content == b"other"
    watch.accept(b"other")
    assert watch.check() is None


def test_a_deleted_file_is_told(watch, path) -> None:
    path.unlink()
    assert watch.check().kind is ChangeKind.DELETED


def test_a_file_that_comes_back_as_it_was_is_unchanged(watch, path) -> None:
    path.unlink()
    watch.check()
    path.write_bytes(b"one")
    assert watch.check() is None


def test_a_touched_file_is_unchanged(watch, path) -> None:
    watch.check()
    os.utime(path, ns=(SECOND, SECOND))
    assert watch.check() is None


def test_an_unchanged_file_is_not_read_again(watch, path, monkeypatch) -> None:
    watch.check()
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("the file was read"))
    assert watch.check() is None


def test_a_second_write_in_one_tick_of_the_clock_is_seen(path) -> None:
    clock = Clock(path)
    clock.now = path.stat().st_mtime_ns + TICK_NANOSECONDS // 2
    watch = FileWatch(path, b"one", clock)
    assert watch.check() is None
    status = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert watch.check().content == b"two"


def test_a_change_between_reading_and_watching_is_seen(path) -> None:
    path.write_bytes(b"two")
    assert FileWatch(path, b"one").check().kind is ChangeKind.CHANGED


def test_a_file_that_cannot_be_read_is_an_error(tmp_path) -> None:
    watch = FileWatch(tmp_path, b"")
    with pytest.raises(OSError, match="directory"):
        watch.check()
