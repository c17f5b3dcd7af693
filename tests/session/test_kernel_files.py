from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.session import kernel_files
from workbench.session.kernel_files import find_kernel_files

KERNEL = "import tilelang\n"


def write(root: Path, *names: str, text: str = KERNEL) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path) -> list[str]:
    paths = [path for path in find_kernel_files(root) if path is not None]
    return [path.relative_to(root).as_posix() for path in paths]


def test_files_that_name_tilelang_are_found_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b.py", "A.py", "deep/er/c.py")
    assert found(tmp_path) == ["A.py", "b.py", "deep/er/c.py"]


def test_other_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, "notes.md")
    write(tmp_path, "plain.py", text="import numpy\n")
    assert found(tmp_path) == []


@pytest.mark.parametrize("folder", [".git", "__pycache__", "node_modules", ".venv", "venv"])
def test_folders_of_other_programs_are_left_out(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"{folder}/gemm.py")
    assert found(tmp_path) == []


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "kernels/gemm.py")
    (tmp_path / "kernels" / "again").symlink_to(tmp_path)
    assert found(tmp_path) == ["kernels/gemm.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "closed/gemm.py", "open.py")
    (tmp_path / "closed").chmod(0)
    assert found(tmp_path) == ["open.py"]
    (tmp_path / "closed").chmod(0o755)


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path / "gone") == []


def test_the_search_ends_at_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_files, "MOST_FILES", 2)
    write(tmp_path, "a.py", "b.py", "c.py")
    assert found(tmp_path) == ["a.py", "b.py"]


def test_the_caller_can_pause_at_every_file(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.py", "c.txt")
    assert [path is not None for path in find_kernel_files(tmp_path)] == [False, True, False]
