"""The workspace of a document: its folder, and the folder in which its runs are kept."""

from __future__ import annotations

import errno
import hashlib
import re
import tempfile
from pathlib import Path

from workbench.core.user_folders import user_data_folder

DATA_FOLDER = ".workbench"
_MARKS = (DATA_FOLDER, ".git")  # .git is a file in a worktree or submodule

#: What says that the workspace itself cannot take the folder; a full disk is none of it.
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR}


class WorkspaceError(Exception):
    """No folder for the data of a workspace; the message says where, why and what next."""


def find_workspace(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds `.workbench` or `.git`.

    Without one it is `start`, or its folder where it is a file; absolute, links resolved.
    """
    # The folder's links, not the file's own: a linked document belongs where it was opened.
    folder = (start.parent if start.is_file() else start).resolve()
    return next((f for f in (folder, *folder.parents) if is_marked_workspace(f)), folder)


def workspace_data(workspace: Path) -> Path:
    """Return the folder for the data of `workspace`, made if need be.

    It is `<workspace>/.workbench`, kept out of version control by a `.gitignore` of its own, or,
    where that cannot be written, a folder of this workspace in the user's data folder. Raises
    `WorkspaceError` where neither can be.
    """
    workspace = workspace.resolve()
    try:
        return _prepare(workspace / DATA_FOLDER)
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise _error(workspace / DATA_FOLDER, error) from error
    folder = fallback_data(workspace)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return _prepare(folder)
    except OSError as error:
        raise _error(folder, error) from error


def fallback_data(workspace: Path) -> Path:
    """Return the folder in the user's data folder that stands for `workspace`; nothing is made."""
    workspace = workspace.resolve()
    digest = hashlib.sha256(str(workspace).encode("utf-8", "surrogateescape")).hexdigest()
    name = re.sub(r"[^A-Za-z0-9._-]", "_", workspace.name)[:40]
    return user_data_folder() / "workspaces" / f"{name}-{digest[:16]}"


def is_marked_workspace(folder: Path) -> bool:
    """Say whether a repository or a history of ours marks a folder as a workspace."""
    try:
        return any((folder / mark).exists() for mark in _MARKS)
    except OSError:  # a folder above that may not be looked into is not the workspace
        return False


def _prepare(folder: Path) -> Path:
    """Make `folder` with its `.gitignore` and prove that files can be made in it."""
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    # os.access does not know read-only mounts everywhere, nor Windows' access lists.
    with tempfile.TemporaryFile(dir=folder):
        return folder


def _error(folder: Path, error: OSError) -> WorkspaceError:
    return WorkspaceError(
        f"The folder {folder} for the workspace's runs cannot be used: {error.strerror or error}. "
        "Make it writable, free some space, or name another in TILELANG_WORKBENCH_DATA."
    )
