"""`runs mark` and `runs delete`: what a person says of runs, and taking them out of the history."""

from __future__ import annotations

import argparse
import dataclasses
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History
from workbench.core.run_archive import SUFFIX, ArchiveError
from workbench.core.runs import Run
from workbench.session.run_files import export_runs

SCHEMA = 1
EMPTY_MARK: dict[str, Any] = {"runs": []}
EMPTY_DELETE: dict[str, Any] = {"deleted": [], "archive": None}
DELETED_FOLDER = "deleted"


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
    runs = _runs(options, history)
    changed = [history.update(run.id, lambda found: _marked(found, options)) for run in runs]
    if options.json:
        output.print_json({"schema": SCHEMA, "runs": [run.to_json() for run in changed]})
        return ExitStatus.GOOD
    for run in changed:
        print(f"{run.id}: {_words(run)}")
    return ExitStatus.GOOD


def _marked(run: Run, options: argparse.Namespace) -> Run:
    tags = [tag for tag in (*run.tags, *options.tag) if tag not in options.untag]
    return dataclasses.replace(
        run,
        tags=tuple(dict.fromkeys(tags)),
        note=run.note if options.note is None else options.note or None,
        pinned=run.pinned if options.pin is None else options.pin,
    )


def _words(run: Run) -> str:
    said = [*(["pinned"] if run.pinned else []), *(f"#{tag}" for tag in run.tags)]
    return ", ".join([*said, *([f'"{run.note}"'] if run.note else [])]) or "no mark"


def delete(options: argparse.Namespace, history: History) -> ExitStatus:
    """Take runs out of the history, having written them to an archive that `import` reads."""
    runs = _runs(options, history)
    archive = _archive(history)
    try:
        archive.parent.mkdir(exist_ok=True)
        export_runs(history, runs, archive)
    except (ArchiveError, OSError) as error:
        raise UsageError(f"nothing is deleted, as it could not be kept first: {error}") from error
    for run in runs:
        history.delete(run.id)
    if options.json:
        ids = [run.id for run in runs]
        output.print_json({"schema": SCHEMA, "deleted": ids, "archive": str(archive)})
    else:
        count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        print(f"deleted {count}; to have them back: runs import {archive}")
    return ExitStatus.GOOD


def _archive(history: History) -> Path:
    now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    return history.path.parent / DELETED_FOLDER / f"{now}{SUFFIX}"


def _runs(options: argparse.Namespace, history: History) -> list[Run]:
    """The runs named, each once; all are found before anything is changed."""
    return list({run.id: run for run in map(history.get, options.run_ids)}.values())
