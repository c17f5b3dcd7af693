"""Compares one output with the reference: error norms, mismatches, worst elements, error map."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch

from workbench.core.jobs import OutputComparison, WorstElement

WORST_ELEMENTS = 10
_FP8_STEP = 32  # products of 8-bit floats that one instruction adds to a sum
_FP8_BIT = 2.0**-13  # the last bit that is kept of the largest of them
_FP8_WORST = 24  # times as much: the most of 67 million elements, with a fifth to spare


@dataclass(frozen=True)
class Tolerance:
    """|got - expected| may be `atol` + `rtol` * |expected|; `source` says where they are from."""

    rtol: float
    atol: float
    source: str

    def of_two(self) -> Tolerance:
        """Between two results that may each be off by this, where neither is the reference."""
        source = f"{self.source}, twice: both results are rounded"
        return Tolerance(2 * self.rtol, 2 * self.atol, source)


def tolerance_for(
    got: torch.Tensor,
    expected: torch.Tensor,
    inputs: list[torch.Tensor],
    rtol: float | None,
    atol: float | None,
) -> Tolerance:
    """The case's tolerances, or ones from the dtypes and the reduction length.

    With eps the spacing of floats at 1: an output is rounded once (eps/2, doubled here), values
    on the way may be rounded to the coarsest type of 16 bits and more that is around (2 eps of
    the output's root mean square), and a float32 sum of n terms wanders by about sqrt(n) roundings
    (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2). n is the largest extent
    of any tensor, an upper bound for sums along one dimension.

    Tensor cores add 32 products of 8-bit floats to a sum of which they keep 14 bits (DeepSeek-AI,
    DeepSeek-V3 Technical Report, 3.3.2). Cutting so in 256 steps leaves an error of 2.1e-3 of the
    output's root mean square, `_FP8_BIT` for each step's square root. What is cut follows the sum
    as it runs, so that few are off by far more: of 8192 x 8192 such sums the 8,000 largest by up
    to 20 times as much, and 44 of them by over 12 times; of an NVIDIA H200's results of the same
    product 121 were off by over 12 times, in whichever place.
    """
    if rtol is not None or atol is not None:
        return Tolerance(rtol or 0.0, atol or 0.0, "case")
    if not got.dtype.is_floating_point:
        return Tolerance(0.0, 0.0, "exact: an integer output")
    eps = torch.finfo(got.dtype).eps
    types = [t.dtype for t in inputs if t.dtype.is_floating_point and t.dtype.itemsize > 1]
    coarsest = max([eps, *(torch.finfo(dtype).eps for dtype in types)])
    length = max((max(t.shape, default=1) for t in [got, *inputs]), default=1)
    scale = _root_mean_square(expected)
    single = torch.finfo(torch.float32).eps
    spread = scale * (2 * coarsest + 4 * single * math.sqrt(length))
    source = f"{str(got.dtype)[6:]}, sums of up to {length}"
    if any(t.dtype.is_floating_point and t.dtype.itemsize == 1 for t in inputs):
        spread += scale * _FP8_WORST * _FP8_BIT * math.sqrt(length / _FP8_STEP)
        source += ", of which tensor cores keep 14 bits"
    return Tolerance(eps, spread, source)


def compare(
    index: int,
    name: str,
    got: torch.Tensor,
    expected: torch.Tensor,
    tolerance: Tolerance,
) -> OutputComparison:
    """The comparison of one output; `expected` has its shape."""
    wide_got, wide_expected = _wide(got), _wide(expected)
    error = _error(wide_got, wide_expected)
    allowed = _allowed(wide_expected, tolerance)
    # a NaN or a lone infinity makes the error infinite or NaN, and neither is within a tolerance
    wrong = ~(error <= allowed)
    finite = torch.isfinite(wide_got) & torch.isfinite(wide_expected)
    return OutputComparison(
        index=index,
        name=name,
        shape=tuple(got.shape),
        dtype=str(got.dtype)[6:],
        max_abs=_largest(error[finite]),
        max_rel=_largest((error / wide_expected.abs())[finite & (wide_expected != 0)]),
        rel_fro=_relative_norm(error[finite], wide_expected[finite]),
        mismatched=int(wrong.sum()),
        total=got.numel(),
        nonfinite=int((~torch.isfinite(wide_got)).sum()),
        rtol=tolerance.rtol,
        atol=tolerance.atol,
        tolerance_source=tolerance.source,
        worst=_worst(wide_got, wide_expected, error, wrong),
        max_share=_largest((error / allowed)[finite & (allowed > 0)]),
    )


def compare_some(
    index: int,
    name: str,
    got: torch.Tensor,
    expected: torch.Tensor,
    tolerance: Tolerance,
    compared: torch.Tensor,
) -> OutputComparison:
    """The comparison of the elements that `compared` (bool, of the output's shape) marks."""
    places = torch.nonzero(compared.reshape(-1)).reshape(-1)
    flat_got, flat_expected = (each.reshape(-1)[places] for each in (got, expected))
    found = compare(index, name, flat_got, flat_expected, tolerance)
    worst = tuple(
        replace(each, index=_index(int(places[each.index[0]]), got)) for each in found.worst
    )
    return replace(found, shape=tuple(got.shape), worst=worst)


def wrong_elements(got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Which elements are mismatched, as bool in the output's shape."""
    wide_got, wide_expected = _wide(got), _wide(expected)
    return ~(_error(wide_got, wide_expected) <= _allowed(wide_expected, tolerance))


def error_map(
    got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance, cells: int
) -> torch.Tensor:
    """The largest error over its tolerance in each cell of a grid over the output, as float32.

    The output is seen as a matrix, leading dimensions folded into rows; the grid has at most
    `cells` cells a side. A cell of 1 or less is within tolerance; infinity is a lone NaN or Inf.
    """
    wide_got, wide_expected = _wide(got), _wide(expected)
    allowed = _allowed(wide_expected, tolerance)
    ratio = _error(wide_got, wide_expected) / allowed.clamp_min(1e-300)
    ratio = torch.nan_to_num(ratio, nan=math.inf, posinf=math.inf)
    columns = got.shape[-1] if got.dim() else 1
    matrix = ratio.reshape(-1, columns) if got.numel() else torch.zeros(1, 1)
    return _pooled(_pooled(matrix, cells).T, cells).T.to(torch.float32).contiguous()


def _pooled(matrix: torch.Tensor, cells: int) -> torch.Tensor:
    """The maximum over equal groups of rows, at most `cells` of them."""
    rows = matrix.shape[0]
    group = -(-rows // cells)
    if group == 1:
        return matrix
    missing = -rows % group
    padding = matrix.new_zeros(missing, matrix.shape[1])
    return torch.cat([matrix, padding]).reshape(-1, group, matrix.shape[1]).amax(1)


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().to(torch.float64)


def _allowed(expected: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """The error allowed for each element; an infinity allows no more than a 0 does."""
    magnitude = torch.nan_to_num(expected.abs(), nan=0.0, posinf=0.0)
    return tolerance.atol + tolerance.rtol * magnitude


def _error(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """|got - expected|, 0 where both are the same infinity or both NaN."""
    same = (got == expected) | (torch.isnan(got) & torch.isnan(expected))
    return torch.where(same, torch.zeros_like(got), (got - expected).abs())


def _root_mean_square(tensor: torch.Tensor) -> float:
    wide = _wide(tensor)
    finite = wide[torch.isfinite(wide)]
    return float(finite.square().mean().sqrt()) if finite.numel() else 0.0


def _largest(values: torch.Tensor) -> float | None:
    return float(values.max()) if values.numel() else None


def _relative_norm(error: torch.Tensor, expected: torch.Tensor) -> float | None:
    norm = float(expected.norm())
    return float(error.norm()) / norm if norm > 0 else None


def _worst(
    got: torch.Tensor, expected: torch.Tensor, error: torch.Tensor, wrong: torch.Tensor
) -> tuple[WorstElement, ...]:
    """The elements of the largest errors, wrong ones only where there are any."""
    ranked = torch.nan_to_num(error, nan=math.inf).reshape(-1)
    if wrong.any():
        ranked = torch.where(wrong.reshape(-1), ranked, torch.full_like(ranked, -1.0))
    count = min(WORST_ELEMENTS, int(wrong.sum()) or WORST_ELEMENTS, ranked.numel())
    places = torch.topk(ranked, count).indices if count else torch.empty(0, dtype=torch.int64)
    return tuple(_element(int(place), got, expected) for place in places)


def _element(place: int, got: torch.Tensor, expected: torch.Tensor) -> WorstElement:
    index = _index(place, got)
    return WorstElement(index, plain_number(got[index]), plain_number(expected[index]))


def _index(place: int, tensor: torch.Tensor) -> tuple[int, ...]:
    # torch.unravel_index would load sympy at its first call, which takes seconds.
    return tuple(int(i) for i in np.unravel_index(place, tuple(tensor.shape)))


def plain_number(value: torch.Tensor) -> float | str:
    """A float for JSON; nan, inf and -inf as text."""
    number = float(value)
    return number if math.isfinite(number) else str(number)
