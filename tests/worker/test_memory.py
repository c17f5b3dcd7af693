"""A warm executor serves live refresh for hours: its memory must not grow with the jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psutil
import pytest

from workbench.core.jobs import CompileResult, KernelChoice
from workbench.core.plain import from_plain
from workbench.wire.events import ExecutorReady

WARM_UP = 40  # as many as the executor keeps built kernels, and some
COMPILES = 80
MOST_GROWTH_EACH = 0.05 / 200  # of the memory: what a live refresh of 200 compiles may add is 5 %


@pytest.mark.thorough
def test_compiles_leave_the_memory_of_an_executor_flat(worker: Any) -> None:
    request = worker.request()

    def lower(number: int) -> None:
        choice = KernelChoice("scale", "lazy", {"N": 128 * (number + 1)})
        ended = worker.run(replace(request, kernel=choice))
        assert from_plain(CompileResult, ended.result).failure is None

    def resident() -> int:
        (ready,) = [e for e in worker.events if isinstance(e, ExecutorReady)]
        return int(psutil.Process(ready.pid).memory_info().rss)

    for number in range(WARM_UP):
        lower(number)
    before = resident()
    for number in range(WARM_UP, WARM_UP + COMPILES):
        lower(number)
    after = resident()
    print(f"resident memory: {before / 2**20:.0f} MiB, after {COMPILES} more: {after / 2**20:.0f}")
    assert after < (1 + COMPILES * MOST_GROWTH_EACH) * before
