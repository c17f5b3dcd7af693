"""Asks in the background whether a compiler is suspect of a document's kernel."""

from __future__ import annotations

from collections.abc import Callable

from workbench.core.documents.selection import SelectionError
from workbench.core.targets.labels import short_label
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.bug_bundle import Inquiry, Verdict, inquiry
from workbench.session.jobs import JobController
from workbench.session.open_document import OpenDocument
from workbench.session.requests import Item
from workbench.session.results import WORK, NothingToRunError, Place
from workbench.session.signal import Signal
from workbench.session.worker_client import Request
from workbench.wire.events import Ended
from workbench.wire.messages import Limits


class BugBundleController:
    """Runs one inquiry at a time, a job after a job; `finished` tells what it has come to."""

    def __init__(
        self,
        jobs: JobController,
        table: TargetTable,
        place: Place,
        limits: Callable[[], Limits],
    ) -> None:
        self.finished: Signal[[OpenDocument, str, Verdict]] = Signal()
        self._jobs = jobs
        self._table = table
        self._place = place
        self._limits = limits
        self._is_asking = False

    def ask(self, document: OpenDocument, target: str | None = None) -> None:
        """Ask about a document for a target, without one its first. Raises NothingToRunError."""
        if self._is_asking:
            raise NothingToRunError("The compiler is being looked into already.")
        if not self._place.trusts(document):
            raise NothingToRunError("The folder is not trusted yet, so nothing of it is run.")
        try:
            found = self._table.resolve(target or document.targets[0])
            item = Item(document.parsed, document.selection(), found)
        except (SelectionError, TargetError) as error:
            raise NothingToRunError(str(error)) from error
        asked = inquiry(item, self._place.workspace)
        self._is_asking = True
        self._go_on(document, item, asked, None)

    def _go_on(
        self, document: OpenDocument, item: Item, asked: Inquiry, ended: Ended | None
    ) -> None:
        """Send an inquiry the end of its last job, and do the next one."""
        if ended is not None and ended.outcome == "cancelled":
            asked.close()
            self._is_asking = False
            return
        try:
            request = next(asked) if ended is None else asked.send(ended)
        except StopIteration as end:
            self._is_asking = False
            self.finished.emit(document, item.target.name, end.value)
            return
        self._submit(document, item, asked, request)

    def _submit(self, document: OpenDocument, item: Item, asked: Inquiry, request: Request) -> None:
        def on_end(ended: Ended) -> None:
            self._go_on(document, item, asked, ended)

        label = f"Analyze the compiler's part for {short_label(item.target)}"
        self._jobs.submit(request, on_end, label=label, lane=WORK, limits=self._limits())
