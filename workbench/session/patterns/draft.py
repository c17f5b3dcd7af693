"""A kernel that is being thought out: the pattern, what was chosen, and for which targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.patterns.model import Field, Goal, Kind, Pattern, PatternError, Step
from workbench.core.patterns.table import pattern_named
from workbench.core.patterns.values import misfit

CHECK, DONE = "check", "done"
VERSION = 1


@dataclass(frozen=True)
class Reopened:
    """The document that a draft was read from; `ported` where it becomes another one.

    `is_edited` says that a person changed the text since it was generated.
    """

    title: str
    text: str
    is_edited: bool
    ported: bool = False


@dataclass(frozen=True)
class Draft:
    """`given` are values that the person chose; `held` those that stand beside a chosen knob.

    A change of what is asked for lets the held ones go, so that they are recommended anew. `texts`
    is what was typed into a field and is no value of it; `missing` are sizes that a sentence did
    not say. `step` is a step of the pattern, `CHECK` or `DONE`.
    """

    pattern: str
    targets: tuple[str, ...]
    goal: Goal = Goal.THROUGHPUT
    given: Mapping[str, Any] = field(default_factory=dict)
    held: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    step: str = Step.REQUIREMENTS.value
    sentence: str = ""
    missing: tuple[str, ...] = ()
    reopened: Reopened | None = None


def is_asked_for(found: Field) -> bool:
    """Whether a field says what is computed, rather than how: a requirement, or a bias, say."""
    of_result = found.step is Step.EPILOGUE and not found.is_tuned
    return found.step is Step.REQUIREMENTS or of_result


def with_value(draft: Draft, found: Field, value: Any, shown: Mapping[str, Any]) -> Draft:
    """The draft with a value that the person chose; `shown` are the values beside it.

    A knob leaves the others as they are shown; what is asked for has them recommended anew.
    """
    held = {} if is_asked_for(found) else dict(shown)
    texts = {name: text for name, text in draft.texts.items() if name != found.name}
    missing = tuple(name for name in draft.missing if name != found.name)
    given = {**draft.given, found.name: value}
    return replace(draft, given=given, held=held, texts=texts, missing=missing)


def with_text(draft: Draft, name: str, text: str) -> Draft:
    """The draft with something typed that is no value: it is kept, and said."""
    return replace(draft, texts={**draft.texts, name: text})


def recommended(draft: Draft, names: tuple[str, ...]) -> Draft:
    """The draft with the recommended values of some fields."""
    given = {name: value for name, value in draft.given.items() if name not in names}
    texts = {name: text for name, text in draft.texts.items() if name not in names}
    missing = tuple(name for name in draft.missing if name not in names)
    return replace(draft, given=given, held={}, texts=texts, missing=missing)


def steps_of(pattern: Pattern, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The steps in their order; those in which nothing is to choose are left out."""
    chosen = [
        step.value for step in Step if any(found.matters(values) for found in pattern.of_step(step))
    ]
    return (*chosen, CHECK, DONE)


def to_plain(draft: Draft) -> dict[str, Any]:
    """The draft as JSON holds it; a document that it was read from is not kept."""
    return {
        "version": VERSION,
        "pattern": draft.pattern,
        "targets": list(draft.targets),
        "goal": draft.goal.value,
        "given": dict(draft.given),
        "held": dict(draft.held),
        "texts": dict(draft.texts),
        "step": draft.step,
        "sentence": draft.sentence,
        "missing": list(draft.missing),
    }


def from_plain(plain: Any) -> Draft | None:
    """The draft of `to_plain`; None where it is none, or of a pattern that is not there.

    A value that its field does not take costs that value.
    """
    if not isinstance(plain, dict) or plain.get("version") != VERSION:
        return None
    try:
        pattern = pattern_named(str(plain.get("pattern")))
        goal = Goal(plain.get("goal"))
    except (PatternError, ValueError):
        return None
    step, sentence = plain.get("step"), plain.get("sentence")
    targets = tuple(name for name in _list(plain, "targets") if isinstance(name, str))
    if not targets:
        return None
    return Draft(
        pattern.id,
        targets,
        goal,
        _values(pattern, plain.get("given")),
        _values(pattern, plain.get("held")),
        _texts(pattern, plain.get("texts")),
        step if step in (*(s.value for s in Step), CHECK) else Step.REQUIREMENTS.value,
        sentence if isinstance(sentence, str) else "",
        tuple(name for name in _list(plain, "missing") if name in pattern.sizes),
    )


def _list(plain: dict[str, Any], name: str) -> list[Any]:
    found = plain.get(name)
    return found if isinstance(found, list) else []


def _values(pattern: Pattern, found: Any) -> dict[str, Any]:
    pairs = found.items() if isinstance(found, dict) else ()
    fields = {each.name: each for each in pattern.fields}
    return {n: v for n, v in pairs if n in fields and misfit(fields[n], v) is None}


def _texts(pattern: Pattern, found: Any) -> dict[str, str]:
    pairs = found.items() if isinstance(found, dict) else ()
    names = {each.name for each in pattern.fields if each.kind is not Kind.CHOICE}
    return {n: v for n, v in pairs if n in names and isinstance(v, str)}
