"""`runs attach` and `runs detach`, and what `runs list --document` tells: the runs of a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.cli import command, output, runs_text
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import FileIdentity, History, RunFilter
from workbench.core.runs import Run
from workbench.session.document_runs import Offer, counted, identity_of, offer_of, ran_text
from workbench.session.recording.begun_runs import relative_path
from workbench.session.run_marking import Marking, mark_runs
from workbench.session.same_code import texts_of_code

SCHEMA = 1
EMPTY: dict[str, Any] = {"document": None, "runs": []}
_TEXT_WORDS = {True: "this one", False: "another", None: "-"}


def add_filters(parser: argparse.ArgumentParser) -> None:
    """How the runs of a file are asked for."""
    # Called `file` as a document is elsewhere: its workspace counts before the current folder's.
    parser.add_argument(
        "--document",
        dest="file",
        type=Path,
        metavar="FILE",
        help="the runs of this file: made from it, or attached to it",
    )
    parser.add_argument(
        "--offered",
        action="store_true",
        help="with --document: those that are of other paths and may be of this file, as they ran "
        "its text, or its kernels in a file of its name",
    )


def add_attach_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs attach` takes."""
    _add_file_and_runs(parser, "all that 'list --document FILE --offered' has")


def add_detach_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs detach` takes."""
    _add_file_and_runs(parser, "all that were attached")


def _add_file_and_runs(parser: argparse.ArgumentParser, usual: str) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a kernel document")
    parser.add_argument(
        "run_ids",
        nargs="*",
        metavar="RUN",
        help=f"ids, or beginnings of them (default: {usual})",
    )


def identity(options: argparse.Namespace) -> FileIdentity:
    """The file that is named, as it is now; raises UsageError."""
    document = command.open_document(options.file)
    kernels = [kernel.name for kernel in document.kernels]
    return identity_of(options.file, document.text, kernels, command.workspace_of(options))


def fields(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a filter that the options of `add_filters` ask for; raises UsageError."""
    if options.file is None:
        if options.offered:
            raise UsageError("--offered says nothing without --document FILE")
        return {}
    if options.offered:
        return {"offered": identity(options)}
    return {"document": path_of(options)}


def path_of(options: argparse.Namespace) -> str:
    """The path of the file as runs write it; the file need not be there any more."""
    return relative_path(options.file, command.workspace_of(options)) or ""


def offer(options: argparse.Namespace, history: History) -> Offer | None:
    """What may be of the file too; None without a file, or where it is not there any more."""
    if options.file is None or not options.file.is_file():
        return None
    return offer_of(history, identity(options))


def plain(options: argparse.Namespace, found: Offer | None) -> dict[str, Any] | None:
    """The file and what is offered to it, as JSON."""
    if options.file is None:
        return None
    if found is None:
        return {"path": path_of(options), "text": None, "offered": None, "offered_of_text": None}
    file = found.file
    return {
        "path": file.path,
        "text": file.text,
        "offered": found.runs,
        "offered_of_text": found.of_text,
    }


def table(
    options: argparse.Namespace, history: History, runs: Sequence[Run], found: Offer | None
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of a list, of a file with whether a run ran the text that it has."""
    rows = [runs_text.row(run) for run in runs]
    if found is None:
        return runs_text.HEADER, rows
    text = command.open_document(options.file).text
    same = texts_of_code(history, text, [run.text_blob for run in runs])
    words = [_text_word(run, found.file, run.text_blob in same) for run in runs]
    *header, last = runs_text.HEADER
    told = [(*row[:-1], word, row[-1]) for row, word in zip(rows, words, strict=True)]
    return (*header, "text", last), told


def _text_word(run: Run, file: FileIdentity, same_code: bool) -> str:
    ran = ran_text(run, file.text)
    return "same code" if ran is False and same_code else _TEXT_WORDS[ran]


def attach(options: argparse.Namespace, history: History) -> ExitStatus:
    """Say of runs that they are of a file, too."""
    file = identity(options)
    ids = options.run_ids or history.ids(RunFilter(offered=file))
    path = file.path
    runs = mark_runs(history, ids, Marking(attach=(path,)))
    words = f"{counted(len(runs))} attached to {path}"
    undo = f"; to take that back: runs detach {options.file}"
    return _told(options, path, runs, words + undo if runs else f"no run is offered to {path}")


def detach(options: argparse.Namespace, history: History) -> ExitStatus:
    """Take back that runs are of a file; those that were made from it stay its own."""
    path = path_of(options)
    ids = options.run_ids or history.ids(RunFilter(document=path))
    attached = [run.id for run in map(history.get, ids) if path in run.attached_to]
    runs = mark_runs(history, attached, Marking(detach=(path,)))
    return _told(options, path, runs, f"{counted(len(runs))} detached from {path}")


def _told(
    options: argparse.Namespace, path: str, runs: tuple[Run, ...], sentence: str
) -> ExitStatus:
    if options.json:
        found = {"document": path, "runs": [run.to_json() for run in runs]}
        output.print_json({"schema": SCHEMA, **found})
    else:
        print(sentence)
    return ExitStatus.GOOD
