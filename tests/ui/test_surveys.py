"""The window with a worker that answers nothing: what an action asks, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from portability_facts import ASKS, KIB, lowered
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.matrix import portability_matrix
from workbench.session.bug_bundle import Verdict
from workbench.session.portability import PortabilityView

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N=256, threads=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16")):
        with T.Kernel(1, threads=threads):
            for i in T.Parallel(N):
                B[i] = A[i] * 2

    return main
"""


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "scale.py").write_text(KERNEL)
    made = Application(qapp, tmp_path)
    monkeypatch.setattr(made.session.jobs, "submit", lambda *_, **__: "job")
    made.session.trust.grant(tmp_path)
    made.show((tmp_path / "scale.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_the_action_shows_the_pane_and_how_far_it_is(application: Application) -> None:
    controller = application.controller
    controller.actions["portability"].trigger()
    pane = controller.panels.deferred_portability.built
    assert pane is not None
    assert application.window.docks["portability"].isVisible()
    assert pane.conclusion == "So far it can run on 0 of 14 targets."


def test_a_cell_leads_to_its_line(application: Application, monkeypatch: Any) -> None:
    controller, session = application.controller, application.session
    target = session.targets.resolve("gfx942")
    facts = TargetFacts(target, "MI300X", "gfx942", ASKS, lowered(96 * KIB))
    view = PortabilityView(portability_matrix("scale", "default", [facts]), total=1, done=1)
    monkeypatch.setattr(session.portability, "view", lambda _: view)
    application.window.docks.show("portability")
    pane = controller.panels.deferred_portability.wake()
    controller.surveys.show_current()
    assert pane.conclusion.startswith("It can run on 0 of 1 targets; on MI300X")
    pane.line_requested.emit(9)
    assert controller.tab is not None
    assert controller.tab.current.cursor_place[0] == 9


def test_a_verdict_is_told_and_a_bundle_is_written(
    application: Application, tmp_path: Path
) -> None:
    controller, session = application.controller, application.session
    controller.actions["bug-bundle"].trigger()
    assert controller.tab is not None
    fault = Verdict(fault="B is never written")
    session.bug_bundles.finished.emit(controller.tab.document, "sm_80", fault)
    toasts = [toast.topic for toast in application.window.toasts.toasts]
    assert toasts.count("suspicion") == 1
    controller.suspicions.save(tmp_path / "out.zip", b"zip")
    assert (tmp_path / "out.zip").read_bytes() == b"zip"
