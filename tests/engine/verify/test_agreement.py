"""A device's run beside the simulator's: the reading of right, wrong and moving results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from workbench.core.jobs import KernelChoice, Source, ThreeWay, VerifyRequest
from workbench.core.targets.table import load_targets
from workbench.engine import kernels, loading, lowering, simulator
from workbench.engine.verify import agreement, tensors
from workbench.engine.verify.outputs import Executed
from workbench.engine.verify.simulating import Simulation

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(N=256, factor=2.0):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 64, threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * factor

    return main
"""
Device = Callable[[torch.Tensor], torch.Tensor]


@dataclass
class Reading:
    """A reader over a kernel, and what stands for the device."""

    reader: agreement.ThreeWayReader
    parameters: Sequence[simulator.Parameter]

    def read(self, seed: int, device: Device, again: Device | None = None) -> ThreeWay | None:
        """The reading of a device that computes `device`, and `again` at its second launch."""
        bound = tensors.bind(self.parameters, (1,), None, {}, {}, seed)  # type: ignore[arg-type]
        before = [value.clone() for value in bound.values]
        bound.values[1].copy_(device(before[0]))
        run = Executed(self.parameters, bound, before, None)

        def rerun(values: Sequence[Any], seed: int, fresh: tuple[int, ...]) -> None:
            assert fresh == (1,)
            values[1].copy_((again or device)(values[0]))

        self.reader.read(seed, run, [before[0].double() * 2], rerun)
        return self.reader.found


@pytest.fixture
def reading(tmp_path: Path) -> Callable[..., Reading]:
    def made(factor: float = 2.0, text: str = KERNEL) -> Reading:
        path = tmp_path / "kernel.py"
        source = Source(str(path), text, str(tmp_path), trusted=True)
        target = load_targets().resolve("h100")
        choice = KernelChoice("kernel", "lazy", {"factor": factor})
        with lowering.tvm_target(target), loading.loaded(source) as module:
            built = kernels.build(module, choice, lowering.tvm_target(target))
        request = VerifyRequest(source, choice, target.to_json(), None, "local", three_way=True)
        program = simulator.translate(built.func)
        reader = agreement.ThreeWayReader(request, Simulation(built.func, program))
        return Reading(reader, program.parameters)

    return made


def doubled(values: torch.Tensor) -> torch.Tensor:
    return values * 2


def broken(values: torch.Tensor) -> torch.Tensor:
    result = values * 2
    result[64:128] = 7
    return result


def test_a_right_kernel_agrees_three_ways(reading: Callable[..., Reading]) -> None:
    found = reading().read(0, doubled)
    assert found is not None
    assert found.verdict == "agree"


def test_a_wrong_kernel_is_at_fault_where_device_and_simulator_agree(
    reading: Callable[..., Reading],
) -> None:
    found = reading(3.0).read(0, lambda values: values * 3)
    assert found is not None
    assert found.verdict == "kernel"


def test_a_device_that_differs_is_at_fault_and_one_that_moves_has_a_race(
    reading: Callable[..., Reading],
) -> None:
    steady = reading().read(0, broken)
    assert steady is not None
    assert (steady.verdict, "Two launches" in steady.sentence) == ("device", False)
    moving = reading().read(0, broken, doubled)
    assert moving is not None
    assert (moving.verdict, "Two launches" in moving.sentence) == ("device", True)


def test_the_first_seed_that_does_not_agree_decides(reading: Callable[..., Reading]) -> None:
    made = reading()
    verdicts = [
        made.read(seed, device) for seed, device in ((0, doubled), (1, broken), (2, doubled))
    ]
    assert [found.verdict for found in verdicts if found] == ["agree", "device", "device"]


def test_what_would_take_too_long_is_left_out(
    reading: Callable[..., Reading], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = reading()
    monkeypatch.setattr(agreement, "SIMULATE_SECONDS", 0.0)
    assert made.read(0, broken) is None
    assert made.reader.skipped is not None
    assert "would take too long" in made.reader.skipped


def test_a_kernel_without_a_program_is_left_out(reading: Callable[..., Reading]) -> None:
    made = reading()
    request = made.reader._request
    made.reader = agreement.ThreeWayReader(request, Simulation(None, None))
    assert made.read(0, doubled) is None
    assert made.reader.skipped == "the simulator cannot execute this kernel"
