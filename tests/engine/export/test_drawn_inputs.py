"""The inputs and tolerances of exported scripts are those of a verification here."""

from __future__ import annotations

import types
from typing import Any

import pytest
import torch

from workbench.core.exporting.scripts import launch_example
from workbench.engine.simulator import Parameter
from workbench.engine.verify import comparing, reference, tensors


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    """What the script defines."""
    found: dict[str, Any] = {"__name__": "launch_example", "__file__": "launch_example.py"}
    exec(compile(launch_example(), "launch_example.py", "exec"), found)
    return found


def buffer(
    name: str, dtype: str, *shape: int | str, reads: bool = True, writes: bool = False
) -> Any:
    return Parameter(name, dtype, shape, True, reads, writes)


INPUTS = (
    buffer("A", "float16", "m", 16),
    buffer("B", "bfloat16", 16, "m"),
    buffer("I", "int32", 7),
    buffer("J", "int8", 9),
    buffer("P", "uint8", 5),
    buffer("F", "float8_e4m3fn", 4, 8),
    buffer("Q", "uint4", 4, 8),
    Parameter("n", "int32", (), False, True, False),
)
OUTPUT = buffer("C", "float32", "m", reads=False, writes=True)
UPDATED = buffer("D", "float32", 3, writes=True)


def plain(parameter: Parameter) -> dict[str, Any]:
    dtype = "uint8" if parameter.dtype == "uint4" else str(tensors.torch_dtype(parameter.dtype))[6:]
    return {
        "name": parameter.name,
        "dtype": parameter.dtype,
        "torch_dtype": dtype,
        "shape": parameter.shape,
        "is_tensor": parameter.is_buffer,
        "reads": parameter.reads,
        "writes": parameter.writes,
    }


def same(one: Any, other: Any) -> bool:
    if not isinstance(one, torch.Tensor):
        return bool(one == other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    wide = one.double() if one.dtype.is_floating_point else one
    return torch.equal(torch.nan_to_num(wide), torch.nan_to_num(other.to(wide.dtype)))


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(
    ("parameters", "declared", "dims"),
    [
        ((*INPUTS, OUTPUT), None, {}),
        ((*INPUTS, OUTPUT), (8,), {"m": 12, "n": 5}),
        ((OUTPUT, *INPUTS), (0,), {"m": 3}),
        ((*INPUTS, UPDATED), None, {}),
        ((*INPUTS, UPDATED, OUTPUT), None, {"m": 2}),
        ((*INPUTS, UPDATED), (8,), {}),
    ],
)
def test_the_same_seed_draws_the_same_values(
    script: dict[str, Any],
    parameters: tuple[Parameter, ...],
    declared: tuple[int, ...] | None,
    dims: dict[str, int],
    seed: int,
) -> None:
    bound = tensors.bind(parameters, declared, types.ModuleType("none"), {}, dims, seed)
    values, inputs, outputs = script["draw"](
        [plain(p) for p in parameters], declared, None, {}, dims, seed
    )
    assert (tuple(inputs), tuple(outputs)) == (bound.inputs, bound.outputs)
    assert all(same(one, other) for one, other in zip(values, bound.values, strict=True))


def make_two(m: int) -> Any:
    return torch.randn(m, 16).half(), torch.randn(m)


def make_all(m: int) -> Any:
    return torch.randn(m, 16).half(), torch.zeros(m), torch.ones(m)


@pytest.mark.parametrize(
    ("make", "declared"), [(make_two, (2,)), (make_all, None), (make_all, (1,))]
)
def test_make_inputs_is_called_alike(
    script: dict[str, Any], make: Any, declared: tuple[int, ...] | None
) -> None:
    parameters = (buffer("A", "float16", "m", 16), buffer("W", "float32", "m"), OUTPUT)
    module = types.ModuleType("document")
    module.make_inputs = make  # type: ignore[attr-defined]
    args = {"m": 6, "other": 1}
    bound = tensors.bind(parameters, declared, module, args, {}, 3)
    values, inputs, outputs = script["draw"](
        [plain(p) for p in parameters], declared, make, args, {}, 3
    )
    assert (tuple(inputs), tuple(outputs)) == (bound.inputs, bound.outputs)
    assert all(same(one, other) for one, other in zip(values, bound.values, strict=True))


def ref(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.float() @ b.float()).to(a.dtype)


def test_the_reference_is_computed_alike(script: dict[str, Any]) -> None:
    a, b = torch.randn(8, 8).half(), torch.randn(8, 8).half()
    (wanted,), method = reference.run_reference(ref, [a, b], [a, b, a])
    (got,) = script["expected"](ref, [a, b, a], [0, 1])
    assert method == "float64"
    assert got.dtype == torch.float64
    assert torch.equal(got, wanted)


@pytest.mark.parametrize(("rtol", "atol"), [(None, None), (1e-2, None), (0.0, 1e-3)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int32])
def test_the_tolerances_are_alike(
    script: dict[str, Any], dtype: torch.dtype, rtol: float | None, atol: float | None
) -> None:
    got = (100 * torch.randn(40, 70)).to(dtype)
    inputs = [torch.randn(40, 512).half(), torch.randn(3)]
    if dtype is torch.float16:
        inputs.append(torch.randn(5).to(torch.float8_e4m3fn))
    wanted = comparing.tolerance_for(got, got.double(), inputs, rtol, atol)
    found = script["tolerances"](got, got.double(), [*inputs, 3], {"rtol": rtol, "atol": atol})
    assert found == {"rtol": wanted.rtol, "atol": pytest.approx(wanted.atol, rel=1e-12)}
