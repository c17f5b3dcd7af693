"""Which combinations of values are legal, why others are not, and the nearest that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.patterns.model import Pattern, Rule, Values
from workbench.core.patterns.values import nearby
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_MOST_OFFERED = 3


@dataclass(frozen=True)
class Mend:
    """A change after which a rule holds: the field and its new value."""

    field: str
    value: Any


@dataclass(frozen=True)
class Breach:
    """A rule that values break on some targets: why, and the nearest changes that mend it."""

    rule: Rule
    targets: tuple[str, ...]
    message: str
    mends: tuple[Mend, ...]

    @property
    def text(self) -> str:
        """The breach in one line: rule, targets, reason, and what would be legal."""
        near = " or ".join(f"{mend.field}={mend.value}" for mend in self.mends)
        offer = f" Nearest: {near}." if near else ""
        return f"{self.rule.title} ({', '.join(self.targets)}): {self.message}{offer}"


def breaches(pattern: Pattern, values: Values, targets: Sequence[Target]) -> tuple[Breach, ...]:
    """The rules that values break, those that forbid first; each once, with all its targets."""
    found = [
        breach for rule in pattern.rules for breach in _of_rule(pattern, rule, values, targets)
    ]
    return tuple(sorted(found, key=lambda breach: breach.rule.advisory))


def is_legal(pattern: Pattern, values: Values, targets: Iterable[Target]) -> bool:
    """Whether no rule that forbids is broken on any target."""
    return not any(_broken(pattern, values, targets, forbidding=True))


def _of_rule(
    pattern: Pattern, rule: Rule, values: Values, targets: Sequence[Target]
) -> Iterator[Breach]:
    messages: dict[str, list[Target]] = {}
    for target in targets:
        if (message := rule.broken(values, target)) is not None:
            messages.setdefault(message, []).append(target)
    for message, concerned in messages.items():
        labels = tuple(short_label(target) for target in concerned)
        yield Breach(rule, labels, message, mends(pattern, rule, values, targets))


def mends(
    pattern: Pattern, rule: Rule, values: Values, targets: Sequence[Target]
) -> tuple[Mend, ...]:
    """For each field of the rule the nearest value with which it holds and no other one breaks."""
    before = set(_broken(pattern, values, targets))
    found = []
    for name in rule.fields:
        field = pattern.field_named(name)
        for value in nearby(field, values[name]) if field is not None else ():
            after = set(_broken(pattern, {**values, name: value}, targets))
            if rule.name not in after and after <= before:
                found.append(Mend(name, value))
                break
    return tuple(found[:_MOST_OFFERED])


def _broken(
    pattern: Pattern, values: Values, targets: Iterable[Target], forbidding: bool = False
) -> Iterator[str]:
    rules = [rule for rule in pattern.rules if not (forbidding and rule.advisory)]
    for target in targets:
        yield from (rule.name for rule in rules if rule.broken(values, target) is not None)
