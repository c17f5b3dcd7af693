"""Pictures of the real window off screen: each view is reached as a person would reach it."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from workbench.core.history.blobs import BlobFiles
from workbench.core.runs import blob_hash
from workbench.core.workspace import DATA_FOLDER, fallback_data
from workbench.ui.lenses.registry import LENSES

if TYPE_CHECKING:
    from workbench.core.runs import Run
    from workbench.session.problems import Problem
    from workbench.ui.controller import Controller
    from workbench.ui.editor.editor import CodeEditor

WAIT_SECONDS = 240.0
_SETTLE_MS = 120
_TALL_DOCK = 470  # px: the rows of all architectures
BLOBS = "blobs"  # beside a history
_RUNS = 500  # of the history in which a profile is looked for


class ShotError(Exception):
    """A view cannot be pictured; the message says why."""


@dataclass(frozen=True)
class Shot:
    """A view by name: `prepare` leads the window there; `needs_file` where it shows a document."""

    name: str
    help: str
    prepare: Callable[[Controller], QWidget | None]
    needs_file: bool = True


def take_shot(controller: Controller, shot: Shot, size: QSize) -> QPixmap:
    """The window in that view. Raises ShotError."""
    window = controller.window
    window.resize(size)
    window.show()
    controller.panels.lenses.begin()
    popup = shot.prepare(controller)
    wait_for_jobs(controller)
    settle()
    window.resize(size)
    settle()
    picture = window.grab()
    if popup is not None:
        _lay_over(picture, window, popup)
    return picture


def wait_for_jobs(controller: Controller) -> None:
    """Let the event loop run until nothing is left to do. Raises ShotError after minutes."""
    deadline = time.monotonic() + WAIT_SECONDS
    settle(controller.session.settings.live_delay_ms + _SETTLE_MS)
    while controller.session.jobs.jobs:
        if time.monotonic() > deadline:
            raise ShotError("the jobs of this view did not end within minutes")
        settle()


def settle(milliseconds: int = _SETTLE_MS) -> None:
    """Let the event loop run for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    QApplication.sendPostedEvents()


def _lay_over(picture: QPixmap, window: QWidget, popup: QWidget) -> None:
    painter = QPainter(picture)
    corner = window.mapFromGlobal(popup.mapToGlobal(popup.rect().topLeft()))
    painter.drawPixmap(corner, popup.grab())
    if isinstance(popup, QDialog):  # whose frame is the desktop's
        painter.setPen(popup.palette().color(QPalette.ColorRole.Mid))
        painter.drawRect(popup.rect().translated(corner).adjusted(-1, -1, 0, 0))
    painter.end()
    popup.close()


def _design(controller: Controller) -> None:
    controller.window.arrange("design")


def _debug(controller: Controller) -> None:
    controller.window.arrange("debug")
    controller.actions["verify"].trigger()


def _profile(controller: Controller) -> None:
    """The newest profile of the file's text in the history, else what is predicted."""
    controller.window.arrange("profile")
    run = _newest_profile(controller)
    if run is None:
        controller.actions["analyze"].trigger()
        return
    _lend_contents(controller, run)
    wait_for_jobs(controller)
    controller.profiling.show_run(run.id)


def _newest_profile(controller: Controller) -> Run | None:
    from workbench.session.profile_runs import has_profile

    text = controller.tab.document.text if controller.tab is not None else ""
    wanted = blob_hash(text.encode("utf-8", "surrogatepass"))
    runs = controller.session.history().list(limit=_RUNS).runs
    return next((run for run in runs if run.text_blob == wanted and has_profile(run)), None)


def _lend_contents(controller: Controller, run: Run) -> None:
    """What a run stores, for the copy of the history that a picture is made from."""
    workspace, copy = controller.session.workspace, controller.session.history().path.parent
    for data in (fallback_data(workspace), workspace / DATA_FOLDER):
        for name in run.blobs:
            stored = BlobFiles(data / BLOBS).path(name)
            if stored.is_file() and data != copy:
                lent = BlobFiles(copy / BLOBS).path(name)
                lent.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(stored, lent)


def _compare(view: str) -> Callable[[Controller], None]:
    """The runs that were asked for side by side, else the newest profiles of one kernel."""

    def prepare(controller: Controller) -> None:
        controller.files.lexer.prepare()
        controller.window.arrange("profile")
        history = controller.session.history()
        for run in history.list(limit=_RUNS).runs:
            _lend_contents(controller, run)
        controller.comparing.open(controller.comparing.wanted)
        deadline = time.monotonic() + WAIT_SECONDS
        while controller.comparing.desk.is_loading and time.monotonic() < deadline:
            settle()
        if controller.comparing.desk.failure:
            raise ShotError(controller.comparing.desk.failure)
        page = controller.comparing.page
        page.show_view(view)
        if view == "code" and page.loaded is not None:
            page.code.choose("source")
            page.code.stage_wanted.emit(page.code.shown, page.code.stage)
            wait_for_jobs(controller)
        settle()

    return prepare


