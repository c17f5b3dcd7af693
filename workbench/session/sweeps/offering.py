"""Reads aside what a document's `@autotune` decorator offers the form of a sweep."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.jobs import ConfigurationsRequest
from workbench.core.sweeps.decorated.bounds import UnreadError
from workbench.core.sweeps.decorated.checking import Configurations, ConfigurationsError
from workbench.session.jobs import OnEnd, Post
from workbench.session.open_document import OpenDocument
from workbench.session.signal import Signal
from workbench.session.sweeps import offers
from workbench.wire.events import Ended

_UNTRUSTED = "Trust its folder, and it is run to learn them."
AskWorker = Callable[[ConfigurationsRequest, OnEnd], object]


@dataclass(frozen=True)
class Offer:
    """The configurations of a decorator; `problem` says why there are none, `""` where there are
    or they are still being read."""

    configurations: Configurations = ()
    problem: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether they are being read."""
        return not self.configurations and not self.problem

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that they give."""
        return tuple(dict.fromkeys(name for each in self.configurations for name in each))

    @property
    def title(self) -> str:
        """How many there are."""
        count = len(self.configurations)
        if not count:
            return "The decorator's configurations"
        return f"The decorator's {f'{count:,} configurations' if count > 1 else 'configuration'}"

    @property
    def note(self) -> str:
        """What they give, or why they cannot be had."""
        if self.is_pending:
            return "Being read"
        said = self.problem or f"with values of {', '.join(self.names)}"
        return said[:1].upper() + said[1:]


@dataclass(frozen=True)
class _Question:
    """What is asked: of which text and kernel, with which arguments of each case."""

    document: Document
    kernel: Kernel
    arguments: tuple[tuple[str, Mapping[str, Any]], ...]
    trusted: bool


class Offering:
    """One document's offer at a time; `changed` comes with every other one.

    The source is read in a thread; where it does not tell, and the document may be run, `ask` has
    a worker do so.
    """

    def __init__(
        self,
        workspace: Path,
        post: Post,
        ask: AskWorker,
        trusts: Callable[[OpenDocument], bool],
    ) -> None:
        self.changed: Signal[[]] = Signal()
        self.offer: Offer | None = None
        self._workspace, self._post, self._ask, self._trusts = workspace, post, ask, trusts
        self._question: _Question | None = None
        self._reading: threading.Thread | None = None

    def look_at(
        self, document: OpenDocument, cases: Sequence[Case], fixed: Mapping[str, Any]
    ) -> None:
        """Ask what a document's chosen kernel offers for cases, unless that is known."""
        kernel = document.chosen_kernel
        if kernel is None or not kernel.autotuned:
            self.forget()
            return
        arguments = offers.arguments_of(kernel, cases, fixed)
        question = _Question(document.readable, kernel, arguments, self._trusts(document))
        if question == self._question:
            return
        self.close()
        self._question, self.offer = question, Offer()
        self._reading = threading.Thread(
            target=self._read, args=(question,), name="read decorator", daemon=True
        )
        self._reading.start()
        self.changed.emit()

    def forget(self) -> None:
        """Offer nothing."""
        self._question = None
        if self.offer is not None:
            self.offer = None
            self.changed.emit()

    def close(self) -> None:
        """End what is being read."""
        if self._reading is not None:
            self._reading.join()
            self._reading = None

    def _read(self, question: _Question) -> None:
        try:
            found = offers.told_by_source(question.document, question.kernel, question.arguments)
        except ConfigurationsError as error:
            self._later(question, Offer(problem=_plain(str(error))))
        except UnreadError as why:
            self._post(partial(self._run, question, why))
        else:
            self._later(question, Offer(found))

    def _later(self, question: _Question, offer: Offer) -> None:
        self._post(lambda: self._take(question, offer))

    def _take(self, question: _Question, offer: Offer) -> None:
        if question is self._question:  # else another document was looked at meanwhile
            self.offer = offer
            self.changed.emit()

    def _run(self, question: _Question, why: UnreadError) -> None:
        """Have the document run for each case, one after the other's end."""
        if not question.trusted:
            said = f"{offers.unread(question.kernel, why)}. {_UNTRUSTED}"
            self._take(question, Offer(problem=said))
            return
        requests = offers.requests_for(
            question.document, question.kernel, question.arguments, self._workspace, True
        )
        ends: list[Ended] = []

        def on_end(ended: Ended) -> None:
            ends.append(ended)
            if len(ends) < len(requests):
                self._ask(requests[len(ends)], on_end)
            else:
                self._take(question, self._told(question, ends, why))

        self._ask(requests[0], on_end)

    def _told(self, question: _Question, ends: Sequence[Ended], why: UnreadError) -> Offer:
        names = (name for name, _ in question.arguments)
        try:
            named = list(zip(names, ends, strict=True))
            return Offer(offers.told_by_worker(question.kernel, named, why))
        except ConfigurationsError as error:
            return Offer(problem=_plain(str(error)))


def _plain(text: str) -> str:
    """A message of the command line without its options."""
    return text.replace(" with --vary", "")
