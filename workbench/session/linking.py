"""Has every text of a kernel made with the lines behind its rows, when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.jobs import Failure, LinkedRequest
from workbench.core.linked_code import LinkedResult
from workbench.core.plain import from_plain
from workbench.core.targets.labels import short_label
from workbench.session.jobs import JobController
from workbench.session.requests import Item, choice_of, source_of
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

if TYPE_CHECKING:
    from workbench.session.open_document import OpenDocument

_LANE = "work"


@dataclass(frozen=True)
class LinkedCode:
    """The texts of a kernel for one target, and the document's text and revision they are about.

    `result` is None while they are being made.
    """

    revision: int
    text: str
    result: LinkedResult | None = None


class Linker:
    """Asks once for each revision and target; the newest answer lies in the document."""

    def __init__(
        self,
        jobs: JobController,
        workspace: Path,
        limits: Callable[[], Limits],
        on_linked: Callable[[OpenDocument], None],
    ) -> None:
        self._jobs = jobs
        self._workspace = workspace
        self._limits = limits
        self._on_linked = on_linked

    def send(self, document: OpenDocument, item: Item) -> None:
        """Have the texts of one item made, unless they are or are being made."""
        name = item.target.name
        known = document.linking.get(name)
        if known is not None and known.revision == document.revision:
            return
        asked = document.linking[name] = LinkedCode(document.revision, document.text)
        source = source_of(item.document, self._workspace, True)
        request = LinkedRequest(source, choice_of(item.selection), item.target.to_json())

        def on_end(ended: Ended) -> None:
            if ended.outcome == "cancelled":
                if document.linking.get(name) is asked:
                    del document.linking[name]
            elif document.linking.get(name) is asked:
                found = LinkedCode(asked.revision, asked.text, _result(ended))
                document.linking[name] = document.linked[name] = found
            self._on_linked(document)

        # The first word is an analysis': nobody waits for its code.
        label = f"Analyze {short_label(item.target)} for linked code"
        self._jobs.submit(
            request, on_end, label=label, lane=_LANE, limits=self._limits(), quiet=True
        )


def _result(ended: Ended) -> LinkedResult:
    if ended.outcome == "done":
        return from_plain(LinkedResult, ended.result)
    return LinkedResult(ended.failure or Failure("environment", f"the job was {ended.outcome}"))
