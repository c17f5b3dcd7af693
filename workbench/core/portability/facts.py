"""What a portability matrix is made of: for each target what was found, and what was verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import CompileResult
from workbench.core.portability.asks import KernelAsks
from workbench.core.runs import Run, RunKind, RunStatus, blob_hash
from workbench.core.targets.model import Target

SIMULATED = ("simulator",)
#: Where a kernel runs without a GPU: neither says anything of a device.
_NO_DEVICE = (*SIMULATED, "cpu")


@dataclass(frozen=True)
class Verification:
    """One comparison with the reference, from the history; `sample` says which part was run."""

    target: str
    device: str
    passed: bool
    sample: str | None = None
    error: str | None = None

    @property
    def on_device(self) -> bool:
        """Whether a GPU computed it."""
        return self.device not in _NO_DEVICE


@dataclass(frozen=True)
class TargetFacts:
    """What is known of a kernel on one target; None is not looked at yet.

    `analysis` is of the lowered code, `code` of the machine code. `lint` holds what the source
    shows for this target. `own` are the verifications on its architecture, `others` the rest.
    """

    target: Target
    label: str
    detail: str
    asks: KernelAsks
    analysis: AnalyzeResult | None = None
    code: CompileResult | None = None
    lint: tuple[Diagnostic, ...] = ()
    own: tuple[Verification, ...] = ()
    others: tuple[Verification, ...] = ()
    pending: bool = False

    @property
    def lowered(self) -> bool:
        """Whether TileLang made code for the target."""
        return self.analysis is not None and bool(self.analysis.kernels)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found; what the source shows first, for it has the fixes."""
        return (*self.lint, *(self.analysis.diagnostics if self.analysis is not None else ()))

    def found(self, *codes: str) -> Diagnostic | None:
        """The first finding of any of these codes; a later stage's gets an earlier one's fixes."""
        return next((d for d in self.diagnostics if d.code in codes), None)

    def first_error(self) -> Diagnostic | None:
        """The first error of the lowering, at its line."""
        found = self.analysis.diagnostics if self.analysis is not None else ()
        errors = [d for d in found if d.severity is Severity.ERROR]
        same = {d.code for d in errors}
        with_fix = (d for d in self.lint if d.code in same and d.fixes)
        return next(with_fix, next(iter(errors), None))


def concerning(lint: Iterable[Diagnostic], target: str) -> tuple[Diagnostic, ...]:
    """The findings that concern a target: those that name it, and those that name none."""
    return tuple(d for d in lint if not d.targets or target in d.targets)


@dataclass(frozen=True)
class Identity:
    """What makes two runs of one kernel the same: its text, its name and its arguments."""

    text: str
    kernel: str
    args: Mapping[str, Any] = field(hash=False)

    @property
    def text_blob(self) -> str:
        """The text's name in a history."""
        return blob_hash(self.text.encode("utf-8", "surrogatepass"))


def verifications(runs: Sequence[Run], identity: Identity) -> tuple[Verification, ...]:
    """The verifications of exactly this text, kernel and arguments, the newest first."""
    wanted, blob = _plain(identity.args), identity.text_blob
    return tuple(
        Verification(
            run.target or "",
            run.device or "",
            run.status is RunStatus.DONE,
            run.sample,
            run.error or (run.diagnostics[0].message if run.diagnostics else None),
        )
        for run in runs
        if run.kind is RunKind.VERIFY
        and run.status in (RunStatus.DONE, RunStatus.FAILED)
        and (run.text_blob, run.kernel) == (blob, identity.kernel)
        and _plain(run.args) == wanted
    )


def _plain(value: Any) -> Any:
    """A value as JSON gives it back: a history has no tuples."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value
