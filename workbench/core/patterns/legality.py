"""Which combinations of values are legal, why others are not, and the nearest that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from workbench.core.patterns.model import Goal, Pattern, Rule, Values
from workbench.core.patterns.values import nearby
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_MOST_OFFERED = 3
_MOST_PAIRED = 5


@dataclass(frozen=True)
class Mend:
    """A change after which a rule holds: the field and its new value."""

    field: str
    value: Any


@dataclass(frozen=True)
class Breach:
    """A rule that values break on some targets: why, and the nearest changes that mend it.

    Each of `mends` does alone; where none does, `together` are two changes that do.
    """

    rule: Rule
    targets: tuple[str, ...]
    message: str
    mends: tuple[Mend, ...]
    together: tuple[Mend, ...] = ()

    @property
    def text(self) -> str:
        """The breach in one line: rule, targets, reason, and what would be legal."""
        changes, word = (self.mends, " or ") if self.mends else (self.together, " with ")
        near = word.join(f"{mend.field}={mend.value}" for mend in changes)
        offer = f" Nearest: {near}." if near else ""
        return f"{self.rule.title} ({', '.join(self.targets)}): {self.message}{offer}"


def breaches(pattern: Pattern, values: Values, targets: Sequence[Target]) -> tuple[Breach, ...]:
    """The rules that values break, those that forbid first; each once, with all its targets."""
    found = [
        breach for rule in pattern.rules for breach in _of_rule(pattern, rule, values, targets)
    ]
    return tuple(sorted(found, key=lambda breach: breach.rule.advisory))


def is_legal(pattern: Pattern, values: Values, targets: Sequence[Target]) -> bool:
    """Whether no rule that forbids is broken on any target."""
    return not any(_broken(pattern, values, targets, forbidding=True))


def forbidden(pattern: Pattern, values: Values, targets: Sequence[Target]) -> tuple[str, ...]:
    """The names of the rules that forbid the values, once for each target that has them."""
    return tuple(_broken(pattern, values, targets, forbidding=True))


def _of_rule(
    pattern: Pattern, rule: Rule, values: Values, targets: Sequence[Target]
) -> Iterator[Breach]:
    messages: dict[str, list[Target]] = {}
    for target in targets:
        if (message := rule.message(values, target, targets)) is not None:
            messages.setdefault(message, []).append(target)
    for message, concerned in messages.items():
        labels = tuple(short_label(target) for target in concerned)
        alone = mends(pattern, rule, values, targets)
        both = () if alone else mends_together(pattern, rule, values, targets)
        yield Breach(rule, labels, message, alone, both)


def mends(
    pattern: Pattern, rule: Rule, values: Values, targets: Sequence[Target]
) -> tuple[Mend, ...]:
    """For each field of the rule the nearest value with which it holds and no other one breaks."""
    found = []
    for name in rule.fields:
        changes = ({name: value} for value in _nearby(pattern, name, values))
        for change in _mending(pattern, rule, values, targets, changes):
            found.append(Mend(name, change[name]))
            break
    return tuple(found[:_MOST_OFFERED])


def mends_together(
    pattern: Pattern, rule: Rule, values: Values, targets: Sequence[Target]
) -> tuple[Mend, ...]:
    """Two changes of the rule's fields with which it holds and no other one breaks, or none."""
    changes = (
        {first: one, second: other}
        for first, second in combinations(rule.fields, 2)
        for one in _nearby(pattern, first, values)[:_MOST_PAIRED]
        for other in _nearby(pattern, second, values)[:_MOST_PAIRED]
    )
    found = next(_mending(pattern, rule, values, targets, changes), {})
    return tuple(Mend(name, value) for name, value in found.items())


def _nearby(pattern: Pattern, name: str, values: Values) -> tuple[Any, ...]:
    field = pattern.field_named(name)
    return nearby(field, values[name]) if field is not None else ()


def _mending(
    pattern: Pattern,
    rule: Rule,
    values: Values,
    targets: Sequence[Target],
    changes: Iterable[dict[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Those of the changes after which the rule holds and no other one breaks.

    After a change of what is asked for, what is recommended for a target may follow it.
    """
    before = set(_broken(pattern, values, targets))
    for change in changes:
        for changed in _followed(pattern, {**values, **change}, change, targets):
            after = set(_broken(pattern, changed, targets))
            if rule.name not in after and after <= before:
                yield change
                break


def _followed(
    pattern: Pattern, values: Values, change: Values, targets: Sequence[Target]
) -> Iterator[Values]:
    yield values
    tuned = {field.name for field in pattern.fields if field.is_tuned}
    if tuned & set(change):
        return
    for target in targets:
        advice = pattern.advise(values, target, Goal.THROUGHPUT)
        found = {name: advised.value for name, advised in advice.items()}
        yield {**values, **{name: value for name, value in found.items() if name in tuned}}
        yield {**values, **found, **change}


def _broken(
    pattern: Pattern, values: Values, targets: Sequence[Target], forbidding: bool = False
) -> Iterator[str]:
    rules = [rule for rule in pattern.rules if not (forbidding and rule.advisory)]
    for target in targets:
        broken = (r.name for r in rules if r.message(values, target, targets) is not None)
        yield from broken
