"""`export`: writes a kernel's source, machine code, launch and test, to be used without us."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import ExitStatus, UsageError, exit_status
from workbench.core.documents.model import Document
from workbench.core.targets.table import load_targets
from workbench.session.batch import run_batch
from workbench.session.exporting import (
    Export,
    FolderError,
    check_folder,
    export_of,
    export_request,
    write_export,
)
from workbench.session.requests import Item, source_of
from workbench.session.worker_client import WorkerStartError
from workbench.wire.events import Ended


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="the folder to write"
    )
    parser.add_argument(
        "--force", action="store_true", help="write into a folder that holds other files too"
    )


def _run(options: argparse.Namespace) -> int:
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        return _finish(options, {**results.refused_result(document, errors), **_EMPTY})
    item = _only_item(options, document)
    _guarded(lambda: check_folder(options.output, options.force))
    export = export_of(item, _ended(options, item), load_targets())
    if export.failure is None:
        _guarded(lambda: write_export(options.output, export.files, options.force))
    return _finish(options, {**results.item_fields(item), **_told(options, export)})


def _only_item(options: argparse.Namespace, document: Document) -> Item:
    selections = command.selections_of(document, options)
    items = command.items_of(document, selections, options.targets, command.load_settings())
    if len(items) > 1 and (len(selections) > 1 or options.targets):
        raise UsageError("an export is of one case for one target: name one of each")
    return items[0]


def _ended(options: argparse.Namespace, item: Item) -> Ended:
    """The end of the job. Raises UsageError where no worker can be started."""
    limits = command.limits_of(options, command.load_settings())
    # Whoever types a file's name into a command that runs it has said that it may run.
    request = export_request(item, source_of(item.document, command.workspace_of(options), True))
    try:
        ends = list(run_batch([request], limits, output.progress, lambda _: None))
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    finally:
        output.clear_progress()
    return ends[0][1]


def _guarded(action: Any) -> None:
    try:
        action()
    except FolderError as error:
        raise UsageError(str(error)) from error


_EMPTY: dict[str, Any] = {"folder": None, "files": [], "missing": {}}


def _told(options: argparse.Namespace, export: Export) -> dict[str, Any]:
    result = export.result
    return {
        "status": results.status_of(export.failure),
        "error": output.failure_json(export.failure),
        "folder": str(options.output) if export.files else None,
        "files": list(export.files),
        "missing": dict(result.missing),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
        "seconds": sum(result.seconds.values()) if result.seconds else None,
        "versions": dict(result.versions),
    }


def _finish(options: argparse.Namespace, result: dict[str, Any]) -> ExitStatus:
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": [result]})
    elif result["error"] is not None:
        line = f":{result['error']['line']}" if result["error"].get("line") else ""
        print(f"{result['file']}{line}: {result['error']['message']}")
    else:
        print(f"{result['folder']}: {len(result['files'])} files, see README.md in it")
        for name, reason in result["missing"].items():
            print(f"  no {name}: {reason}")
    return exit_status([result["status"]])


COMMAND = command.Command(
    "export",
    "Write a kernel into a folder that needs no workbench: its source, PTX, machine code and how "
    "it is launched, a script that launches it, and a pytest file that verifies it.",
    _add_arguments,
    _run,
)
