from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.ui.display import has_display

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("environment", "platform", "found"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({"QT_QPA_PLATFORM": "xcb"}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_display_is_found_where_qt_finds_one(
    environment: dict[str, str], platform: str, found: bool
) -> None:
    assert has_display(environment, platform) is found


def test_without_a_display_the_window_says_what_to_do_instead() -> None:
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (sentence,) = done.stderr.strip().splitlines()
    assert "xvfb-run" in sentence
    assert "python -m workbench" in sentence
