"""Whether a window can be shown at all, told before Qt would end the process with an abort."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

_PLATFORMS_WITHOUT_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")

NO_DISPLAY = (
    "There is no display to show the window on: set DISPLAY or WAYLAND_DISPLAY (ssh -X forwards "
    "one, `xvfb-run python main.py` makes a virtual one), or use the command line: "
    "`python -m workbench compile FILE`, `verify FILE`, `shot FILE --view design -o out.png`."
)


def has_display(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Whether Qt would find a screen; only X11 and Wayland systems can be without one."""
    values = os.environ if environment is None else environment
    if not platform.startswith(("linux", "freebsd")):
        return True
    if values.get("QT_QPA_PLATFORM", "").startswith(_PLATFORMS_WITHOUT_SCREEN):
        return True
    return bool(values.get("DISPLAY") or values.get("WAYLAND_DISPLAY"))
