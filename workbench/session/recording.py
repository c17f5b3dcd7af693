"""Turns the end of a job into a run of the workspace's history."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.history import History
from workbench.core.history.copying import copy_rows
from workbench.core.jobs import (
    BlockSample,
    CompileResult,
    Resources,
    RunScriptRequest,
    RunScriptResult,
    SeedResult,
    VerifyResult,
)
from workbench.core.plain import from_plain
from workbench.core.runs import (
    SAMPLED,
    Artifact,
    Metric,
    MetricSource,
    Run,
    RunKind,
    RunStatus,
    blob_hash,
    new_run_id,
)
from workbench.core.workspace import DATA_FOLDER, fallback_data, workspace_data
from workbench.session.requests import Item
from workbench.wire.events import Ended

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.analysis.shared_sites import SharedReport

HISTORY_FILE = "history.sqlite3"
_MEDIA_TYPES = {"cubin": "application/octet-stream"}
_RESOURCE_UNITS = {
    "registers": "",
    "spill_bytes": "B",
    "stack_bytes": "B",
    "shared_static_bytes": "B",
    "shared_dynamic_bytes": "B",
}


def open_history(workspace: Path, quota_bytes: int | None = None) -> History:
    """The workspace's history; raises HistoryError and WorkspaceError."""
    path = workspace_data(workspace) / HISTORY_FILE
    return History(path) if quota_bytes is None else History(path, quota_bytes=quota_bytes)


def open_copy(workspace: Path, folder: Path) -> History:
    """A history in `folder` that begins with the workspace's runs, less what they stored.

    Nothing is made in the workspace. Raises HistoryError.
    """
    for data in (fallback_data(workspace), workspace / DATA_FOLDER):
        copy_rows(data / HISTORY_FILE, folder / HISTORY_FILE)
    return History(folder / HISTORY_FILE)


def record_compile(item: Item, ended: Ended, workspace: Path) -> tuple[Run, list[bytes]]:
    """The run of a compile job, with the contents that it refers to."""
    result = from_plain(CompileResult, ended.result) if ended.result is not None else None
    emitted = result.emitted if result else {}
    contents = {name: text.encode() for name, text in emitted.items()}
    artifacts = [
        Artifact.of(name, _MEDIA_TYPES.get(name, "text/plain"), content)
        for name, content in contents.items()
    ]
    metrics = _resource_metrics(result.resources) if result and result.resources else {}
    run = _run(item, ended, workspace, RunKind.COMPILE, result)
    return _with(run, metrics, artifacts), [*contents.values(), _text(item)]


def record_analysis(item: Item, ended: Ended, workspace: Path) -> tuple[Run, list[bytes]]:
    """The run of an analyze job: a prediction."""
    from workbench.core.analysis.result import AnalyzeResult  # a window starts without it

    result = from_plain(AnalyzeResult, ended.result) if ended.result is not None else None
    run = _run(item, ended, workspace, RunKind.PREDICT, result)
    return _with(run, _analysis_metrics(result) if result else {}, []), [_text(item)]


def record_verify(item: Item, ended: Ended, workspace: Path, on: str) -> tuple[Run, list[bytes]]:
    """The run of a verify job; its error maps become artifacts."""
    result = from_plain(VerifyResult, ended.result) if ended.result is not None else None
    run = _run(item, ended, workspace, RunKind.VERIFY, result)
    metrics = _verify_metrics(result.seeds, on) if result else {}
    metrics |= _sample_metrics(result.sample if result else None)
    maps = _error_maps(result, ended.blobs) if result else {}
    artifacts = [Artifact.of(name, "application/octet-stream", blob) for name, blob in maps.items()]
    return _with(run, metrics, artifacts, device=on), [*maps.values(), _text(item)]


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
        status=_status(ended, result),
        document=_relative(Path(request.source.path), workspace),
        text_blob=blob_hash(text),
        kernel=", ".join(names) or None,
        target=str(request.target["name"]),
        host="this machine",
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


def _error_maps(result: VerifyResult, blobs: Sequence[bytes]) -> dict[str, bytes]:
    """The error maps by seed and output; the values of the outputs are too large to keep."""
    return {
        f"error-map.seed-{seed.seed}.{output.name}": blobs[output.error_map_blob]
        for seed in result.seeds
        for output in seed.outputs
        if output.error_map_blob is not None
    }


