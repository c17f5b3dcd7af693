"""Notes which kernels a script builds, with their arguments; nothing is computed."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.jobs import RunScriptRequest, RunScriptResult
from workbench.engine.compiling import Report
from workbench.engine.scripts.job import run_script


def record_cases(request: RunScriptRequest, report: Report) -> RunScriptResult:
    """The kernels that a script builds and their arguments; launches leave outputs unset.

    Comparisons are taken for good. Tensors first have shapes but no memory, so that real sizes
    cost nothing; a script that stops at that, because its flow depends on values, runs once more
    with real ones. Where both stop, what the better attempt told is kept.
    """
    quick = run_script(replace(request, execute=False, shapes_only=True), report)
    if quick.failure is None or quick.failure.kind != "kernel":
        return quick
    report("recording once more, with real tensors")
    real = run_script(replace(request, execute=False, shapes_only=False), report)
    return real if len(real.kernels) >= len(quick.kernels) else quick
