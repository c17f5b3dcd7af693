"""What every run of a kernel begins with: what was asked about, how it ended, what was said."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.documents.case_changes import case_changes
from workbench.core.jobs import CompileResult, RunScriptResult, VerifyResult
from workbench.core.profiles import ProfileResult
from workbench.core.runs import (
    LOCAL_HOST,
    Artifact,
    Metric,
    Run,
    RunKind,
    RunStatus,
    blob_hash,
    new_run_id,
)
from workbench.session.requests import Item
from workbench.wire.events import Ended

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult


def begun_run(
    item: Item,
    ended: Ended,
    workspace: Path,
    kind: RunKind,
    result: CompileResult | AnalyzeResult | VerifyResult | ProfileResult | None,
    host: str = LOCAL_HOST,
) -> Run:
    """A run of now, with all that results of every kind have; metrics and artifacts follow."""
    created = datetime.now(timezone.utc)
    failure = (result.failure if result else None) or ended.failure
    seconds: Mapping[str, float] = result.seconds if result else {}
    kernel, case, args = item.selection.kernel.name, item.selection.case, item.selection.args
    return Run(
        id=new_run_id(created),
        created=created,
        kind=kind,
        status=status_of(ended, result),
        document=relative_path(item.document.path, workspace),
        text_blob=blob_hash(text_of(item)),
        kernel=kernel,
        case=case.name,
        args=dict(args),
        overrides=case_changes(item.document, kernel, case.name, args, case.dims),
        target=item.target.name,
        host=host,
        seconds=sum(seconds.values()) if seconds else None,
        error=failure.message if failure else None,
        versions=dict(result.versions) if result else {},
        diagnostics=result.diagnostics if result else (),
    )


def status_of(
    ended: Ended,
    result: CompileResult | AnalyzeResult | VerifyResult | RunScriptResult | ProfileResult | None,
) -> RunStatus:
    """How the job ended; a result that does not match its reference is a failed run."""
    if ended.outcome != "done":
        return RunStatus(ended.outcome)
    if result is None or result.failure is not None:
        return RunStatus.FAILED
    if isinstance(result, VerifyResult) and not all(seed.passed for seed in result.seeds):
        return RunStatus.FAILED
    if isinstance(result, ProfileResult) and result.verified is False:
        return RunStatus.FAILED
    return RunStatus.DONE


def completed(
    run: Run, metrics: dict[str, Metric], artifacts: list[Artifact], device: str | None = None
) -> Run:
    """The run with its figures and what it stores."""
    changes: dict[str, Any] = {"metrics": metrics, "artifacts": tuple(artifacts), "device": device}
    return Run(**{**vars(run), **changes})


def text_of(item: Item) -> bytes:
    """The document's text as it is stored."""
    return item.document.text.encode("utf-8", "surrogatepass")


def relative_path(path: Path | None, workspace: Path) -> str | None:
    """A document's path as runs name it: from the workspace, with slashes."""
    if path is None:
        return None
    return Path(os.path.relpath(path.resolve(), workspace.resolve())).as_posix()
