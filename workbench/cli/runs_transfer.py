"""`runs export` and `runs import`: runs on their way between machines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History, RunFilter
from workbench.core.run_archive import SUFFIX, ArchiveError
from workbench.core.runs import Run
from workbench.session.run_files import Imported, RunFileError, export_runs, import_file

SCHEMA = 1
EMPTY_EXPORT = {"file": None, "runs": 0, "contents": 0, "lost": 0}
EMPTY_IMPORT: dict[str, Any] = {"files": []}


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs export` takes beside the filters."""
    parser.add_argument(
        "run_ids", nargs="*", metavar="RUN", help="ids, or beginnings of them (default: all runs)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(f"runs{SUFFIX}"),
        metavar="FILE",
        help=f"the archive to write (runs{SUFFIX})",
    )


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs import` takes."""
    # Not `files`: those are documents, whose workspace counts before the current folder's.
    parser.add_argument(
        "sources",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="an archive of runs, or a report of Nsight Compute (.ncu-rep, or its raw page as CSV)",
    )


def export(options: argparse.Namespace, history: History, where: RunFilter) -> ExitStatus:
    """Write the runs that the options name, else those that agree with `where`."""
    runs = _chosen(options, history, where)
    if not runs:
        raise UsageError(f"no run in {history.path.parent.parent} matches: nothing is written")
    try:
        written = export_runs(history, runs, options.output)
    except ArchiveError as error:
        raise UsageError(str(error)) from error
    plain = {"runs": written.runs, "contents": written.blobs, "lost": written.lost}
    if options.json:
        output.print_json({"schema": SCHEMA, "file": str(options.output), **plain})
        return ExitStatus.GOOD
    print(f"{options.output}: {_count(written.runs, 'run')} with {written.blobs} stored contents")
    if written.lost:
        print(f"note: {written.lost} contents are stored no more, or too large, and not in it")
    return ExitStatus.GOOD


def _chosen(options: argparse.Namespace, history: History, where: RunFilter) -> Sequence[Run]:
    if options.run_ids and where != RunFilter():
        raise UsageError("name runs, or choose them by --kernel and the like: not both")
    if options.run_ids:
        return list({run.id: run for run in map(history.get, options.run_ids)}.values())
    listing = history.list(where, limit=None)
    for problem in listing.problems:
        print(f"warning: run {problem.run_id}: {problem.message}", file=sys.stderr)
    return listing.runs


def import_files(options: argparse.Namespace, history: History) -> ExitStatus:
    """Add the runs of each file; a file at fault costs that file."""
    found = [(path, _imported(history, path)) for path in options.sources]
    if options.json:
        output.print_json({"schema": SCHEMA, "files": [_plain(*each) for each in found]})
    else:
        for path, outcome in found:
            _print(path, outcome)
    is_whole = all(isinstance(each, Imported) and not each.problems for _, each in found)
    return ExitStatus.GOOD if is_whole else ExitStatus.USAGE


def _imported(history: History, path: Path) -> Imported | str:
    """What came of a file, or why nothing did."""
    try:
        return import_file(history, path)
    except RunFileError as error:
        return str(error)


def _plain(path: Path, outcome: Imported | str) -> dict[str, Any]:
    error = {"message": outcome, "raw": None} if isinstance(outcome, str) else None
    found = Imported() if isinstance(outcome, str) else outcome
    return {
        "file": str(path),
        "status": "error" if error or found.problems else "ok",
        "error": error,
        "imported": list(found.added),
        "present": list(found.present),
        "absent_contents": found.absent,
        "problems": list(found.problems),
    }


def _print(path: Path, outcome: Imported | str) -> None:
    if isinstance(outcome, str):
        print(f"error: {outcome}", file=sys.stderr)
        return
    present = f", {len(outcome.present)} were here already" if outcome.present else ""
    print(f"{path}: {_count(len(outcome.added), 'run')} imported{present}")
    if outcome.absent:
        print(f"note: {_count(outcome.absent, 'content')} of them were not in the file")
    for problem in outcome.problems:
        print(f"warning: {path}: {problem}", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
