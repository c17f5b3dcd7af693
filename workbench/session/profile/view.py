"""Resolves a profile and what stands around it into what its pane shows, once and for all."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure
from workbench.core.profiles import ProfileResult
from workbench.session.profile.numbers import Numbers, numbers_of
from workbench.session.profile.rates import Share, shares_of
from workbench.session.profile.samples import SamplesPicture, samples_picture
from workbench.session.profile.series import SeriesPicture, series_picture
from workbench.session.profile.subject import ProfileSubject, Progress
from workbench.session.profile.trust import Trust, trust_of
from workbench.session.profile.words import conclusion

_OPEN = "Open a kernel to measure it on a GPU."
_UNTRUSTED = "Nothing of this folder is run before you trust it, so nothing is measured."
_NOTHING = (
    "Measure the kernel on {place}: its time with the spread, how much of the device it reaches, "
    "its ratio to the baseline, and the counters of the hardware beside what was predicted."
)
_NO_PLACE = "A profile needs a GPU. {why}"
MEASURE, CHOOSE, AGAIN, SHOW = "Measure", "Choose where", "Try again", "Show it"


class ProfileState(enum.Enum):
    """What there is to show."""

    EMPTY = "empty"
    FAILED = "failed"
    DONE = "done"


@dataclass(frozen=True)
class ProfileView:
    """What the pane shows; parts that are not there are None or empty.

    An empty pane has a sentence in `conclusion` and the action that fills it; `known` is the run of
    the history that it can show instead. `facts` say in short where and how it was measured.
    """

    state: ProfileState
    conclusion: str
    action: str = ""
    name: str = "kernel"
    mark: int = 0
    label: str = ""
    facts: tuple[str, ...] = ()
    trust: tuple[Trust, ...] = ()
    samples: SamplesPicture | None = None
    shares: tuple[Share, ...] = ()
    series: SeriesPicture | None = None
    numbers: Numbers = field(default_factory=Numbers)
    failure: Failure | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    running: Progress | None = None
    stale: bool = False
    origin: str = ""
    known: str = ""
    result: ProfileResult | None = field(default=None, repr=False)


def profile_view(subject: ProfileSubject, today: date | None = None) -> ProfileView:
    """What is known of a profile."""
    result = subject.result
    if result is None:
        return _empty(subject)
    if result.failure is not None:
        return _failed(subject, result, result.failure)
    kernel = _kernel(subject)
    estimate = kernel.estimate if kernel is not None else None
    shares = shares_of(result, kernel)
    predicted = estimate.time_us if estimate is not None else None
    numbers = numbers_of(result, _kernels(subject), subject.arch)
    said = conclusion(result, shares, predicted, subject.label if kernel is not None else "")
    return ProfileView(
        ProfileState.DONE,
        " ".join(part for part in (said, numbers.short_verdict) if part),
        name=subject.title.partition(" · ")[0] or "kernel",
        mark=subject.mark,
        label=subject.label,
        facts=_facts(subject, result, today or date.today()),
        trust=trust_of(result),
        samples=_samples(result, estimate),
        shares=shares,
        series=series_picture(subject.series),
        numbers=numbers,
        diagnostics=result.diagnostics,
        running=subject.running,
        stale=subject.stale,
        origin=subject.origin,
        result=result,
    )


def _empty(subject: ProfileSubject) -> ProfileView:
    sentence, action = _NOTHING.format(place=subject.place), MEASURE
    if not subject.is_open:
        sentence, action = _OPEN, ""
    elif not subject.trusted:
        sentence, action = _UNTRUSTED, ""
    elif not subject.place:
        sentence, action = _NO_PLACE.format(why=subject.no_place), CHOOSE
    if subject.running is not None:
        sentence, action = f"Measuring on {subject.where or subject.place} …", ""
    known = subject.known if subject.is_open and subject.running is None else None
    if known is None:
        return ProfileView(ProfileState.EMPTY, sentence, action, running=subject.running)
    told = f"{known.sentence} {sentence}"
    return ProfileView(ProfileState.EMPTY, told, action, known=known.run)


def _failed(subject: ProfileSubject, result: ProfileResult, failure: Failure) -> ProfileView:
    where = subject.where or "the GPU"
    if subject.lost:
        sentence = f"The connection to {where} was lost before the kernel was measured."
    else:
        sentence = f"Not measured on {where}: {_first_sentence(failure.message)}"
    return ProfileView(
        ProfileState.FAILED,
        sentence,
        AGAIN,
        failure=failure,
        diagnostics=result.diagnostics,
        facts=_facts(subject, result, date.today()),
        running=subject.running,
        stale=subject.stale,
        origin=subject.origin,
        result=result,
    )


def _first_sentence(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if line.endswith((".", "!", "?")) else f"{line}."


def _kernels(subject: ProfileSubject) -> tuple[KernelAnalysis, ...]:
    return subject.analysis.kernels if subject.analysis is not None else ()


def _kernel(subject: ProfileSubject) -> KernelAnalysis | None:
    return next(iter(_kernels(subject)), None)


def _samples(result: ProfileResult, estimate: Estimate | None) -> SamplesPicture | None:
    if result.latency is None:
        return None
    predicted = estimate.time_us if estimate is not None else None
    return samples_picture(result.latency, result.baseline, predicted)


def _facts(subject: ProfileSubject, result: ProfileResult, today: date) -> tuple[str, ...]:
    """Where, with what, how and when, each in a few words."""
    return tuple(part for part in (*_where(subject, result), *_how(result), *_when(subject, today)))


def _where(subject: ProfileSubject, result: ProfileResult) -> list[str]:
    device, found = result.device, []
    if device is not None:
        found.append(device.name)
    if subject.where:
        found.append(subject.where)
    if device is not None and device.driver:
        found.append(f"driver {device.driver}")
    if device is not None and device.runtime:
        found.append(f"CUDA {device.runtime}" if "sm_" in (device.arch or "") else device.runtime)
    tilelang = result.versions.get("tilelang")
    return [*found, *([f"tilelang {tilelang}"] if tilelang else [])]


def _how(result: ProfileResult) -> list[str]:
    latency = result.latency
    if latency is None:
        return [result.counters.tool] if result.counters is not None else []
    found = [latency.method, f"{latency.cache} L2", f"{len(latency.samples_us):,} samples"]
    if latency.launches_per_sample > 1:
        found.append(f"{latency.launches_per_sample} launches each")
    clocks = latency.clocks
    if clocks is not None and clocks.low_mhz and clocks.high_mhz:
        same = clocks.low_mhz == clocks.high_mhz
        span = f"{clocks.low_mhz:,}" if same else f"{clocks.low_mhz:,} to {clocks.high_mhz:,}"
        found.append(f"{span} MHz")
    return found


def _when(subject: ProfileSubject, today: date) -> list[str]:
    if subject.created is None:
        return []
    local: datetime = subject.created.astimezone()
    clock = f"{local:%H:%M}"
    if local.date() == today:
        return [clock]
    if local.date() == today - timedelta(days=1):
        return [f"yesterday {clock}"]
    return [f"{local.day} {local:%b %Y} {clock}"]
