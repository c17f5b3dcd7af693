"""A sweep in words: its state, what it found, on which device and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.sweeps import findings
from workbench.core.sweeps.model import Outcome, PointRecord, Sweep
from workbench.core.sweeps.space import Point
from workbench.session.profile.words import three, time_text
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.states import SweepState

_STATES: dict[SweepState, tuple[str, str]] = {
    SweepState.RUNNING: ("running", "accent"),
    SweepState.CANCELLING: ("ending", "warn"),
    SweepState.DONE: ("done", "good"),
    SweepState.BUDGET: ("ended by its minutes", "info"),
    SweepState.CANCELLED: ("cancelled", "fg3"),
    SweepState.INTERRUPTED: ("interrupted", "warn"),
}


@dataclass(frozen=True)
class Summary:
    """The head of a sweep's page. `tone` colours the state, `notes` say where and when."""

    title: str
    state: str
    tone: str
    conclusion: str
    notes: str
    can_cancel: bool
    can_resume: bool
    can_apply: bool


def summary(shown: Shown) -> Summary:
    """What is said above the views of a sweep."""
    sweep, state = shown.sweep, shown.state
    word, tone = _STATES[state]
    best = findings.fastest(sweep.records) or findings.best_predicted(sweep.records)
    return Summary(
        title=sweep.plan.kernel,
        state=word,
        tone=tone,
        conclusion=shown.problem or conclusion(sweep, shown.points, state),
        notes=notes(sweep),
        can_cancel=state is SweepState.RUNNING,
        can_resume=state is SweepState.INTERRUPTED,
        can_apply=best is not None,
    )


def conclusion(sweep: Sweep, points: Sequence[Point], state: SweepState) -> str:
    """The fastest point so far, then how the others stand."""
    counts = f"{findings.tally(sweep.records).text_of(sweep.plan.space.product_text)}."
    best = findings.fastest(sweep.records)
    if best is not None and best.time_us is not None:
        rate = best.best.tflops if best.best is not None else None
        flops = f", {three(rate)} TFLOP/s" if rate is not None else ""
        said = "Fastest so far" if state is SweepState.RUNNING else "Fastest"
        how = "confirmed" if best.outcome is Outcome.CONFIRMED else "measured"
        checked = _checked(best)
        text = (
            f"{said}: {points[best.number].text}, {time_text(best.time_us)} {how}{flops}{checked}"
        )
        return f"{text}. {counts}"
    predicted = findings.best_predicted(sweep.records)
    if predicted is not None and predicted.facts.predicted_us is not None:
        time = time_text(predicted.facts.predicted_us)
        return f"Fastest predicted: {points[predicted.number].text}, {time}, not measured. {counts}"
    if state is SweepState.RUNNING:
        return f"Nothing is estimated or measured yet. {counts}"
    return f"No configuration could be estimated or measured. {counts}"


def _checked(record: PointRecord) -> str:
    told = record.confirmed is not None and record.confirmed.verified
    return ", equal to its reference" if told else ""


def notes(sweep: Sweep) -> str:
    """Where it was measured, for which targets and cases, when, and how long it took."""
    plan = sweep.plan
    date, _, clock = plan.created.partition("T")
    devices = dict.fromkeys(r.best.device for r in sweep.records if r.best is not None)
    where = ", ".join(devices) if devices else ", ".join(plan.targets)
    how = "measured on" if devices else "predicted for"
    cases = ", ".join(plan.cases)
    took = f", {_span(sweep.seconds)}" if sweep.seconds >= 1 else ""
    return f"{how} {where}; case {cases}; {date} {clock[:5]}{took}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
