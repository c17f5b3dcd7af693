"""The reference in the real window: F1 on a name and on a problem, with TileLang's own names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.session.reference import ApiStatus

WAIT_MS = 180_000
KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def product(N=128):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float32")):
        with T.Kernel(1, threads=128):
            tile = T.alloc_shared((N, N), "float16")
            acc = T.alloc_fragment((N, N), "float32")
            T.copy(A, tile)
            T.gemm(tile, tile, acc)
            T.copy(acc, B)

    return main
"""
GEMM = 13

pytestmark = pytest.mark.slow


@pytest.fixture
def application(qtbot: Any, qapp: QApplication, tmp_path: Path) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "product.py").write_text(KERNEL)
    made = Application(qapp, tmp_path)
    made.show((tmp_path / "product.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_f1_leads_to_names_problems_examples_and_symptoms(
    application: Application, qtbot: Any
) -> None:
    controller, window = application.controller, application.window
    panels, editors = controller.panels, window.editors
    assert panels._reference.built is None  # nothing of it is loaded before it is wanted

    # A name of TileLang, as soon as the worker has read them.
    editors.current.current.go_to(GEMM, 16)
    controller.actions["reference"].trigger()
    pane, view = panels._reference.built, panels.reference
    qtbot.waitUntil(lambda: view.reference.state.status is ApiStatus.READY, timeout=WAIT_MS)
    window.activateWindow()
    QTest.keyClick(editors.current.current.view, Qt.Key.Key_F1)
    assert pane.slug == "api/T.gemm"
    assert window.docks["reference"].isVisible()
    assert "clear_accum" in pane.view.toPlainText()

    # A problem of the list: the page of its rule, with the place in this kernel and the fix.
    code = "gemm-uninitialized-accumulator"
    problems = panels.problems
    qtbot.waitUntil(lambda: code in [p.diagnostic.code for p in problems.problems], timeout=WAIT_MS)
    at = [p.diagnostic.code for p in problems.problems].index(code)
    window.docks.show("problems")
    problems._list.setCurrentIndex(problems._list.model().index(at, 0))
    problems._list.setFocus()
    qtbot.waitUntil(problems._list.hasFocus, timeout=WAIT_MS)
    controller.actions["reference"].trigger()
    assert pane.slug == f"rules/{code}"
    assert "This kernel has it at 1 place." in pane.view.toPlainText()

    # Its fix is made from the page, and then the page no longer has it.
    pane.view.follow("fix:0")
    assert "T.clear(acc)" in editors.current.buffer.text()
    qtbot.waitUntil(lambda: "This kernel" not in pane.view.toPlainText(), timeout=WAIT_MS)

    # A symptom is told for this kernel; back leads through what was read.
    assert pane.open_page("symptoms/wrong-results")
    assert "of its causes" in pane.view.toPlainText()
    pane.back()
    pane.back()
    assert pane.slug == "api/T.gemm"

    # An example opens as a copy.
    pane.open_page("examples/softmax")
    pane.view.follow(f"open:{pane.view.page.opens}")
    assert editors.current.document.path is None
    assert editors.current.document.title == "softmax.py"

    # A name that is nobody's is searched for.
    editors.current.buffer.replace_text("piplined_loop = 1\n")
    editors.current.current.go_to(1, 3)
    editors.current.current.setFocus()
    controller.actions["reference"].trigger()
    assert pane.header.query == "piplined_loop"
