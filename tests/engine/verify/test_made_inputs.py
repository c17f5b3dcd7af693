from __future__ import annotations

from typing import Any

import pytest
import torch

from workbench.engine.faults import DocumentFaultError
from workbench.engine.simulator import Parameter
from workbench.engine.verify.made_inputs import check_made
from workbench.engine.verify.tensors import torch_dtype

A = Parameter("A", "float16", (4, 8), True, True, False)
M = Parameter("A", "float16", ("m", 8), True, True, False)
B = Parameter("B", "float8_e4m3", ("m",), True, True, False)
N = Parameter("n", "int32", (), False, True, False)


def check(*pairs: tuple[Parameter, Any]) -> None:
    parameters = [parameter for parameter, _ in pairs]
    check_made(parameters, dict(enumerate(v for _, v in pairs)), torch_dtype, line=7)


def refused(*pairs: tuple[Parameter, Any]) -> str:
    with pytest.raises(DocumentFaultError) as raised:
        check(*pairs)
    assert raised.value.line == 7
    return str(raised.value)


def test_another_shape_is_told_beside_the_one_that_is_taken() -> None:
    assert refused((A, torch.ones(8, 4).half())) == (
        "make_inputs gives A a tensor of float16 with the shape (8, 4), "
        "the kernel takes float16 with the shape (4, 8)"
    )


def test_another_dtype_is_told() -> None:
    said = refused((A, torch.ones(4, 8)))
    assert "gives A a tensor of float32" in said
    assert "takes float16" in said


def test_another_rank_is_told() -> None:
    assert "(32,)" in refused((A, torch.ones(32).half()))


def test_what_is_no_tensor_is_told() -> None:
    assert "gives A a list" in refused((A, [1.0]))
    assert refused((N, torch.ones(3))).endswith("the kernel takes a number (int32)")


def test_a_dynamic_size_is_the_same_for_every_tensor() -> None:
    fp8 = torch.ones(3).to(torch.float8_e4m3fn)
    assert refused((M, torch.ones(5, 8).half()), (B, fp8)).endswith("with the shape (m = 5,)")


def test_what_fits_is_taken() -> None:
    fp8 = torch.ones(5).to(torch.float8_e4m3fn)
    check((M, torch.ones(5, 8).half()), (B, fp8), (N, 3), (N, torch.tensor(3)))


def test_packed_elements_may_come_two_a_byte_or_one() -> None:
    packed = Parameter("P", "int4", (4, 8), True, True, False)
    check((packed, torch.zeros(4, 4, dtype=torch.int8)))
