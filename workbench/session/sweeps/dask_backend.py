"""A sweep's tasks on a Dask cluster: the workbench's worker beside each Dask worker does the jobs.

Dask places tasks (GPU ones by the resource `GPU`) and runs those of a worker that died elsewhere;
each Dask worker gets the workbench's code as a host does that ssh reaches.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workbench.core.host_report import Probe
from workbench.core.jobs import AnalyzeRequest, Failure
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.profiles import DeviceInfo, ProfileRequest
from workbench.core.targets.fitting import fit
from workbench.core.targets.model import Target
from workbench.session.hosts.archive import worker_archive
from workbench.session.hosts.local_modules import source_at
from workbench.session.sweeps import dask_node
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import GPU_RESOURCE, connect, distributed
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
    task: Task
    future: Any
    began: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class _Workers:
    """The cluster's workers now: threads in all, and the GPU of each address that has one."""

    threads: int = 0
    gpus: Mapping[str, DeviceInfo] = field(default_factory=dict)


class DaskBackend:
    """Runs tasks on the cluster that `--scheduler` names; raises BackendError.

    A GPU worker counts for one GPU: start one for each, with `CUDA_VISIBLE_DEVICES` set.
    """

    def __init__(
        self,
        scheduler: str,
        limits: Limits | None = None,
        on_text: Callable[[str], None] = lambda text: None,
    ) -> None:
        on_text(f"connecting to {scheduler}")
        distributed()
        import cloudpickle  # comes with distributed

        cloudpickle.register_pickle_by_value(dask_node)
        self._cluster = connect(scheduler)
        self._client = self._cluster.client
        self._limits = limits or Limits()
        archive = worker_archive()
        self._code = (archive.content, archive.digest)
        self._running: dict[str, _Running] = {}
        self._ended: queue.Queue[str] = queue.Queue()
        self._devices: dict[str, DeviceInfo | None] = {}
        self._looked = 0.0
        self._workers = _Workers()
        self._count = 0
        try:
            self._shipped = self._client.scatter(archive.content, broadcast=True, hash=True)
            self._await_workers(on_text)
        except BaseException:
            self.close()
            raise

    @property
    def title(self) -> str:
        """The cluster with its threads and GPUs."""
        now = self._now()
        names = sorted(device.name for device in now.gpus.values())
        gpus = f", {len(names)} GPUs ({', '.join(dict.fromkeys(names))})" if names else ""
        return f"{self._cluster.title}: {now.threads} threads{gpus}"

    def cpu_free(self) -> int:
        """How many threads have nothing of ours to do."""
        return max(0, self._now().threads - len(self._running))

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
        self._count += 1
        key = f"workbench-{id(self)}-{task.number}-{task.stage.value}-{self._count}"
        options: dict[str, Any] = {}
        if task.needs_gpu:
            options = {"resources": {GPU_RESOURCE: 1}, "workers": self._fitting(task.target)}
        future = self._client.submit(
            dask_node.run_task,
            self._header(task),
            self._shipped,
            self._code[1],
            key=key,
            pure=False,
            **options,
        )
        self._running[key] = _Running(task, future)
        future.add_done_callback(lambda done: self._ended.put(done.key))

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
        """The tasks that ended; waits for the first one."""
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
                found.append(_finished(running))
        return found

    def close(self) -> None:
        """End what the tasks started beside the Dask workers, and let go of the cluster."""
        with contextlib.suppress(Exception):  # a cluster that is gone has nothing to end
            self._client.cancel([running.future for running in self._running.values()])
        with contextlib.suppress(Exception):
            self._client.run(dask_node.end_node, nanny=False, on_error="ignore")
        self._running.clear()
        with contextlib.suppress(Exception):
            self._cluster.close()

    def _fitting(self, target: Target) -> list[str]:
        return [
            address
            for address, gpu in self._now().gpus.items()
            if isinstance(fit(target, gpu.arch or "", gpu.name), str) is False
        ]

    def _await_workers(self, on_text: Callable[[str], None]) -> None:
        on_text("waiting for Dask workers")
        end = time.monotonic() + _WORKERS_SECONDS
        while self._look().threads == 0:
            if time.monotonic() > end:
                raise BackendError(
                    f"{self._cluster.title} has had no worker for {_WORKERS_SECONDS:.0f} s: start "
                    "one with 'dask worker ADDRESS'"
                )
            time.sleep(0.2)

    def _now(self) -> _Workers:
        if time.monotonic() - self._looked > _LOOK_AGAIN_SECONDS:
            with contextlib.suppress(OSError, TimeoutError):
                self._look()
        return self._workers

    def _look(self) -> _Workers:
        """What the scheduler tells of its workers; a GPU is asked for once."""
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        self._looked = time.monotonic()
        gpus = {}
        for address, told in known.items():
            if told.get("resources", {}).get(GPU_RESOURCE, 0) < 1:
                continue
            if address not in self._devices:
                self._devices[address] = self._probe(address)
            device = self._devices[address]
            if device is not None:
                gpus[address] = device
        self._workers = _Workers(sum(each["nthreads"] for each in known.values()), gpus)
        return self._workers

    def _probe(self, address: str) -> DeviceInfo | None:
        """The GPU of a worker; None where it finds none."""
        future = self._client.submit(
            dask_node.run_task, {"type": "probe"}, self._shipped, self._code[1],
            workers=[address], pure=False,
        )  # fmt: skip
        try:
            header, _, _ = future.result(timeout=_WORKERS_SECONDS)
            probe = from_plain(Probe, header.get("result"))
        except (OSError, TimeoutError, PlainError):
            return None
        return probe.devices[0] if probe.devices else None


def _finished(running: _Running) -> Finished:
    seconds = time.monotonic() - running.began
    try:
        header, blobs, machine = running.future.result(timeout=_END_SECONDS)
        event = decode_event(Frame(header, tuple(blobs)))
    except Exception as error:  # what Dask raises for a lost worker is of many kinds
        failure = Failure("environment", f"{type(error).__name__}: {error}".strip())
        return Finished(running.task, Ended("", "lost", failure=failure), "Dask", None, seconds)
    assert isinstance(event, Ended)
    return Finished(running.task, event, machine, None, seconds)


def installed() -> bool:
    """Whether Dask can be used here."""
    try:
        distributed()
    except BackendError:
        return False
    return True
