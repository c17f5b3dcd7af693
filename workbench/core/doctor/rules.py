"""The form of a rule: what is looked for, how much it matters, and why it is a mistake."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workbench.core.diagnostics import Severity
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module


class Stage(enum.Enum):
    """The steps that a kernel goes through, in order; each can show other mistakes."""

    LINT = "lint"
    LOWER = "lower"
    RESOURCES = "resources"
    ANALYSIS = "analysis"
    SIMULATE = "simulate"
    DEVICE = "device"


class Group(enum.Enum):
    """What a rule is about: a mistake, or a custom of fast kernels that a person may decline."""

    FAULT = "fault"
    GUIDELINE = "guideline"


KernelCheck = Callable[[KernelFacts, Module], Iterable[Finding]]
DocumentCheck = Callable[[Module], Iterable[Finding]]


@dataclass(frozen=True)
class Rule:
    """One rule. `check` looks at a kernel, `document_check` at a whole document.

    Those without either belong to a later stage, whose own code finds them and takes title,
    severity and explanation from here. `safe` says that its fixes keep what the kernel is for, so
    that they can be applied without a person. Rules of the group of guidelines can be switched off.
    """

    code: str
    severity: Severity
    stage: Stage
    title: str
    explanation: str
    source: str
    check: KernelCheck | None = None
    document_check: DocumentCheck | None = None
    safe: bool = False
    group: Group = Group.FAULT

    @property
    def help_page(self) -> str:
        """The slug of the rule's page."""
        return f"rules/{self.code}"
