"""`runs`: the history of the workspace, listed and shown."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from workbench.cli import command, output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.runs import SAMPLED, Run, RunKind, RunStatus
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.workspace import WorkspaceError
from workbench.session.recording import open_history

SCHEMA = 1


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the newest runs")
    listing.add_argument("--kernel", metavar="NAME")
    listing.add_argument("--target", metavar="NAME")
    listing.add_argument("--kind", choices=[kind.value for kind in RunKind])
    listing.add_argument("--status", choices=[status.value for status in RunStatus])
    listing.add_argument(
        "--limit", type=command.whole_number, default=20, metavar="N", help="at most N (20)"
    )
    show = actions.add_parser("show", help="everything about one run")
    show.add_argument("run_id", metavar="RUN", help="an id, or the beginning of one")
    show.add_argument("--text", action="store_true", help="print the text that was run")
    empty_show = {"run": None, "text": None}
    for parser_of, action, empty in ((listing, _list, {"runs": []}), (show, _show, empty_show)):
        command.add_workspace_option(parser_of)
        command.add_json_option(parser_of)
        parser_of.set_defaults(action=action, empty=empty)


def _run(options: argparse.Namespace) -> int:
    try:
        with open_history(command.workspace_of(options)) as history:
            options.action(options, history)
    except (HistoryError, WorkspaceError) as error:
        raise UsageError(str(error)) from error
    return ExitStatus.GOOD


def _list(options: argparse.Namespace, history: History) -> None:
    where = RunFilter(
        kernel=options.kernel,
        target=_target(options.target, history) if options.target else None,
        kind=RunKind(options.kind) if options.kind else None,
        status=RunStatus(options.status) if options.status else None,
    )
    listing = history.list(where, limit=options.limit)
    for problem in listing.problems:
        print(f"warning: run {problem.run_id}: {problem.message}", file=sys.stderr)
    if options.json:
        output.print_json({"schema": SCHEMA, "runs": [run.to_json() for run in listing.runs]})
    elif listing.runs:
        header = ("run", "created", "kind", "status", "kernel", "case", "target", "result")
        output.print_table(header, [_row(run) for run in listing.runs])
    elif history.count():
        print(f"none of the {history.count()} runs in {history.path.parent.parent} matches")
    else:
        print(f"no runs in {history.path.parent.parent}: compile or verify a kernel first")


def _target(name: str, history: History) -> str:
    """The canonical name of a target, or a name that runs have and the table no longer has."""
    try:
        return load_targets().resolve(name).name
    except TargetError as error:
        if history.list(RunFilter(target=name), limit=1).runs:
            return name
        raise UsageError(f"--target: {error}") from error


def _row(run: Run) -> tuple[str, ...]:
    created = run.created.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    names = (run.kernel or "-", run.case or "-", run.target or "-")
    return run.id, created, run.kind.value, run.status.value, *names, _summary(run)


def _summary(run: Run) -> str:
    if run.error:
        return run.error.splitlines()[0][:80]
    known = [(name, m) for name, m in _known(run) if name not in SAMPLED]
    shown = [f"{name} {output.quantity(m.value, m.unit, 3)}" for name, m in known]
    return ", ".join([*([run.sample] if run.sample else []), *shown[:3]])


def _known(run: Run) -> list[tuple[str, Any]]:
    return [(name, m) for name, m in run.metrics.items() if m.value is not None]


def _show(options: argparse.Namespace, history: History) -> None:
    run = history.get(options.run_id)
    text = history.blob(run.text_blob).decode("utf-8", "replace") if run.text_blob else None
    if options.json:
        output.print_json({"schema": SCHEMA, "run": run.to_json(), "text": text})
    elif options.text:
        print(text or "")
    else:
        _print_run(run)


def _print_run(run: Run) -> None:
    facts = {
        "run": run.id,
        "created": run.created.astimezone().isoformat(timespec="seconds"),
        "kind": run.kind.value,
        "status": run.status.value,
        "document": run.document,
        "kernel": run.kernel,
        "case": run.case,
        "arguments": ", ".join(f"{k}={v!r}" for k, v in run.args.items()) or None,
        "target": run.target,
        "host": run.host,
        "device": run.device,
        "error": run.error,
        "versions": ", ".join(f"{k} {v}" for k, v in run.versions.items()) or None,
    }
    for name, value in facts.items():
        if value is not None:
            print(f"{name:<10} {value}")
    for name, metric in run.metrics.items():
        value = output.quantity(metric.value, metric.unit, 6)
        print(f"{name:<24} {value}  ({metric.source.value}: {metric.method})")
    output.print_diagnostics(run.document or "untitled", run.diagnostics)


COMMAND = command.Command("runs", "List and show what was done before.", _add_arguments, _run)
