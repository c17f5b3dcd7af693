"""The form of a symptom: what a person sees, what can cause it, and what of it a kernel shows."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.diagnostics import Diagnostic

if TYPE_CHECKING:  # numpy comes with these, and the window starts without it
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.jobs import Signature, VerifyResult


class Need(enum.Enum):
    """What has to be known of a kernel before the absence of a finding means anything."""

    SOURCE = "source"  # the lint stage has read it
    LOWERED = "lowered"  # TileLang has lowered it for the target
    SHARED = "shared"  # its accesses to shared memory are known
    GLOBAL = "global"  # its accesses to global memory are known
    OCCUPANCY = "occupancy"  # how many blocks fit on a multiprocessor is known
    MACHINE_CODE = "machine code"  # the compiler has told registers and spills
    SIMULATION = "simulation"  # every block was run in the simulator, with its checks
    COMPARISON = "comparison"  # every element of the outputs was compared with the reference


@dataclass(frozen=True)
class Cause:
    """One thing that can be behind a symptom: a rule, or a kind of mismatch.

    `code` is the rule's, or with `is_signature` that of a detector of the verification; `aliases`
    are codes under which other parts of the workbench say the same. `why` tells how it leads to
    the symptom. `needs` is all that has to be known to say that a kernel does not have it.
    """

    code: str
    title: str
    why: str
    needs: tuple[Need, ...]
    is_signature: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def codes(self) -> frozenset[str]:
        """Every code that says that it applies."""
        return frozenset({self.code, *self.aliases})


@dataclass(frozen=True)
class Step:
    """One way to confirm a symptom: what to look at, the command for it, and the window's panel.

    `command` holds FILE where the document's path goes; `panel` is a key of the window's docks.
    """

    text: str
    command: str | None = None
    panel: str | None = None


@dataclass(frozen=True)
class Symptom:
    """One symptom: `words` are what people would search for, by phrases and error texts."""

    id: str
    title: str
    summary: str
    words: tuple[str, ...]
    confirm: tuple[Step, ...]
    causes: tuple[Cause, ...]

    @property
    def help_page(self) -> str:
        """The slug of the symptom's page."""
        return f"symptoms/{self.id}"


@dataclass(frozen=True)
class Results:
    """What was looked at of one kernel on its present text.

    `analyses` maps targets to what an analysis said, `verification` is the newest comparison with
    the reference; `linted` says that the source could be read, `source_tells` that all which the
    rules of the lint stage look at is written in it. `reasons` says for what was not run why not,
    by the name of the job: "analysis" or "verification".
    """

    linted: bool = True
    analyses: Mapping[str, AnalyzeResult] = field(default_factory=dict)
    verification: VerifyResult | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    source_tells: bool = False


class Verdict(enum.Enum):
    """Whether a cause is there."""

    APPLIES = "applies"
    RULED_OUT = "ruled out"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class CauseState:
    """One cause for the present kernel.

    `diagnostics` are the findings that show it, each with its line, and `signatures` the kinds of
    mismatch; `reason` says why it could not be checked.
    """

    cause: Cause
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...] = ()
    signatures: tuple[Signature, ...] = ()
    reason: str | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the document at fault, ascending."""
        places = {d.range.line for d in self.diagnostics if d.range is not None}
        return tuple(sorted(places))


@dataclass(frozen=True)
class Applied:
    """A symptom for the present kernel.

    `present` says whether the kernel shows it, None where that is unknown, and `seen` with what
    figures. `causes` are all of the symptom's: those that apply first, then those that could not
    be checked.
    """

    symptom: Symptom
    present: bool | None
    seen: str
    causes: tuple[CauseState, ...]

    def having(self, verdict: Verdict) -> tuple[CauseState, ...]:
        """The causes of one verdict."""
        return tuple(state for state in self.causes if state.verdict is verdict)

    @property
    def applying(self) -> tuple[CauseState, ...]:
        """The causes that the kernel has."""
        return self.having(Verdict.APPLIES)
