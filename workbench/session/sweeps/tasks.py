"""What a stage of a sweep asks a worker, and what its answer means for the point."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import Failure, Source
from workbench.core.plain import from_plain
from workbench.core.profiles import Latency, ProfileRequest, ProfileResult
from workbench.core.sweeps.model import Facts, Measured, Outcome, PointRecord, Stage
from workbench.core.targets.model import Target
from workbench.session.requests import Item, analyze_request, profile_request
from workbench.session.worker_client import Request
from workbench.wire.events import Ended

if TYPE_CHECKING:
    from workbench.core.analysis.kernel_analysis import KernelAnalysis
    from workbench.core.analysis.result import AnalyzeResult

GPU_STAGES = frozenset({Stage.MEASURE, Stage.CONFIRM})
#: Samples and seconds of a short measurement, and of one that confirms.
_SHORT, _LONG = (20, 0.3), (150, 2.0)
_LIMIT_KINDS = ("memory", "timeout")
_LIMITS = "resources"  # the stage of diagnostics that tell limits
#: Errors of a kernel that runs all the same, slowly: what exceeds a thread's registers spills.
_RUNS_SLOWLY = frozenset({"registers-over-limit"})
_SPILLS = "register-spill"
_CANNOT_LAUNCH = "cannot-launch"
_INTERNAL = re.compile(r"^(?:[\w.]+\.)?InternalError: ")


@dataclass(frozen=True)
class Task:
    """One stage of one point, as a backend gets it. `target` decides which GPUs can do it."""

    number: int
    stage: Stage
    request: Request
    target: Target

    @property
    def needs_gpu(self) -> bool:
        """Whether a GPU executes the kernel."""
        return self.stage in GPU_STAGES


@dataclass(frozen=True)
class Finished:
    """A task that has ended: `host` and `device` say where, `seconds` how long it ran."""

    task: Task
    ended: Ended
    host: str
    device: str | None = None
    seconds: float = 0.0


def task_of(number: int, stage: Stage, item: Item, source: Source) -> Task:
    """The task of a stage; a GPU's number is put in by who runs it."""
    return Task(number, stage, _REQUESTS[stage](item, source), item.target)


def _level_1(item: Item, source: Source) -> Request:
    return analyze_request(item, source, level=1)


def _level_2(item: Item, source: Source) -> Request:
    return replace(analyze_request(item, source, level=2), line_details=False)


def _measured(item: Item, source: Source) -> Request:
    return _timed(item, source, _SHORT, check=False)


def _confirmed(item: Item, source: Source) -> Request:
    return _timed(item, source, _LONG, check=item.selection.reference is not None)


def _timed(item: Item, source: Source, much: tuple[int, float], check: bool) -> ProfileRequest:
    samples, seconds = much
    return replace(
        profile_request(item, source),
        baseline=None,
        check=check,
        min_samples=samples,
        measure_seconds=seconds,
        ceilings_wanted=False,
    )


_REQUESTS = {
    Stage.LOWER: _level_1,
    Stage.COMPILE: _level_2,
    Stage.MEASURE: _measured,
    Stage.CONFIRM: _confirmed,
}


def told(record: PointRecord, finished: Finished) -> PointRecord:
    """The point's record after a task of it has ended; one that was lost stays as it was."""
    stage = finished.task.stage
    record = replace(
        record, seconds=record.seconds + finished.seconds, where=finished.host, stage=stage
    )
    return _READERS[stage](record, finished)


def _after_analysis(record: PointRecord, finished: Finished) -> PointRecord:
    from workbench.core.analysis.result import AnalyzeResult  # loads the analyses

    ended, stage = finished.ended, finished.task.stage
    if ended.result is None:
        return _without_analysis(record, ended, stage)
    result = from_plain(AnalyzeResult, ended.result)
    record = replace(record, facts=_facts(result, record.facts))
    errors = [d for d in result.diagnostics if _stops(d)]
    over = next((d for d in errors if d.stage == _LIMITS), None)
    if over is not None:
        return _with_fault(replace(record, outcome=Outcome.RULED_OUT), over)
    if result.failure is not None and not _is_slowness(result.failure, result.diagnostics):
        return _failed(record, result.failure, errors)
    if why := _why_not_launched(result.kernels):
        return replace(record, outcome=Outcome.RULED_OUT, code=_CANNOT_LAUNCH, reason=why)
    outcome = Outcome.PREDICTED if stage is Stage.COMPILE else Outcome.OPEN
    return _with_spills(replace(record, outcome=outcome), result.diagnostics)


def _stops(diagnostic: Diagnostic) -> bool:
    """Whether it keeps a kernel from running."""
    return diagnostic.severity is Severity.ERROR and diagnostic.code not in _RUNS_SLOWLY


