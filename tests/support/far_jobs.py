"""Verifications for hosts, and a controller of jobs with waits that suit a busy machine."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path

from workbench.core.hosts import Host
from workbench.core.jobs import KernelChoice, Source, VerifyRequest
from workbench.core.targets.table import load_targets
from workbench.session.hosts.arrival import worker_on
from workbench.session.jobs import JobController
from workbench.wire.events import Ended

WAIT_SECONDS = 180.0

KERNEL = """
import time

import tilelang
import tilelang.language as T

print("loading takes", {seconds}, flush=True)
time.sleep({seconds})


@tilelang.jit(out_idx=[-1])
def scale(N, block=128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * {factor}

    return main


def ref_program(A):
    return A * 2
"""


def scale_text(seconds: int = 0, factor: str = "2.0") -> str:
    """A document that takes so many seconds to load; it matches where `factor` is 2."""
    return KERNEL.format(seconds=seconds, factor=factor)


def scale_request(folder: Path, seconds: int = 0) -> VerifyRequest:
    """The request to verify it in the simulator."""
    source = Source(str(folder / "scale.py"), scale_text(seconds), str(folder), trusted=True)
    target = load_targets().resolve("h100").to_json()
    choice = KernelChoice("scale", "lazy", {"N": 256}, 12)
    return VerifyRequest(source, choice, target, "ref_program")


class FarJobs:
    """The jobs of one host, driven from the test's own thread."""

    def __init__(self, host: Host) -> None:
        self._calls: queue.Queue[Callable[[], None]] = queue.Queue()
        self.controller = JobController(worker_on(host), self._calls.put)
        self.printed: list[str] = []
        self.controller.logged.connect(lambda lane, text: self.printed.append(text))

    def until(self, condition: Callable[[], object]) -> None:
        """Take what the worker says until the condition holds."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < deadline, "it never came"
            try:
                self._calls.get(timeout=0.05)()
            except queue.Empty:
                continue

    def submit(self, request: VerifyRequest) -> list[Ended]:
        """Queue a job; its end will be in the list."""
        ends: list[Ended] = []
        self.controller.submit(request, ends.append, label="verify", lane="work")
        return ends

    def submit_and_see_run(self, request: VerifyRequest) -> list[Ended]:
        """Queue a job and wait until it runs."""
        ends = self.submit(request)
        self.until(lambda: any(job.started is not None for job in self.controller.jobs))
        return ends

    def wait(self, ends: list[Ended]) -> Ended:
        """The end of a job."""
        self.until(lambda: ends)
        return ends[0]

    def passes(self, request: VerifyRequest) -> bool:
        """Whether a job ends with outputs that match."""
        ended = self.wait(self.submit(request))
        assert ended.outcome == "done", ended.failure
        assert ended.result["failure"] is None
        return all(seed["passed"] for seed in ended.result["seeds"])
