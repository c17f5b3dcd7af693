"""A script without a block in the real window: offered, run, its cases shown and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.core.runs import RunKind, RunStatus

WAIT_MS = 180_000
SCRIPT = '''"""Adds."""
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def add(M, N, block_M=32, dtype="float32"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            for i, j in T.Parallel(block_M, N):
                C[bx * block_M + i, j] = A[bx * block_M + i, j] + B[bx * block_M + i, j]

    return main


def ref_program(A, B):
    return A + B


def run_all():
    for rows in (64, 128):
        a, b = (torch.randn(rows, 96, device="cuda") for _ in range(2))
        torch.testing.assert_close(add(rows, 96)(a, b), ref_program(a, b))


if __name__ == "__main__":
    run_all()
'''

pytestmark = pytest.mark.slow


@pytest.fixture
def script(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".git").mkdir(parents=True)
    path = folder / "add_script.py"
    path.write_text(SCRIPT)
    return path


def test_a_script_is_offered_run_and_its_cases_are_written_on_request(
    qtbot: Any, qapp: QApplication, script: Path
) -> None:
    application = Application(qapp, script.parent)
    window, session = application.window, application.session
    bar = application.controller.scripts.bar
    application.show((script,))
    qtbot.waitExposed(window)
    tab = window.editors.current
    assert tab is not None
    document = tab.document

    # Nothing is offered before the folder is trusted, and nothing runs unasked.
    assert bar.isHidden()
    session.grant_trust(script.parent)
    assert bar.isVisible()
    assert bar.offer is not None
    assert bar.offer.can_run
    assert not bar.offer.can_write
    assert document.cases == ()

    # Run: the file is as it was, and its cases can be chosen.
    qtbot.mouseClick(bar.run_button, Qt.MouseButton.LeftButton)
    assert bar.offer.is_running
    qtbot.waitUntil(lambda: bool(bar.offer and bar.offer.can_write), timeout=WAIT_MS)
    assert "It ran to its end: 2 launches of 2 kernels." in bar.offer.lead
    assert "recorded-1, recorded-2" in bar.offer.text
    assert [c.args["M"] for c in document.cases] == [64, 128]
    assert document.case == "recorded-1"
    menu = window.toolbar.case_picker.menu()
    assert [action.text() for action in menu.actions()] == ["recorded-1", "recorded-2"]
    assert tab.buffer.text() == SCRIPT

    # It is in the history, with its launches.
    (run,) = session.history().list(limit=9).runs
    assert (run.kind, run.status, run.kernel) == (RunKind.SCRIPT, RunStatus.DONE, "add")
    assert run.metrics["launches"].value == 2
    assert run.document == "add_script.py"

    # Written on request, as one step of undo; the bar has no more to say.
    qtbot.mouseClick(bar.write_button, Qt.MouseButton.LeftButton)
    assert bar.isHidden()
    text = tab.buffer.text()
    assert text.startswith("# /// workbench\n")
    assert text.endswith(SCRIPT)
    assert document.has_block
    assert [c.name for c in document.cases] == ["recorded-1", "recorded-2"]
    session.choose(document, "add", "recorded-2")

    # What was found verifies.
    application.controller.actions["verify"].trigger()
    qtbot.waitUntil(lambda: document.verified is not None, timeout=WAIT_MS)
    assert document.verified is not None
    assert document.verified.result.failure is None
    assert all(seed.passed for seed in document.verified.result.seeds)
    tab.buffer.document.setModified(False)
    qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=WAIT_MS)
    application.close()
    QApplication.sendPostedEvents(None, 0)
