"""`runs mark` and `runs delete`: what a person says of runs, and taking them out of the history."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History
from workbench.core.runs import Run
from workbench.session.run_marking import Marking, RunDeletionError, delete_runs, mark_runs

SCHEMA = 1
EMPTY_MARK: dict[str, Any] = {"runs": []}
EMPTY_DELETE: dict[str, Any] = {"deleted": [], "archive": None}


def add_mark_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs mark` takes."""
    _add_runs(parser)
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="add a tag")
    parser.add_argument(
        "--untag", action="append", default=[], metavar="TAG", help="take a tag off"
    )
    parser.add_argument("--note", metavar="TEXT", help="write a note ('' takes it away)")
    pin = parser.add_mutually_exclusive_group()
    pin.add_argument(
        "--pin", action="store_true", default=None, help="pin as a baseline; its contents are kept"
    )
    pin.add_argument("--unpin", dest="pin", action="store_false", help="take the pin off")


def add_delete_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs delete` takes."""
    _add_runs(parser)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_ids", nargs="+", metavar="RUN", help="ids, or beginnings of them")


def mark(options: argparse.Namespace, history: History) -> ExitStatus:
    """Change tags, note and pin of each run."""
    if not (options.tag or options.untag) and options.note is None and options.pin is None:
        raise UsageError("say what to mark: --tag, --untag, --note, --pin or --unpin")
    marking = Marking(tuple(options.tag), tuple(options.untag), options.note, options.pin)
    changed = mark_runs(history, options.run_ids, marking)
    if options.json:
        output.print_json({"schema": SCHEMA, "runs": [run.to_json() for run in changed]})
        return ExitStatus.GOOD
    for run in changed:
        print(f"{run.id}: {_words(run)}")
    return ExitStatus.GOOD


def _words(run: Run) -> str:
    said = [*(["pinned"] if run.pinned else []), *(f"#{tag}" for tag in run.tags)]
    return ", ".join([*said, *([f'"{run.note}"'] if run.note else [])]) or "no mark"


def delete(options: argparse.Namespace, history: History) -> ExitStatus:
    """Take runs out of the history, having written them to an archive that `import` reads."""
    try:
        deleted = delete_runs(history, [history.find(each) for each in options.run_ids])
    except RunDeletionError as error:
        raise UsageError(str(error)) from error
    runs, archive = deleted.runs, deleted.archive
    if options.json:
        output.print_json({"schema": SCHEMA, "deleted": list(runs), "archive": str(archive)})
    else:
        count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        print(f"deleted {count}; to have them back: runs import {archive}")
    return ExitStatus.GOOD
