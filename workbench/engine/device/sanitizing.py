"""Has NVIDIA's compute-sanitizer watch one launch in a process of its own."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.device_tools import find_tool
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import VerifyRequest
from workbench.core.plain import from_plain, to_plain
from workbench.core.profiles import ProfileRequest
from workbench.core.python_path import python_path
from workbench.core.sanitizer_report import (
    TOOLS,
    Reported,
    diagnostics_of,
    is_complete,
    read_report,
)
from workbench.core.whereabouts import here
from workbench.engine.device.launching import REFUSED, SOURCE_FILE, About
from workbench.engine.device.ncu_process import Finished, run_within

MOST_SECONDS = 300.0
_MOST_FINDINGS = 100


@dataclass(frozen=True)
class Sanitized:
    """What one tool says: a sentence, and what it found on the document's lines."""

    sentence: str
    diagnostics: tuple[Diagnostic, ...] = ()


def sanitize(request: VerifyRequest, tool: str) -> Sanitized:
    """Launch the kernel with the first seed's inputs under a tool of compute-sanitizer."""
    program = find_tool("compute-sanitizer")
    if tool not in TOOLS:
        return Sanitized(f"compute-sanitizer has no {tool}: there are {', '.join(TOOLS)}")
    if program is None:
        return Sanitized(
            f"compute-sanitizer is not on {here()}: it comes with the CUDA toolkit; put its folder "
            "on PATH, or set CUDA_HOME"
        )
    with tempfile.TemporaryDirectory(prefix="sanitizer-") as folder:
        asked, about, report = (Path(folder, name) for name in ("request", "about", "report"))
        asked.write_text(json.dumps(to_plain(_launch_of(request))), "utf-8")
        command = [str(program), *_options(tool, report)]
        command += [sys.executable, "-m", "workbench.engine.device.launching"]
        # Without torch's cache each tensor is an allocation of its own, whose end is seen.
        environment = {
            **os.environ,
            "PYTHONPATH": python_path(),
            "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
        }
        done = run_within([*command, str(asked), str(about)], MOST_SECONDS, environment)
        text = report.read_text("utf-8", "replace") if report.exists() else ""
        launched = _about(about)
    line = request.kernel.line or 1
    return read(tool, text, done, launched, line)


def read(
    tool: str, report: str, done: Finished, about: About | None, kernel_line: int
) -> Sanitized:
    """What a finished run of the tool says.

    `report` is the tool's text; `about` is None where the process did not come to the launch.
    """
    if done.status is None:
        return Sanitized(f"{tool} was ended after {MOST_SECONDS:,.0f} s: give a smaller case")
    if done.status == REFUSED or about is None:
        return Sanitized(f"{tool} saw no launch: {_last_line(done.output) or _last_line(report)}")
    if not is_complete(report):
        return Sanitized(f"{tool} did not come to its end: {_last_line(report) or 'no report'}")
    found = [each for each in read_report(report) if _is_of(each, about.kernels)]
    lines = {int(number): line for number, line in about.lines.items()}
    diagnostics = diagnostics_of(tool, found, lines, SOURCE_FILE, kernel_line)
    return Sanitized(_sentence(tool, diagnostics), diagnostics)


def _launch_of(request: VerifyRequest) -> ProfileRequest:
    return ProfileRequest(
        request.source,
        request.kernel,
        request.target,
        dims=request.dims,
        seed=request.seeds[0] if request.seeds else 0,
        device=request.device,
        check=False,
    )


def _options(tool: str, report: Path) -> list[str]:
    return [
        "--tool", tool,
        "--show-backtrace", "device",
        "--print-limit", str(_MOST_FINDINGS),
        "--log-file", str(report),
    ]  # fmt: skip


def _about(path: Path) -> About | None:
    return from_plain(About, json.loads(path.read_text("utf-8"))) if path.exists() else None


def _is_of(reported: Reported, kernels: Sequence[str]) -> bool:
    """Whether a finding is in the kernel's code: torch launches kernels too, to make tensors."""
    names = [place.function for place in reported.places] + list(reported.functions)
    return not names or any(_plain(name) in kernels for name in names)


def _plain(name: str) -> str:
    return re.sub(r"[(<].*", "", name)


def _sentence(tool: str, diagnostics: Sequence[Diagnostic]) -> str:
    if not diagnostics:
        return f"{tool} found nothing in a launch"
    lines = sorted({each.range.line for each in diagnostics if each.range is not None})
    word = "line" if len(lines) == 1 else "lines"
    return f"{tool} found errors on {word} {', '.join(map(str, lines))}"


def _last_line(text: str) -> str:
    said = [line.strip("= ").strip() for line in text.splitlines()]
    return next((line for line in reversed(said) if line), "")
