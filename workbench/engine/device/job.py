"""The profile job: compile, compare, time beside a baseline, count; each part for itself."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from workbench.core.diagnostics import Diagnostic
from workbench.core.formulas import FormulaError
from workbench.core.jobs import Failure
from workbench.core.profiles import (
    Baseline,
    Ceilings,
    CounterReport,
    DeviceInfo,
    Latency,
    ProfileRequest,
    ProfileResult,
)
from workbench.core.timing import trust_of
from workbench.engine import blame, environment
from workbench.engine.compiling import Report, Stopwatch
from workbench.engine.device import amounts, ceilings, checking
from workbench.engine.device.baselines import NoBaselineError, baseline_launch
from workbench.engine.device.finding import find_device, is_amd
from workbench.engine.device.gpu_faults import gpu_faults
from workbench.engine.device.holding import held
from workbench.engine.device.launches import Launch
from workbench.engine.device.measuring import Meter, Plan, release
from workbench.engine.device.ncu import read_counters
from workbench.engine.device.orders import ROUNDS, beside_each_other, shared
from workbench.engine.device.placing import Placed, placed
from workbench.engine.device.timing_methods import METHODS, MethodError

NO_COUNTERS = "counters are not available here: Nsight Compute reads those of NVIDIA's GPUs alone"


@dataclass
class _Profile:
    """One request while it is worked on."""

    request: ProfileRequest
    report: Report
    watch: Stopwatch = field(default_factory=lambda: Stopwatch({}))
    result: ProfileResult = field(default_factory=lambda: ProfileResult(None))
    missing: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    blobs: tuple[bytes, ...] = ()
    notes: list[str] = field(default_factory=list)  # what is not as it should be
    how: list[str] = field(default_factory=list)  # why the method is the one that it is

    def run(self) -> ProfileResult:
        failure: Failure | None = None
        try:
            self._run()
        except blame.StepError as fault:
            failure = fault.failure
            self.diagnostics.extend(fault.diagnostics)
        return replace(
            self.result,
            failure=failure,
            missing=self.missing,
            diagnostics=tuple(self.diagnostics),
            seconds=self.watch.seconds,
            versions=self._versions(),
        )

    def _run(self) -> None:
        device = find_device(self.request.device)
        self._note(device=device)
        line = self.request.kernel.line
        with placed(self.request, self.report, self.watch, held) as kernel:
            self.diagnostics.extend(kernel.built.diagnostics)
            self.notes += kernel.notes
            with gpu_faults(device, line):
                self._check(kernel)
                self._amounts(kernel)
                self._time(kernel)
        del kernel
        release()  # what follows wants room: ceilings, and the profiler's process
        self._measure_ceilings(device)
        if self.request.counters:
            self._count(device)

    def _check(self, kernel: Placed) -> None:
        self.report("comparing with the reference")
        with self.watch.timing("check"):
            checking.run_once(kernel, self.request.kernel.line)
            if not self.request.check:
                return
            found = checking.compare(kernel, self.request)
        self.diagnostics.extend(found.diagnostics)
        if found.why is not None:
            self.missing["verified"] = found.why
        self.blobs = found.blobs
        self._note(verified=found.verified, outputs=found.outputs)

    def _amounts(self, kernel: Placed) -> None:
        self._note(bytes_moved=amounts.bytes_moved(kernel.parameters, kernel.bound.values))
        try:
            flops = amounts.operations(self.request, kernel.parameters, kernel.bound.values)
        except FormulaError as error:
            self.missing["flops"] = str(error)
            return
        if flops is None:
            self.missing["flops"] = "the case has no formula of its operations: give it flops"
        self._note(flops=flops)

    def _time(self, kernel: Placed) -> None:
        meter = Meter(kernel.device)
        beside = self._beside(kernel)
        with self.watch.timing("time"):
            launches: list[Launch] = [kernel.launch, *([beside] if beside else [])]
            method, how = meter.chosen(self.request.method, launches)
            self.how += [how] if how else []
            plan = Plan(
                method, self.request.cache, self.request.min_samples, self.request.measure_seconds
            )
            try:
                self._measure(meter, kernel.launch, beside, plan)
            except MethodError as error:
                if method == "events":
                    raise blame.StepError(Failure("environment", str(error))) from error
                self.how.append(f"CUDA events were taken: {METHODS[method][0]} failed ({error}).")
                self._measure(meter, kernel.launch, beside, replace(plan, method="events"))

    def _beside(self, kernel: Placed) -> Launch | None:
        try:
            return baseline_launch(kernel, self.request)
        except NoBaselineError as error:
            self.missing["baseline"] = str(error)
            return None

    def _measure(self, meter: Meter, launch: Launch, beside: Launch | None, plan: Plan) -> None:
        """The kernel alone, or beside its baseline in both orders."""
        if beside is None:
            self.report("timing the kernel", 0.5)
            self._told(meter.measure(launch, plan), None, meter.overhead_us(plan))
            return
        share = shared(plan)
        steps = 4 * ROUNDS

        def measured(step: int, each: Launch) -> Latency:
            self.report("timing the kernel and its baseline", 0.5 + 0.4 * step / steps)
            return meter.measure(each, share)

        own, other, ratios = beside_each_other(measured, launch, beside)
        other = replace(other, trust=trust_of(other, None))
        name = self.request.baseline or ""
        baseline = Baseline(name, other, other.median_us / own.median_us, ratios)
        self._told(own, baseline, meter.overhead_us(share))

    def _told(self, latency: Latency, baseline: Baseline | None, overhead_us: float | None) -> None:
        latency = replace(latency, launch_overhead_us=overhead_us)
        sentences = trust_of(latency, self.result.verified)
        first = sentences[:1] if self.result.verified is False else ()  # a wrong result
        trust = (*first, *self.notes, *sentences[len(first) :], *self.how)
        self._note(latency=replace(latency, trust=trust), baseline=baseline)

    def _measure_ceilings(self, device: DeviceInfo) -> None:
        known = self.request.ceilings
        if known is None and not self.request.ceilings_wanted:
            return
        if known is not None and _is_of(known, device):
            self._note(ceilings=known)
            return
        try:
            with self.watch.timing("ceilings"), held(device, self.report), gpu_faults(device):
                self._note(ceilings=ceilings.measure(device, self.report))
        except blame.StepError as fault:
            self.missing["ceilings"] = fault.failure.message

    def _count(self, device: DeviceInfo) -> None:
        if is_amd():
            self.missing["counters"] = NO_COUNTERS
            return
        with self.watch.timing("counters"), held(device, self.report):
            found = read_counters(self.request, self.report)
        if isinstance(found, CounterReport):
            self._note(counters=found)
        else:
            self.missing["counters"] = found

    def _note(self, **parts: object) -> None:
        self.result = replace(self.result, **parts)  # type: ignore[arg-type]

    def _versions(self) -> dict[str, str]:
        device = self.result.device
        found = environment.versions()
        if device is not None and device.driver is not None:
            found["driver"] = device.driver
        if device is not None and device.runtime is not None:
            found["runtime"] = device.runtime
        return found


def profile(request: ProfileRequest, report: Report) -> tuple[ProfileResult, list[bytes]]:
    """Time a kernel on the GPU; what could not be told is None, and `missing` says why.

    Beside it the blobs that its outputs refer to.
    """
    profile = _Profile(request, report)
    return profile.run(), list(profile.blobs)


def _is_of(known: Ceilings, device: DeviceInfo) -> bool:
    """Whether ceilings were measured of this very device."""
    return known.uuid == device.uuid and known.device == device.name
