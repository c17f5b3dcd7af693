"""`shot`: a picture of the real window, off screen."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.command import Command
from workbench.cli.status import ExitStatus, UsageError

if TYPE_CHECKING:
    from workbench.app import Application

VIEWS = (
    "welcome",
    "design",
    "debug",
    "problems",
    "verification",
    "code",
    "runs",
    "log",
    "targets",
    "palette",
)
DEFAULT_SIZE = "1440x900"


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a kernel document")
    parser.add_argument("--view", choices=VIEWS, default="design", help="what to picture (design)")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", default=DEFAULT_SIZE, metavar="WxH", help=f"({DEFAULT_SIZE})")
    parser.add_argument("--scale", type=float, default=1.0, help="pixels a point, 2 on 4K screens")
    parser.add_argument("--targets", default="", metavar="A,B", help="targets to look at")
    parser.add_argument("--output", "-o", type=Path, required=True, metavar="OUT.png")


def _run(options: argparse.Namespace) -> int:
    # The window's libraries are loaded by this command alone.
    from PySide6.QtCore import QSize
    from PySide6.QtWidgets import QApplication

    from workbench.app import Application
    from workbench.ui import shots

    width, height = _size(options.size)
    shot = shots.BY_NAME[options.view]
    if shot.needs_file and options.file is None:
        raise UsageError(f"the view {options.view} shows a document: name a FILE")
    shots.prepare_environment(options.scale)
    app = QApplication(["workbench"])
    workspace = (options.file or Path.cwd() / "x").absolute().parent
    application = Application(app, workspace, trusts_all=True)
    try:
        application.theme.set_choice(options.theme)
        _open(application, options)
        picture = shots.take_shot(application.controller, shot, QSize(width, height))
        shots.save_picture(picture, options.output)
    except shots.ShotError as error:
        raise UsageError(str(error)) from error
    finally:
        application.close()
    return ExitStatus.GOOD


def _open(application: Application, options: argparse.Namespace) -> None:
    if options.file is None:
        return
    tab = application.controller.files.open(options.file)
    if tab is None:
        raise UsageError(f"{options.file} cannot be opened")
    names = tuple(name for name in options.targets.split(",") if name)
    if names:
        table = application.session.targets
        resolved = tuple(table.resolve(name).name for name in names)
        application.session.set_targets(tab.document, resolved)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,5})x(\d{3,5})", text)
    if match is None:
        raise UsageError(f"--size takes WIDTHxHEIGHT such as {DEFAULT_SIZE}, not {text!r}")
    return int(match.group(1)), int(match.group(2))


COMMAND = Command("shot", "A picture of the window, off screen.", _add_arguments, _run)
