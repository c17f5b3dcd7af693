"""The hints of custom that a person may decline, and those that are declined."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.rules import Group


@dataclass(frozen=True)
class Guideline:
    """A kind of hint by the code of its problems."""

    code: str
    title: str


GUIDELINES = tuple(Guideline(r.code, r.title) for r in RULES if r.group is Group.GUIDELINE)


def can_be_declined(code: str) -> bool:
    """Whether problems of a code are hints; a mistake is always told."""
    return any(guideline.code == code for guideline in GUIDELINES)


def with_hint(declined: Collection[str], code: str, is_told: bool) -> tuple[str, ...]:
    """The declined codes once one is told or not; what other versions wrote there stays."""
    others = tuple(each for each in declined if each != code)
    return others if is_told else (*others, code)
