from __future__ import annotations

from pathlib import Path

import pytest

from workbench.session.window_state import (
    FILE_NAME,
    OpenFile,
    WindowState,
    load_window_state,
    save_window_state,
)

STATE = WindowState(
    {"geometry": "abc", "perspective": "debug"},
    (OpenFile("/w/a.py", 3, 4), OpenFile("/w/b.py")),
    "/w/a.py",
    {"problems": {"columns": [1]}},
)


def test_a_state_comes_back(tmp_path: Path) -> None:
    save_window_state(tmp_path, STATE)
    assert load_window_state(tmp_path) == STATE


def test_a_workspace_that_was_never_open_has_an_empty_state(tmp_path: Path) -> None:
    assert load_window_state(tmp_path) == WindowState()


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"version": 1, "layout": 3, "files": [1, {"path": 2}], "current": [], "panes": 0}'],
)
def test_a_damaged_state_is_left_out(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE_NAME).write_text(content)
    assert load_window_state(tmp_path) == WindowState()


def test_a_damaged_place_in_a_file_is_its_beginning(tmp_path: Path) -> None:
    content = '{"version": 1, "files": [{"path": "/a.py", "line": -3, "column": "x"}]}'
    (tmp_path / FILE_NAME).write_text(content)
    assert load_window_state(tmp_path).files == (OpenFile("/a.py", 1, 1),)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    save_window_state(blocked, STATE)
    assert blocked.read_text() == ""
