"""`shot`: a picture of the real window, off screen."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from workbench.cli.command import Command
from workbench.cli.status import ExitStatus, UsageError

VIEWS = (
    "welcome",
    "design",
    "debug",
    "profile",
    "hints",
    "fixes",
    "hover-problem",
    "hover-buffer",
    "problems",
    "verification",
    "code",
    "portability",
    "hosts",
    "runs",
    "compare",
    "compare-code",
    "compare-lenses",
    "charts",
    "sweep",
    "sweep-points",
    "sweep-map",
    "sweep-lines",
    "sweep-charts",
    "sweep-reasons",
    "log",
    "reference",
    "symptom",
    "memory",
    "tiles",
    "layouts",
    "banks",
    "occupancy",
    "pipeline",
    "linked",
    "explain",
    "roofline",
    "operations",
    "wizard-start",
    "wizard-first",
    "wizard",
    "wizard-memory",
    "wizard-tiles",
    "wizard-check",
    "wizard-done",
    "wizard-port",
    "targets",
    "palette",
)
DEFAULT_SIZE = "1440x900"
LARGEST = (7680, 4320)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a kernel document")
    parser.add_argument("--view", choices=VIEWS, default="design", help="what to picture (design)")
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", default=DEFAULT_SIZE, metavar="WxH", help=f"({DEFAULT_SIZE})")
    parser.add_argument("--scale", type=float, default=1.0, help="pixels a point, 2 on 4K screens")
    parser.add_argument("--targets", default="", metavar="A,B", help="targets to look at")
    parser.add_argument("--pattern", metavar="NAME", help="what the wizard's views make (gemm)")
    parser.add_argument("--runs", default="", metavar="A,B", help="runs to compare (the newest)")
    parser.add_argument("--sweep", default="", metavar="ID", help="a sweep (the newest)")
    parser.add_argument("--output", "-o", type=Path, required=True, metavar="OUT.png")


def _run(options: argparse.Namespace) -> int:
    # The window's libraries are loaded by this command alone.
    from workbench.app import PictureError, PictureOrder, take_picture

    names = tuple(name for name in options.targets.split(",") if name)
    width, height = _size(options.size)
    order = PictureOrder(
        options.view,
        options.file,
        names,
        options.theme,
        width,
        height,
        options.scale,
        options.pattern,
        tuple(run for run in options.runs.split(",") if run),
        options.sweep,
    )
    try:
        take_picture(order, options.output)
    except PictureError as error:
        raise UsageError(str(error)) from error
    return ExitStatus.GOOD


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,5})x(\d{3,5})", text)
    if match is None:
        raise UsageError(f"--size takes WIDTHxHEIGHT such as {DEFAULT_SIZE}, not {text!r}")
    width, height = int(match.group(1)), int(match.group(2))
    if width > LARGEST[0] or height > LARGEST[1]:
        raise UsageError(f"--size goes up to {LARGEST[0]}x{LARGEST[1]}, not {text}")
    return width, height


COMMAND = Command("shot", "A picture of the window, off screen.", _add_arguments, _run)
