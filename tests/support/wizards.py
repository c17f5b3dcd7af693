"""A wizard whose worker answers when the test does, and its page as plain text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.core.targets.table import load_targets
from workbench.session.patterns.controller import WizardController
from workbench.session.patterns.current import Workplace
from workbench.session.patterns.fields_view import FieldView, Mark
from workbench.session.patterns.wizard_view import WizardView
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

_MARKS = {Mark.LEGAL: "", Mark.PARTLY: "!", Mark.ILLEGAL: "x"}


class Clock:
    """A timer that rings when it is told to."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call, self.is_set = call, False

    def restart(self, delay_ms: int) -> None:
        self.is_set = True

    def stop(self) -> None:
        self.is_set = False

    def ring(self) -> None:
        if self.is_set:
            self.is_set = False
            self._call()


class Jobs:
    """Notes what is asked; `answer` ends the oldest request."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self.jobs: tuple[Any, ...] = ()
        self.asked: list[tuple[str, Any, Callable[[Ended], None]]] = []
        self.withdrawn: list[str] = []
        self.cancelled: list[str] = []
        self._count = 0

    def submit(self, request: Any, on_end: Callable[[Ended], None], **_: object) -> str:
        self._count += 1
        job = f"job-{self._count}"
        self.asked.append((job, request, on_end))
        return job

    def answer(self, result: object) -> None:
        _, _, on_end = self.asked.pop(0)
        on_end(Ended("job", "done", result))  # type: ignore[arg-type]

    def withdraw(self, job: str) -> None:
        self.withdrawn.append(job)
        self._end(job)

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)
        self._end(job)

    def _end(self, job: str) -> None:
        ended = [entry for entry in self.asked if entry[0] == job]
        self.asked = [entry for entry in self.asked if entry[0] != job]
        for _, _, on_end in ended:
            on_end(Ended(job, "cancelled"))


class Wizard:
    """A controller with its clock and jobs."""

    def __init__(self, folder: Path, *targets: str) -> None:
        self.jobs = Jobs()
        self.clocks: list[Clock] = []
        place = Workplace(
            self.jobs,  # type: ignore[arg-type]
            load_targets(),
            folder,
            lambda: Limits(60.0, 1 << 30),
            self._clock,
            lambda: 300,
            lambda: targets or ("h100",),
        )
        self.controller = WizardController(place)

    @property
    def view(self) -> WizardView:
        found = self.controller.view()
        assert found is not None
        return found

    def field(self, name: str) -> FieldView:
        return next(found for found in self.view.fields if found.name == name)

    def rest(self) -> None:
        for clock in self.clocks:
            clock.ring()

    def _clock(self, call: Callable[[], None]) -> Clock:
        self.clocks.append(Clock(call))
        return self.clocks[-1]


def page_text(view: WizardView) -> str:
    """Steps, fields with their marks, cards and buttons of a page; reasons are left out."""
    lines = [f"{view.title} / {view.heading}", view.conclusion, ""]
    lines += [f"{step.state.value}: {step.title} ({step.summary})" for step in view.steps]
    lines.append("")
    for found in view.fields:
        choices = " ".join(_choice(each) for each in found.choices)
        lines.append(f"{found.title}: {choices or found.text}".rstrip())
        lines += [f"    {found.problem}"] if found.problem else []
        lines += [f"    use {mend.text}" for mend in found.mends]
    for card in view.cards:
        drop = f" without {card.drop}" if card.drop else ""
        lines.append(f"card: {card.title} [{', '.join(m.text for m in card.mends)}]{drop}")
    lines += ["", f"{view.back} | {view.next} | {view.why_not}"]
    return "\n".join(lines) + "\n"


def _choice(each: Any) -> str:
    star = "*" if each.is_recommended else ""
    text = f"{each.title}{star}{_MARKS[each.mark]}"
    return f"[{text}]" if each.is_current else text
