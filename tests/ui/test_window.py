"""The real window with the real worker, driven as a person would drive it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from workbench.app import Application
from workbench.session.jobs import WorkerStatus
from workbench.session.results import LIVE, WORK
from workbench.session.window_state import load_window_state
from workbench.ui.command_palette import CommandPalette

ROOT = Path(__file__).resolve().parents[2]
WAIT_MS = 180_000

pytestmark = pytest.mark.slow


class Driver:
    """A window on a workspace, and waits for what its worker does."""

    def __init__(self, qtbot: Any, app: QApplication, workspace: Path) -> None:
        self.qtbot = qtbot
        self.application = Application(app, workspace)
        self.controller = self.application.controller
        self.window = self.application.window
        self.session = self.application.session

    def show(self, *files: Path) -> None:
        self.application.show(files)
        self.qtbot.waitExposed(self.window)

    @property
    def tab(self) -> Any:
        return self.window.editors.current

    @property
    def document(self) -> Any:
        return self.tab.document

    def until(self, condition: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)

    def idle(self) -> None:
        """Wait until typing has settled and no job is open."""
        self.qtbot.wait(self.session.settings.live_delay_ms + 150)
        self.until(lambda: not self.session.jobs.jobs)

    def trigger(self, name: str) -> None:
        self.controller.actions[name].trigger()

    def replace(self, old: str, new: str) -> None:
        """Type over the first occurrence of a text, so that it can be undone."""
        text = self.tab.buffer.text()
        assert old in text
        self.tab.buffer.replace_text(text.replace(old, new, 1))

    def codes(self) -> list[str]:
        return [p.diagnostic.code for p in self.controller.panels.problems.problems]

    def close(self) -> None:
        self.application.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / ".git").mkdir()
    text = (ROOT / "kernels" / "gemm.py").read_text()
    small = text.replace("M = 1024, N = 1024, K = 1024 }", "M = 256, N = 256, K = 128 }", 1)
    # For Hopper TileLang lowers a product in a third of the time that Ampere takes.
    (folder / "gemm.py").write_text(small.replace('["h100", "a100"]', '["h100", "h200"]'))
    return folder


@pytest.fixture
def driver(qtbot: Any, qapp: QApplication, workspace: Path) -> Iterator[Driver]:
    made = Driver(qtbot, qapp, workspace)
    yield made
    made.close()
    QApplication.sendPostedEvents(None, 0)


def test_what_takes_long_starts_before_it_is_asked_for(
    driver: Driver, workspace: Path, warmed: list[str]
) -> None:
    driver.show(workspace / "gemm.py")
    driver.until(lambda: driver.controller.provider.was_asked)
    assert warmed == [LIVE, WORK]


def test_a_kernel_is_edited_mended_compiled_verified_broken_and_restored(
    driver: Driver, qtbot: Any, qapp: QApplication, workspace: Path
) -> None:
    driver.show(workspace / "gemm.py")

    # Nothing runs before the folder is trusted.
    driver.idle()
    assert driver.document.compiled == {}
    assert driver.controller.pages.trust_bar.asking
    driver.trigger("compile")
    driver.trigger("verify")
    assert [toast.topic for toast in driver.window.toasts.toasts] == ["refusal"]
    driver.session.grant_trust(workspace)
    assert driver.window.toasts.toasts == ()
    driver.until(lambda: driver.document.good.keys() == {"h100", "h200"})

    # A broken edit is a problem at its line, and the last good results stay.
    driver.replace("            T.clear(C_local)", "            T.clear(C_local")
    driver.until(lambda: "python-error" in driver.codes())
    assert driver.document.good.keys() == {"h100", "h200"}
    (problem,) = driver.controller.panels.problems.problems
    assert problem.line is not None
    driver.controller.show_problem(problem.path, problem.line, 1)
    assert driver.tab.current.cursor_place[0] == problem.line

    # Mended by undo; compiled for three targets.
    driver.trigger("undo")
    driver.until(lambda: "python-error" not in driver.codes())
    driver.session.set_targets(driver.document, ("h100", "h200", "mi300x"))
    driver.idle()
    driver.trigger("compile")
    driver.idle()
    registers = [
        driver.document.compiled[name].result.resources.registers
        for name in ("h100", "h200", "mi300x")
    ]
    assert registers[0]
    assert registers[1]
    assert registers[2] is None

    # Verified in the simulator.
    driver.trigger("verify")
    driver.idle()
    verified = driver.document.verified
    assert [seed.passed for seed in verified.result.seeds] == [True]
    assert driver.window.docks["verification"].isVisible()

    # Broken silently: the verification shows the mismatch.
    driver.replace("T.clear(C_local)", "T.fill(C_local, 1)")
    driver.trigger("verify")
    driver.idle()
    seed = driver.document.verified.result.seeds[0]
    assert not seed.passed
    assert seed.outputs[0].error_map_blob is not None

    # Undone, saved, and everything comes back in the next window.
    driver.trigger("undo")
    driver.trigger("save")
    assert not driver.tab.buffer.is_modified
    driver.tab.current.go_to(40, 5)
    driver.window.arrange("debug")
    driver.close()
    again = Driver(qtbot, qapp, workspace)
    try:
        again.show()
        assert again.document.path == workspace / "gemm.py"
        assert again.tab.current.cursor_place == (40, 5)
        assert again.window.title_row.switch.current == "debug"
        again.until(lambda: again.document.good)
        assert len(again.session.history().list().runs) == 5
    finally:
        again.close()


def test_a_killed_worker_is_told_and_the_next_job_gets_another(
    driver: Driver, workspace: Path
) -> None:
    driver.session.trust.grant(workspace)
    driver.show(workspace / "gemm.py")
    driver.until(lambda: driver.session.jobs.state.status is WorkerStatus.READY)
    client = driver.session.jobs._client
    assert client is not None
    os.kill(client.pid, signal.SIGKILL)
    driver.trigger("verify")
    driver.until(lambda: driver.session.jobs.state.status is WorkerStatus.LOST)
    driver.until(lambda: not driver.session.jobs.jobs)
    assert driver.window.toasts.toasts
    driver.trigger("verify")
    driver.idle()
    assert driver.document.verified.result.seeds[0].passed


def test_unsaved_text_comes_back_in_the_next_window(
    driver: Driver, qtbot: Any, qapp: QApplication, workspace: Path
) -> None:
    driver.session.trust.grant(workspace)
    driver.session.update_settings(live_refresh=False)
    driver.show(workspace / "gemm.py")
    driver.tab.current.go_to(1)
    driver.tab.current.setFocus()
    QTest.keyClicks(driver.tab.current.view, "unsaved ")
    driver.close()
    assert "unsaved" not in (workspace / "gemm.py").read_text()
    again = Driver(qtbot, qapp, workspace)
    try:
        again.show()
        assert again.tab.buffer.text().startswith("unsaved ")
        assert again.tab.buffer.is_modified
    finally:
        again.close()


def test_a_file_that_changes_on_disk_is_loaded_again(driver: Driver, workspace: Path) -> None:
    driver.session.update_settings(live_refresh=False)
    file = workspace / "gemm.py"
    driver.show(file)
    text = file.read_text()
    file.write_text(text + "# from elsewhere\n")
    driver.controller.files.safety.look()
    assert driver.tab.buffer.text().endswith("# from elsewhere\n")
    assert not driver.tab.buffer.is_modified


def test_a_closed_tab_with_changes_is_asked_about(driver: Driver, workspace: Path) -> None:
    driver.session.update_settings(live_refresh=False)
    driver.show(workspace / "gemm.py")
    QTest.keyClicks(driver.tab.current.view, "x")
    answers = iter(["cancel", "discard"])
    driver.controller.files.ask = lambda title: next(answers)
    driver.trigger("close")
    assert driver.tab is not None
    driver.trigger("close")
    assert driver.tab is None


def test_every_shortcut_is_said_once(driver: Driver) -> None:
    keys = [
        shortcut.toString()
        for _, action in driver.controller.actions
        for shortcut in action.shortcuts()
    ]
    assert len(keys) == len(set(keys))


def test_the_palette_runs_an_action(driver: Driver, qtbot: Any) -> None:
    driver.session.update_settings(live_refresh=False)
    driver.show()
    driver.trigger("palette")
    field = driver.window.findChild(CommandPalette).findChild(QLineEdit)
    QTest.keyClicks(field, "dark theme")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert driver.application.theme.scheme == "dark"


def test_a_perspective_comes_back_as_the_person_left_it(driver: Driver, workspace: Path) -> None:
    driver.session.update_settings(live_refresh=False)
    driver.show(workspace / "gemm.py")
    driver.window.docks["log"].close()
    driver.trigger("debug")
    assert driver.window.docks["log"].isVisible() or not driver.window.docks["log"].isHidden()
    driver.trigger("design")
    assert driver.window.docks["log"].isHidden()
    driver.trigger("reset-layout")
    assert not driver.window.docks["log"].isHidden()


def test_a_file_changed_by_another_is_not_overwritten_unasked(
    driver: Driver, workspace: Path
) -> None:
    driver.session.update_settings(live_refresh=False)
    file = workspace / "gemm.py"
    driver.show(file)
    QTest.keyClicks(driver.tab.current.view, "x")
    file.write_text("# theirs\n")
    asked: list[str] = []

    def refuse(title: str) -> bool:
        asked.append(title)
        return False

    driver.controller.files.ask_overwrite = refuse
    driver.trigger("save")
    assert asked == ["gemm.py"]
    assert file.read_text() == "# theirs\n"


def test_a_killed_window_comes_back_with_its_files(driver: Driver, workspace: Path) -> None:
    driver.session.update_settings(live_refresh=False)
    driver.show()
    driver.controller.files.open(workspace / "gemm.py")
    state = load_window_state(driver.session.data_folder())
    assert [file.path for file in state.files] == [str(workspace / "gemm.py")]


def test_a_split_view_is_closed_before_its_file(driver: Driver, workspace: Path) -> None:
    driver.session.update_settings(live_refresh=False)
    driver.show(workspace / "gemm.py")
    driver.trigger("split")
    assert len(driver.tab.editors) == 2
    driver.trigger("close")
    assert len(driver.tab.editors) == 1
    driver.trigger("close")
    assert driver.tab is None
