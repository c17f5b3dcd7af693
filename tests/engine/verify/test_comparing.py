from __future__ import annotations

import math

import pytest
import torch

from workbench.engine.verify.comparing import Tolerance, compare, error_map, tolerance_for

EXACT = Tolerance(0.0, 0.0, "exact")
LOOSE = Tolerance(0.0, 0.1, "test")


def test_equal_outputs_have_no_error() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    result = compare(0, "C", x, x.double(), EXACT)
    assert (result.mismatched, result.max_abs, result.rel_fro, result.total) == (0, 0.0, 0.0, 4)


def test_the_figures_of_a_worked_example() -> None:
    got = torch.tensor([3.0, 4.0, 0.0])
    expected = torch.tensor([3.0, 2.0, 0.0], dtype=torch.float64)
    result = compare(0, "C", got, expected, LOOSE)
    assert (result.mismatched, result.max_abs, result.max_rel) == (1, 2.0, 1.0)
    assert result.rel_fro == pytest.approx(2 / math.sqrt(13))
    assert (result.worst[0].index, result.worst[0].got) == ((1,), 4.0)


def test_the_largest_share_of_the_tolerance_is_that_of_one_element() -> None:
    got = torch.tensor([1.2, 10.3, math.nan])
    expected = torch.tensor([1.0, 10.0, 1.0], dtype=torch.float64)
    result = compare(0, "C", got, expected, Tolerance(0.1, 0.1, "test"))
    assert result.max_share == pytest.approx(0.2 / 0.2, rel=1e-5)
    assert compare(0, "C", got, expected, EXACT).max_share is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_lone_nan_or_infinity_is_a_mismatch(bad: float) -> None:
    got = torch.tensor([1.0, bad])
    result = compare(0, "C", got, torch.ones(2, dtype=torch.float64), Tolerance(1.0, 1e9, "test"))
    assert (result.mismatched, result.nonfinite) == (1, 1)
    assert result.worst[0].got == str(bad)


def test_the_same_infinity_on_both_sides_is_right() -> None:
    both = torch.tensor([math.inf, -math.inf, math.nan])
    assert compare(0, "C", both, both.double(), EXACT).mismatched == 0


def test_an_infinity_is_not_matched_by_a_number() -> None:
    got, expected = torch.tensor([1.0]), torch.tensor([math.inf], dtype=torch.float64)
    assert compare(0, "C", got, expected, Tolerance(0.1, 0.1, "test")).mismatched == 1


def test_an_empty_output_matches() -> None:
    result = compare(0, "C", torch.zeros(0, 4), torch.zeros(0, 4), EXACT)
    assert (result.mismatched, result.max_abs, result.rel_fro) == (0, None, None)


def test_a_scalar_output_is_compared() -> None:
    result = compare(0, "C", torch.tensor(2), torch.tensor(3), EXACT)
    assert (result.mismatched, result.worst[0].index) == (1, ())


def test_the_case_decides_the_tolerance() -> None:
    x = torch.ones(4)
    assert tolerance_for(x, x, [], 0.1, None) == Tolerance(0.1, 0.0, "case")


def test_integers_must_be_equal() -> None:
    x = torch.ones(4, dtype=torch.int32)
    tolerance = tolerance_for(x, x, [], None, None)
    assert (tolerance.rtol, tolerance.atol) == (0.0, 0.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("length", [64, 4096])
def test_a_rounded_float32_product_is_within_the_default_tolerance(
    dtype: torch.dtype, length: int
) -> None:
    a = torch.randn(64, length, dtype=torch.float32).to(dtype)
    b = torch.randn(length, 64, dtype=torch.float32).to(dtype)
    got = (a.float() @ b.float()).to(dtype)
    expected = a.double() @ b.double()
    tolerance = tolerance_for(got, expected, [a, b], None, None)
    assert compare(0, "C", got, expected, tolerance).mismatched == 0


def test_a_missing_tile_of_a_sum_is_outside_the_default_tolerance() -> None:
    a, b = torch.randn(64, 1024).half(), torch.randn(1024, 64).half()
    got = (a[:, :-32].float() @ b[:-32].float()).half()
    expected = a.double() @ b.double()
    tolerance = tolerance_for(got, expected, [a, b], None, None)
    assert compare(0, "C", got, expected, tolerance).mismatched > 0.9 * got.numel()


def cut_sums(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sums of a * b as tensor cores have them of 8-bit floats: 32 products a step, cut at the 13th
    bit after the leading one of the largest of them and the sum."""
    total = torch.zeros(torch.broadcast_shapes(a.shape, b.shape)[:-1], dtype=torch.float64)
    for k in range(0, a.shape[-1], 32):
        terms = a[..., k : k + 32].double() * b[..., k : k + 32].double()
        terms = torch.cat([terms, total[..., None]], dim=-1)
        leading = torch.frexp(terms.abs().amax(-1))[1] - 1
        last = torch.ldexp(torch.ones_like(total), leading - 13)[..., None]
        total = (torch.trunc(terms / last) * last).sum(-1)
    return total


@pytest.mark.parametrize("length", [256, 4096])
def test_sums_that_tensor_cores_cut_are_within_the_default_tolerance(length: int) -> None:
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randn(32, length, generator=generator).to(torch.float8_e4m3fn) for _ in range(2))
    expected = a.double() @ b.double().T
    got = cut_sums(a[:, None], b[None]).half()
    tolerance = tolerance_for(got, expected, [a, b], None, None)
    assert compare(0, "C", got, expected, tolerance).mismatched == 0
    missing = (expected - a[:, :32].double() @ b[:, :32].double().T).half()
    assert compare(0, "C", missing, expected, tolerance).mismatched > got.numel() / 2


def test_the_largest_of_many_long_sums_that_are_cut_are_within_the_default_tolerance() -> None:
    generator = torch.Generator().manual_seed(3)
    wide = [torch.randn(400, 8192, generator=generator) for _ in range(2)]
    a, b = wide[0].to(torch.float8_e4m3fn), (wide[1] + 0.05 * wide[0]).to(torch.float8_e4m3fn)
    large = (a.double() * b.double()).sum(-1)  # 4.5 times the root mean square of the others
    others = 8192**0.5 * torch.randn(100_000, generator=generator, dtype=torch.float64)
    expected = torch.cat([others, large]).reshape(-1, 400)
    got = torch.cat([others, cut_sums(a, b)]).half().reshape(-1, 400)
    tolerance = tolerance_for(got, expected, [a, b], None, None)
    share = compare(0, "C", got, expected, tolerance).max_share
    assert share is not None
    assert 0.6 < share < 1.0  # half as much would be too little


def test_the_error_map_keeps_the_largest_error_of_a_cell() -> None:
    got, expected = torch.zeros(4, 6), torch.zeros(4, 6, dtype=torch.float64)
    got[3, 5] = 0.5
    grid = error_map(got, expected, LOOSE, cells=2)
    assert grid.shape == (2, 2)
    assert grid.tolist() == [[0.0, 0.0], [0.0, pytest.approx(5.0)]]


def test_the_error_map_folds_leading_dimensions_into_rows() -> None:
    got = torch.zeros(2, 3, 4)
    got[1, 2, 0] = math.nan
    grid = error_map(got, torch.zeros(2, 3, 4, dtype=torch.float64), LOOSE, cells=100)
    assert grid.shape == (6, 4)
    assert grid[5, 0] == math.inf
