from __future__ import annotations

from pathlib import Path

import pytest

from workbench.ui.places import place_in, short_folder


def test_the_home_folder_is_written_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
    assert short_folder(Path("/home/ada/kernels")) == "~/kernels"
    assert short_folder(Path("/srv/kernels")) == "/srv/kernels"


def test_a_file_at_the_root_of_its_workspace_needs_no_place() -> None:
    assert place_in(Path("/w"), Path("/w/gemm.py")) == ""
    assert place_in(Path("/w"), Path("/w/a/b/gemm.py")) == str(Path("a/b"))
    assert place_in(Path("/w"), Path("/srv/gemm.py")) == "/srv"
