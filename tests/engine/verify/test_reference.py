from __future__ import annotations

from typing import Any

import pytest
import torch

from workbench.engine.verify.reference import ReferenceOutputError, run_reference


def outputs(function: Any, *inputs: Any) -> tuple[Any, str]:
    found, method = run_reference(function, inputs, inputs)
    assert found is not None
    return found[0], method


def test_casts_between_floats_do_not_round() -> None:
    a = torch.randn(8, 8).half()
    result, method = outputs(lambda x: (x.float() * 1.1).half().to(torch.bfloat16), a)
    assert (result.dtype, method) == (torch.float64, "float64")
    assert torch.equal(result, a.double() * 1.1)


def test_new_tensors_are_wide_too() -> None:
    result, _ = outputs(lambda x: torch.zeros(3, dtype=torch.float16) + torch.ones(3) / 3, 1)
    assert result[0].item() == 1 / 3


def test_a_dtype_argument_is_widened() -> None:
    a = torch.full((1000,), 0.1, dtype=torch.float16)
    result, _ = outputs(lambda x: torch.sum(x, dim=0, dtype=torch.float16), a)
    assert result.item() == pytest.approx(a.double().sum().item(), rel=1e-12)


def test_a_cast_to_fp8_still_rounds() -> None:
    a = torch.tensor([1.06], dtype=torch.float32)
    result, method = outputs(lambda x: x.to(torch.float8_e4m3fn).float(), a)
    assert (result.item(), method) == (1.0, "float64")


def test_integers_stay_integers() -> None:
    a = torch.arange(4, dtype=torch.int8)
    result, _ = outputs(lambda x: x.to(torch.int32) * 2, a)
    assert result.dtype == torch.int32


def test_a_reference_that_names_cuda_runs_here() -> None:
    def on_gpu(x: torch.Tensor) -> torch.Tensor:
        return (x.cuda() + torch.ones(2, device="cuda")).to("cuda").cpu()

    result, _ = outputs(on_gpu, torch.zeros(2))
    assert result.tolist() == [1.0, 1.0]


def test_a_reference_that_looks_at_bits_runs_as_written() -> None:
    a = torch.tensor([1.0], dtype=torch.float16)
    result, method = outputs(lambda x: x.view(torch.int16), a)
    assert (result.item(), method) == (0x3C00, "as written")


def test_the_inputs_are_not_changed() -> None:
    a = torch.zeros(2, dtype=torch.int32)
    outputs(lambda x: x.add_(1), a)
    assert a.tolist() == [0, 0]


def test_a_reference_of_all_parameters_gets_the_output_too() -> None:
    a, c = torch.ones(2), torch.full((2,), 5.0)
    found, _ = run_reference(lambda x, out: x + out, [a], [a, c])
    assert found is not None
    assert found[0].tolist() == [6.0, 6.0]


def test_nothing_returned_is_none() -> None:
    assert run_reference(lambda x: None, [torch.ones(1)], [torch.ones(1)])[0] is None


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(ReferenceOutputError, match="returned a str"):
        run_reference(lambda x: "text", [torch.ones(1)], [torch.ones(1)])


def test_an_error_of_the_reference_is_the_one_as_written() -> None:
    def broken(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("not yet")

    with pytest.raises(ValueError, match="not yet"):
        run_reference(broken, [torch.ones(1)], [torch.ones(1)])
