"""Recommended values: what a pattern advises for each target, made one legal choice for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.patterns.legality import breaches, is_legal
from workbench.core.patterns.model import Advice, Pattern, Setting, Step, Values
from workbench.core.patterns.values import completed
from workbench.core.targets.model import Target

_MOST_MOVES = 6


@dataclass(frozen=True)
class Choice:
    """All values, the advice of each target by its name, and whose advice was taken."""

    values: Mapping[str, Any]
    advice: Mapping[str, Mapping[str, Advice]]
    taken_from: str

    def reason(self, name: str) -> str | None:
        """Why a value is as it is; None where it was given and no advice agrees."""
        found = self.advice.get(self.taken_from, {}).get(name)
        agrees = found is not None and found.value == self.values.get(name)
        return found.reason if found is not None and agrees else None


def recommend(pattern: Pattern, given: Values, setting: Setting) -> Choice:
    """The given values and the recommended rest.

    The first target's advice is taken if all targets can use it, else that of the first whose
    advice they can, else the first target's all the same. Raises PatternError.
    """
    advice: dict[str, Mapping[str, Advice]] = {}
    choices: list[Choice] = []
    for target in setting.targets:
        values, advised = _advised(pattern, given, setting, len(choices))
        advice[target.name] = advised
        choices.append(Choice(values, advice, target.name))
    fitting = (c for c in choices if is_legal(pattern, c.values, setting.targets))
    return next(fitting, choices[0])


def _advised(
    pattern: Pattern, given: Values, setting: Setting, index: int
) -> tuple[dict[str, Any], Mapping[str, Advice]]:
    """The values that one target's advice leads to.

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
    return _settled(pattern, {**values, **late}, given, target), advised


def _settled(
    pattern: Pattern, values: dict[str, Any], given: Values, target: Target
) -> dict[str, Any]:
    """The values with those that were not given moved to where all rules hold, if that is near."""
    for _ in range(_MOST_MOVES):
        broken = [b for b in breaches(pattern, values, [target]) if not b.rule.advisory]
        free = [m for b in broken for m in b.mends if m.field not in given]
        if not free:
            break
        values = {**values, free[0].field: free[0].value}
    return values
