"""Makes a picture of every view in both themes and several sizes: `python -m workbench.ui.gallery`.

Each picture is a process of its own, as it is for a person, so that none depends on another.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.data_files import find_data
from workbench.core.python_path import python_path
from workbench.ui.shots import SHOTS, Shot

KERNEL = "gemm.py"
TARGETS = "h100,a100,mi300x"


@dataclass(frozen=True)
class Format:
    """A size of the window in points, and the pixels a point."""

    name: str
    size: str
    scale: float


FORMATS = (
    Format("1440x900", "1440x900", 1.0),
    Format("1280x800", "1280x800", 1.0),
    Format("1440x900@2x", "1440x900", 2.0),
)
THEMES = ("dark", "light")


def commands(
    folder: Path, kernel: Path, formats: Sequence[Format], views: Sequence[str]
) -> Iterator[list[str]]:
    """The command line of each picture."""
    for shot in SHOTS:
        for form in formats:
            for theme in THEMES:
                if not views or shot.name in views:
                    yield _command(folder, kernel, shot, form, theme)


def _command(folder: Path, kernel: Path, shot: Shot, form: Format, theme: str) -> list[str]:
    file = [str(kernel), "--targets", TARGETS] if shot.needs_file else []
    out = folder / f"{shot.name}-{theme}-{form.name}.png"
    look = ["--theme", theme, "--size", form.size, "--scale", f"{form.scale:g}", "-o", str(out)]
    return [sys.executable, "-m", "workbench", "shot", *file, "--view", shot.name, *look]


def main() -> int:
    """Make the pictures; returns 1 where one could not be made."""
    parser = argparse.ArgumentParser(description="Pictures of every view.")
    parser.add_argument("--output", "-o", type=Path, default=Path("gallery"), metavar="FOLDER")
    parser.add_argument("--view", action="append", default=[], help="only this view")
    parser.add_argument("--quick", action="store_true", help="only the first size")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    formats = FORMATS[:1] if options.quick else FORMATS
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch, "kernels")
        shutil.copytree(find_data("kernels"), workspace, ignore=shutil.ignore_patterns(".*"))
        made = [
            _make(command, workspace)
            for command in commands(
                options.output.absolute(), workspace / KERNEL, formats, options.view
            )
        ]
    return 0 if all(made) else 1


def _make(command: list[str], workspace: Path) -> bool:
    print(command[-1], flush=True)
    environment = {**os.environ, "PYTHONPATH": python_path()}
    return subprocess.run(command, cwd=workspace, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
