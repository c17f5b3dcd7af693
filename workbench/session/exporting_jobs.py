"""Exports a document's kernel in the background, and writes what comes of it into a folder."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.selection import SelectionError
from workbench.core.targets.labels import short_label
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.exporting import (
    FolderError,
    check_folder,
    export_of,
    export_request,
    write_export,
)
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.requests import Item, source_of
from workbench.session.results import WORK, NothingToRunError, Place
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits


@dataclass(frozen=True)
class Exported:
    """What an export has come to, in a sentence; `folder` is where it is, None where it failed."""

    sentence: str
    folder: Path | None = None


class ExportController:
    """Sends one job for each export; `finished` tells what it has come to."""

    def __init__(
        self,
        jobs: JobController,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
    ) -> None:
        self.finished: Signal[[OpenDocument, Exported]] = Signal()
        self._jobs = jobs
        self._table = table
        self._place = place
        self._limits = limits

    def export(self, document: OpenDocument, folder: Path, target: str | None = None) -> Path:
        """Export a document's kernel for a target, without one its first; the folder it goes to.

        That is `folder` where it is new, empty or an earlier export, else one of the kernel's name
        in it. Raises NothingToRunError.
        """
        if not self._place.trusts(document):
            raise NothingToRunError("The folder is not trusted yet, so nothing of it is run.")
        try:
            found = self._table.resolve(target or document.targets[0])
            item = Item(document.parsed, document.selection(), found)
            place = _folder_for(folder, item)
        except (SelectionError, TargetError, FolderError) as error:
            raise NothingToRunError(str(error)) from error
        request = export_request(item, source_of(item.document, self._place.workspace, True))

        def on_end(ended: Ended) -> None:
            if ended.outcome != "cancelled":
                self.finished.emit(document, self._written(item, place, ended))

        label = f"Export for {short_label(found)}"
        self._jobs.submit(request, on_end, label=label, lane=WORK, limits=self._limits())
        return place

    def _written(self, item: Item, folder: Path, ended: Ended) -> Exported:
        export = export_of(item, ended, self._table)
        if export.failure is not None:
            return Exported(f"Nothing was exported: {export.failure.message}")
        try:
            write_export(folder, export.files)
        except FolderError as error:
            return Exported(f"Nothing was exported: {error}")
        name, missing = item.selection.kernel.name, export.result.missing
        lacks = "" if not missing else f" It has no {', '.join(missing)}; README.md says why."
        count = len(export.files)
        sentence = f"{name} for {short_label(item.target)} is in {folder}, {count} files.{lacks}"
        return Exported(sentence, folder)


def _folder_for(folder: Path, item: Item) -> Path:
    """The folder itself where it may be written, else one in it. Raises FolderError."""
    try:
        check_folder(folder, force=False)
        return folder
    except FolderError:
        if not folder.is_dir():
            raise
    name = re.sub(r"\W+", "-", f"{item.selection.kernel.name}-{item.target.name}")
    check_folder(folder / name, force=False)
    return folder / name
