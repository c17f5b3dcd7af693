"""The real window with the real worker: an analysis is seen, and greyed when it is old."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.core.diagnostics import Severity
from workbench.core.runs import RunKind

WAIT_MS = 180_000
KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def transpose(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float32"), B: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            tile = T.alloc_shared((N, N), "float32")
            for i, j in T.Parallel(N, N):
                tile[i, j] = A[i, j]
            for i, j in T.Parallel(N, N):
                B[i, j] = tile[j, i]

    return main
"""
LOAD = 14  # the line that reads columns of the tile

pytestmark = pytest.mark.slow


@pytest.fixture
def application(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "transpose.py").write_text(KERNEL)
    made = Application(qapp, tmp_path)
    made.session.trust.grant(tmp_path)
    made.show((tmp_path / "transpose.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_an_edit_is_analyzed_and_a_broken_one_keeps_the_figures_grey(
    application: Application, qtbot: Any
) -> None:
    session, window = application.session, application.window
    tab = window.editors.current
    document, data = tab.document, tab.current.view.data
    session.set_targets(document, ("a100",))
    qtbot.waitUntil(lambda: "a100" in document.analyses.good, timeout=WAIT_MS)

    assert document.analyses.good["a100"].level == 1
    problems = application.controller.panels.problems.problems
    warnings = [p for p in problems if p.diagnostic.severity is Severity.WARNING]
    assert [(p.diagnostic.code, p.line, p.targets) for p in warnings] == [
        ("bank-conflict", LOAD, ("a100",))
    ]
    assert data.cost_header == "busy time"
    assert data.costs[LOAD - 1].value == 1.0
    assert "warn" in dict(data.costs[LOAD - 1].parts)
    assert "-way conflict" in " ".join(signs(window))

    tab.buffer.replace_text(KERNEL.replace("import tilelang\n", "import tilelang (\n\n", 1))
    qtbot.waitUntil(lambda: data.is_cost_faded, timeout=WAIT_MS)
    assert LOAD in data.costs  # a line further down
    assert window.status._signs[-1].property("tone") == "fg3"

    tab.buffer.replace_text(KERNEL)
    qtbot.waitUntil(lambda: not data.is_cost_faded, timeout=WAIT_MS)
    application.controller.actions["analyze"].trigger()
    qtbot.waitUntil(lambda: document.analyses.good["a100"].level == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not session.jobs.jobs, timeout=WAIT_MS)
    assert "registers unknown" not in signs(window)
    assert [run.kind for run in session.history().list().runs] == [RunKind.PREDICT]
    assert [toast.topic for toast in window.toasts.toasts] == ["analysis"]


def signs(window: Any) -> list[str]:
    return [label.accessibleName() for label, _ in window.status._sign_texts]
