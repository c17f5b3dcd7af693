"""The fields of a step as the wizard shows them: choices with stars and strokes, and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from workbench.core.patterns.legality import Breach
from workbench.core.patterns.model import Field, Kind, Rule, Values
from workbench.core.patterns.values import effective, misfit
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.patterns.draft import is_asked_for
from workbench.session.patterns.resolved import Resolved
from workbench.session.patterns.words import joined, value_title


class Mark(Enum):
    """Whether a choice is legal: on all targets, on some of them, on none."""

    LEGAL = "legal"
    PARTLY = "partly"
    ILLEGAL = "illegal"


@dataclass(frozen=True)
class ChoiceView:
    """One value that is offered; `tip` says what it means and which rule stands against it."""

    value: Any
    title: str
    is_current: bool
    is_recommended: bool
    mark: Mark
    tip: str


@dataclass(frozen=True)
class MendView:
    """One click that makes things legal: the field and its value, and what the button says."""

    field: str
    value: Any
    text: str


@dataclass(frozen=True)
class FieldView:
    """A field: choices side by side, or a text where there are none; `takes_other` has both.

    `reason` says why the value is as it is, or what the field means; `problem` what is wrong. A
    field that is asked for was not in the sentence; a wide one takes more than a number.
    `placeholder` says what an empty text means.
    """

    name: str
    title: str
    note: str
    choices: tuple[ChoiceView, ...]
    text: str
    takes_other: bool
    reason: str
    problem: str
    mends: tuple[MendView, ...]
    is_asked: bool = False
    is_wide: bool = False
    placeholder: str = ""


def field_views(resolved: Resolved, step: str) -> tuple[FieldView, ...]:
    """The fields of a step in the pattern's order."""
    return tuple(_field_view(resolved, found) for found in resolved.fields(step))


def _field_view(resolved: Resolved, found: Field) -> FieldView:
    value = resolved.values[found.name]
    choices = tuple(_choices(resolved, found))
    text = resolved.draft.texts.get(found.name)
    shown = value_title(found, value) if text is None else text
    problem, mends = _problem(resolved, found)
    is_asked = found.name in resolved.draft.missing
    return FieldView(
        found.name,
        found.title,
        _note(found),
        choices,
        "" if is_asked or (choices and text is None) else shown,
        found.kind is Kind.INTEGER and not _is_small(found),
        f"The sentence does not say {joined(resolved.draft.missing)}."
        if is_asked
        else _reason(resolved, found),
        problem,
        mends,
        is_asked,
        found.kind in (Kind.TEXT, Kind.SHAPE),
        _placeholder(found, bool(choices)),
    )


def _placeholder(found: Field, has_choices: bool) -> str:
    """What an empty line means."""
    if has_choices:
        return "other"
    if found.optional:
        return "automatic"
    return "none" if found.kind is Kind.TEXT and found.default == "" else ""


def _note(found: Field) -> str:
    if found.kind is Kind.SIZE:
        return found.name
    return "" if found.unit == found.title.casefold() else found.unit


def _is_small(found: Field) -> bool:
    """Whether the options are all that there is to choose from."""
    if found.low is None or found.high is None or not found.options:
        return False
    return set(range(int(found.low), int(found.high) + 1)) <= set(found.offered)


def _choices(resolved: Resolved, found: Field) -> Iterator[ChoiceView]:
    value = resolved.values[found.name]
    if found.kind is Kind.SWITCH:
        value = bool(value)  # an optional one that nobody set is off
    advised = _advised(resolved, found)
    star = advised.get(resolved.choice.taken_from)
    for offered in _offered(found, value, list(advised.values())):
        mark, against = _mark(resolved, found, offered)
        tips = [each.help for each in found.options if each.value == offered and each.help]
        reason = _star_tip(resolved, found, offered)
        yield ChoiceView(
            offered,
            value_title(found, offered),
            offered == value,
            found.name in advised_names(resolved) and offered == star,
            mark,
            "\n".join([*tips, *reason, *against]),
        )


def advised_names(resolved: Resolved) -> frozenset[str]:
    """The fields that the deciding target's advice names."""
    return frozenset(resolved.choice.advice.get(resolved.choice.taken_from, {}))


def _advised(resolved: Resolved, found: Field) -> dict[str, Any]:
    """The value that each target's advice has for a field."""
    return {
        target: advice[found.name].value
        for target, advice in resolved.choice.advice.items()
        if found.name in advice
    }


