"""What a worker calls the machine that it is on, in sentences for the person."""

from __future__ import annotations

import os

#: Set where a worker was brought to another machine: the name that the person gave to it.
HOST_VARIABLE = "TILELANG_WORKBENCH_HOST"


def far_host() -> str | None:
    """The name of the host that this process was brought to; None on the person's own machine."""
    return os.environ.get(HOST_VARIABLE) or None


def here() -> str:
    """The machine in a sentence: "this machine", or the host's name."""
    return far_host() or "this machine"
