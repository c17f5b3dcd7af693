"""`runs compare`: runs beside each other, and a gate for scripts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.comparison.comparing import FEWEST, ComparisonError, RunComparison
from workbench.core.comparison.gate import Condition, GateError, parse_condition, require_known
from workbench.core.comparison.tables import (
    comparison_csv,
    comparison_table,
    letter,
    markdown,
)
from workbench.core.comparison.work import DIFFERENT_WORK, does_different_work
from workbench.core.history import History
from workbench.core.json_files import JsonFileError
from workbench.core.plain import to_plain
from workbench.session.comparison_store import (
    ComparisonStore,
    SavedComparison,
    followed,
    still_there,
)
from workbench.session.run_comparison import GateResult, check_gate, compare_ids

SCHEMA = 1
EMPTY: dict[str, Any] = {"runs": [], "base": None, "differing": [], "groups": [], "gate": []}


def add_choice(parser: argparse.ArgumentParser) -> None:
    """How runs that stand side by side are named."""
    parser.add_argument("run_ids", nargs="*", metavar="RUN", help="ids, or beginnings of them")
    parser.add_argument(
        "--saved",
        metavar="NAME",
        help="a comparison that was saved: the newest runs like those of its columns",
    )
    parser.add_argument(
        "--base", metavar="RUN", help="the run that the others are held against (the first)"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs compare` takes."""
    add_choice(parser)
    parser.add_argument("--save", metavar="NAME", help="save this comparison, for the window too")
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
    store = ComparisonStore(history.path.parent)
    run_ids, base = chosen(options, store, history)
    try:
        found = compare_ids(history, run_ids, base)
        require_known(options.fail_if, [row.name for group in found.groups for row in group.rows])
    except (ComparisonError, GateError) as error:
        raise UsageError(str(error)) from error
    if options.save is not None:
        _save(options.save, store, found)
    gate = check_gate(found, options.fail_if)
    _print(options, found, gate)
    passed = all(result.failed is False for result in gate)
    return ExitStatus.GOOD if passed else ExitStatus.FAULT


def chosen(
    options: argparse.Namespace, store: ComparisonStore, history: History
) -> tuple[list[str], str | None]:
    """The runs that were named and the base, None where none was; raises UsageError."""
    run_ids, base = options.run_ids, options.base
    if options.saved is not None:
        run_ids, base = _saved(options, store, history)
    elif not run_ids:
        raise UsageError("name two to eight runs, or a comparison with --saved")
    return (run_ids if base is None else _with_base(run_ids, base, history)), base


def _saved(
    options: argparse.Namespace, store: ComparisonStore, history: History
) -> tuple[list[str], str]:
    """The runs and the base of a saved comparison, with those that are named beside them."""
    saved = store.get(options.saved)
    if saved is None:
        known = ", ".join(each.name for each in store.all) or "none"
        raise UsageError(f"there is no saved comparison {options.saved!r}; saved are: {known}")
    runs, _ = still_there(history, saved)
    if saved.follows:
        runs = followed(history, runs, saved.base)
    ids = [run.id for run in runs]
    base = options.base or (saved.base if saved.base in ids else None)
    if len(ids) + len(options.run_ids) < FEWEST or (base is None and not ids):
        raise UsageError(f"of {options.saved!r} fewer than two runs are left in the history")
    return [*ids, *options.run_ids], base or ids[0]


def _save(name: str, store: ComparisonStore, found: RunComparison) -> None:
    runs = tuple(run.id for run in found.runs)
    try:
        store.put(SavedComparison(name, runs, runs[found.base]))
    except JsonFileError as error:
        raise UsageError(str(error)) from error


def _with_base(run_ids: Sequence[str], named: str, history: History) -> list[str]:
    """The ids with the base's among them: naming it by --base alone is enough."""
    base = history.get(named).id
    ids = [history.get(run_id).id for run_id in run_ids]
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
        _print_gate(found, gate)


def _print_noise(found: RunComparison) -> None:
    if does_different_work(found.runs):
        print(f"note: {DIFFERENT_WORK}")
    for at, time in enumerate(found.times):
        if time is not None:
            print(f"note: {letter(at)} beside {letter(found.base)}: {time.sentence}")


_SAID = {True: "fails", False: "holds", None: "cannot be told"}


def _print_gate(found: RunComparison, gate: tuple[GateResult, ...]) -> None:
    letters = {run.id: letter(at) for at, run in enumerate(found.runs)}
    for result in gate:
        said = _SAID[result.failed]
        print(f"{result.condition.text} {said} for {letters[result.run.id]}: {result.sentence}")


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
