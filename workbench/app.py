"""Builds the application: every collaborator once, each given to those that need it."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ui import plain_import  # noqa: F401 - before anything else of Qt

# isort: split
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from workbench import __version__
from workbench.core.targets.table import TargetError
from workbench.core.workspace import find_workspace
from workbench.session.session import Session, surroundings_of
from workbench.ui.controller import Controller
from workbench.ui.crash import CrashReporter
from workbench.ui.display import NO_DISPLAY, has_display
from workbench.ui.interrupts import Interrupts
from workbench.ui.loop import Loop
from workbench.ui.stalls import watch_stalls
from workbench.ui.starting import FirstPaint
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Choice, Theme

NO_DISPLAY_STATUS = 2


class Application:
    """One window on one workspace, alive from its making to `close`."""

    def __init__(
        self,
        app: QApplication,
        workspace: Path,
        trusts_all: bool = False,
        keeps_traces: bool = True,
    ) -> None:
        self._is_open = True
        self.loop = Loop()
        surroundings = surroundings_of(
            self.loop.post, self.loop.make_timer, trusts_all, keeps_traces
        )
        self.session = Session(workspace, surroundings)
        self.theme = Theme(self.session.settings.theme.value)
        self.theme.apply(app)
        self.icons = Icons(self.theme)
        app.setWindowIcon(self.icons.logo(64))
        self.controller = Controller(self.session, self.theme, self.icons)
        self.window = self.controller.window

    def show(self, files: Sequence[Path]) -> None:
        """Show the window as it was left, with these files in front."""
        self.controller.files.lexer.wait()
        with self.controller.view.starting():
            self.controller.restore()
            for path in files:
                if not path.is_dir():
                    self.controller.files.open(path)
        self.when_painted(self.controller.warm_up)
        self.window.show()

    def when_painted(self, call: Callable[[], None]) -> None:
        """Call once the window, shown after this, has been painted and answers to keys."""
        timer = self.loop.make_timer(call)
        FirstPaint(self.window).painted.connect(lambda: timer.restart(0))

    def close(self) -> None:
        """Remember the window, end the worker, let go of everything; once."""
        if not self._is_open:
            return
        self._is_open = False
        self.controller.close()
        self.loop.close()
        self.session.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the window; returns the exit status."""
    begun = time.perf_counter()
    options = _parser().parse_args(arguments)
    if not has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return NO_DISPLAY_STATUS
    app = QApplication(sys.argv[:1])
    app.setApplicationName("TileLang Workbench")
    app.setApplicationVersion(__version__)
    gc.disable()  # nothing that a start builds is garbage
    application = Application(app, workspace_of(options.files))
    reporter = CrashReporter(application.controller)
    interrupts = Interrupts(app.quit)
    if options.debug:
        watch_stalls(application.loop)
    application.show(options.files)
    gc.freeze()  # what is there now is not looked through while somebody types
    gc.enable()
    if options.debug:
        print(f"window shown after {time.perf_counter() - begun:.3f} s", file=sys.stderr)
    try:
        return app.exec()
    finally:
        interrupts.close()
        reporter.close()
        application.close()


class PictureError(Exception):
    """A picture cannot be made; the message says why."""


@dataclass(frozen=True)
class PictureOrder:
    """A picture of the window: which view of what, how large in points, at which scale."""

    view: str
    file: Path | None
    targets: tuple[str, ...]
    theme: Choice
    width: int
    height: int
    scale: float
    pattern: str | None = None
    """What the wizard's views make."""
    runs: tuple[str, ...] = ()
    """What the views of runs compare, by their ids."""
    sweep: str = ""
    """What the views of sweeps show, by its id or the beginning of it."""


def take_picture(order: PictureOrder, path: Path) -> None:
    """Picture the real window off screen. Raises PictureError."""
    from workbench.core.patterns.model import PatternError  # the window starts without these
    from workbench.ui import shots

    shot = shots.BY_NAME[order.view]
    if shot.needs_file and order.file is None:
        raise PictureError(f"the view {order.view} shows a document: name a FILE")
    shots.prepare_environment(order.scale)
    app = QApplication(["workbench"])
    files = [order.file] if order.file is not None else []
    application = Application(app, workspace_of(files), trusts_all=True, keeps_traces=False)
    try:
        application.theme.set_choice(order.theme)
        _open_for_picture(application, order)
        size = QSize(order.width, order.height)
        shots.save_picture(shots.take_shot(application.controller, shot, size), path)
    except (shots.ShotError, TargetError, PatternError) as error:
        raise PictureError(str(error)) from error
    finally:
        application.close()


def _open_for_picture(application: Application, order: PictureOrder) -> None:
    table = application.session.targets
    names = tuple(table.resolve(name).name for name in order.targets)
    if names:
        application.session.update_settings(default_targets=names)
    application.controller.comparing.wanted = order.runs
    application.controller.sweeping.wanted = order.sweep
    if order.pattern is not None:
        application.controller.wizards.open_pattern(order.pattern)
    if order.file is None:
        return
    tab = application.controller.files.open(order.file)
    if tab is None:
        raise PictureError(f"{order.file} cannot be opened: is it a Python file?")
    if names:
        application.session.set_targets(tab.document, names)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilelang-workbench-window", description="The window of TileLang Workbench."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="documents to open")
    parser.add_argument(
        "--debug", action="store_true", help="log stalls of the window with their stack"
    )
    return parser


def workspace_of(files: Sequence[Path]) -> Path:
    """The folder named, else the workspace of the first file, else of the current folder."""
    if not files:
        return find_workspace(Path.cwd())
    first = files[0].absolute()
    return first if first.is_dir() else find_workspace(first.parent)


if __name__ == "__main__":
    sys.exit(main())
