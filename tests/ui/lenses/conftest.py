"""A window with one small kernel in front, which nothing lowers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.support.lens_subjects import DOUBLE
from workbench.app import Application


@pytest.fixture
def application(qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "double.py").write_text(DOUBLE)
    made = Application(qapp, tmp_path)
    made.session.update_settings(live_refresh=False)
    made.controller.files.open(tmp_path / "double.py")
    yield made
    made.close()
