"""`runs compare`: runs beside each other, and a gate for scripts."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.comparison.comparing import ComparisonError, RunComparison
from workbench.core.comparison.gate import Condition, GateError, parse_condition
from workbench.core.comparison.tables import comparison_csv, comparison_table, markdown
from workbench.core.history import History
from workbench.core.plain import to_plain
from workbench.session.run_comparison import GateResult, check_gate, compare_ids

SCHEMA = 1
EMPTY: dict[str, Any] = {"runs": [], "base": None, "differing": [], "groups": [], "gate": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs compare` takes."""
    parser.add_argument("run_ids", nargs="+", metavar="RUN", help="ids, or beginnings of them")
    parser.add_argument(
        "--base", metavar="RUN", help="the run that the others are held against (the first)"
    )
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        type=_condition,
        metavar="CONDITION",
        help="end with status 1 where a metric moves by more: time:+5%%, registers:+0, tflops:-3%%",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    form.add_argument("--csv", action="store_true", help="print every number as CSV")


def _condition(text: str) -> Condition:
    try:
        return parse_condition(text)
    except GateError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def compare(options: argparse.Namespace, history: History) -> ExitStatus:
    """Print the comparison; status 1 where a condition fails or cannot be told."""
    if options.base is not None:
        options.run_ids = _with_base(options, history)
    try:
        found = compare_ids(history, options.run_ids, options.base)
    except ComparisonError as error:
        raise UsageError(str(error)) from error
    gate = check_gate(found, options.fail_if)
    _print(options, found, gate)
    passed = all(result.failed is False for result in gate)
    return ExitStatus.GOOD if passed else ExitStatus.FAULT


def _with_base(options: argparse.Namespace, history: History) -> list[str]:
    """The ids with the base's among them: naming it by --base alone is enough."""
    base = history.get(options.base).id
    ids = [history.get(run_id).id for run_id in options.run_ids]
    return ids if base in ids else [base, *ids]


def _print(options: argparse.Namespace, found: RunComparison, gate: tuple[GateResult, ...]) -> None:
    if options.json:
        output.print_json({"schema": SCHEMA, **comparison_json(found, gate)})
    elif options.csv:
        print(comparison_csv(found), end="")
    elif options.markdown:
        print(markdown(comparison_table(found)), end="")
    else:
        header, *rows = comparison_table(found)
        output.print_table(header, rows)
        _print_noise(found)
    if not options.json:
        _print_gate(gate)


def _print_noise(found: RunComparison) -> None:
    base = found.runs[found.base].id
    for run, time in zip(found.runs, found.times, strict=True):
        if time is not None:
            print(f"note: {run.id} beside {base}: {time.sentence}")


_SAID = {True: "fails", False: "holds", None: "cannot be told"}


def _print_gate(gate: tuple[GateResult, ...]) -> None:
    for result in gate:
        said = _SAID[result.failed]
        print(f"{result.condition.text} {said} for {result.run.id}: {result.sentence}")


def comparison_json(found: RunComparison, gate: tuple[GateResult, ...]) -> dict[str, Any]:
    """The comparison as JSON; a value that is unknown is null."""
    return {
        "runs": [run.to_json() for run in found.runs],
        "base": found.runs[found.base].id,
        "differing": to_plain(found.differing),
        "alike": list(found.alike),
        "groups": to_plain(found.groups),
        "times": to_plain(found.times),
        "gate": [
            {
                "condition": result.condition.text,
                "run": result.run.id,
                "failed": result.failed,
                "sentence": result.sentence,
            }
            for result in gate
        ],
    }