def _is_slowness(failure: Failure, diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether an analysis failed by an error alone with which the kernel runs."""
    told = {d.message for d in diagnostics if d.code in _RUNS_SLOWLY}
    return failure.message in told and not any(_stops(d) for d in diagnostics)


def _why_not_launched(kernels: Sequence[KernelAnalysis]) -> str | None:
    """Why a launch would be refused: a block, by all that the compiler gave it, fits on no SM."""
    known = (each.occupancy for each in kernels if each.occupancy is not None)
    return next((found.reasons[0] for found in known if found.reasons), None)


def _with_spills(record: PointRecord, diagnostics: Sequence[Diagnostic]) -> PointRecord:
    """With the note that it would spill: by what the compiler says, before that by its tiles."""
    spilled = record.facts.spill_bytes
    found = next((d for d in diagnostics if d.code in _RUNS_SLOWLY), None)
    if spilled:
        reason = f"would spill {spilled:,} B of each thread's registers to memory"
    elif spilled is None and found is not None:
        reason = f"would spill: {found.message}"
    else:
        return _without_fault(record)
    line = found.range.line if found is not None and found.range is not None else None
    return replace(record, code=_SPILLS, reason=reason, line=line)


def _without_analysis(record: PointRecord, ended: Ended, stage: Stage) -> PointRecord:
    """A kernel that is too large to analyze may still be measured."""
    failure = ended.failure or Failure("internal", f"the job ended as {ended.outcome}")
    if stage is Stage.COMPILE and failure.kind in _LIMIT_KINDS:
        reason = f"not estimated: {failure.message}"
        return replace(record, outcome=Outcome.PREDICTED, reason=reason)
    return _failed(record, failure, ())


def _after_measurement(record: PointRecord, finished: Finished) -> PointRecord:
    ended, stage = finished.ended, finished.task.stage
    if ended.result is None:
        failure = ended.failure or Failure("internal", f"the job ended as {ended.outcome}")
        return _failed(record, failure, ())
    result = from_plain(ProfileResult, ended.result)
    if result.failure is not None:
        return _failed(record, result.failure, result.diagnostics)
    if result.latency is None:
        failure = Failure("environment", result.missing.get("latency", "it was not timed"))
        return _failed(record, failure, result.diagnostics)
    found = _measurement(result, result.latency, finished)
    if result.verified is False:
        record = replace(record, outcome=Outcome.FAILED, confirmed=found)
        return replace(record, reason="its result differs from the reference", code="mismatch")
    if stage is Stage.CONFIRM:
        return _without_fault(replace(record, outcome=Outcome.CONFIRMED, confirmed=found))
    return _without_fault(replace(record, outcome=Outcome.MEASURED, measured=found))


_READERS = {
    Stage.LOWER: _after_analysis,
    Stage.COMPILE: _after_analysis,
    Stage.MEASURE: _after_measurement,
    Stage.CONFIRM: _after_measurement,
}


def _measurement(result: ProfileResult, latency: Latency, finished: Finished) -> Measured:
    return Measured(
        median_us=latency.median_us,
        p10_us=latency.p10_us,
        p90_us=latency.p90_us,
        samples=len(latency.samples_us),
        device=result.device.name if result.device else finished.device or "",
        host=finished.host,
        flops=result.flops,
        verified=result.verified,
    )


def _failed(
    record: PointRecord, failure: Failure, diagnostics: Sequence[Diagnostic]
) -> PointRecord:
    fault = next((d for d in diagnostics if d.severity is Severity.ERROR), None)
    record = replace(record, outcome=Outcome.FAILED)
    if fault is not None:
        return _with_fault(record, fault)
    reason = _plainly(failure.message)
    return replace(record, reason=reason, code=failure.kind, line=failure.line)


def _with_fault(record: PointRecord, fault: Diagnostic) -> PointRecord:
    line = fault.range.line if fault.range is not None else None
    return replace(record, reason=_plainly(fault.message), code=fault.code, line=line)


def _plainly(message: str) -> str:
    """A message that does not begin with the words of a check inside of the compiler."""
    return _INTERNAL.sub("TileLang stopped at a check inside itself. It said: ", message)


def _without_fault(record: PointRecord) -> PointRecord:
    return replace(record, reason=None, code=None, line=None)


def _facts(result: AnalyzeResult, before: Facts) -> Facts:
    """Of all kernels of a document together: times add up, the rest is the largest or least."""
    kernels = result.kernels
    if not kernels:
        return before
    resources = result.resources
    occupancy = _most_limited(kernels)
    return Facts(
        predicted_us=_total(kernels),
        bound=_bound(kernels),
        shared_bytes=_shared(kernels),
        registers=resources.registers if resources else None,
        spill_bytes=resources.spill_bytes if resources else None,
        occupancy=occupancy.get("fraction"),
        blocks_per_sm=None if occupancy.get("blocks") is None else int(occupancy["blocks"] or 0),
    )


def _total(kernels: Sequence[KernelAnalysis]) -> float | None:
    times = [each.estimate.time_us if each.estimate is not None else None for each in kernels]
    known = [time for time in times if time is not None]
    return sum(known) if len(known) == len(times) else None


def _bound(kernels: Sequence[KernelAnalysis]) -> str | None:
    longest = max(kernels, key=lambda k: k.estimate.time_us if k.estimate is not None else 0.0)
    return longest.estimate.bound if longest.estimate is not None else None


def _shared(kernels: Sequence[KernelAnalysis]) -> int | None:
    known = [k.shared_dynamic_bytes for k in kernels if k.shared_dynamic_bytes is not None]
    return max(known, default=None)


def _most_limited(kernels: Sequence[KernelAnalysis]) -> Mapping[str, float | None]:
    known = [k.occupancy for k in kernels if k.occupancy is not None]
    if not known:
        return {}
    least = min(known, key=lambda o: o.fraction if o.fraction is not None else 2.0)
    return {"fraction": least.fraction, "blocks": least.blocks}
