"""Whole files are written or left as they were."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from workbench.core.atomic_files import write_atomically

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are POSIX'")


@pytest.mark.parametrize("durable", [True, False])
def test_the_content_replaces_the_old(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "file"
    for content in (b"a longer content", b"\x00new\r\n"):
        write_atomically(path, content, durable=durable)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no room"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix_only
def test_a_link_keeps_pointing_at_its_file(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    link = tmp_path / "settings.json"
    link.symlink_to(tmp_path / "dotfiles" / "settings.json")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "dotfiles" / "settings.json").read_bytes() == b"new"


@posix_only
def test_the_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o640)
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o640
