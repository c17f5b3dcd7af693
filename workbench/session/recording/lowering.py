"""The runs of compiles and analyses."""

from __future__ import annotations

from pathlib import Path

from workbench.core.jobs import CompileResult
from workbench.core.plain import from_plain
from workbench.core.runs import Artifact, Run, RunKind, RunStatus
from workbench.session.recording.begun_runs import begun_run, completed, text_of
from workbench.session.recording.predictions import (
    analysis_metrics,
    quantity_metrics,
    resource_metrics,
)
from workbench.session.recording.profiles import analysis_artifact
from workbench.session.requests import Item
from workbench.wire.events import Ended

_MEDIA_TYPES = {"cubin": "application/octet-stream"}


def record_compile(item: Item, ended: Ended, workspace: Path) -> tuple[Run, list[bytes]]:
    """The run of a compile job, with the contents that it refers to."""
    result = from_plain(CompileResult, ended.result) if ended.result is not None else None
    emitted = result.emitted if result else {}
    contents = {name: text.encode() for name, text in emitted.items()}
    artifacts = [
        Artifact.of(name, _MEDIA_TYPES.get(name, "text/plain"), content)
        for name, content in contents.items()
    ]
    metrics = resource_metrics(result.resources) if result and result.resources else {}
    run = begun_run(item, ended, workspace, RunKind.COMPILE, result)
    return completed(run, metrics, artifacts), [*contents.values(), text_of(item)]


def record_analysis(item: Item, ended: Ended, workspace: Path) -> tuple[Run, list[bytes]]:
    """The run of an analyze job: a prediction, which keeps the analysis that it is from."""
    from workbench.core.analysis.result import AnalyzeResult  # a window starts without it

    result = from_plain(AnalyzeResult, ended.result) if ended.result is not None else None
    run = begun_run(item, ended, workspace, RunKind.PREDICT, result)
    if result is None:
        return completed(run, {}, []), [text_of(item)]
    metrics = analysis_metrics(result)
    if run.status is not RunStatus.DONE:
        metrics.pop("time_us", None)  # what cannot be launched takes no time
    if result.kernels:
        more = quantity_metrics(result.kernels[0], item.target.arch)
        metrics |= {name: metric for name, metric in more.items() if name not in metrics}
    artifact, content = analysis_artifact(result)
    return completed(run, metrics, [artifact]), [content, text_of(item)]
