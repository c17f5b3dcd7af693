"""A sweep's tasks on a Dask cluster: the workbench's worker beside each Dask worker does the jobs.

Dask places tasks (GPU ones by the resource `GPU`) and runs those of a worker that died elsewhere;
each Dask worker gets the workbench's code, also one that joins later.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workbench.core.host_report import Probe
from workbench.core.jobs import AnalyzeRequest, Failure
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.profiles import DeviceInfo, ProfileRequest
from workbench.core.targets.fitting import fit
from workbench.core.targets.model import Target
from workbench.session.hosts.local_modules import source_at
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import GPU_RESOURCE, OnText, connect
from workbench.session.sweeps.dask_code import NodeCode
from workbench.session.sweeps.tasks import Finished, Task
from workbench.session.worker_client import KINDS
from workbench.wire.events import Ended, decode_event
from workbench.wire.frames import Frame
from workbench.wire.messages import Limits

_LOOK_AGAIN_SECONDS = 2.0
_WORKERS_SECONDS = 60.0
_END_SECONDS = 2.0
_FAR = "a Dask worker"  # any name that is not this machine's: the source's modules go along


@dataclass
class _Running:
    """A task that was submitted; `workers` are those it may run on, none for all."""

    task: Task
    future: Any
    workers: frozenset[str] = frozenset()
    began: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class _Workers:
    """The cluster's workers now: threads of each, and the GPU of each that has one."""

    threads: Mapping[str, int] = field(default_factory=dict)
    gpus: Mapping[str, DeviceInfo] = field(default_factory=dict)


