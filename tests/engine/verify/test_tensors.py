from __future__ import annotations

import types
from typing import Any

import pytest
import torch

from workbench.engine.simulator import Parameter
from workbench.engine.verify.tensors import DEFAULT_DIM, TensorError, bind, poisoned, written_only


def parameter(name: str, shape: Any, dtype: str = "float32", mode: str = "r") -> Parameter:
    return Parameter(name, dtype, shape, True, "r" in mode, "w" in mode)


IN = parameter("A", (4, 8))
OUT = parameter("C", (4,), "float16", "w")
UPDATED = parameter("C", (4,), "float32", "rw")


def module(**names: Any) -> types.ModuleType:
    made = types.ModuleType("document")
    made.__dict__.update(names)
    return made


def test_declared_outputs_are_poisoned_and_the_rest_random() -> None:
    bound = bind([IN, OUT], (1,), module(), {}, {}, seed=0)
    assert (bound.inputs, bound.outputs) == ((0,), (1,))
    assert torch.isnan(bound.values[1]).all()
    assert bound.values[0].std() > 0.5


def test_without_a_declaration_what_is_only_written_is_the_output() -> None:
    assert written_only([IN, OUT, UPDATED]) == (1,)
    assert bind([IN, OUT], None, module(), {}, {}, seed=0).outputs == (1,)


def test_what_is_updated_in_place_goes_in_and_comes_out() -> None:
    bound = bind([IN, UPDATED], None, module(), {}, {}, seed=0)
    assert (bound.inputs, bound.outputs) == ((0, 1), (1,))


def test_a_seed_gives_the_same_inputs_again() -> None:
    first, again, other = (bind([IN], (), module(), {}, {}, seed).values[0] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_dynamic_dimensions_take_the_cases_size_else_an_odd_one() -> None:
    dynamic = [parameter("A", ("m", "m * 2")), parameter("C", ("n",), mode="w")]
    bound = bind(dynamic, None, module(), {}, {"m": 3}, seed=0)
    assert [tuple(v.shape) for v in bound.values] == [(3, 6), (DEFAULT_DIM,)]
    assert bound.dims == {"n": DEFAULT_DIM}


def test_make_inputs_gives_the_inputs_and_gets_the_arguments_it_names() -> None:
    def make_inputs(scale: int) -> torch.Tensor:
        return torch.full((4, 8), float(scale))

    bound = bind([IN, OUT], (1,), module(make_inputs=make_inputs), {"scale": 3, "M": 1}, {}, 0)
    assert bound.values[0][0, 0] == 3
    assert (bound.inputs, bound.outputs) == ((0,), (1,))


def test_make_inputs_for_all_parameters_has_the_output_last() -> None:
    made = (torch.ones(4, 8), torch.zeros(4))
    bound = bind([IN, UPDATED], None, module(make_inputs=lambda: made), {}, {}, seed=0)
    assert (bound.inputs, bound.outputs) == ((0, 1), (1,))
    assert bound.values[1] is made[1]


def test_make_inputs_of_another_length_is_refused() -> None:
    with pytest.raises(TensorError, match=r"returned 3 values for a kernel of 2 .*A, C"):
        bind([IN, OUT], None, module(make_inputs=lambda: (1, 2, 3)), {}, {}, seed=0)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn, torch.float8_e5m2]
)
def test_poison_is_nan_in_every_floating_type(dtype: torch.dtype) -> None:
    assert torch.isnan(poisoned((4,), dtype).float()).all()


def test_poison_of_integers_is_no_likely_value() -> None:
    assert poisoned((2,), torch.int32).tolist() == [-673720361, -673720361]


def test_poison_has_bits_that_no_operation_gives() -> None:
    """NaN of a computation, or of the simulator's on-chip memory, is told from what was there."""
    for dtype, bits in ((torch.float16, torch.int16), (torch.float32, torch.int32)):
        computed = torch.tensor([float("nan"), -float("nan")], dtype=dtype)
        assert not torch.isin(poisoned((1,), dtype).view(bits), computed.view(bits)).any()


@pytest.mark.parametrize("dtype", ["float4_e2m1fn", "int4", "uint4"])
def test_types_of_4_bits_have_two_elements_to_a_byte(dtype: str) -> None:
    bound = bind([parameter("A", (4, 8), dtype)], (), module(), {}, {}, seed=0)
    assert (bound.values[0].dtype, tuple(bound.values[0].shape)) == (torch.uint8, (4, 4))
    with pytest.raises(TensorError, match="odd number"):
        bind([parameter("A", (4, 7), dtype)], (), module(), {}, {}, seed=0)


def test_a_dtype_that_torch_lacks_is_named() -> None:
    with pytest.raises(TensorError, match="float6_e2m3fn"):
        bind([parameter("A", (4,), "float6_e2m3fn")], (), module(), {}, {}, seed=0)
