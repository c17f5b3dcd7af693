"""`analyze`: what kernels ask of targets - resources, occupancy, bank conflicts, instructions."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli import analysis_text, command, output, results
from workbench.cli.analysis_json import analysis_json
from workbench.cli.status import exit_status
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import Source
from workbench.core.plain import from_plain
from workbench.session.recording import record_analysis
from workbench.session.requests import Item, analyze_request

_LEVELS = (1, 2)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_selection_options(parser)
    parser.add_argument(
        "--level",
        type=int,
        choices=_LEVELS,
        default=2,
        help="1: from the lowered IR alone; 2: from machine code too, where that can be had "
        "(default: 2)",
    )
    parser.add_argument(
        "--carveout",
        type=command.whole_number,
        metavar="BYTES",
        help="the shared memory of an SM that the driver chose (default: the largest, assumed)",
    )


def _run(options: argparse.Namespace) -> int:
    document = command.open_document(options.file)
    errors = command.faults_of(document, options)
    if errors:
        refused = {**results.refused_result(document, errors), **analysis_json(AnalyzeResult(None))}
        return _finish(options, [(refused, None)])
    selections = command.selections_of(document, options)
    items = command.items_of(document, selections, options.targets, command.load_settings())

    def request_of(item: Item, source: Source) -> Any:
        return analyze_request(item, source, options.level, options.carveout)

    outcomes = results.run_items(options, items, request_of, record_analysis)
    return _finish(options, [_result(outcome) for outcome in outcomes])


def _result(outcome: results.Outcome) -> tuple[dict[str, Any], AnalyzeResult]:
    ended = outcome.ended
    empty = AnalyzeResult(results.cancelled(ended))
    result = from_plain(AnalyzeResult, ended.result) if ended.outcome == "done" else empty
    plain = {
        **results.common_fields(outcome),
        "status": results.status_of(result.failure),
        "error": output.failure_json(result.failure),
        **analysis_json(result),
        "missing": dict(result.missing),
        "seconds": sum(result.seconds.values()) if result.seconds else None,
        "timings": dict(result.seconds),
        "versions": dict(result.versions),
        "log": list(ended.log_tail),
        "diagnostics": [output.diagnostic_json(d) for d in result.diagnostics],
    }
    return plain, result


def _finish(
    options: argparse.Namespace, found: list[tuple[dict[str, Any], AnalyzeResult | None]]
) -> int:
    if options.json:
        plain = [result for result, _ in found]
        output.print_json({"schema": results.SCHEMA, "results": plain})
    else:
        analysis_text.print_results(found)
    return exit_status(result["status"] for result, _ in found)


COMMAND = command.Command(
    "analyze",
    "Compute resources, occupancy, bank conflicts and instructions for targets, without a GPU.",
    _add_arguments,
    _run,
)
