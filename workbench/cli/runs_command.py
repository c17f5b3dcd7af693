"""`runs`: the history of the workspace, listed, shown, and moved between machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from workbench.cli import (
    command,
    output,
    runs_charts,
    runs_compare,
    runs_documents,
    runs_marking,
    runs_report,
    runs_text,
    runs_transfer,
)
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.runs import Run, RunKind, RunStatus
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.workspace import WorkspaceError
from workbench.session.document_runs import Offer
from workbench.session.recording import open_history
from workbench.session.stored_values import stored_value
from workbench.session.told_cases import with_told_cases

SCHEMA = 1
_Action = Callable[[argparse.Namespace, History], ExitStatus]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the newest runs")
    _add_filters(listing)
    listing.add_argument(
        "--limit", type=command.whole_number, default=20, metavar="N", help="at most N (20)"
    )
    show = actions.add_parser("show", help="everything about one run")
    show.add_argument("run_id", metavar="RUN", help="an id, or the beginning of one")
    show.add_argument("--text", action="store_true", help="print the text that was run")
    compare = actions.add_parser("compare", help="2 to 8 runs beside each other")
    runs_compare.add_arguments(compare)
    charts = actions.add_parser("charts", help="charts of runs as SVG or CSV files")
    runs_charts.add_arguments(charts)
    report = actions.add_parser("report", help="runs side by side as a file to pass on")
    runs_report.add_arguments(report)
    mark = actions.add_parser("mark", help="tag runs, note something of them, pin them")
    runs_marking.add_mark_arguments(mark)
    attach = actions.add_parser("attach", help="say that runs are of a file, too")
    runs_documents.add_attach_arguments(attach)
    detach = actions.add_parser("detach", help="take back that runs are of a file")
    runs_documents.add_detach_arguments(detach)
    delete = actions.add_parser("delete", help="take runs out, into an archive to have them back")
    runs_marking.add_delete_arguments(delete)
    export = actions.add_parser("export", help="write runs to an archive, for another machine")
    runs_transfer.add_export_arguments(export)
    _add_filters(export)
    bring = actions.add_parser("import", help="add the runs of an archive, or of a profiler")
    runs_transfer.add_import_arguments(bring)
    rows: tuple[tuple[argparse.ArgumentParser, _Action, Mapping[str, Any]], ...] = (
        (listing, _list, {"runs": [], "total": None, "document": None}),
        (show, _show, {"run": None, "text": None, "stored": {}}),
        (compare, runs_compare.compare, runs_compare.EMPTY),
        (charts, runs_charts.charts, runs_charts.EMPTY),
        (report, runs_report.report, runs_report.EMPTY),
        (mark, runs_marking.mark, runs_marking.EMPTY_MARK),
        (attach, runs_documents.attach, runs_documents.EMPTY),
        (detach, runs_documents.detach, runs_documents.EMPTY),
        (delete, runs_marking.delete, runs_marking.EMPTY_DELETE),
        (export, _export, runs_transfer.EMPTY_EXPORT),
        (bring, runs_transfer.import_files, runs_transfer.EMPTY_IMPORT),
    )
    for parser_of, action, empty in rows:
        command.add_workspace_option(parser_of)
        command.add_json_option(parser_of)
        parser_of.set_defaults(action=action, empty=empty)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    runs_documents.add_filters(parser)
    parser.add_argument("--kernel", metavar="NAME")
    parser.add_argument("--target", metavar="NAME")
    parser.add_argument("--kind", choices=[kind.value for kind in RunKind])
    parser.add_argument("--status", choices=[status.value for status in RunStatus])
    parser.add_argument("--host", metavar="NAME", help="where they ran, as 'runs show' tells it")
    parser.add_argument("--tag", metavar="TAG")
    parser.add_argument("--pinned", action="store_true", default=None, help="the pinned ones only")
    parser.add_argument("--since", type=_date, metavar="DATE", help="from this day or time on")
    parser.add_argument("--until", type=_date, metavar="DATE", help="before this day or time")
    parser.add_argument(
        "--search",
        metavar="WORDS",
        help="each word is somewhere in names, tags, device or note, or an argument as M=1",
    )


def _date(text: str) -> datetime:
    """A day or a time in ISO 8601, this machine's where it names no offset."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no date: write it as 2026-11-30, or 2026-11-30T14:00"
        ) from None


def _run(options: argparse.Namespace) -> int:
    try:
        with open_history(command.workspace_of(options)) as history:
            return int(options.action(options, history))
    except (HistoryError, WorkspaceError) as error:
        raise UsageError(str(error)) from error


def _filter(options: argparse.Namespace, history: History) -> RunFilter:
    return RunFilter(
        kernel=options.kernel,
        target=_target(options.target, history) if options.target else None,
        kind=RunKind(options.kind) if options.kind else None,
        status=RunStatus(options.status) if options.status else None,
        since=options.since,
        until=options.until,
        tag=options.tag,
        host=options.host,
        pinned=options.pinned,
        search=options.search,
        **runs_documents.fields(options),
    )


def _export(options: argparse.Namespace, history: History) -> ExitStatus:
    return runs_transfer.export(options, history, _filter(options, history))


def _list(options: argparse.Namespace, history: History) -> ExitStatus:
    wanted = _filter(options, history)
    listing = history.list(wanted, limit=options.limit)
    total, told = history.count(wanted), with_told_cases(listing.runs, history.blob)
    offer = runs_documents.offer(options, history)
    for problem in listing.problems:
        print(f"warning: run {problem.run_id}: {problem.message}", file=sys.stderr)
    if options.json:
        runs = [run.to_json() for run in told]
        document = runs_documents.plain(options, offer)
        output.print_json({"schema": SCHEMA, "runs": runs, "total": total, "document": document})
    else:
        _print_list(options, history, told, total, offer)
    return ExitStatus.GOOD


def _print_list(
    options: argparse.Namespace,
    history: History,
    runs: Sequence[Run],
    total: int,
    offer: Offer | None,
) -> None:
    if runs:
        output.print_table(*runs_documents.table(options, history, runs, offer))
        if total > options.limit:
            print(f"the newest {options.limit:,} of {total:,}: --limit {total} lists all")
    elif history.count():
        print(f"none of the {history.count()} runs in {history.path.parent.parent} matches")
    else:
        print(f"no runs in {history.path.parent.parent}: compile or verify a kernel first")
    if offer is not None and offer.runs and not options.offered:
        print(f"{offer.sentence} --offered lists them, runs attach {options.file} takes them.")


def _target(name: str, history: History) -> str:
    """The canonical name of a target, or a name that runs have and the table no longer has."""
    try:
        return load_targets().resolve(name).name
    except TargetError as error:
        if history.list(RunFilter(target=name), limit=1).runs:
            return name
        raise UsageError(f"--target: {error}") from error


def _show(options: argparse.Namespace, history: History) -> ExitStatus:
    (run,) = with_told_cases([history.get(options.run_id)], history.blob)
    text = history.blob(run.text_blob).decode("utf-8", "replace") if run.text_blob else None
    if options.json:
        stored = {artifact.name: stored_value(history, artifact) for artifact in run.artifacts}
        shown = {"run": run.to_json(), "text": text, "stored": stored}
        output.print_json({"schema": SCHEMA, **shown})
    elif options.text:
        print(text or "")
    else:
        runs_text.print_run(run, history)
    return ExitStatus.GOOD


COMMAND = command.Command(
    "runs",
    "List, show, mark and compare what was done before, and move it between machines.",
    _add_arguments,
    _run,
)