def _sweep(view: str) -> Callable[[Controller], None]:
    """The sweep that was asked for, else the newest of the workspace."""

    def prepare(controller: Controller) -> None:
        controller.files.lexer.prepare()
        controller.window.arrange("profile")
        wait_for_jobs(controller)
        sweeping = controller.sweeping
        if sweeping.wanted:
            sweeping.desk.open(sweeping.wanted)
        sweeping.open(view)
        deadline = time.monotonic() + WAIT_SECONDS
        while view == "form" and time.monotonic() < deadline:
            settle()
            if sweeping.desk.sieve.result.is_complete or sweeping.desk.sieve.result.problem:
                break
        settle()

    return prepare


def _hosts(controller: Controller) -> QWidget | None:
    controller.actions["hosts"].trigger()
    dialog = controller.hosts.dialog
    if dialog is not None:  # off screen nobody puts it in the middle
        middle = controller.window.rect().center() - dialog.rect().center()
        dialog.move(controller.window.mapToGlobal(middle))
    settle()
    return dialog


def _panel(key: str, *actions: str) -> Callable[[Controller], None]:
    def prepare(controller: Controller) -> None:
        controller.window.arrange("design")
        for name in actions:
            controller.actions[name].trigger()
        wait_for_jobs(controller)
        controller.window.docks.show(key)

    return prepare


def _portability(controller: Controller) -> None:
    _panel("portability", "portability")(controller)
    dock = controller.window.docks["portability"]
    controller.window.resizeDocks([dock], [_TALL_DOCK], Qt.Orientation.Vertical)


def _welcome(controller: Controller) -> None:
    controller.window.editors.show_welcome()
    controller.warm_up()


def _targets(controller: Controller) -> QWidget | None:
    controller.window.toolbar.target_picker.click()
    settle()
    return QApplication.activePopupWidget()


def _wizard(step: str) -> Callable[[Controller], None]:
    """The wizard at a step of what `--pattern` names, else of a matrix multiplication."""

    def prepare(controller: Controller) -> None:
        controller.files.lexer.prepare()
        wizards = controller.wizards
        if wizards.wizard.draft is None and step:
            wizards.open_pattern("gemm")
        else:
            wizards.open()
        for found in wizards.wizard.steps if step else ():
            wizards.wizard.go(found)
            if found == "check" or found == step:
                wait_for_jobs(controller)
            if found == step:
                return

    return prepare


def _wizard_lens(key: str) -> Callable[[Controller], None]:
    """The wizard's tiles with a lens beside them."""

    def prepare(controller: Controller) -> None:
        _wizard("tiles")(controller)
        controller.wizards.page.costs.beside.show_key(key)

    return prepare


def _wizard_port(controller: Controller) -> None:
    """A generated document that another target's choices are compared with."""
    controller.files.lexer.prepare()
    wizards = controller.wizards
    wizards.open_pattern("gemm")
    wizards.page.next.click()
    wizards.page.other_requested.emit()
    controller.wizards.port("mi300x")
    wizards.wizard.go("done")


def _palette(controller: Controller) -> QWidget | None:
    controller.actions["palette"].trigger()
    settle()
    return None


def _reference(slug: str) -> Callable[[Controller], None]:
    def prepare(controller: Controller) -> None:
        controller.window.arrange("design")
        controller.window.docks.show("reference")
        wait_for_jobs(controller)
        controller.panels.reference.open_code(slug)

    return prepare


def _lens(key: str) -> Callable[[Controller], None]:
    def prepare(controller: Controller) -> None:
        controller.window.arrange("design")
        controller.actions["analyze"].trigger()
        wait_for_jobs(controller)
        controller.window.docks.show(key)

    return prepare


def _fixes(controller: Controller) -> None:
    """The menu of fixes, open at the first problem that has one."""
    problem = _faulty(controller)
    assert problem.line is not None
    controller.fixing.open_menu(problem.line)


def _hover_problem(controller: Controller) -> None:
    """The card of a problem, as it stands while the pointer rests on it."""
    problem = _faulty(controller)
    assert problem.line is not None
    _editor(controller).go_to(problem.line)
    controller.hovering.show_at_cursor()


def _hover_buffer(controller: Controller) -> None:
    """The card of a buffer of which lowering has told the layout."""
    _hints(controller)
    editor = _editor(controller)
    found = re.search(r"^ *(\w+) = T\.alloc_", editor.buffer.text(), re.MULTILINE)
    if found is None:
        raise ShotError("this file allocates no buffer")
    editor.go_to(editor.buffer.text().count("\n", 0, found.start(1)) + 1)
    editor.go_to(editor.cursor_place[0], found.start(1) - found.start() + 2)
    settle()
    controller.hovering.show_at_cursor()


