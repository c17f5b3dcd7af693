"""The window with a worker that answers when the test does: places, profiles, runs and hosts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QMenu

from tests.support.host_reports import NOT_REACHED, REACHED
from tests.support.profiles import WHEN, profile
from workbench.app import Application
from workbench.core.counters.metrics import counters_artifact
from workbench.core.hosts import LOCAL, make_host
from workbench.core.jobs import VerifyRequest
from workbench.core.plain import to_plain
from workbench.core.profiles import CounterReport, KernelCounters, ProfileRequest
from workbench.core.runs import Run, RunKind, RunStatus, new_run_id
from workbench.session.hosts.places import CPU, DEVICE, Place
from workbench.session.jobs import WorkerState, WorkerStatus
from workbench.ui.where import PROFILE, VERIFY
from workbench.wire.events import Ended

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


class Worker:
    """Notes what is asked, and answers it when it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Callable[[Ended], None]]] = []

    def submit(self, request: Any, on_end: Callable[[Ended], None], **_: object) -> str:
        self.asked.append((request, on_end))
        return f"job-{len(self.asked)}"

    def of(self, kind: type) -> list[Any]:
        return [request for request, _ in self.asked if isinstance(request, kind)]

    def answer(self, kind: type, result: object) -> None:
        on_end = next(call for request, call in reversed(self.asked) if isinstance(request, kind))
        on_end(Ended("job", "done", to_plain(result)))


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
def application(
    qtbot: Any, qapp: QApplication, tmp_path: Path, worker: Worker, monkeypatch: Any
) -> Iterator[Application]:
    (tmp_path / ".git").mkdir()
    (tmp_path / "scale.py").write_text(KERNEL)
    made = Application(qapp, tmp_path)
    monkeypatch.setattr(made.session.jobs, "submit", worker.submit)
    made.session.trust.grant(tmp_path)
    made.show((tmp_path / "scale.py",))
    qtbot.waitExposed(made.window)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def with_gpu(application: Application) -> None:
    state = WorkerState(WorkerStatus.READY, {"tilelang": "0.1.15"}, ("NVIDIA H200",))
    application.session.jobs.state = state
    application.session.jobs.worker_changed.emit(state)


def titles(menu: QMenu) -> dict[str, bool]:
    return {a.text().partition("\t")[0]: a.isEnabled() for a in menu.actions() if a.text()}


def test_verify_runs_where_it_was_chosen(application: Application, worker: Worker) -> None:
    application.controller.profiling.where.choose(VERIFY, Place(LOCAL, CPU))
    assert application.window.toolbar.places[VERIFY].short == "CPU"
    application.controller.actions["verify"].trigger()
    (request,) = worker.of(VerifyRequest)
    assert (request.on, request.three_way) == ("cpu", False)


def test_on_a_gpu_the_simulator_is_asked_too(application: Application, worker: Worker) -> None:
    with_gpu(application)
    application.controller.profiling.where.choose(VERIFY, Place(LOCAL, DEVICE))
    application.controller.actions["verify"].trigger()
    (request,) = worker.of(VerifyRequest)
    assert (request.on, request.three_way, request.target["name"]) == ("local", True, "h200")


def test_places_that_cannot_be_used_are_there_with_the_reason(application: Application) -> None:
    session = application.session
    session.hosts.save(make_host("gpu1", "ssh gpu1"))
    session.hosts.reports["gpu1"] = NOT_REACHED
    menu = application.controller.profiling.where.menu(VERIFY, application.window)
    assert titles(menu) == {
        "Simulator": True,
        "CPU": True,
        "GPU": False,
        "gpu1 · GPU": False,
        "gpu1 · simulator": False,
        "Hosts…": True,
    }


def test_without_a_gpu_nothing_is_measured_and_it_says_why(
    application: Application, worker: Worker
) -> None:
    controller = application.controller
    controller.actions["measure"].trigger()
    assert worker.of(ProfileRequest) == []
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    assert pane.conclusion.startswith("A profile needs a GPU. No machine with a GPU is known")
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    popup.close()


def test_a_profile_is_measured_and_shown_everywhere(
    application: Application, worker: Worker
) -> None:
    with_gpu(application)
    controller = application.controller
    controller.actions["measure"].trigger()
    (request,) = worker.of(ProfileRequest)
    assert request.target["name"] == "h200"
    worker.answer(ProfileRequest, profile())
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    assert pane.conclusion.startswith("359 µs on an NVIDIA H200")
    assert controller.tab is not None
    assert "h200" in controller.tab.document.targets
    controller.session.set_targets(controller.tab.document, ("h200",))
    texts = [sign.text for _, sign in application.window.status._sign_texts]
    assert "359\N{NO-BREAK SPACE}µs measured" in texts


