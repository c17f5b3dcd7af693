from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.navigator import LibraryEntry, Navigator
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

FILES = ("gemm.py", "softmax.py", "fp8/scaled/gemm_fp8.py", "models/mla.py")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with four kernels, and a file that is none."""
    root = tmp_path / "kernels"
    for name in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import tilelang\n", encoding="utf-8")
    (root / "setup.py").write_text("", encoding="utf-8")
    return root


@pytest.fixture
def navigator(theme: Theme, icons: Icons, qtbot: QtBot, workspace: Path) -> Navigator:
    navigator = Navigator(theme, icons)
    qtbot.addWidget(navigator)
    navigator.resize(204, 600)
    navigator.set_library([LibraryEntry("GEMM", Path("/shipped/gemm.py"), "C = A B")])
    with qtbot.waitSignal(navigator.files_changed, timeout=5000):
        navigator.set_workspace(workspace)
    navigator.show()
    return navigator
