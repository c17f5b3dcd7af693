"""Builds kernels through TileLang's own front end and runs them on torch tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from workbench.engine.simulator import (
    Program,
    SimulationOptions,
    SimulationReport,
    new_array,
    numpy_dtype,
    translate,
)

_BIT_TYPES = {1: torch.uint8, 2: torch.int16}


class Outcome(NamedTuple):
    """The tensors after a run, in the parameters' order, and the report."""

    tensors: list[Any]
    report: SimulationReport


@pytest.fixture(scope="session", autouse=True)
def tilelang_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILELANG_PRINT_ON_COMPILATION", "0")
        patch.setenv("TILELANG_CACHE_DIR", str(tmp_path_factory.mktemp("tilelang")))
        yield


@pytest.fixture(scope="session")
def build() -> Callable[..., Program]:
    """Return a function that builds a jit kernel (for sm_80, or `lowering`) and translates it."""
    from tilelang.backend.target import determine_target

    def build_kernel(
        kernel: Any,
        lowering: dict[str, str] | str | None = None,
        checks: bool = False,
        **arguments: Any,
    ) -> Program:
        chosen = determine_target(lowering or {"kind": "cuda", "arch": "sm_80"}, return_object=True)
        with chosen:
            return translate(kernel.get_tir(**arguments), checks)

    return build_kernel


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Outcome]:
    """Return a function that runs a program; a missing last argument becomes a fresh output."""

    def run(program: Program, *values: Any, **options: Any) -> Outcome:
        chosen = SimulationOptions(**options)
        arguments = [
            _to_numpy(value.clone(), each.dtype) if each.is_buffer else value
            for value, each in zip(values, program.parameters, strict=False)
        ]
        for each in program.parameters[len(values) :]:
            shape = tuple(int(size) for size in each.shape)
            arguments.append(new_array(shape, each.dtype, chosen.poison))
        report = program.run(arguments, chosen)
        return Outcome([_to_torch(value) for value in arguments], report)

    return run


def _to_numpy(tensor: torch.Tensor, dtype: str) -> np.ndarray[Any, Any]:
    wanted = numpy_dtype(dtype)
    if wanted.isbuiltin != 1:
        return tensor.view(_BIT_TYPES[wanted.itemsize]).numpy().view(wanted)
    return tensor.numpy()


def _to_torch(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.isbuiltin == 1:
        return torch.from_numpy(value) if isinstance(value, np.ndarray) else value
    bits = torch.from_numpy(value.view(f"u{value.itemsize}").view(f"i{value.itemsize}"))
    return bits.view(getattr(torch, value.dtype.name))
