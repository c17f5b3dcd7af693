"""Recommended values: what a pattern advises for each target, made one legal choice for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.patterns.legality import Breach, Mend, breaches, forbidden, is_legal
from workbench.core.patterns.model import Advice, Pattern, Setting, Step, Values
from workbench.core.patterns.values import completed, effective
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_MOST_MOVES = 6


@dataclass(frozen=True)
class Choice:
    """All values, the advice of each target by its name, and whose advice was taken.

    `moved` are values that nobody gave and that stand in place of others which break a rule.
    """

    values: Mapping[str, Any]
    advice: Mapping[str, Mapping[str, Advice]]
    taken_from: str
    moved: Mapping[str, Advice] = field(default_factory=dict)

    def remark(self, setting: Setting) -> str | None:
        """Whose recommendation this is where it is not the first target's, as a clause."""
        first = setting.target
        if self.taken_from == first.name:
            return None
        labels = {target.name: short_label(target) for target in setting.targets}
        moved = ", moved to where they are legal" if self.moved else ""
        return (
            f"what is recommended for {short_label(first)} is not legal on all targets: the values "
            f"are those for {labels[self.taken_from]}{moved}"
        )

    def reason(self, name: str) -> str | None:
        """Why a value is as it is; None where it was given and no advice agrees."""
        moved = self.moved.get(name)
        if moved is not None and moved.value == self.values.get(name):
            return moved.reason
        found = self.advice.get(self.taken_from, {}).get(name)
        agrees = found is not None and found.value == self.values.get(name)
        return found.reason if found is not None and agrees else None


def recommend(pattern: Pattern, given: Values, setting: Setting) -> Choice:
    """The given values and the recommended rest.

    The first target's advice is taken if all targets can use it, else that of the first whose
    advice they can. Where they can use none, values that were not given are moved to where they
    can, if that is near; what is left to break a rule then was given. Raises PatternError.
    """
    advice: dict[str, Mapping[str, Advice]] = {}
    choices: list[Choice] = []
    for target in setting.targets:
        values, moved, advised = _advised(pattern, given, setting, len(choices))
        advice[target.name] = advised
        choices.append(Choice(values, advice, target.name, moved))
    fitting = (c for c in choices if is_legal(pattern, c.values, setting.targets))
    return next(fitting, None) or _nearest(pattern, choices, given, setting)


def _nearest(
    pattern: Pattern, choices: Sequence[Choice], given: Values, setting: Setting
) -> Choice:
    """Of the choices, moved to where they suit all targets, the one that breaks the least."""

    def faults(choice: Choice) -> tuple[int, int]:
        return len(forbidden(pattern, choice.values, setting.targets)), len(choice.moved)

    if len(choices) == 1:
        return choices[0]
    return min((_moved(pattern, choice, given, setting) for choice in choices), key=faults)


def _moved(pattern: Pattern, choice: Choice, given: Values, setting: Setting) -> Choice:
    values, moved = _settled(pattern, choice.values, given, setting.targets)
    return replace(choice, values=values, moved={**choice.moved, **moved})


def _advised(
    pattern: Pattern, given: Values, setting: Setting, index: int
) -> tuple[dict[str, Any], dict[str, Advice], Mapping[str, Advice]]:
    """The values that one target's advice leads to, those of them that were moved, the advice.

    Advice on requirements (an output's format, say) comes first: what follows depends on it.
    """
    target = setting.targets[index]
    required = {f.name for f in pattern.of_step(Step.REQUIREMENTS)}
    values = completed(pattern, given)
    first = pattern.advise(values, target, setting.goal)
    early = {n: a.value for n, a in first.items() if n in required and n not in given}
    values = completed(pattern, {**early, **given})
    advised = pattern.advise(values, target, setting.goal)
    late = {name: a.value for name, a in advised.items() if name not in given}
    chosen = {**effective(pattern, {**values, **late}), **given}
    return *_settled(pattern, chosen, given, [target]), advised


def _settled(
    pattern: Pattern, values: Values, given: Values, targets: Sequence[Target]
) -> tuple[dict[str, Any], dict[str, Advice]]:
    """The values with those that were not given moved to where all rules hold, if that is near.

    Besides them those that were moved, with the rule that each of them would have broken.
    """
    settled, moved = dict(values), dict[str, Advice]()
    for _ in range(_MOST_MOVES):
        broken = [b for b in breaches(pattern, settled, targets) if not b.rule.advisory]
        step = next(((b, mends) for b in broken if (mends := _free(b, given))), None)
        if step is None:
            break
        for mend in step[1]:
            reason = _in_place_of(settled[mend.field], step[0])
            settled[mend.field] = mend.value
            moved[mend.field] = Advice(mend.value, reason)
    return settled, moved


def _free(breach: Breach, given: Values) -> tuple[Mend, ...]:
    """What mends a breach without a change of what was given: one change, else two."""
    alone = next((mend for mend in breach.mends if mend.field not in given), None)
    if alone is not None:
        return (alone,)
    return breach.together if not {m.field for m in breach.together} & set(given) else ()


def _in_place_of(value: Any, breach: Breach) -> str:
    return (
        f"In place of {value}, which is not legal for {', '.join(breach.targets)}: {breach.message}"
    )
