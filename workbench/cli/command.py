"""The form of a command, and the options that several commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.cli.status import UsageError
from workbench.core.diagnostics import Diagnostic
from workbench.core.documents.model import Document, DocumentError, Kernel
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import (
    Selection,
    SelectionError,
    cases_of,
    select,
    unreadable,
)
from workbench.core.documents.selection import require_named as require_named_in
from workbench.core.settings import Settings, SettingsFile
from workbench.core.targets.table import TargetError, load_targets
from workbench.core.user_folders import user_config_folder
from workbench.core.workspace import find_workspace, is_marked_workspace
from workbench.session.requests import Item, plan
from workbench.wire.messages import Limits


@dataclass(frozen=True)
class Command:
    """One command: its name, a sentence for the help, its options, and what it does.

    `empty` is what its JSON holds beside the error where it ends before it has anything to tell:
    the same keys as at a good end.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    empty: Mapping[str, Any] = field(default_factory=lambda: {"results": []})


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """`--json`: one object on stdout and nothing else."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_workspace_option(parser: argparse.ArgumentParser) -> None:
    """`--workspace`: whose history is meant."""
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="FOLDER",
        help="the folder whose history is used (default: the repository of the current folder)",
    )


def add_selection_options(
    parser: argparse.ArgumentParser,
    several: bool = False,
    usual_target: str = "the case's, else h100",
) -> None:
    """The options that choose what of a file is worked on, and within which limits.

    With `several` there may be more files than one, in `files`.
    """
    if several:
        parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="kernel documents")
    else:
        parser.add_argument("file", type=Path, metavar="FILE", help="a kernel document")
    parser.add_argument("--kernel", metavar="NAME", help="where the file has several kernels")
    parser.add_argument("--case", metavar="NAME", help="a case of the file, or 'all'")
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a kernel argument",
    )
    parser.add_argument(
        "--target",
        dest="targets",
        action="append",
        default=[],
        metavar="NAME",
        help=f"a target such as h100, h200:sm_80, gfx942 (default: {usual_target})",
    )
    parser.add_argument("--timeout", type=positive, metavar="SECONDS", help="time limit of a job")
    parser.add_argument("--memory", type=positive, metavar="GIB", help="memory limit of a job")
    add_workspace_option(parser)
    add_json_option(parser)


def workspace_of(options: argparse.Namespace) -> Path:
    """The workspace that an invocation belongs to; raises UsageError.

    Without `--workspace`: that of the document, where a repository or a history marks it, else that
    of the current folder, unless the document lies elsewhere and nothing marks the folder.
    """
    if options.workspace is None:
        file = getattr(options, "file", None) or next(iter(getattr(options, "files", ())), None)
        return _usual_workspace(file.absolute().parent if file is not None else None)
    if not options.workspace.is_dir():
        raise UsageError(f"--workspace {options.workspace} is not a folder")
    folder: Path = options.workspace.resolve()
    return folder


def _usual_workspace(folder: Path | None) -> Path:
    here = Path.cwd()
    if folder is None:
        return find_workspace(here)
    if is_marked_workspace(find_workspace(folder)):
        return find_workspace(folder)
    if is_marked_workspace(find_workspace(here)) or here in (folder, *folder.parents):
        return find_workspace(here)
    return folder


def load_settings() -> Settings:
    """The person's settings, defaults where there are none."""
    return SettingsFile(user_config_folder() / "settings.json").load().settings


def limits_of(options: argparse.Namespace, settings: Settings) -> Limits:
    """The limits given, else those of the settings."""
    seconds = options.timeout or settings.job_time_limit_s
    memory = int((options.memory or 0) * 1024**3) or settings.job_memory_limit_bytes
    return Limits(float(seconds), memory)


def open_document(path: Path) -> Document:
    """The document of a file; raises UsageError."""
    try:
        return read_document(path)
    except DocumentError as error:
        raise UsageError(str(error)) from error


def faults_of(document: Document, options: argparse.Namespace) -> tuple[Diagnostic, ...]:
    """The document's own errors where they leave nothing to choose, whatever the options say.

    They are a kernel's fault; a choice that a sound document does not have is the command's.
    """
    found = unreadable(document)
    if found or options.kernel is not None or options.case is not None:
        return found
    given = pairs_of(options.overrides)
    selectable = _can_select(document, given) or _can_select(document, {})
    return () if selectable else tuple(document.errors)


def _can_select(document: Document, overrides: dict[str, str]) -> bool:
    try:
        select(document, overrides=overrides)
    except SelectionError:
        return False
    return True


def selections_of(document: Document, options: argparse.Namespace) -> tuple[Selection, ...]:
    """What the options choose of a document; raises UsageError."""
    try:
        return select(document, options.kernel, options.case, pairs_of(options.overrides))
    except SelectionError as error:
        raise UsageError(str(error)) from error


def require_named(document: Document, options: argparse.Namespace) -> None:
    """See that what the options name is there, where the document can be read; raises UsageError.

    For commands that also look at what cannot be selected, which has to tell such a slip by itself.
    """
    if unreadable(document):
        return
    try:
        require_named_in(document, options.kernel, options.case, pairs_of(options.overrides))
    except SelectionError as error:
        raise UsageError(str(error)) from error


def tell_first_case(document: Document, kernel: Kernel, case: str | None) -> None:
    """Name the other cases where nobody chose one: the first is mostly a small one, to be verified.

    To be told where time is measured.
    """
    names = [each.name for each in cases_of(document, kernel)]
    if case is None and len(names) > 1:
        name = "" if document.path is None else f"{document.path.name}: "
        others = ", ".join(names[1:])
        print(
            f"note: {name}the first of its cases is taken, {names[0]}; --case takes another: "
            f"{others}, or all",
            file=sys.stderr,
        )


def items_of(
    document: Document,
    selections: tuple[Selection, ...],
    targets: list[str],
    settings: Settings,
) -> tuple[Item, ...]:
    """One item for each selection and target; raises UsageError."""
    names = [name for group in targets for name in group.split(",") if name]
    try:
        return plan(document, selections, names, load_targets(), settings.default_targets)
    except TargetError as error:
        raise UsageError(str(error)) from error


def pairs_of(overrides: list[str]) -> dict[str, str]:
    """What `--set` sets, by name; raises UsageError."""
    pairs = {}
    for text in overrides:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set takes NAME=VALUE, not {text!r}")
        pairs[name.strip()] = value
    return pairs


def whole_number(text: str) -> int:
    """An option's value that is a whole number from 1 on."""
    value = int(text) if text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return value


def positive(text: str) -> float:
    """An option's value that is a number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value
