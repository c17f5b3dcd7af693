"""Puts an export of a kernel together, and writes it into a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench import __version__
from workbench.core.atomic_files import write_atomically
from workbench.core.documents.model import Document
from workbench.core.documents.selection import Selection, SelectionError, select
from workbench.core.exporting.contents import export_files
from workbench.core.exporting.facts import LAUNCH, README, CaseRecord, ExportFacts
from workbench.core.exporting.launch_json import is_launch_json
from workbench.core.exporting.model import ExportRequest, ExportResult
from workbench.core.jobs import Failure, Source
from workbench.core.plain import from_plain
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.requests import Item, choice_of
from workbench.wire.events import Ended

_MAKE_INPUTS = "make_inputs"


class FolderError(Exception):
    """The folder cannot take an export; the message says why and what to do."""


@dataclass(frozen=True)
class Export:
    """What an export job has come to: its files by name, or why there are none."""

    result: ExportResult
    files: Mapping[str, bytes]

    @property
    def failure(self) -> Failure | None:
        """Why there is nothing to write."""
        return self.result.failure


def export_request(item: Item, source: Source) -> ExportRequest:
    """A request to export one item."""
    selection = item.selection
    target = item.target.to_json()
    return ExportRequest(source, choice_of(selection), target, selection.reference)


def export_of(item: Item, ended: Ended, table: TargetTable) -> Export:
    """The export that a job's end holds."""
    if ended.outcome != "done":
        failure = ended.failure or Failure("environment", f"the job was {ended.outcome}")
        return Export(ExportResult(failure), {})
    result = from_plain(ExportResult, ended.result)
    if result.failure is not None:
        return Export(result, {})
    document = item.document
    facts = ExportFacts(
        file=document.path.name if document.path is not None else "kernel.py",
        text=document.text,
        selection=item.selection,
        target=item.target,
        result=result,
        cubin=None if result.cubin_blob is None else ended.blobs[result.cubin_blob],
        make_inputs=_MAKE_INPUTS if _MAKE_INPUTS in document.functions else None,
        cases=_cases(document, item.selection, table),
        versions={**result.versions, "tilelang-workbench": __version__},
    )
    return Export(result, export_files(facts))


def check_folder(folder: Path, force: bool) -> None:
    """See that a folder is new, empty or an earlier export, unless forced. Raises FolderError."""
    try:
        if not folder.exists() or force:
            return
        if not folder.is_dir():
            raise FolderError(f"{folder} is a file: name a folder")
        if any(folder.iterdir()) and not _earlier_files(folder):
            raise FolderError(
                f"{folder} is not empty and holds no earlier export: name another folder, "
                "or force it"
            )
    except OSError as error:
        raise FolderError(f"{folder} cannot be read: {error.strerror}") from error


def write_export(folder: Path, files: Mapping[str, bytes], force: bool = False) -> None:
    """Write the files of an export, and take away those of an earlier one that it has not.

    Raises FolderError.
    """
    check_folder(folder, force)
    try:
        stale = _earlier_files(folder) - set(files)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content, durable=False)
        for name in stale:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise FolderError(f"{folder} cannot be written: {error}") from error


def _earlier_files(folder: Path) -> set[str]:
    """The names in a folder that an earlier export wrote; empty where there was none."""
    path = folder / LAUNCH
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    if not is_launch_json(text):
        return set()
    named = json.loads(text).get("files")
    names = named.values() if isinstance(named, dict) else ()
    plain = {name for name in names if isinstance(name, str) and Path(name).name == name}
    return {LAUNCH, README, *plain}


def _cases(document: Document, selection: Selection, table: TargetTable) -> tuple[CaseRecord, ...]:
    """The document's cases for the kernel, with the exported arguments where no case has them."""
    try:
        found = list(select(document, selection.kernel.name, "all"))
    except SelectionError:  # another case of the document lacks an argument
        found = []
    if all(each.args != selection.args for each in found):
        name = f"{selection.case.name}, as exported"
        found.insert(0, replace(selection, case=replace(selection.case, name=name)))
    return tuple(CaseRecord(each, _vendors(each.case.targets, table)) for each in found)


def _vendors(targets: tuple[str, ...], table: TargetTable) -> tuple[str, ...]:
    try:
        vendors = [table.resolve(name).arch.vendor.value for name in targets]
    except TargetError:  # a target of a newer table: the case is not kept from anybody
        return ()
    return tuple(dict.fromkeys(vendors))
