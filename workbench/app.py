"""Builds the application: every collaborator once, each given to those that need it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from workbench import __version__
from workbench.core.workspace import find_workspace
from workbench.session.session import Session, surroundings_of
from workbench.ui.controller import Controller
from workbench.ui.crash import CrashReporter
from workbench.ui.display import NO_DISPLAY, has_display
from workbench.ui.loop import Loop
from workbench.ui.stalls import watch_stalls
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

NO_DISPLAY_STATUS = 2


class Application:
    """One window on one workspace, alive from its making to `close`."""

    def __init__(self, app: QApplication, workspace: Path, trusts_all: bool = False) -> None:
        self._is_open = True
        self.loop = Loop()
        surroundings = surroundings_of(self.loop.post, self.loop.make_timer, trusts_all)
        self.session = Session(workspace, surroundings)
        self.theme = Theme(self.session.settings.theme.value)
        self.theme.apply(app)
        self.icons = Icons(self.theme)
        app.setWindowIcon(self.icons.logo(64))
        self.controller = Controller(self.session, self.theme, self.icons)
        self.window = self.controller.window

    def show(self, files: Sequence[Path]) -> None:
        """Show the window as it was left, with these files in front."""
        self.controller.restore()
        for path in files:
            if not path.is_dir():
                self.controller.files.open(path)
        self.window.show()
        # The worker loads torch for seconds: it begins once the window can be used.
        self.loop.make_timer(self.controller.warm_up).restart(0)

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
    application = Application(app, _workspace(options.files))
    reporter = CrashReporter(application.controller)
    if options.debug:
        watch_stalls(application.loop)
    application.show(options.files)
    if options.debug:
        print(f"window shown after {time.perf_counter() - begun:.3f} s", file=sys.stderr)
    try:
        return app.exec()
    finally:
        reporter.close()
        application.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilelang-workbench-window", description="The window of TileLang Workbench."
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="documents to open")
    parser.add_argument(
        "--debug", action="store_true", help="log stalls of the window with their stack"
    )
    return parser


def _workspace(files: Sequence[Path]) -> Path:
    """The folder named, else the workspace of the first file, else of the current folder."""
    if not files:
        return find_workspace(Path.cwd())
    first = files[0].absolute()
    return first if first.is_dir() else find_workspace(first.parent)


if __name__ == "__main__":
    sys.exit(main())
