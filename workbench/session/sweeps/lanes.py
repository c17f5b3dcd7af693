"""A sweep's tasks in the lanes of workers: this machine's processors, and GPUs here and on hosts.

A GPU task compiles before it holds its GPU, so several lanes share one GPU: while one measures,
the others start and compile. The GPU's lock, which every measurement takes, keeps them apart.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from workbench.core.host_report import Probe
from workbench.core.hosts import LOCAL, Host
from workbench.core.plain import from_plain
from workbench.core.profiles import DeviceInfo, ProfileRequest
from workbench.core.runs import LOCAL_HOST
from workbench.core.targets.fitting import fit
from workbench.core.targets.model import Target
from workbench.session.hosts.arrival import worker_on
from workbench.session.hosts.local_modules import source_at
from workbench.session.profile_batch import NoDeviceError, devices_of
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.tasks import Finished, Task
from workbench.session.worker_client import Request, WorkerClient, WorkerStartError
from workbench.wire.events import Ended, Event, Started
from workbench.wire.messages import Limits

LEAST_LANES, MOST_LANES = 2, 8  # of one GPU
_PROBE_SECONDS = 120.0
_Arrived = tuple[str, Event]  # the worker's token and what it said


@dataclass
class _Lane:
    """One lane of a worker; `device` is None for one without a GPU. `job` is what it has to do."""

    name: str
    site: str
    device: DeviceInfo | None = None
    job: str | None = None


@dataclass
class _Site:
    """A machine and its worker of now; a worker that is started again gets another token."""

    host: Host
    worker: WorkerClient | None = None
    token: str = ""
    starts: int = 0


@dataclass
class _Running:
    task: Task
    lane: _Lane
    began: float = field(default_factory=time.monotonic)


class LaneBackend:
    """Runs CPU tasks on this machine, GPU tasks on the devices of the sites named.

    `sites` are hosts; `devices` numbers the GPUs that may be used, empty for all. Raises
    BackendError where a host has no GPU or cannot be reached.
    """

    def __init__(
        self,
        sites: Sequence[Host] = (),
        devices: Sequence[int] = (),
        cpu_jobs: int | None = None,
        limits: Limits | None = None,
        on_text: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._arrived: queue.Queue[_Arrived] = queue.Queue()
        self._limits = limits or Limits()
        self._running: dict[tuple[str, str], _Running] = {}
        self._lanes: list[_Lane] = []
        self._on_text = on_text
        self._wanted = tuple(devices)
        self._sites = {host.name: _Site(host) for host in (Host(LOCAL), *sites)}
        try:
            self._start_cpu(cpu_jobs or max(1, os.cpu_count() or 1))
            for host in sites:
                self._start_gpus(host)
            for lane in self._lanes:
                if lane.device is not None:
                    self._warm(lane)  # ready by the time that the points have compiled
        except BaseException:
            self.close()
            raise

    @property
    def title(self) -> str:
        """The processors and GPUs in words."""
        cpus = sum(lane.device is None for lane in self._lanes)
        gpus = dict.fromkeys(
            (lane.site, lane.device.index, lane.device.name) for lane in self._lanes if lane.device
        )
        told = [f"{name} ({index}) of {_host(site)}" for site, index, name in gpus]
        return ", ".join([f"{cpus} local {'job' if cpus == 1 else 'jobs'} at a time", *told])

    def cpu_free(self) -> int:
        """How many lanes without a GPU are idle."""
        return sum(lane.device is None and lane.job is None for lane in self._lanes)

    def gpu_free(self, target: Target) -> int:
        """How many lanes of GPUs that run a target are idle."""
        return len(self._idle(target))

    def why_no_gpu(self, target: Target) -> str | None:
        """Why none of the GPUs runs a target; None where one does."""
        lanes = [lane for lane in self._lanes if lane.device is not None]
        if not lanes:
            return "no GPU was named to measure on"
        misfits = [_misfit(lane, target) for lane in lanes]
        return None if None in misfits else misfits[0]

    def submit(self, task: Task) -> None:
        """Give a task to an idle lane; there must be one."""
        idle = self._idle(task.target) if task.needs_gpu else self._idle_cpus()
        lane = idle[0]
        worker, token = self._worker(lane.site)
        lane.job = worker.submit(self._request(task, lane), lane.name, self._limits)
        self._running[token, lane.job] = _Running(task, lane)

    def _request(self, task: Task, lane: _Lane) -> Request:
        request = task.request
        if lane.device is None or not isinstance(request, ProfileRequest):
            return request
        source = source_at(lane.site, request.source)
        return replace(request, device=lane.device.index, source=source)

    def wait(self, seconds: float) -> Sequence[Finished]:
        """The tasks that ended; waits for the first one."""
        found: list[Finished] = []
        end = time.monotonic() + seconds
        while self._running:
            try:
                left = 0.0 if found else max(0.0, end - time.monotonic())
                arrived = self._arrived.get(timeout=left) if left else self._arrived.get_nowait()
            except queue.Empty:
                break
            found += self._heard(*arrived)
        return found

    def _heard(self, token: str, event: Event) -> list[Finished]:
        if isinstance(event, Started) and (token, event.job) in self._running:
            self._running[token, event.job].began = time.monotonic()
        if not isinstance(event, Ended):
            return []
        running = self._running.pop((token, event.job), None)
        if running is None:
            return []
        running.lane.job = None
        if event.spent:
            self._warm(running.lane)
        device = running.lane.device.name if running.lane.device else None
        seconds = time.monotonic() - running.began
        host = _host(running.lane.site)
        return [Finished(running.task, event, host, device, seconds)]

    def close(self) -> None:
        """End the workers and all that they run."""
        closing = [site.worker for site in self._sites.values() if site.worker is not None]
        threads = [threading.Thread(target=worker.close) for worker in closing]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for site in self._sites.values():
            site.worker = None

    def _warm(self, lane: _Lane) -> None:
        """Have the next executor start while other lanes measure."""
        worker = self._sites[lane.site].worker
        if worker is not None and worker.alive:
            worker.warm(lane.name)

    def _idle(self, target: Target) -> list[_Lane]:
        idle = [e for e in self._lanes if e.device and e.job is None and _misfit(e, target) is None]
        return sorted(idle, key=self._load)

    def _idle_cpus(self) -> list[_Lane]:
        return [lane for lane in self._lanes if lane.device is None and lane.job is None]

    def _load(self, lane: _Lane) -> int:
        """How much its GPU has to do: work is spread over the GPUs first."""
        return sum(
            other.job is not None and other.site == lane.site and other.device == lane.device
            for other in self._lanes
        )

    def _start_cpu(self, jobs: int) -> None:
        self._lanes += [_Lane(f"sweep-{number}", LOCAL) for number in range(jobs)]
        self._worker(LOCAL)

    def _start_gpus(self, host: Host) -> None:
        self._on_text(f"looking for the GPUs of {host.title}")
        found, cpus = self._probe(host)
        chosen = [d for d in found if not self._wanted or d.index in self._wanted]
        if not chosen:
            numbers = ", ".join(str(device.index) for device in found)
            raise BackendError(f"{host.title} has no GPU of those numbers; it has {numbers}")
        lanes = lanes_a_gpu(cpus, len(chosen))
        for device in chosen:
            for each in range(lanes):
                lane = _Lane(f"gpu-{device.index}-{each}", host.name, device)
                self._lanes.append(lane)

    def _probe(self, host: Host) -> tuple[tuple[DeviceInfo, ...], int | None]:
        """The GPUs of a host, and how many processors it has."""
        worker, own = self._worker(host.name)
        job = worker.probe()
        end = time.monotonic() + _PROBE_SECONDS
        while time.monotonic() < end:
            try:
                token, event = self._arrived.get(timeout=0.2)
            except queue.Empty:
                continue
            if token == own and isinstance(event, Ended) and event.job == job:
                try:
                    return devices_of(event, host.title), from_plain(Probe, event.result).cpus
                except NoDeviceError as error:
                    raise BackendError(str(error)) from error
        raise BackendError(f"{host.title} did not say within {_PROBE_SECONDS:.0f} s what it has")

    def _worker(self, name: str) -> tuple[WorkerClient, str]:
        """The worker of a site with its token, started again where it has gone away."""
        site = self._sites[name]
        if site.worker is not None and site.worker.alive:
            return site.worker, site.token
        if site.worker is not None:
            site.worker.close()
        site.starts += 1
        token = f"{name}#{site.starts}"
        try:
            site.worker = WorkerClient(
                worker_on(site.host), lambda event: self._arrived.put((token, event))
            )
        except WorkerStartError as error:
            raise BackendError(str(error)) from error
        site.token = token
        return site.worker, token


def lanes_a_gpu(cpus: int | None, gpus: int) -> int:
    """How many jobs of one GPU are worth preparing at a time: two processors for each."""
    known = cpus or 2 * LEAST_LANES * gpus
    return max(LEAST_LANES, min(MOST_LANES, known // (2 * gpus)))


def _misfit(lane: _Lane, target: Target) -> str | None:
    device = lane.device
    if device is None:
        return "it has no GPU"
    found = fit(target, device.arch or "", device.name)
    return found if isinstance(found, str) else None


def _host(site: str) -> str:
    return LOCAL_HOST if site == LOCAL else site
