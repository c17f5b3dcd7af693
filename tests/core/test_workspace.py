"""Workspaces: found from a document, and where their data goes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from workbench.core.user_folders import user_cache_folder, user_config_folder, user_data_folder
from workbench.core.workspace import WorkspaceError, fallback_data, find_workspace, workspace_data


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "project" / "kernels" / "deep").mkdir(parents=True)
    (tmp_path / "project" / "kernels" / "deep" / "k.py").touch()
    return tmp_path.resolve()


@pytest.mark.parametrize("mark", [".git", ".workbench"])
@pytest.mark.parametrize("start", ["project", "project/kernels/deep", "project/kernels/deep/k.py"])
def test_the_marked_folder_above_is_the_workspace(place: Path, mark: str, start: str) -> None:
    (place / "project" / mark).mkdir()
    assert find_workspace(place / start) == place / "project"


def test_the_git_file_of_a_worktree_marks_too(place: Path) -> None:
    (place / "project" / ".git").write_text("gitdir: elsewhere")
    assert find_workspace(place / "project" / "kernels") == place / "project"


def test_the_nearest_mark_wins(place: Path) -> None:
    (place / "project" / ".git").mkdir()
    (place / "project" / "kernels" / ".workbench").mkdir()
    assert find_workspace(place / "project" / "kernels" / "deep") == place / "project" / "kernels"


def test_without_a_mark_it_is_the_start_or_the_folder_of_the_file(place: Path) -> None:
    deep = place / "project" / "kernels" / "deep"
    assert find_workspace(deep) == find_workspace(deep / "k.py") == deep


def test_a_relative_start_gives_an_absolute_workspace(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "project" / ".git").mkdir()
    monkeypatch.chdir(place / "project" / "kernels")
    assert find_workspace(Path("deep/k.py")) == place / "project"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")
def test_a_linked_document_belongs_where_it_was_opened(place: Path) -> None:
    (place / "project" / ".git").mkdir()
    (place / "outside.py").touch()
    (place / "project" / "link.py").symlink_to(place / "outside.py")
    assert find_workspace(place / "project" / "link.py") == place / "project"


def test_the_data_folder_lies_in_the_workspace_and_out_of_version_control(place: Path) -> None:
    data = workspace_data(place / "project")
    assert data == place / "project" / ".workbench"
    assert (data / ".gitignore").read_text() == "*\n"
    assert [p.name for p in data.iterdir()] == [".gitignore"]


def test_a_gitignore_of_the_person_is_left(place: Path) -> None:
    data = workspace_data(place / "project")
    (data / ".gitignore").write_text("!history.sqlite\n")
    assert workspace_data(place / "project") == data
    assert (data / ".gitignore").read_text() == "!history.sqlite\n"


@pytest.mark.parametrize("existing", [False, True])
def test_a_workspace_that_may_not_be_written_has_its_data_with_the_user(
    public_folder: Path,
    read_only: Callable[[Path], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
    existing: bool,
) -> None:
    workspace, home = public_folder / "ws", public_folder / "home"
    workspace.mkdir()
    home.mkdir()
    home.chmod(0o777)
    guarded = workspace
    if existing:
        guarded = workspace / ".workbench"
        guarded.mkdir()
        (guarded / ".gitignore").write_text("*\n")
    monkeypatch.setenv("TILELANG_WORKBENCH_DATA", str(home))
    with read_only(guarded):
        data = workspace_data(workspace)
    assert data == fallback_data(workspace)
    assert data.parent == home / "workspaces"
    assert data.is_dir()


def test_a_file_in_the_way_of_the_data_folder_is_left_there(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELANG_WORKBENCH_DATA", str(place / "home"))
    (place / "project" / ".workbench").write_text("mine")
    assert workspace_data(place / "project") == fallback_data(place / "project")
    assert (place / "project" / ".workbench").read_text() == "mine"


def test_workspaces_of_one_name_have_their_own_fallbacks(place: Path) -> None:
    names = [fallback_data(place / name / "kernels").name for name in ("a", "b")]
    assert names[0] != names[1]
    assert all(name.startswith("kernels-") for name in names)


def test_a_workspace_of_any_name_has_a_fallback(place: Path) -> None:
    name = fallback_data(place / ("\udcff ü:" * 60)).name
    assert name.isascii()
    assert len(name) < 60


def test_a_missing_workspace_is_said_and_not_made(place: Path) -> None:
    with pytest.raises(WorkspaceError, match="typo"):
        workspace_data(place / "typo")
    assert not (place / "typo").exists()


def test_a_full_disk_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(WorkspaceError, match=r"No space left .* free some space"):
        workspace_data(place / "project")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("CONFIG", user_config_folder),
        ("DATA", user_data_folder),
        ("CACHE", user_cache_folder),
    ],
)
def test_the_environment_names_the_users_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, folder: Callable[[], Path]
) -> None:
    monkeypatch.setenv(f"TILELANG_WORKBENCH_{name}", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.delenv(f"TILELANG_WORKBENCH_{name}")
    assert folder().is_absolute()
    assert "tilelang-workbench" in folder().parts
