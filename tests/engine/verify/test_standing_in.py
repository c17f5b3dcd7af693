"""A document without a reference on a device: the simulator stands in, and that is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.core.jobs import KernelChoice, Source, VerifyRequest, VerifyResult
from workbench.core.profiles import DeviceInfo
from workbench.core.targets.table import load_targets
from workbench.engine.verify import job
from workbench.engine.verify.runners import Execution

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def kernel(N=256):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 64, threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * 2.0

    return main
"""
Verify = Callable[..., VerifyResult]


@pytest.fixture
def verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verify:
    """Verifies on a device that multiplies by `factor`."""

    def verified(factor: float = 2.0, **changes: Any) -> VerifyResult:
        def run(values: Sequence[Any], seed: int, fresh: tuple[int, ...]) -> Execution:
            values[1].copy_(values[0] * factor)
            return Execution(0.001)

        monkeypatch.setattr(job, "find_device", lambda index: DeviceInfo("NVIDIA H200", "sm_90"))
        monkeypatch.setattr(job, "compile_for", lambda built, target: None)
        monkeypatch.setattr(job, "device_runner", lambda *args: run)
        target = load_targets().resolve("h200").to_json()
        source = Source(str(tmp_path / "kernel.py"), KERNEL, str(tmp_path), trusted=True)
        choice = KernelChoice("kernel", "lazy", {})
        fields = {"reference": None, "on": "local", "three_way": True, **changes}
        return job.verify(VerifyRequest(source, choice, target, **fields), lambda *_: None)[0]

    return verified


def test_a_device_that_agrees_with_the_simulator_passes_and_says_what_that_is_worth(
    verify: Verify,
) -> None:
    result = verify()
    assert result.failure is None
    assert [seed.passed for seed in result.seeds] == [True]
    assert result.reference_method == "simulator"
    assert result.three_way is None
    assert any("no reference" in caveat for caveat in result.caveats)


def test_a_device_that_differs_from_the_simulator_does_not_pass(verify: Verify) -> None:
    assert [seed.passed for seed in verify(3.0).seeds] == [False]


def test_two_results_may_each_be_off_by_the_tolerance(verify: Verify) -> None:
    assert [seed.passed for seed in verify(2.003, rtol=1e-3).seeds] == [True]
    result = verify(2.006, rtol=1e-3)
    assert [seed.passed for seed in result.seeds] == [False]
    assert result.seeds[0].outputs[0].rtol == 2e-3
    assert "twice" in result.seeds[0].outputs[0].tolerance_source


def test_a_run_too_long_for_the_simulator_asks_for_a_reference(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "STANDING_IN_SECONDS", 0.0)
    failure = verify().failure
    assert failure is not None
    assert "add a function ref_program" in failure.message
    assert "would take too long" in failure.message


def test_a_reference_that_is_named_and_absent_is_not_stood_in_for(verify: Verify) -> None:
    failure = verify(reference="expected").failure
    assert failure is not None
    assert "defines no reference 'expected'" in failure.message
