"""A slider moves in the real window: cheap figures follow at once, exact ones when lowered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QSlider

from workbench.app import Application
from workbench.core.data_files import find_data
from workbench.session.lenses.subject import LensTarget
from workbench.ui.lenses.lens import Lens

WAIT_MS = 180_000
pytestmark = pytest.mark.slow


@pytest.fixture
def application(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    text = (find_data("kernels") / "gemm.py").read_text(encoding="utf-8")
    (tmp_path / "gemm.py").write_text(text, encoding="utf-8")
    made = Application(qapp, tmp_path)
    made.session.trust.grant(tmp_path)
    made.show((tmp_path / "gemm.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_a_slider_moves(application: Application, qtbot: Any) -> None:
    session, docks = application.session, application.window.docks
    views = application.controller.panels.lenses
    tab = application.window.editors.current
    assert tab is not None
    document = tab.document
    session.set_targets(document, ("h100",))
    qtbot.waitUntil(lambda: "h100" in document.analyses.good, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=WAIT_MS)
    docks.show("tiles")
    tiles, pipeline = views.lens("tiles"), views.lens("pipeline")
    before = target_of(tiles)
    assert not before.quick
    assert grid_of(before) == (8, 8, 1)

    row = application.controller.panels.case_form.rows["block_M"]
    slider = row.findChild(QSlider)
    assert slider is not None
    slider.setValue(row.spec.steps.index(64))

    # At once: nothing was lowered, and no event has been handled in between.
    at_once = target_of(tiles)
    assert at_once.quick.endswith("lowering follows.")
    assert grid_of(at_once) == (8, 16, 1)
    barriers = 3 * 2 * 8  # of each stage one for "full" and one for "empty"
    assert shared_of(at_once) == 3 * (64 * 32 + 32 * 128) * 2 + barriers
    assert "8 × 8 blocks of 128 × 128" in tiles.told_before
    assert at_once.quick in tiles.told_before

    qtbot.waitUntil(lambda: target_of(tiles).level == 1, timeout=WAIT_MS)
    exact = target_of(tiles)
    assert not exact.quick
    assert not exact.stale
    assert grid_of(exact) == (8, 16, 1)
    assert shared_of(exact) == shared_of(at_once)
    assert "8 × 8 blocks of 128 × 128" in tiles.told_before
    docks.show("pipeline")
    assert "took" in pipeline.told_before

    application.controller.save_case()
    qtbot.waitUntil(lambda: not document.overrides, timeout=WAIT_MS)
    assert "block_M = 64" in tab.buffer.source()
    docks.show("tiles")
    qtbot.waitUntil(lambda: not tiles.told_before, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=WAIT_MS)


def target_of(lens: Lens) -> LensTarget:
    assert lens.target is not None
    return lens.target


def grid_of(target: LensTarget) -> object:
    assert target.kernel is not None
    return target.kernel.grid


def shared_of(target: LensTarget) -> int:
    assert target.kernel is not None
    assert target.kernel.block_resources is not None
    return target.kernel.block_resources.shared_bytes