def _run(
    item: Item,
    ended: Ended,
    workspace: Path,
    kind: RunKind,
    result: CompileResult | AnalyzeResult | VerifyResult | None,
) -> Run:
    created = datetime.now(timezone.utc)
    failure = (result.failure if result else None) or ended.failure
    seconds: Mapping[str, float] = result.seconds if result else {}
    return Run(
        id=new_run_id(created),
        created=created,
        kind=kind,
        status=_status(ended, result),
        document=_relative(item.document.path, workspace),
        text_blob=blob_hash(_text(item)),
        kernel=item.selection.kernel.name,
        case=item.selection.case.name,
        args=dict(item.selection.args),
        target=item.target.name,
        host="this machine",
        seconds=sum(seconds.values()) if seconds else None,
        error=failure.message if failure else None,
        versions=dict(result.versions) if result else {},
        diagnostics=result.diagnostics if result else (),
    )


def _status(
    ended: Ended,
    result: CompileResult | AnalyzeResult | VerifyResult | RunScriptResult | None,
) -> RunStatus:
    if ended.outcome != "done":
        return RunStatus(ended.outcome)
    if result is None or result.failure is not None:
        return RunStatus.FAILED
    if isinstance(result, VerifyResult) and not all(seed.passed for seed in result.seeds):
        return RunStatus.FAILED
    return RunStatus.DONE


def _with(
    run: Run, metrics: dict[str, Metric], artifacts: list[Artifact], device: str | None = None
) -> Run:
    changes: dict[str, Any] = {"metrics": metrics, "artifacts": tuple(artifacts), "device": device}
    return Run(**{**vars(run), **changes})


def _text(item: Item) -> bytes:
    return item.document.text.encode("utf-8", "surrogatepass")


def _relative(path: Path | None, workspace: Path) -> str | None:
    if path is None:
        return None
    return Path(os.path.relpath(path.resolve(), workspace.resolve())).as_posix()


def _resource_metrics(resources: Resources) -> dict[str, Metric]:
    method = resources.source or "lowering"
    metrics: dict[str, Metric] = {}
    for name, unit in _RESOURCE_UNITS.items():
        value = getattr(resources, name)
        if value is not None:
            metrics[name] = Metric(value, unit, MetricSource.PREDICTED, method)
    return metrics


def _analysis_metrics(result: AnalyzeResult) -> dict[str, Metric]:
    """The figures of the first kernel, what counts most first; what is unknown is left out."""
    metrics: dict[str, Metric] = {}
    first = result.kernels[0] if result.kernels else None
    if first is not None and first.estimate is not None:
        found = first.estimate
        metrics["time_us"] = Metric(found.time_us, "us", MetricSource.PREDICTED, found.method)
    if first is not None and first.occupancy is not None and first.occupancy.fraction is not None:
        carveout = "given" if first.occupancy.carveout.given else "assumed"
        method = f"published rules, carve-out {carveout}"
        metrics["occupancy"] = _predicted(first.occupancy.fraction, method)
    if result.resources is not None:
        metrics |= _resource_metrics(result.resources)
    if first is not None and first.shared is not None:
        metrics |= _shared_metrics(first.shared)
    return metrics


def _shared_metrics(report: SharedReport) -> dict[str, Metric]:
    metrics = {}
    method = f"bank rules, by the {report.level.value}"
    for total in report.totals:
        for name in ("wavefronts", "conflicts"):
            value = getattr(total, name)
            if value is not None:
                metrics[f"shared.{total.kind.value}.{name}"] = _predicted(value, method)
    return metrics


def _predicted(value: int | float, method: str) -> Metric:
    return Metric(value, "", MetricSource.PREDICTED, method)


def _sample_metrics(sample: BlockSample | None) -> dict[str, Metric]:
    """How many blocks ran, where not all did: a run with these has checked a part only."""
    if sample is None:
        return {}
    return {
        name: Metric(value, "", MetricSource.MEASURED, sample.text)
        for name, value in zip(SAMPLED, (sample.blocks_run, sample.blocks_total), strict=True)
    }


def _verify_metrics(seeds: tuple[SeedResult, ...], on: str) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    for output in (o for seed in seeds for o in seed.outputs):
        for name in ("rel_fro", "max_abs", "mismatched"):
            key, value = f"{output.name}.{name}", getattr(output, name)
            known = metrics[key].value if key in metrics else None
            worst = max((v for v in (known, value) if v is not None), default=None)
            metrics[key] = Metric(worst, "", MetricSource.MEASURED, f"on {on}, worst seed")
    return metrics
