"""Measures kernels one after another on one GPU, and has each predicted on this machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.host_report import Probe, lacks_of
from workbench.core.plain import PlainError, from_plain
from workbench.core.profiles import Ceilings, DeviceInfo, ProfileRequest, ProfileResult
from workbench.session.batch import BatchWorker, OnText
from workbench.session.requests import Item, analyze_request
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

if TYPE_CHECKING:
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.jobs import Source

_ELSEWHERE = (
    "To measure on another machine: hosts add NAME -- ssh NAME, then profile FILE --on NAME."
)


class NoDeviceError(Exception):
    """There is no GPU to measure on; the message says what was looked for and what to do."""


def device_of(ended: Ended, index: int, title: str) -> DeviceInfo:
    """The GPU of that number on a machine called `title`, by the end of its probe.

    Raises NoDeviceError.
    """
    devices = devices_of(ended, title)
    found = next((device for device in devices if device.index == index), None)
    if found is None:
        known = ", ".join(f"{device.index} ({device.name})" for device in devices)
        raise NoDeviceError(f"there is no GPU {index} on {title}, which has {known}")
    return found


def devices_of(ended: Ended, title: str) -> tuple[DeviceInfo, ...]:
    """The GPUs of a machine called `title`, by the end of its probe; raises NoDeviceError."""
    if ended.outcome != "done":
        raise NoDeviceError(ended.failure.message if ended.failure else f"{title} was not probed")
    try:
        probe = from_plain(Probe, ended.result)
    except PlainError as error:
        raise NoDeviceError(f"{title} told what is no report: {error}") from error
    lacks = [each for each in lacks_of(probe, title) if each.needed_for in ("everything", "gpu")]
    if lacks:
        raise NoDeviceError(f"{lacks[0].text} {_ELSEWHERE}")
    return _devices(probe)


def _devices(probe: Probe) -> tuple[DeviceInfo, ...]:
    """The GPUs that the driver tells; those of other makers by what torch calls them."""
    named = probe.torch.devices if probe.torch is not None else ()
    return probe.devices or tuple(DeviceInfo(name, index=i) for i, name in enumerate(named))


@dataclass
class GpuLane:
    """The one lane of a GPU: the next kernel is measured when the one before has ended.

    `ceilings` are what the device is known to reach; where they are None, the first request that
    can has them measured, and `on_ceilings` is told.
    """

    worker: BatchWorker
    limits: Limits
    on_progress: OnText
    ceilings: Ceilings | None
    on_ceilings: Callable[[Ceilings], None]

    def run(self, requests: Sequence[ProfileRequest]) -> Iterator[Ended]:
        """The end of each request, in their order."""
        for position, request in enumerate(requests):
            if len(requests) > 1:
                self.on_progress(f"measuring {position + 1} of {len(requests)}")
            asked = dataclasses.replace(request, ceilings=self.ceilings)
            for _, ended in self.worker.run([asked], self.limits, self.on_progress, _ignore):
                self._note(ended)
                yield ended

    def _note(self, ended: Ended) -> None:
        result = result_of(ended)
        found = result.ceilings if result is not None else None
        if found is not None and found != self.ceilings:
            self.ceilings = found
            self.on_ceilings(found)


@dataclass(frozen=True)
class Measured:
    """One item: the end of its job, what it measured if it did, and what is predicted of it."""

    item: Item
    ended: Ended
    result: ProfileResult | None = None
    analysis: AnalyzeResult | None = None


def result_of(ended: Ended) -> ProfileResult | None:
    """What a profile job gave; None where it has no result."""
    return from_plain(ProfileResult, ended.result) if ended.result is not None else None


def predicted(
    worker: BatchWorker,
    measured: Measured,
    source_of: Callable[[Item], Source],
    limits: Limits,
    on_progress: OnText,
) -> Measured:
    """The same with what is predicted of its kernel, if it was measured, on a local worker.

    The carve-out is the one that the driver chose where counters tell it.
    """
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.session.profile_comparison import carveout_of

    item, result = measured.item, measured.result
    if result is None or (result.latency is None and result.counters is None):
        return measured
    request = analyze_request(item, source_of(item), carveout_bytes=carveout_of(result))
    ends = [ended for _, ended in worker.run([request], limits, on_progress, _ignore)]
    plain = ends[0].result
    analysis = None if plain is None else from_plain(AnalyzeResult, plain)
    return dataclasses.replace(measured, analysis=analysis)


def _ignore(text: str) -> None:
    """What kernels and compilers print is kept in the log tail of a job that fails."""