def _hints(controller: Controller) -> None:
    """Shapes, scopes and bytes behind the lines, with what an analysis adds to them."""
    controller.window.arrange("design")
    controller.actions["analyze"].trigger()
    wait_for_jobs(controller)


def _faulty(controller: Controller) -> Problem:
    """The first problem with a fix; a healthy kernel loses the line that clears its sum."""
    controller.window.arrange("design")
    wait_for_jobs(controller)
    found = _first_fixable(controller)
    if found is None:
        buffer = _editor(controller).buffer
        buffer.replace_text(re.sub(r"^ *T\.clear\(.*\n", "", buffer.text(), flags=re.MULTILINE))
        wait_for_jobs(controller)
        found = _first_fixable(controller)
    if found is None:
        raise ShotError("this file has no problem with a fix")
    return found


def _first_fixable(controller: Controller) -> Problem | None:
    known = controller.panels.problems.problems
    return next((p for p in known if p.diagnostic.fixes and not p.stale), None)


def _editor(controller: Controller) -> CodeEditor:
    tab = controller.tab
    if tab is None:
        raise ShotError("no file is open")
    return tab.current


SHOTS = (
    Shot("welcome", "the first page", _welcome, needs_file=False),
    Shot("design", "the editor with arguments and problems", _design),
    Shot("debug", "a verification, large", _debug),
    Shot("profile", "what was measured above the pipeline", _profile),
    Shot("hints", "shapes and sizes in the text", _hints),
    Shot("fixes", "the fixes of a line, with what the first would change", _fixes),
    Shot("hover-problem", "the card of a problem", _hover_problem),
    Shot("hover-buffer", "the card of a buffer", _hover_buffer),
    Shot("problems", "the problem list", _panel("problems", "compile")),
    Shot("verification", "the verification below the editor", _panel("verification", "verify")),
    Shot("code", "the generated code", _panel("code", "compile")),
    Shot("portability", "the kernel over all architectures", _portability),
    Shot("hosts", "the machines that kernels run on", _hosts, needs_file=False),
    Shot("runs", "the history", _panel("runs", "compile", "verify")),
    Shot("compare", "runs side by side", _compare("overview"), needs_file=False),
    Shot("compare-code", "the texts of two runs", _compare("code"), needs_file=False),
    Shot("compare-lenses", "a lens on two runs", _compare("lenses"), needs_file=False),
    Shot("charts", "charts of runs", _compare("charts"), needs_file=False),
    Shot("sweep", "the form of a sweep, and what remains of its points", _sweep("form")),
    *(
        Shot(f"sweep-{key}", f"a sweep: {words}", _sweep(key), needs_file=False)
        for key, words in (
            ("points", "its points and the best so far"),
            ("map", "the best time over two arguments"),
            ("lines", "its fastest points across all arguments"),
            ("charts", "time against costs, predicted against measured"),
            ("reasons", "why points fell out"),
        )
    ),
    Shot("log", "what workers and kernels printed", _panel("log", "compile")),
    Shot("reference", "the page of a name of TileLang", _reference("T.gemm")),
    Shot(
        "symptom", "a symptom with its causes in the kernel", _reference("symptoms/low-throughput")
    ),
    *(Shot(lens.key, f"the {lens.title.lower()} lens", _lens(lens.key)) for lens in LENSES),
    Shot("wizard-start", "the choice of a pattern", _wizard(""), needs_file=False),
    Shot("wizard-first", "what a new kernel has to do", _wizard("requirements"), needs_file=False),
    Shot("wizard", "the tiles of a new kernel, what they cost", _wizard("tiles"), needs_file=False),
    Shot("wizard-memory", "a new kernel's memory", _wizard_lens("memory"), needs_file=False),
    Shot("wizard-tiles", "a new kernel's tiles", _wizard_lens("tiles"), needs_file=False),
    Shot("wizard-check", "a new kernel being checked", _wizard("check"), needs_file=False),
    Shot("wizard-done", "why a new kernel is as it is", _wizard("done"), needs_file=False),
    Shot("wizard-port", "a kernel for another target", _wizard_port, needs_file=False),
    Shot("targets", "the choice of targets", _targets),
    Shot("palette", "the search of actions", _palette),
)
BY_NAME = {shot.name: shot for shot in SHOTS}


def prepare_environment(scale: float) -> None:
    """Set what Qt reads before the application is made: no screen, and the pixels a point."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"


def save_picture(picture: QPixmap, path: Path) -> None:
    """Write a picture in the format of the path's suffix. Raises ShotError."""
    if not picture.save(str(path)):
        raise ShotError(f"cannot write {path}: is its folder there, and its suffix .png?")