def _offered(found: Field, value: Any, advised: list[Any]) -> list[Any]:
    if found.kind is Kind.SWITCH:
        return [False, True]
    if not found.options:
        return []
    if found.kind is not Kind.INTEGER:
        return list(found.offered)
    known = (each for each in (value, *advised) if each is not None)  # an optional one may be unset
    return sorted({*found.offered, *(each for each in known if misfit(found, each) is None)})


def _mark(resolved: Resolved, found: Field, offered: Any) -> tuple[Mark, list[str]]:
    """Whether a value would be legal once chosen, and the rules against it."""
    targets = resolved.setting.targets
    against: dict[str, list[str]] = {}
    for target in targets:
        text = _against(resolved, found, offered, target)
        if text is not None:
            against.setdefault(text, []).append(short_label(target))
    broken = {label for labels in against.values() for label in labels}
    texts = [f"{joined(labels)} – {text}" for text, labels in against.items()]
    if not broken:
        return Mark.LEGAL, []
    return (Mark.ILLEGAL if len(broken) == len(targets) else Mark.PARTLY), texts


def _against(resolved: Resolved, found: Field, offered: Any, target: Target) -> str | None:
    """The first rule of a field that a value would break on a target."""
    values = effective(resolved.pattern, {**resolved.values, found.name: offered})
    text = _broken(resolved, found, values, target)
    if text is None or not is_asked_for(found):
        return text
    # What is asked for has the others recommended anew.
    return _broken(resolved, found, resolved.after(found, offered, target), target)


def _broken(resolved: Resolved, found: Field, values: Values, target: Target) -> str | None:
    for rule in _rules_of(resolved, found):
        message = rule.message(values, target, resolved.setting.targets)
        if message is not None:
            return f"{rule.title}: {message}"
    return None


def _rules_of(resolved: Resolved, found: Field) -> list[Rule]:
    rules = resolved.pattern.rules
    return [rule for rule in rules if found.name in rule.fields and not rule.advisory]


def _star_tip(resolved: Resolved, found: Field, offered: Any) -> list[str]:
    return [
        f"Recommended for {short_label(target)}: {advice[found.name].reason}"
        for target in resolved.setting.targets
        for advice in (resolved.choice.advice[target.name],)
        if found.name in advice and advice[found.name].value == offered
    ]


def _reason(resolved: Resolved, found: Field) -> str:
    """Why the value is recommended, or what is and for which target; else what the field means."""
    value = resolved.values[found.name]
    moved = resolved.choice.moved.get(found.name)
    if moved is not None and moved.value == value:
        return moved.reason
    taken = resolved.choice.advice.get(resolved.choice.taken_from, {}).get(found.name)
    if taken is None:
        return found.help
    if taken.value == value:
        return " ".join([taken.reason, *_other_advice(resolved, found, value)])
    label = _label(resolved, resolved.choice.taken_from)
    return f"{label}: {value_title(found, taken.value)} is recommended. {taken.reason}"


def _other_advice(resolved: Resolved, found: Field, value: Any) -> Iterator[str]:
    """The targets for which another value would be recommended, in few words."""
    other: dict[Any, list[str]] = {}
    for name, advised in _advised(resolved, found).items():
        if advised != value and name != resolved.choice.taken_from:
            other.setdefault(advised, []).append(_label(resolved, name))
    for advised, labels in list(other.items())[:1]:
        yield f"For {joined(labels)} alone: {value_title(found, advised)}."


def _label(resolved: Resolved, name: str) -> str:
    targets = {target.name: target for target in resolved.setting.targets}
    return short_label(targets[name]) if name in targets else name


def _problem(resolved: Resolved, found: Field) -> tuple[str, tuple[MendView, ...]]:
    misfit_text = resolved.misfits.get(found.name)
    if misfit_text is not None:
        return misfit_text, ()
    for breach in (*resolved.forbidding, *resolved.warnings):
        if breach.rule.fields[:1] == (found.name,):
            return breach_sentence(breach), mend_views(resolved, breach)[:2]
    return "", ()


def breach_sentence(breach: Breach) -> str:
    """The rule's title, its targets, and why it holds."""
    return f"{breach.rule.title} ({joined(breach.targets)}): {breach.message}"


def mend_views(resolved: Resolved, breach: Breach) -> tuple[MendView, ...]:
    """The nearest legal values of a broken rule as buttons."""
    found = []
    for mend in breach.mends:
        field = resolved.pattern.field_named(mend.field)
        if field is not None:
            value = value_title(field, mend.value)
            text = f"{field.title} {value}" if value[:1].isdigit() else f"{field.title}: {value}"
            found.append(MendView(mend.field, mend.value, text))
    return tuple(found)
