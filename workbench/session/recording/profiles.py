"""The run of a profile: what was measured, and beside it what is predicted of the same kernel."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.counters.metrics import counters_artifact
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.profiles import ProfileResult
from workbench.core.runs import Artifact, Run, RunKind
from workbench.session.recording.begun_runs import begun_run, completed, text_of
from workbench.session.recording.error_maps import error_maps
from workbench.session.requests import Item
from workbench.wire.events import Ended

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult

#: What a run of a profile stores as JSON, beside its counters and the error maps of wrong outputs:
#: the whole result with every sample, and the analysis that the predictions are from.
PROFILE, ANALYSIS = "profile", "analysis"
_JSON = "application/json"


def record_profile(
    item: Item,
    ended: Ended,
    workspace: Path,
    host: str,
    analysis: AnalyzeResult | None = None,
    group: str | None = None,
) -> tuple[Run, list[bytes]]:
    """The run of a profile job on `host`, with the contents that it refers to.

    `analysis` is of the same kernel and target; `group` joins the shapes of a series.
    """
    from workbench.session.profile_comparison import with_operations  # loads the analyses
    from workbench.session.recording.profile_metrics import profile_metrics

    result = from_plain(ProfileResult, ended.result) if ended.result is not None else None
    run = begun_run(item, ended, workspace, RunKind.PROFILE, result, host)
    if result is None:
        return dataclasses.replace(run, group=group), [text_of(item)]
    result = with_operations(result, analysis)
    seed = item.selection.case.seed
    stored = [*_stored(result, analysis), *error_maps(seed, result.outputs, ended.blobs)]
    metrics = profile_metrics(result, analysis, item.target)
    device = result.device.name if result.device else None
    run = dataclasses.replace(run, group=group, versions=_versions(result))
    run = completed(run, metrics, [artifact for artifact, _ in stored], device)
    return run, [*(content for _, content in stored), text_of(item)]


def _versions(result: ProfileResult) -> dict[str, str]:
    """The packages' and the driver's, and the profiler's."""
    tool = {"profiler": result.counters.tool} if result.counters is not None else {}
    return {**result.versions, **tool}


def _stored(result: ProfileResult, analysis: AnalyzeResult | None) -> list[tuple[Artifact, bytes]]:
    parts = {PROFILE: result, ANALYSIS: analysis}
    found = [_json(name, part) for name, part in parts.items() if part is not None]
    counters = [] if result.counters is None else [counters_artifact(result.counters)]
    return [*found, *counters]


def _json(name: str, part: Any) -> tuple[Artifact, bytes]:
    content = json.dumps(to_plain(part), separators=(",", ":")).encode("ascii")
    return Artifact.of(name, _JSON, content), content


def analysis_artifact(analysis: AnalyzeResult) -> tuple[Artifact, bytes]:
    """An analysis as a run keeps it, with its content."""
    return _json(ANALYSIS, analysis)


def profile_of(content: bytes) -> ProfileResult:
    """The result that an artifact called `PROFILE` holds; raises PlainError."""
    try:
        return from_plain(ProfileResult, json.loads(content))
    except (ValueError, RecursionError) as error:
        raise PlainError(f"the stored {PROFILE} cannot be read: {error}") from error
