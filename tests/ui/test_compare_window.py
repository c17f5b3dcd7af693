"""Comparisons in the window: how one gets there from runs, what is saved, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog

from tests.support.chart_runs import run
from workbench.app import Application
from workbench.core.jobs import AnalyzeRequest
from workbench.core.runs import blob_hash

TEXT = b"""import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M=4096, block_M=128):
    return None
"""


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    made = Application(qapp, tmp_path)
    made.asked = []  # type: ignore[attr-defined]
    monkeypatch.setattr(
        made.session.jobs,
        "submit",
        lambda request, *_, **__: made.asked.append(request) or "job",  # type: ignore[attr-defined]
    )
    made.session.trust.grant(tmp_path)
    for number, time in enumerate((358.0, 206.0, 205.0)):
        fields = {"text_blob": blob_hash(TEXT), "document": "gemm.py"}
        stored = run(number, {"time_us": time}, args={"block_M": 64 * (number + 1)}, **fields)
        made.session.history().add(stored, [TEXT])
    made.show(())
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def wait(qtbot: Any, application: Application) -> None:
    desk = application.controller.comparing.desk
    qtbot.waitUntil(lambda: not desk.is_loading and desk.loaded is not None)


def test_runs_that_are_selected_stand_side_by_side_and_are_saved_by_name(
    qtbot: Any, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = application.controller
    controller.window.docks.show("runs")
    pane = controller.panels.runs
    pane._table.selectAll()
    pane._compare.trigger()
    wait(qtbot, application)
    comparing = controller.comparing
    assert comparing.is_in_front
    assert comparing.desk.order.runs == ("run0", "run1", "run2")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("tiles", True))
    comparing.page.save_requested.emit()
    assert (application.session.data_folder() / "comparisons.json").exists()
    assert controller.window.windowTitle().startswith("tiles")
    comparing.page.left.emit()
    assert not comparing.is_in_front
    assert comparing.state()["name"] == "tiles"


def test_kernels_of_all_columns_are_predicted_for_the_targets_that_are_chosen(
    qtbot: Any, application: Application
) -> None:
    comparing = application.controller.comparing
    comparing.open(["run0", "run1"])
    wait(qtbot, application)
    comparing.predict_for(("h200", "a100"))
    asked = [r for r in application.asked if isinstance(r, AnalyzeRequest)]  # type: ignore[attr-defined]
    assert [(r.target["name"], r.kernel.args["block_M"]) for r in asked] == [
        ("a100", 64),
        ("a100", 128),
    ]


def test_without_a_choice_the_newest_profiles_of_one_kernel_are_compared(
    qtbot: Any, application: Application
) -> None:
    application.controller.actions["charts"].trigger()
    wait(qtbot, application)
    comparing = application.controller.comparing
    assert comparing.page.view == "charts"
    assert comparing.desk.order.runs == ("run0", "run1", "run2")


def test_a_report_is_written_into_the_file_that_is_named(
    qtbot: Any, application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparing = application.controller.comparing
    comparing.open(["run0", "run1"])
    wait(qtbot, application)
    answer = (str(tmp_path / "tiles"), "Markdown (*.md)")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: answer)
    comparing.page.export_requested.emit()
    written = tmp_path / "tiles.md"
    qtbot.waitUntil(written.exists)
    assert "Run B is fastest" in written.read_text()
