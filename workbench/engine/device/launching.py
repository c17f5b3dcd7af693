"""The process of one launch, for tools that watch a process: Nsight Compute, compute-sanitizer.

    python -m workbench.engine.device.launching REQUEST [ABOUT]

REQUEST is the file of a ProfileRequest as JSON. The kernel is built, compiled, bound and launched
once to warm up; then it is launched exactly once between the calls that start and stop a profiler.
ABOUT, where it is given, is written before: what `About` holds. The exit status is 2, with one
sentence as the last line of stderr, where the kernel could not be launched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.plain import from_plain
from workbench.core.profiles import DeviceInfo, ProfileRequest

REFUSED = 2
SOURCE_FILE = "tvm_kernels.cu"


@dataclass(frozen=True)
class About:
    """What was launched: `source` is the CUDA source of `kernels`, names of device functions.

    `lines` maps lines of the source, as text, to the document's. Tools name the source by the file
    in which TileLang compiled it, `SOURCE_FILE`.
    """

    device: DeviceInfo
    kernels: tuple[str, ...]
    source: str
    lines: Mapping[str, int] = field(default_factory=dict)


def main(request_path: str, about_path: str | None = None) -> int:
    """Launch the kernel of the request; the exit status."""
    request = from_plain(ProfileRequest, json.loads(Path(request_path).read_text("utf-8")))
    from workbench.engine import environment

    environment.prepare()
    from workbench.engine import blame
    from workbench.engine.device.single_launch import launch_once

    try:
        launch_once(request, Path(about_path) if about_path else None)
    except blame.StepError as fault:
        print(fault.failure.raw or "", file=sys.stderr)
        print(fault.failure.message, file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
