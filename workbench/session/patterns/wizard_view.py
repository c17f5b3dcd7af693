"""Everything that the wizard shows of a draft, resolved into one frozen object."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.patterns.legality import Breach
from workbench.core.patterns.model import Goal, Step
from workbench.session.patterns.cards_view import (
    CardView,
    card_views,
    no_form,
    shortened,
    unsupported,
)
from workbench.session.patterns.cells import Figures
from workbench.session.patterns.checking import CheckItem, CheckState
from workbench.session.patterns.done_view import DoneView
from workbench.session.patterns.draft import CHECK, DONE
from workbench.session.patterns.fields_view import FieldView, field_views, mend_views
from workbench.session.patterns.meters import Meters, meters_of
from workbench.session.patterns.preview import CodeView
from workbench.session.patterns.resolved import Resolved
from workbench.session.patterns.words import (
    joined,
    titles_summary,
    value_title,
    values_summary,
)

STEP_TITLES = {
    Step.REQUIREMENTS.value: "Requirements",
    Step.TILES.value: "Tiles and memory",
    Step.PIPELINE.value: "Pipeline and order",
    Step.EPILOGUE.value: "Epilogue",
    Step.CASES.value: "Tests and cases",
    CHECK: "Check",
    DONE: "Done",
}
_NOTES = {CHECK: "compile, verify", DONE: "why, and how to test"}
_MOST_CHANGES = 3
_LONGEST = 22  # characters of a step's summary that there is room for


class StepState(enum.Enum):
    """How far a step is."""

    DONE = "done"
    CURRENT = "current"
    TO_DO = "to do"
    ERROR = "error"


@dataclass(frozen=True)
class StepView:
    """A step in the list; `is_current` may go with an error."""

    key: str
    title: str
    summary: str
    state: StepState
    is_current: bool


@dataclass(frozen=True)
class RequirementsView:
    """What stands above the fields of the first step."""

    sentence: str
    error: str
    goal: Goal


@dataclass(frozen=True)
class CheckView:
    """The checks, and whether they run."""

    items: tuple[CheckItem, ...]
    is_busy: bool
    is_good: bool


@dataclass(frozen=True)
class WizardView:
    """The page. `why_not` says why one cannot go on; `updated` where the meters come from."""

    title: str
    subtitle: str
    steps: tuple[StepView, ...]
    step: str
    heading: str
    conclusion: str
    fields: tuple[FieldView, ...]
    requirements: RequirementsView | None
    check: CheckView | None
    done: DoneView | None
    meters: Meters
    updated: str
    cards: tuple[CardView, ...]
    code: CodeView
    back: str
    next: str
    why_not: str
    can_recommend: bool
    targets: tuple[str, ...]


_NO_CODE = CodeView()


@dataclass(frozen=True)
class Extras:
    """What a view shows beside the draft itself."""

    figures: Sequence[Figures] = ()
    is_measuring: bool = False
    seconds: float | None = None
    code: CodeView = _NO_CODE
    checks: tuple[CheckItem, ...] = ()
    is_checking: bool = False
    is_checked: bool = False
    sentence_error: str = ""
    done: DoneView | None = None


def wizard_view(resolved: Resolved, extras: Extras) -> WizardView:
    """The page of a draft at its step."""
    step, steps = resolved.draft.step, resolved.steps
    at = steps.index(step)
    fields = field_views(resolved, step)
    first = at == 0
    return WizardView(
        resolved.pattern.title,
        resolved.pattern.summary,
        tuple(_step_view(resolved, extras, key, at) for key in steps),
        step,
        STEP_TITLES[step],
        _conclusion(resolved, extras),
        fields,
        RequirementsView(resolved.draft.sentence, extras.sentence_error, resolved.draft.goal)
        if first
        else None,
        CheckView(extras.checks, extras.is_checking, extras.is_checked) if step == CHECK else None,
        extras.done if step == DONE else None,
        meters_of(extras.figures),
        _updated(extras),
        card_views(resolved, extras.figures),
        extras.code,
        "Back" if not first else "All patterns",
        _next_text(steps, at, extras),
        why_not(resolved, at, steps),
        bool(fields) and _has_advice(resolved, fields),
        resolved.draft.targets,
    )


def why_not(resolved: Resolved, at: int, steps: Sequence[str]) -> str:
    """Why the next step is not open: it needs what is not legal yet; empty where it is open."""
    if resolved.draft.missing:
        missing = resolved.draft.missing
        return f"{joined(missing)} {'is' if len(missing) == 1 else 'are'} missing."
    if resolved.misfits:
        return next(iter(resolved.misfits.values()))
    if (lacking := unsupported(resolved)) is not None:
        return f"{no_form(resolved, lacking)}: choose another target."
    opens_check = at + 1 < len(steps) and steps[at + 1] in (CHECK, DONE)
    if resolved.forbidding and (opens_check or steps[at] == DONE):
        return f"{resolved.forbidding[0].rule.title}: only legal combinations can be finished."
    return ""


def _it(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _has_advice(resolved: Resolved, fields: Sequence[FieldView]) -> bool:
    names = {found.name for found in fields}
    given = names & set(resolved.draft.given)
    advised = resolved.choice.advice.get(resolved.choice.taken_from, {})
    other = any(name in advised and advised[name].value != resolved.values[name] for name in names)
    return other or bool(given & set(advised)) or bool(names & set(resolved.draft.missing))


def _next_text(steps: Sequence[str], at: int, extras: Extras) -> str:
    if steps[at] == DONE:
        return extras.done.action if extras.done is not None else "Open as a document"
    title = STEP_TITLES[steps[at + 1]]
    return f"Next: {title[0].lower()}{title[1:]}"


def _step_view(resolved: Resolved, extras: Extras, key: str, at: int) -> StepView:
    steps = resolved.steps
    here = steps.index(key)
    is_current = here == at
    fields = resolved.fields(key)
    wrong = bool({found.name for found in fields} & resolved.names_at_fault())
    wrong = wrong or (key == Step.REQUIREMENTS.value and unsupported(resolved) is not None)
    if key == CHECK:
        wrong = any(item.state is CheckState.BAD for item in extras.checks)
    passed = here < at and (key != CHECK or extras.is_checked)
    states = StepState.DONE if passed else StepState.TO_DO
    state = StepState.ERROR if wrong else StepState.CURRENT if is_current else states
    summary = _NOTES.get(key, "")
    if fields:
        chosen = here <= at
        summary = values_summary(resolved, key) if chosen else titles_summary(fields)
        while len(summary) > _LONGEST and ", " in summary:
            summary = summary.rpartition(", ")[0]
    return StepView(key, STEP_TITLES[key], summary, state, is_current)


def _updated(extras: Extras) -> str:
    if extras.is_measuring:
        return "lowering…"
    if any(each.is_quick for each in extras.figures):
        return "read off the source"
    if extras.seconds is not None:
        return f"lowered in {extras.seconds:.1f} s"
    return ""


def _conclusion(resolved: Resolved, extras: Extras) -> str:
    step = resolved.draft.step
    if step == DONE and extras.done is not None:
        return extras.done.sentence
    if step == CHECK:
        return _check_sentence(resolved, extras)
    if resolved.draft.missing and step == Step.REQUIREMENTS.value:
        lacks, it = joined(resolved.draft.missing), _it(resolved.draft.missing)
        return f"{lacks}: the sentence does not say {it}. Fill {it} in, or take what is usual."
    if (lacking := unsupported(resolved)) is not None and step == Step.REQUIREMENTS.value:
        return f"{no_form(resolved, lacking)}: {lacking.message}"
    here = {found.name for found in resolved.fields(step)}
    for breach in resolved.forbidding:
        if here & set(breach.rule.fields):
            title = f"{breach.rule.title} on {joined(breach.targets)}"
            return f"{title}: {breach.message} {_cure(resolved, breach)}".strip()
    subject, marks = _subject(resolved, step), _marks(resolved, step)
    if subject.endswith(";"):
        marks = f"{marks[:1].lower()}{marks[1:]}" if marks else "nothing has to be chosen anew."
    return f"{subject} {marks}".strip()


def _cure(resolved: Resolved, breach: Breach) -> str:
    mends = mend_views(resolved, breach)
    return f"{mends[0].text} is the nearest that is legal." if mends else ""


def _subject(resolved: Resolved, step: str) -> str:
    ported = resolved.draft.reopened
    if ported is not None and ported.ported and step == Step.TILES.value:
        return f"Ported from {ported.title} to {joined(resolved.labels)};"
    suits = joined(resolved.labels)
    summary, is_of_cases = values_summary(resolved, step), step == Step.CASES.value
    if step == Step.REQUIREMENTS.value:
        return f"{summary} for {suits}:"
    what = "each case is compared with the reference" if is_of_cases else _legality(resolved)
    return f"{summary[0].upper()}{summary[1:]}: {what}."


def _legality(resolved: Resolved) -> str:
    """Where the choices are legal, or in which other step one of them is not."""
    if not resolved.forbidding:
        return f"legal on {joined(resolved.labels)}"
    at_fault = resolved.names_at_fault()
    steps = (s for s in resolved.steps if at_fault & {f.name for f in resolved.fields(s)})
    step = next(steps, None)
    where = f"a choice of {STEP_TITLES[step]}" if step is not None else "what is chosen"
    return f"{where} is not legal"


def _marks(resolved: Resolved, step: str) -> str:
    if step == Step.REQUIREMENTS.value:
        return "everything that follows is recommended from this."
    advised = resolved.choice.advice.get(resolved.choice.taken_from, {})
    names = [found for found in resolved.fields(step) if found.name in advised]
    other = [f for f in names if advised[f.name].value != resolved.values[f.name]]
    if other:
        parts = [f"{f.title} {value_title(f, advised[f.name].value)}" for f in other]
        return f"Recommended is {joined(parts[:_MOST_CHANGES])}."
    return "Recommended values are marked; each says why." if names else ""


def _check_sentence(resolved: Resolved, extras: Extras) -> str:
    if extras.is_checking:
        done = sum(i.state in (CheckState.GOOD, CheckState.BAD) for i in extras.checks)
        return f"Checking: {done} of {len(extras.checks)} are done. You may go back meanwhile."
    bad = [item for item in extras.checks if item.state is CheckState.BAD]
    if bad:
        return f"{bad[0].title} failed: {shortened(bad[0].text).rstrip('.')}."
    if extras.is_checked:
        return (
            f"It compiles for {joined(resolved.labels)}; its small cases agree with the reference."
        )
    return "Not checked yet; checking compiles it for all targets and runs its small cases."
