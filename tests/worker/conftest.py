"""A real worker and a way to run documents in it and wait for their ends."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.core.jobs import CompileRequest, KernelChoice, Source
from workbench.core.targets.table import load_targets
from workbench.session.worker_client import Request, WorkerClient, local_worker
from workbench.wire.events import Ended, Event
from workbench.wire.messages import Limits

WAIT_SECONDS = 180.0

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(N, block=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * 2.0

    return main


def ref_program(A):
    return A * 2
"""


class Harness:
    """A worker client whose events are kept, and waits that give up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: list[Event] = []
        self._queue: queue.Queue[Event] = queue.Queue()
        self.client = WorkerClient(local_worker(), self._queue.put)

    def request(self, text: str = KERNEL, trusted: bool = True) -> CompileRequest:
        """A request to lower the kernel `scale` of a text for an A100."""
        path = self.folder / "document.py"
        source = Source(str(path), text, str(self.folder), trusted)
        target = load_targets().resolve("a100").to_json()
        return CompileRequest(source, KernelChoice("scale", "lazy", {"N": 256}, 1), target)

    def run(self, request: Request, seconds: float = 60.0, memory_gib: float = 4.0) -> Ended:
        """Run one job to its end within limits."""
        limits = Limits(seconds, int(memory_gib * 1024**3))
        return self.wait_end(self.client.submit(request, "work", limits))

    def wait_end(self, job: str) -> Ended:
        """The end of a job."""
        return self.wait(lambda e: isinstance(e, Ended) and e.job == job)  # type: ignore[return-value]

    def wait(self, wanted: object) -> Event:
        """The first event from now on that `wanted` says yes to."""
        while True:
            event = self._queue.get(timeout=WAIT_SECONDS)
            self.events.append(event)
            if wanted(event):  # type: ignore[operator]
                return event


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    harness = Harness(tmp_path_factory.mktemp("documents"))
    yield harness
    harness.client.close()
