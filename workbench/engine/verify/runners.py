"""Where a kernel can be executed: the simulator, or TileLang's C target compiled for this CPU."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import tilelang
import torch

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure
from workbench.core.whereabouts import here
from workbench.engine import kernels, simulator

SIMULATOR_CAVEAT = (
    "the simulator executes the tile program: pipelining, layouts, the synchronisation that "
    "TileLang inserts and races between threads are not checked"
)


@dataclass(frozen=True)
class Execution:
    """What one execution took and noticed; outputs are written into the arguments.

    `report` is the simulator's, where it was that.
    """

    seconds: float
    diagnostics: tuple[Diagnostic, ...] = ()
    report: simulator.SimulationReport | None = None


Runner = Callable[[Sequence[Any], int, tuple[int, ...]], Execution]
"""Runs with the parameters' values, a seed, which chooses blocks of a sample, and the numbers of
the parameters whose memory holds nothing yet."""


class RunnerUnavailableError(Exception):
    """The kernel cannot be executed here; `failure` says why and what to do."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def simulator_runner(program: simulator.Program, sample: int | None = None) -> Runner:
    """Executes the tile-level program on numpy, block by block: all blocks, or a sample."""

    def run(values: Sequence[Any], seed: int, fresh: tuple[int, ...]) -> Execution:
        shuffled = seed if sample is not None else None
        options = simulator.SimulationOptions(
            record_writes=True, sample=sample, shuffle_seed=shuffled, fresh=fresh
        )
        report = program.run([as_numpy(v) for v in values], options)
        return Execution(report.seconds, tuple(_diagnostic(f) for f in report.findings), report)

    return run


def cpu_runner(built: kernels.BuiltKernel, target: Any) -> Runner:
    """Compiles TileLang's C source with the host compiler and calls it.

    Raises RunnerUnavailableError where the target is another or there is no C++ compiler.
    """
    if target.kind.name != "c":
        message = f"the kernel was built for {target.kind.name}: --on cpu needs --target cpu"
        raise RunnerUnavailableError(Failure("environment", message))
    if not any(shutil.which(name) for name in ("g++", "clang++", "c++", "cl")):
        message = f"no C++ compiler on {here()}: apt-get install g++ (or Xcode's, or MSVC)"
        raise RunnerUnavailableError(Failure("environment", message))
    kernel = tilelang.compile(
        built.func, target=target, execution_backend="cython", pass_configs=dict(built.pass_configs)
    )

    def run(values: Sequence[Any], seed: int, fresh: tuple[int, ...]) -> Execution:
        begun = time.perf_counter()
        kernel(*values)
        return Execution(time.perf_counter() - begun)

    return run


def make_runner(
    on: str,
    program: simulator.Program | None,
    built: kernels.BuiltKernel,
    target: Any,
    sample: int | None = None,
) -> Runner:
    """The runner of a name, but for a device's; raises RunnerUnavailableError."""
    if on == "simulator" and program is not None:
        return simulator_runner(program, sample)
    if on == "cpu":
        return cpu_runner(built, target)
    raise RunnerUnavailableError(Failure("environment", f"there is no place {on!r} to run on"))


_ML_DTYPES: dict[torch.dtype, tuple[torch.dtype, Any]] = {
    torch.bfloat16: (torch.int16, ml_dtypes.bfloat16),
    torch.float8_e4m3fn: (torch.uint8, ml_dtypes.float8_e4m3fn),
    torch.float8_e5m2: (torch.uint8, ml_dtypes.float8_e5m2),
    torch.float8_e4m3fnuz: (torch.uint8, ml_dtypes.float8_e4m3fnuz),
    torch.float8_e5m2fnuz: (torch.uint8, ml_dtypes.float8_e5m2fnuz),
}
# Newer versions of torch have this dtype, whose tensors can be made and viewed, and no more.
_PAIRS_OF_FP4 = getattr(torch, "float4_e2m1fn_x2", None)


def as_numpy(value: Any) -> Any:
    """A numpy view of a tensor's memory, strides kept; other values as they are.

    Pairs of 4-bit floats are the bytes that hold them.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if value.dtype == _PAIRS_OF_FP4:
        return value.detach().view(torch.uint8).numpy()
    if value.dtype in _ML_DTYPES:
        bits, dtype = _ML_DTYPES[value.dtype]
        return value.detach().view(bits).numpy().view(np.dtype(dtype))
    return value.detach().numpy()


def _diagnostic(finding: simulator.Finding) -> Diagnostic:
    where = TextRange(finding.line) if finding.line else None
    severity = Severity(finding.severity)
    return Diagnostic(
        finding.code, severity, finding.message, where, stage="simulate", evidence=finding.details
    )
