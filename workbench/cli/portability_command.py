"""`portability`: on which targets a kernel can run, and what stands in the way on the others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.cli import command, output, results
from workbench.cli.status import UsageError, exit_status
from workbench.core.documents.model import Document
from workbench.core.documents.selection import Selection
from workbench.core.history import HistoryError
from workbench.core.jobs import AnalyzeRequest
from workbench.core.portability.export import WORDS, cell_text
from workbench.core.portability.facts import Verification
from workbench.core.portability.model import Cell, CellState, Column, PortabilityMatrix, Row
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.workspace import WorkspaceError
from workbench.session.batch import run_batch
from workbench.session.portability_survey import (
    Found,
    Survey,
    SurveyTarget,
    survey_of,
    survey_targets,
    verified_runs,
    with_analysis,
    with_code,
)
from workbench.session.recording import open_history
from workbench.session.requests import analyze_request, compile_request, source_of
from workbench.session.worker_client import Request, WorkerStartError

_LEVEL = 1  # machine code is a job of its own, which finds what was compiled before
_STATUS = {
    CellState.GOOD: "ok",
    CellState.CAUTION: "ok",
    CellState.BAD: "fault",
    CellState.UNKNOWN: "error",
}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "--no-machine-code",
        action="store_true",
        help="lower only: registers then stay unknown",
    )


@dataclass(frozen=True)
class _Asked:
    """A request with the architecture that it is about."""

    request: Request
    target: SurveyTarget


def _run(options: argparse.Namespace) -> int:
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        refused = results.refused_result(document, errors)
        return _finish(options, [{**refused, "conclusion": None, "targets": []}])
    found = [
        (selection, _matrix(options, document, selection))
        for selection in command.selections_of(document, options)
    ]
    if not options.json:
        for selection, matrix in found:
            _print(selection, matrix)
    return _finish(options, [_plain(document, s, matrix) for s, matrix in found])


def _matrix(
    options: argparse.Namespace, document: Document, selection: Selection
) -> PortabilityMatrix:
    names = [name for group in options.targets for name in group.split(",") if name]
    try:
        targets = survey_targets(load_targets(), names)
    except TargetError as error:
        raise UsageError(str(error)) from error
    survey = survey_of(document, selection, targets, not options.no_machine_code)
    found = _ask(options, survey)
    return survey.matrix(found, _verified(options, survey))


def _ask(options: argparse.Namespace, survey: Survey) -> dict[str, Found]:
    """What a worker tells of every architecture."""
    source = source_of(survey.document, command.workspace_of(options), True)
    asked = []
    for target in survey.works:
        item = survey.item(target)
        asked.append(_Asked(analyze_request(item, source, _LEVEL), target))
        if survey.machine_code and target.has_compiler:
            asked.append(_Asked(compile_request(item, source, (), machine_code=True), target))
    limits = command.limits_of(options, command.load_settings())
    found = {target.work.name: Found() for target in survey.works}
    try:
        requests = [each.request for each in asked]
        for position, ended in run_batch(requests, limits, output.progress, lambda _: None):
            each = asked[position]
            taking = with_analysis if isinstance(each.request, AnalyzeRequest) else with_code
            name = each.target.work.name
            found[name] = survey.offered(taking(found[name], ended))
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    finally:
        output.clear_progress()
    return found


def _verified(options: argparse.Namespace, survey: Survey) -> tuple[Verification, ...]:
    try:
        with open_history(command.workspace_of(options)) as history:
            return verified_runs(history, survey.identity)
    except (HistoryError, WorkspaceError):
        return ()  # verifications are then not told: nothing else depends on them


def _plain(document: Document, selection: Selection, matrix: PortabilityMatrix) -> dict[str, Any]:
    statuses = [_STATUS[row.state] for row in matrix.rows]
    return {
        "file": str(document.path),
        "kernel": selection.kernel.name,
        "case": selection.case.name,
        "args": selection.args,
        "status": _worst(statuses),
        "error": None,
        "conclusion": matrix.conclusion,
        "targets": [_row_json(row) for row in matrix.rows],
    }


def _worst(statuses: Sequence[str]) -> str:
    return next((s for s in ("fault", "error") if s in statuses), "ok")


def _row_json(row: Row) -> dict[str, Any]:
    cells = {cell.column.value: _cell_json(cell) for cell in row.cells}
    return {
        "target": row.target,
        "label": row.label,
        "status": _STATUS[row.state],
        "state": row.state.value,
        "cells": cells,
    }


def _cell_json(cell: Cell) -> dict[str, Any]:
    found = cell.diagnostic
    return {
        "state": cell.state.value,
        "text": cell.text,
        "reason": cell.reason,
        "source": cell.source,
        "line": cell.line,
        "diagnostic": output.diagnostic_json(found) if found is not None else None,
    }


def _print(selection: Selection, matrix: PortabilityMatrix) -> None:
    print(f"{selection.kernel.name} ({selection.case.name}): {matrix.conclusion}\n")
    header = ["target", *(column.title for column in Column)]
    rows = [[row.target, *(cell_text(cell) for cell in row.cells)] for row in matrix.rows]
    output.print_table(header, rows)
    for row in matrix.rows:
        for cell in row.cells:
            if cell.state in (CellState.BAD, CellState.CAUTION):
                line = f", line {cell.line}" if cell.line is not None else ""
                word = WORDS[cell.state]
                print(f"\n{row.target}{line}: {cell.column.title}: {word}. {cell.reason}", end="")
    print()


def _finish(options: argparse.Namespace, found: Sequence[dict[str, Any]]) -> int:
    if options.json:
        output.print_json({"schema": results.SCHEMA, "results": list(found)})
    return exit_status(result["status"] for result in found)


COMMAND = command.Command(
    "portability",
    "Tell on which targets a kernel can run, and what stands in the way on the others. Without "
    "--target: every architecture.",
    _add_arguments,
    _run,
)
