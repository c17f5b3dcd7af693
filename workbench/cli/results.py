"""What `compile` and `verify` share: running the items of a file and recording each as a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.cli import command, output
from workbench.cli.status import UsageError
from workbench.core.diagnostics import Diagnostic
from workbench.core.documents.model import Document
from workbench.core.history import HistoryError
from workbench.core.jobs import Failure, Source
from workbench.core.runs import Run
from workbench.core.workspace import WorkspaceError
from workbench.session.batch import BatchWorker, run_batch
from workbench.session.recording import open_history
from workbench.session.requests import Item, source_of
from workbench.session.worker_client import Request, WorkerStartError
from workbench.wire.events import Ended

SCHEMA = 1
_ENVIRONMENT = ("environment", "internal")
Recorder = Callable[[Item, Ended, Path], tuple[Run, list[bytes]]]
RequestOf = Callable[[Item, Source], Request]


@dataclass(frozen=True)
class Outcome:
    """An item with the end of its job and the id of the run recorded, if it could be."""

    item: Item
    ended: Ended
    run_id: str | None


def refused_result(document: Document, errors: Sequence[Diagnostic]) -> dict[str, Any]:
    """The one result of a document of which no kernel or case can be read."""
    first = errors[0]
    line = first.range.line if first.range else None
    failure = Failure("kernel", first.message, None, line)
    return {
        "file": str(document.path),
        "kernel": None,
        "case": None,
        "args": {},
        "target": None,
        "status": "fault",
        "error": output.failure_json(failure),
        "diagnostics": [output.diagnostic_json(d) for d in errors],
        "seconds": None,
    }


def run_items(
    options: argparse.Namespace,
    items: Sequence[Item],
    request_of: RequestOf,
    recorder: Recorder,
    worker: BatchWorker | None = None,
) -> list[Outcome]:
    """Run every item and record it; in the order of the items. Raises UsageError.

    `worker` runs them, else one of their own.
    """
    workspace = command.workspace_of(options)
    limits = command.limits_of(options, command.load_settings())
    # Whoever types a file's name into a command that runs it has said that it may run.
    requests = [request_of(item, source_of(item.document, workspace, True)) for item in items]
    ends: dict[int, Ended] = {}
    run = run_batch if worker is None else worker.run
    try:
        for position, ended in run(requests, limits, output.progress, _ignore):
            ends[position] = ended
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        record_ends(workspace, _interrupted(items, ends), recorder)
        raise
    finally:
        output.clear_progress()
    ids = record_ends(workspace, [(items[i], ends[i]) for i in range(len(items))], recorder)
    return [Outcome(items[i], ends[i], ids[i]) for i in range(len(items))]


def _interrupted(items: Sequence[Item], ends: Mapping[int, Ended]) -> list[tuple[Item, Ended]]:
    """What had ended by then as it did, the rest as cancelled."""
    cut = Ended("", "cancelled", failure=Failure("environment", "interrupted"))
    return [(item, ends.get(position, cut)) for position, item in enumerate(items)]


def status_of(failure: Failure | None) -> str:
    """ "ok", "fault" where the kernel is at fault, "error" where the environment is."""
    if failure is None:
        return "ok"
    return "error" if failure.kind in _ENVIRONMENT else "fault"


def cancelled(ended: Ended) -> Failure | None:
    """The failure of a job that has no result."""
    if ended.outcome == "done":
        return None
    return ended.failure or Failure("environment", f"the job was {ended.outcome}")


def item_fields(item: Item) -> dict[str, Any]:
    """What was asked about: the fields with which everything that is told of it begins."""
    return {
        "file": str(item.document.path),
        "kernel": item.selection.kernel.name,
        "case": item.selection.case.name,
        "args": item.selection.args,
        "target": item.target.name,
    }


def common_fields(outcome: Outcome) -> dict[str, Any]:
    """The fields with which every result of a run begins."""
    return {**item_fields(outcome.item), "run": outcome.run_id}


def record_ends(
    workspace: Path, ends: Sequence[tuple[Item, Ended]], recorder: Recorder
) -> list[str | None]:
    """Add the runs to the history; where that cannot be written, the results still count."""
    try:
        with open_history(workspace) as history:
            ids: list[str | None] = []
            for item, ended in ends:
                run, blobs = recorder(item, ended, workspace)
                history.add(run, blobs)
                ids.append(run.id)
            return ids
    except (HistoryError, WorkspaceError) as error:
        print(f"warning: the runs were not recorded: {error}", file=sys.stderr)
        return [None] * len(ends)


def _ignore(text: str) -> None:
    """What kernels and compilers print is kept in the log tail of a job that fails."""