def test_a_profile_of_an_earlier_text_is_greyed(application: Application, worker: Worker) -> None:
    with_gpu(application)
    controller = application.controller
    controller.actions["measure"].trigger()
    worker.answer(ProfileRequest, profile())
    assert controller.tab is not None
    controller.session.edit(controller.tab.document, KERNEL + "\n# more\n")
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    assert pane._veil.isVisibleTo(pane)


def test_counters_are_asked_for_from_the_pane(application: Application, worker: Worker) -> None:
    with_gpu(application)
    controller = application.controller
    controller.actions["measure"].trigger()
    worker.answer(ProfileRequest, profile())
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    pane.counters_requested.emit(False)
    asked = worker.of(ProfileRequest)[-1]
    assert (asked.counters, asked.counter_set, asked.lines) == (True, "basic", True)
    pane.counters_requested.emit(True)
    assert worker.of(ProfileRequest)[-1].counter_set == "full"


def test_choices_of_places_come_back(application: Application) -> None:
    session, where = application.session, application.controller.profiling.where
    session.hosts.save(make_host("gpu1", "ssh gpu1"))
    session.hosts.reports["gpu1"] = REACHED
    where.choose(PROFILE, Place("gpu1", DEVICE))
    where.choose(VERIFY, Place("gpu1", DEVICE))
    state = application.controller.panels.state()["where"]
    where.choose(VERIFY, Place())
    application.controller.panels.restore({"where": state})
    chosen = where.choice(VERIFY)
    assert chosen is not None
    assert chosen.place == Place("gpu1", DEVICE)
    session.hosts.remove("gpu1")
    fallen = where.choice(VERIFY)
    assert fallen is not None
    assert fallen.place == Place()


def test_a_report_of_another_profiler_opens_in_the_pane(application: Application) -> None:
    controller, history = application.controller, application.session.history()
    kernel = KernelCounters("main_kernel", {"launch__grid_size": 64.0}, device="NVIDIA H200")
    artifact, content = counters_artifact(CounterReport("Nsight Compute", (kernel,)))
    run = Run(
        new_run_id(WHEN),
        WHEN,
        RunKind.PROFILE,
        RunStatus.DONE,
        kernel="main_kernel",
        artifacts=(artifact,),
        origin="main.ncu-rep",
    )
    history.add(run, [content])
    controller.runs.open_run(run.id)
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    assert pane.conclusion.startswith("Counters of main_kernel on an NVIDIA H200")
    pane.back_requested.emit()
    assert not pane.conclusion.startswith("Counters")


def test_a_profilers_table_that_is_dropped_becomes_a_run_and_opens(
    application: Application, qtbot: Any, tmp_path: Path
) -> None:
    table = tmp_path / "main.csv"
    table.write_text(
        '"ID","Kernel Name","Block Size","Grid Size","Device","CC","launch__grid_size"\n'
        '"","","","","","",""\n'
        '"0","main_kernel","(128, 1, 1)","(64, 1, 1)","NVIDIA H200","9.0","64"\n'
    )
    controller = application.controller
    application.window.files_dropped.emit([str(table)])
    qtbot.waitUntil(lambda: controller.panels.deferred_profile.built is not None)
    pane = controller.panels.deferred_profile.built
    assert pane is not None
    assert pane.conclusion.startswith("Counters of main_kernel")
    assert len(controller.window.editors.tabs) == 1
    application.window.files_dropped.emit([str(table)])
    texts = [toast.topic for toast in application.window.toasts.toasts]
    assert texts.count("import") == 1


def test_hosts_are_added_tested_and_removed(
    application: Application, qtbot: Any, monkeypatch: Any
) -> None:
    controller, pool = application.controller, application.session.hosts
    tested: list[str] = []

    def test(host: Any, on_report: Any, on_step: Any) -> object:
        tested.append(host.name)
        on_step(f"Reaching {host.name} …")
        pool.reports[host.name] = REACHED
        on_report(REACHED)
        return object()

    monkeypatch.setattr(pool, "test", test)
    controller.actions["hosts"].trigger()
    dialog = controller.hosts.dialog
    assert dialog is not None
    dialog.save_requested.emit(make_host("gpu1", "ssh gpu1"), "")
    assert pool.names == (LOCAL, "gpu1")
    assert tested == ["gpu1"]
    assert dialog.current == "gpu1"
    assert "gpu1 is ready" in dialog.report.conclusion
    chosen = controller.profiling.where.choice(PROFILE)
    assert chosen is not None
    assert chosen.place == Place("gpu1", DEVICE)
    dialog.save_requested.emit(make_host("gpu1", "ssh other"), "")
    assert "already" in dialog._said.text()
    dialog.remove_requested.emit("gpu1")
    assert pool.names == (LOCAL,)
    dialog.accept()
