"""A copy of a history for somebody who may not write to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.core.history import History, HistoryError
from workbench.core.history.copying import copy_rows
from workbench.core.runs import Run

Make = Callable[..., Run]


def test_a_copy_has_the_runs_and_the_original_stays(tmp_path: Path, make_run: Make) -> None:
    source, target = tmp_path / "theirs.sqlite", tmp_path / "ours.sqlite"
    with History(source) as theirs:
        theirs.add(make_run(0, b"x"), [b"x"])
        copy_rows(source, target)  # while it is open, with what is not in the main file yet
        with History(target) as ours:
            ours.add(make_run(1, b"y"), [b"y"])
            assert ours.count() == 2
        assert theirs.count() == 1


def test_no_history_leaves_no_copy(tmp_path: Path) -> None:
    copy_rows(tmp_path / "none.sqlite", tmp_path / "copy.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_history_is_told(tmp_path: Path) -> None:
    source = tmp_path / "notes.sqlite"
    source.write_text("no database at all, but a text that is long enough")
    with pytest.raises(HistoryError, match="damaged or no history"):
        copy_rows(source, tmp_path / "copy.sqlite")
