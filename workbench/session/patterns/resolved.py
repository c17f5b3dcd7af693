"""What a draft comes to: all values, the rules that they break, and the document they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.patterns.generating import Generated, generate_choice, sketch_choice
from workbench.core.patterns.legality import Breach, breaches
from workbench.core.patterns.model import Field, Pattern, PatternError, Setting
from workbench.core.patterns.recommending import Choice, recommend
from workbench.core.patterns.table import pattern_named
from workbench.core.patterns.values import effective, parse
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetTable
from workbench.session.patterns.draft import Draft, steps_of, with_value


@dataclass(frozen=True)
class Resolved:
    """`forbidding` are the rules that must hold, `warnings` those that had better.

    `misfits` say of fields what is wrong with the text typed into them. `generated` is the
    document, of illegal values as far as there is one; `is_legal` says that it may be finished.
    """

    draft: Draft
    pattern: Pattern
    setting: Setting
    choice: Choice
    forbidding: tuple[Breach, ...]
    warnings: tuple[Breach, ...]
    misfits: Mapping[str, str]
    generated: Generated | None

    @property
    def values(self) -> Mapping[str, Any]:
        """A value for each field."""
        return self.choice.values

    @property
    def is_legal(self) -> bool:
        """Whether the document may be finished."""
        return not (self.forbidding or self.misfits or self.draft.missing)

    @property
    def labels(self) -> tuple[str, ...]:
        """The short names of the targets."""
        return tuple(short_label(target) for target in self.setting.targets)

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of this pattern with these values."""
        return steps_of(self.pattern, self.values)

    def fields(self, step: str) -> tuple[Field, ...]:
        """The fields of a step that have an effect."""
        here = (found for found in self.pattern.fields if found.step.value == step)
        return tuple(found for found in here if found.matters(self.values))

    def after(self, found: Field, value: Any, target: Target) -> Mapping[str, Any]:
        """All values once another one of a requirement is chosen, as a target alone has them."""
        draft = with_value(self.draft, found, value, self.values)
        return _choice(self.pattern, draft, replace(self.setting, targets=(target,))).values

    def names_at_fault(self) -> frozenset[str]:
        """The fields in which something has to change."""
        blamed = {
            name
            for breach in self.forbidding
            for name in [mend.field for mend in breach.mends] or breach.rule.fields
        }
        return frozenset(blamed | set(self.misfits) | set(self.draft.missing))


def resolve(draft: Draft, table: TargetTable) -> Resolved:
    """What a draft comes to. Raises PatternError, TargetError."""
    pattern = pattern_named(draft.pattern)
    setting = Setting(tuple(table.resolve(name) for name in draft.targets), draft.goal)
    choice = _choice(pattern, draft, setting)
    found = breaches(pattern, choice.values, setting.targets)
    forbidding = tuple(breach for breach in found if not breach.rule.advisory)
    warnings = tuple(breach for breach in found if breach.rule.advisory)
    generated = (
        sketch_choice(pattern, choice, setting)
        if forbidding
        else generate_choice(pattern, choice, setting)
    )
    misfits = dict(_misfits(pattern, draft))
    return Resolved(draft, pattern, setting, choice, forbidding, warnings, misfits, generated)


def _choice(pattern: Pattern, draft: Draft, setting: Setting) -> Choice:
    """The given and the held values, else the recommended ones, with the advice beside them."""
    choice = recommend(pattern, draft.given, setting)
    values = effective(pattern, {**choice.values, **draft.held, **draft.given})
    advice = {each.name: pattern.advise(values, each, setting.goal) for each in setting.targets}
    return replace(choice, values=values, advice=advice)


def _misfits(pattern: Pattern, draft: Draft) -> list[tuple[str, str]]:
    found = []
    for name, text in draft.texts.items():
        field = pattern.field_named(name)
        if field is None:
            continue
        try:
            parse(field, text)
        except PatternError as error:
            found.append((name, str(error).replace("`", "")))
    return found
