"""What an analysis finds at fault, as diagnostics at the document's lines."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.analysis.access_findings import access_findings
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.launch_findings import launch_findings
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.figures import size
from workbench.core.jobs import Resources
from workbench.core.targets.model import Target

_STAGE = "resources"


def findings(
    analysis: KernelAnalysis, resources: Resources | None, target: Target, line: int | None
) -> tuple[Diagnostic, ...]:
    """The findings of one kernel; `line` is that of the kernel, where a finding has no other."""
    peak = analysis.lifetimes.peak_line if analysis.lifetimes is not None else None
    return (
        *over_shared(resources, analysis.shared_dynamic_bytes, target, peak or line),
        *spills(resources, target, line),
        *_over_budget(analysis, target, line),
        *access_findings(analysis, target),
        *launch_findings(analysis, resources, target, line),
    )


def over_shared(
    resources: Resources | None, dynamic_bytes: int | None, target: Target, line: int | None
) -> Iterator[Diagnostic]:
    """That a block takes more shared memory than the target's can have."""
    limit = target.arch.limits.most_shared_bytes
    static = 0 if resources is None else resources.shared_static_bytes or 0
    used = (dynamic_bytes or 0) + static
    if limit is None or used <= limit:
        return
    message = (
        f"{size(used)} of shared memory a block; on {target.arch.name} it can have {size(limit)}: "
        "smaller tiles or fewer stages fit"
    )
    yield _at(line, "shared-memory-over-limit", Severity.ERROR, message, target)


def spills(resources: Resources | None, target: Target, line: int | None) -> Iterator[Diagnostic]:
    """That the compiler keeps registers of a thread in memory."""
    if resources is not None and resources.spill_bytes:
        message = (
            f"{resources.spill_bytes:,} B of registers a thread spill to memory: smaller tiles or "
            "more threads keep them in registers"
        )
        yield _at(line, "register-spill", Severity.WARNING, message, target)


def _over_budget(
    analysis: KernelAnalysis, target: Target, line: int | None
) -> Iterator[Diagnostic]:
    budget = analysis.register_budget
    if budget is None or budget.fits:
        return
    message = (
        f"warps ask for {budget.wanted:,} registers and the block has {budget.allocated:,}: one "
        "waits for ever"
    )
    if budget.invalid:
        values = ", ".join(str(value) for value in budget.invalid)
        message = f"setmaxnreg takes 24 to 256 in steps of 8, not {values}"
    yield _at(line, "setmaxnreg-over-budget", Severity.ERROR, message, target)


def _at(
    line: int | None, code: str, severity: Severity, message: str, target: Target
) -> Diagnostic:
    where = TextRange(line) if line is not None else None
    return Diagnostic(code, severity, message, where, targets=(target.name,), stage=_STAGE)