class DaskBackend:
    """Runs tasks on the cluster that `--scheduler` names; raises BackendError.

    A GPU worker counts for one GPU: start one for each, with `CUDA_VISIBLE_DEVICES` set.
    """

    def __init__(
        self,
        scheduler: str,
        limits: Limits | None = None,
        on_text: OnText = lambda text: None,
    ) -> None:
        on_text(f"connecting to {scheduler}")
        self._cluster = connect(scheduler, on_text)
        self._client = self._cluster.client
        self._limits = limits or Limits()
        self._running: dict[str, _Running] = {}
        self._ended: queue.Queue[str] = queue.Queue()
        self._probes: dict[str, Any] = {}
        self._looked = self._seen = 0.0
        self._workers = _Workers()
        self._count = 0
        self._code: NodeCode | None = None
        try:
            self._await_workers(on_text)
            self._code = NodeCode(self._client)
            self._await_probes(on_text)
        except BaseException:
            self.close()
            raise

    @property
    def title(self) -> str:
        """The cluster with its threads and GPUs."""
        now = self._now()
        names = sorted(device.name for device in now.gpus.values())
        gpus = f", {len(names)} GPUs ({', '.join(dict.fromkeys(names))})" if names else ""
        return f"{self._cluster.title}: {sum(now.threads.values())} threads{gpus}"

    def cpu_free(self) -> int:
        """How many threads have nothing of ours to do."""
        return max(0, sum(self._now().threads.values()) - len(self._running))

    def gpu_free(self, target: Target) -> int:
        """How many workers whose GPU runs a target have none of our GPU tasks."""
        busy = sum(running.task.needs_gpu for running in self._running.values())
        return max(0, len(self._fitting(target)) - busy)

    def why_no_gpu(self, target: Target) -> str | None:
        """Why no GPU of the cluster runs a target; None where one does."""
        gpus = self._now().gpus
        if not gpus:
            return (
                "no worker of the cluster has a GPU: start it with 'dask worker ADDRESS "
                "--resources GPU=1' on a machine where torch finds one"
            )
        misfits = [fit(target, gpu.arch or "", gpu.name) for gpu in gpus.values()]
        said = [each for each in misfits if isinstance(each, str)]
        return None if len(said) < len(misfits) else said[0]

    def submit(self, task: Task) -> None:
        """Give a task to the scheduler."""
        assert self._code is not None
        self._count += 1
        key = f"workbench-{id(self)}-{task.number}-{task.stage.value}-{self._count}"
        options: dict[str, Any] = {"resources": {GPU_RESOURCE: 1}} if task.needs_gpu else {}
        workers = self._restricted(task) if task.needs_gpu else frozenset()
        if workers:
            options["workers"] = sorted(workers)
        future = self._code.submit(self._header(task), key=key, **options)
        self._running[key] = _Running(task, future, workers)
        future.add_done_callback(lambda done: self._ended.put(done.key))

    def _restricted(self, task: Task) -> frozenset[str]:
        """The workers that a GPU task may run on, where not every GPU does: the rest is Dask's."""
        fitting = frozenset(self._fitting(task.target))
        return frozenset() if len(fitting) == len(self._probes) else fitting

    def _header(self, task: Task) -> dict[str, Any]:
        request = task.request
        if isinstance(request, (AnalyzeRequest, ProfileRequest)):
            request = replace(request, source=source_at(_FAR, request.source))
        if isinstance(request, ProfileRequest):
            request = replace(request, device=0)
        return {
            "type": "submit",
            "kind": KINDS[type(request)],
            "limits": asdict(self._limits),
            "payload": to_plain(request),
        }

    def wait(self, seconds: float) -> Sequence[Finished]:
        """The tasks that ended; waits for the first one. Raises BackendError without a cluster."""
        found: list[Finished] = []
        end = time.monotonic() + seconds
        while self._running:
            left = 0.0 if found else max(0.0, end - time.monotonic())
            try:
                key = self._ended.get(timeout=left) if left else self._ended.get_nowait()
            except queue.Empty:
                break
            running = self._running.pop(key, None)
            if running is not None:
                found.append(self._finished(running))
        return found or self._stranded()

    def _finished(self, running: _Running) -> Finished:
        seconds = time.monotonic() - running.began
        try:
            header, blobs, machine = running.future.result(timeout=_END_SECONDS)
            event = decode_event(Frame(header, tuple(blobs)))
        except Exception as error:  # what Dask raises for a lost worker is of many kinds
            self._check_scheduler()
            return _lost(running, f"{type(error).__name__}: {error}".strip())
        assert isinstance(event, Ended)
        return Finished(running.task, event, machine, None, seconds)

    def _stranded(self) -> list[Finished]:
        """The tasks that may run on workers alone that are gone."""
        here = self._now().threads.keys()
        keys = [key for key, each in self._running.items() if each.workers]
        found = []
        for key in keys:
            if not self._running[key].workers & here:
                running = self._running.pop(key)
                running.future.cancel()
                found.append(_lost(running, "the worker of its GPU went away"))
        return found

    def close(self) -> None:
        """End what the tasks started beside the Dask workers, and let go of the cluster."""
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing to end
            self._client.cancel([running.future for running in self._running.values()])
        with contextlib.suppress(Exception):
            if self._code is not None and self._client.status == "running":
                self._code.end()
        self._running.clear()
        with contextlib.suppress(Exception):
            self._cluster.close()

    def _fitting(self, target: Target) -> list[str]:
        return [
            address
            for address, gpu in self._now().gpus.items()
            if isinstance(fit(target, gpu.arch or "", gpu.name), str) is False
        ]

    def _await_workers(self, on_text: OnText) -> None:
        on_text("waiting for Dask workers")
        self._seen = time.monotonic()
        while not self._look().threads:
            awaited = self._check_workers()
            if awaited is not None:
                on_text(awaited)
            time.sleep(0.2)

    def _await_probes(self, on_text: OnText) -> None:
        """Wait for what the workers that are here now say of their GPUs."""
        self._look()
        if self._probes:
            on_text("looking for the GPUs of the Dask workers")
        end = time.monotonic() + _WORKERS_SECONDS
        while not all(probe.done() for probe in self._probes.values()) and time.monotonic() < end:
            time.sleep(0.1)
        self._look()

    def _now(self) -> _Workers:
        if time.monotonic() - self._looked > _LOOK_AGAIN_SECONDS:
            with contextlib.suppress(OSError, TimeoutError):
                self._look()
            self._check_scheduler()
            self._check_workers()
        return self._workers

    def _check_scheduler(self) -> None:
        if self._client.status != "running":
            raise BackendError(
                f"the scheduler of {self._cluster.title} went away. What was found is kept: start "
                "it again, then 'sweep --resume' goes on"
            )

    def _check_workers(self) -> str | None:
        """What a cluster without workers waits for; raises BackendError where none will come."""
        awaited = self._cluster.awaited()
        waited = time.monotonic() - self._seen
        if self._workers.threads or awaited is not None or waited < _WORKERS_SECONDS:
            return awaited
        raise BackendError(
            f"{self._cluster.title} has had no worker for {_WORKERS_SECONDS:.0f} s: start one with "
            "'dask worker ADDRESS'"
        )

    def _look(self) -> _Workers:
        """What the scheduler tells of its workers; a GPU is asked for once."""
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        self._looked = time.monotonic()
        for address, told in known.items():
            has_gpu = told.get("resources", {}).get(GPU_RESOURCE, 0) >= 1
            if has_gpu and address not in self._probes and self._code is not None:
                self._probes[address] = self._code.submit({"type": "probe"}, workers=[address])
        self._probes = {a: probe for a, probe in self._probes.items() if a in known}
        devices = {address: _device(probe) for address, probe in self._probes.items()}
        self._workers = _Workers(
            {address: each["nthreads"] for address, each in known.items()},
            {address: device for address, device in devices.items() if device is not None},
        )
        if known:
            self._seen = self._looked
        return self._workers


def _device(probe: Any) -> DeviceInfo | None:
    """The GPU that a worker said it has; None where it finds none or has not answered yet."""
    if not probe.done():
        return None
    try:
        header, _, _ = probe.result(timeout=_END_SECONDS)
        found = from_plain(Probe, header.get("result"))
    except (OSError, TimeoutError, RuntimeError, PlainError):
        return None
    return found.devices[0] if found.devices else None


def _lost(running: _Running, why: str) -> Finished:
    failure = Failure("environment", why)
    seconds = time.monotonic() - running.began
    return Finished(running.task, Ended("", "lost", failure=failure), "Dask", None, seconds)
