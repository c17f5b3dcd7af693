"""Launches the kernel of a request once where a profiler watches, and tells what it launched."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from workbench.core.plain import to_plain
from workbench.core.profiles import ProfileRequest
from workbench.engine import blame, lowering
from workbench.engine.device.launching import About
from workbench.engine.device.placing import Placed, placed
from workbench.engine.linked.generated_lines import generated_lines
from workbench.engine.user_lines import user_lines


def launch_once(request: ProfileRequest, about: Path | None) -> None:
    """Launch to warm up, then once between a profiler's start and stop; raises StepError."""
    with placed(request, _quiet) as kernel:
        if about is not None:
            about.write_text(json.dumps(to_plain(_about(kernel, request.source.path))), "utf-8")
        with blame.blaming(blame.RUNNING, request.source, request.kernel):
            kernel.launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            kernel.launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()


def _about(kernel: Placed, document: str) -> About:
    target = lowering.tvm_target(kernel.target)
    with user_lines(document):
        artifact = lowering.lower_modules(kernel.built, target)
    found = generated_lines(kernel.built, artifact, target, document)
    functions = artifact.device_mod.functions.values()
    names = tuple(lowering.device_kernel(func).name for func in functions)
    lines = {str(number): line for number, line in found.lines.items() if line}
    return About(kernel.device, names, artifact.kernel_source, lines)


def _quiet(text: str, fraction: float | None = None) -> None:
    """Nobody follows a process that a tool watches."""
