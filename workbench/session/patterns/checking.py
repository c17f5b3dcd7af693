"""Checks a draft: compiles it for all targets and verifies its small cases in the simulator."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.documents.selection import select
from workbench.core.jobs import CompileResult, VerifyResult
from workbench.core.plain import from_plain
from workbench.core.targets.labels import short_label
from workbench.session.jobs import JobController
from workbench.session.patterns.measuring import LANE, Subject
from workbench.session.requests import Item, compile_request, source_of, verify_request
from workbench.session.worker_client import Request
from workbench.wire.events import Ended
from workbench.wire.messages import Limits


class CheckState(enum.Enum):
    """How far a check is."""

    WAITING = "waiting"
    RUNNING = "running"
    GOOD = "good"
    BAD = "bad"
    STOPPED = "stopped"


@dataclass(frozen=True)
class CheckItem:
    """One check: what it does, how far it is, and what came of it."""

    title: str
    state: CheckState = CheckState.WAITING
    text: str = ""
    problems: tuple[str, ...] = ()


class Checker:
    """Checks one document at a time; what is known of a text is kept while it is the same."""

    def __init__(
        self,
        jobs: JobController,
        workspace: Path,
        limits: Callable[[], Limits],
        on_compiled: Callable[[str, str, CompileResult], None],
        on_change: Callable[[], None],
    ) -> None:
        self._jobs, self._workspace, self._limits = jobs, workspace, limits
        self._on_compiled, self._on_change = on_compiled, on_change
        self._text: str | None = None
        self._items: list[CheckItem] = []
        self._open: dict[str, int] = {}
        jobs.changed.connect(self._on_jobs_changed)

    @property
    def items(self) -> tuple[CheckItem, ...]:
        """The checks of the document that was checked last."""
        return tuple(self._items)

    @property
    def is_busy(self) -> bool:
        """Whether something runs."""
        return bool(self._open)

    def checks(self, text: str) -> bool:
        """Whether the checks are those of a text."""
        return self._text == text

    def is_good(self, text: str) -> bool:
        """Whether a text passed all of its checks."""
        done = bool(self._items) and all(i.state is CheckState.GOOD for i in self._items)
        return self.checks(text) and done

    def has_failed(self, text: str) -> bool:
        """Whether a text failed one of its checks."""
        return self.checks(text) and any(i.state is CheckState.BAD for i in self._items)

    def start(self, subject: Subject) -> None:
        """Check a document; what runs of an earlier one is ended."""
        self.stop()
        self._text, self._items = subject.text, []
        source = source_of(subject.document, self._workspace, True)
        for target in subject.targets:
            item = Item(subject.document, subject.selection, target)
            request = compile_request(item, source, ("source",), machine_code=True)
            self._submit(request, f"Compile for {short_label(target)}", target.name)
        for case in select(subject.document, None, "all")[:-1]:
            item = Item(subject.document, case, subject.targets[0])
            seeds = range(case.case.seed, case.case.seed + 1)
            verify = verify_request(item, source, "simulator", seeds)
            sizes = ", ".join(f"{n} = {v}" for n, v in case.case.args.items())
            self._submit(verify, f"Verify {case.case.name}: {sizes}", None)
        self._on_change()

    def stop(self) -> None:
        """End what runs."""
        for job in list(self._open):
            self._jobs.cancel(job)

    def _submit(self, request: Request, title: str, target: str | None) -> None:
        at, text = len(self._items), self._text
        self._items.append(CheckItem(title))

        def on_end(ended: Ended) -> None:
            self._open = {job: place for job, place in self._open.items() if place != at}
            if self._text != text or at >= len(self._items):
                return
            self._items[at] = (
                _compiled(self._items[at], ended) if target else _verified(self._items[at], ended)
            )
            if target and ended.outcome == "done" and text is not None:
                self._on_compiled(text, target, from_plain(CompileResult, ended.result))
            self._on_change()

        job = self._jobs.submit(request, on_end, label=title, lane=LANE, limits=self._limits())
        if job is not None:
            self._open[job] = at

    def _on_jobs_changed(self) -> None:
        running = {job.id: job for job in self._jobs.jobs if job.started is not None}
        changed = False
        for job, at in self._open.items():
            known = running.get(job)
            if known is None or at >= len(self._items):
                continue
            item = replace(self._items[at], state=CheckState.RUNNING, text=known.text)
            changed = changed or item != self._items[at]
            self._items[at] = item
        if changed:
            self._on_change()


def _told(found: Iterable[Diagnostic]) -> tuple[str, ...]:
    """What is worth telling: notes on what is as it should be are not."""
    return tuple(each.message for each in found if each.severity is not Severity.INFO)


def _stopped(item: CheckItem) -> CheckItem:
    return replace(item, state=CheckState.STOPPED, text="stopped")


def _failed(item: CheckItem, message: str, problems: tuple[str, ...] = ()) -> CheckItem:
    first = message.split("\n")[0]
    others = tuple(each for each in problems if each not in (first, message))
    return replace(item, state=CheckState.BAD, text=first, problems=others)


_Result = TypeVar("_Result", CompileResult, VerifyResult)


def _result(item: CheckItem, ended: Ended, kind: type[_Result]) -> _Result | CheckItem:
    """What a check's job gave; the check as it stands where that is nothing, or a failure."""
    if ended.outcome == "cancelled":
        return _stopped(item)
    if ended.outcome != "done":
        return _failed(item, ended.failure.message if ended.failure else ended.outcome)
    result = from_plain(kind, ended.result)
    if result.failure is not None:
        return _failed(item, result.failure.message, _told(result.diagnostics))
    return result


def _compiled(item: CheckItem, ended: Ended) -> CheckItem:
    result = _result(item, ended, CompileResult)
    if isinstance(result, CheckItem):
        return result
    resources = result.resources
    counted = resources is not None and resources.registers is not None
    text = f"{resources.registers} registers a thread" if counted and resources else "lowered"
    if resources is not None and resources.spill_bytes:
        text += f", {resources.spill_bytes:,} B spilled"
    return replace(item, state=CheckState.GOOD, text=text, problems=_told(result.diagnostics))


def _verified(item: CheckItem, ended: Ended) -> CheckItem:
    result = _result(item, ended, VerifyResult)
    if isinstance(result, CheckItem):
        return result
    found = _told(result.diagnostics)
    wrong = [
        f"{output.name}: {output.mismatched:,} of {output.total:,} elements are wrong"
        for seed in result.seeds
        if not seed.passed
        for output in seed.outputs
        if output.mismatched
    ]
    if not result.seeds or not all(seed.passed for seed in result.seeds):
        return _failed(item, wrong[0] if wrong else "it does not agree", (*wrong[1:], *found))
    return replace(item, state=CheckState.GOOD, text=_share(result), problems=found)


def _share(result: VerifyResult) -> str:
    """How far the result is from the reference, of what it may be."""
    shares = [
        output.max_share
        for seed in result.seeds
        for output in seed.outputs
        if output.max_share is not None
    ]
    if not shares:
        return "agrees with the reference"
    if not max(shares):
        return "equal to the reference"
    return f"largest error {max(shares) * 100:.2g} % of its tolerance"
