"""The run of a script."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

from workbench.core.jobs import RunScriptRequest, RunScriptResult
from workbench.core.plain import from_plain
from workbench.core.runs import (
    LOCAL_HOST,
    Metric,
    MetricSource,
    Run,
    RunKind,
    blob_hash,
    new_run_id,
)
from workbench.session.recording.begun_runs import relative_path, status_of
from workbench.wire.events import Ended


def record_script(
    request: RunScriptRequest, ended: Ended, workspace: Path
) -> tuple[Run, list[bytes]]:
    """The run of a script; what it built and launched are metrics."""
    result = from_plain(RunScriptResult, ended.result) if ended.result is not None else None
    created = datetime.now(timezone.utc)
    failure = (result.failure if result else None) or ended.failure
    text = request.source.text.encode("utf-8", "surrogatepass")
    names = dict.fromkeys(kernel.name for kernel in result.kernels) if result else {}
    run = Run(
        id=new_run_id(created),
        created=created,
        kind=RunKind.SCRIPT,
        status=status_of(ended, result),
        document=relative_path(Path(request.source.path), workspace),
        text_blob=blob_hash(text),
        kernel=", ".join(names) or None,
        target=str(request.target["name"]),
        host=LOCAL_HOST,
        device="simulator",
        seconds=sum(result.seconds.values()) if result and result.seconds else None,
        error=failure.message if failure else None,
        versions=dict(result.versions) if result else {},
        metrics=_script_metrics(result) if result else {},
        diagnostics=result.diagnostics if result else (),
    )
    return run, [text]


def _script_metrics(result: RunScriptResult) -> dict[str, Metric]:
    outcomes = [test.outcome for test in result.tests]
    counts = {"launches": result.launches, "kernels": len(result.kernels)}
    if outcomes:
        names = ("passed", "failed", "skipped")
        counts |= {f"tests.{name}": outcomes.count(name) for name in names}
    return {
        name: Metric(count, "", MetricSource.MEASURED, "in the simulator")
        for name, count in counts.items()
    }
