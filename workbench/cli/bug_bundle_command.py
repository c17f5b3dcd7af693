"""`bug-bundle`: asks whether the compiler is suspect, and writes what a report upstream needs."""

from __future__ import annotations

import argparse
import queue
from pathlib import Path
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import ExitStatus, UsageError, exit_status
from workbench.core.atomic_files import write_atomically
from workbench.core.documents.model import Document
from workbench.session.bug_bundle import Inquiry, Verdict, inquiry
from workbench.session.requests import Item
from workbench.session.worker_client import WorkerClient, WorkerStartError, local_worker
from workbench.wire.events import Ended, Event, Progress
from workbench.wire.messages import Limits


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "--on",
        choices=("local", "cpu"),
        help="run the kernel there too, and compare with the simulator and the reference",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT.zip", help="the bundle to write"
    )


def _run(options: argparse.Namespace) -> int:
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        refused = results.refused_result(document, errors)
        return _finish(options, {**refused, **_told(Verdict(fault=errors[0].message), None)})
    item = _only_item(options, document)
    limits = command.limits_of(options, command.load_settings())
    asked = inquiry(item, command.workspace_of(options), options.on)
    verdict = drive(asked, limits)
    written = _write(options.output, verdict)
    return _finish(options, {**results.item_fields(item), **_told(verdict, written)})


def _only_item(options: argparse.Namespace, document: Document) -> Item:
    selections = command.selections_of(document, options)
    items = command.items_of(document, selections, options.targets, command.load_settings())
    if len(items) > 1 and (len(selections) > 1 or options.targets):
        raise UsageError("a bundle is about one case and one target: name one of each")
    return items[0]


def drive(asked: Inquiry, limits: Limits) -> Verdict:
    """Answer an inquiry with one worker. Raises UsageError where none can be started."""
    events: queue.Queue[Event] = queue.Queue()
    try:
        client = WorkerClient(local_worker(), events.put)
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    try:
        request = next(asked)
        while True:
            job = client.submit(request, "work", limits)
            request = asked.send(_end_of(job, events))
    except StopIteration as end:
        verdict: Verdict = end.value
        return verdict
    finally:
        output.clear_progress()
        client.close()


def _end_of(job: str, events: queue.Queue[Event]) -> Ended:
    while True:
        event = events.get()
        if isinstance(event, Ended) and event.job == job:
            return event
        if isinstance(event, Progress):
            output.progress(event.text)


def _write(path: Path, verdict: Verdict) -> str | None:
    if verdict.bundle is None:
        return None
    try:
        write_atomically(path, verdict.bundle)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error}") from error
    return str(path)


def _told(verdict: Verdict, written: str | None) -> dict[str, Any]:
    status = "ok"
    if not verdict.suspicions and (verdict.fault is not None or verdict.trouble is not None):
        status = "fault" if verdict.fault is not None else "error"
    return {
        "status": status,
        "error": output.failure_json(verdict.trouble) if status == "error" else None,
        "conclusion": verdict.sentence,
        "suspicions": [
            {
                "kind": each.kind.value,
                "title": each.title,
                "message": each.sentence,
                "strong": each.strong,
                "line": each.line,
            }
            for each in verdict.suspicions
        ],
        "smallest_args": verdict.smallest,
        "bundle": written,
        "files": list(verdict.names),
    }


def _finish(options: argparse.Namespace, result: dict[str, Any]) -> ExitStatus:
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": [result]})
    else:
        print(result["conclusion"])
        if result["bundle"]:
            print(f"{result['bundle']}: {len(result['files'])} files, see README.md in it")
    return exit_status([result["status"]])


COMMAND = command.Command(
    "bug-bundle",
    "Ask whether a compiler is at fault for what a right kernel does, and write a bundle for a "
    "report: the smallest case, IR at each stage, source, versions, and a script that shows it.",
    _add_arguments,
    _run,
)
