"""Detectors that compare each element with its own expected value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from workbench.core.verification.matching import (
    LEAST_ELEMENTS,
    LEAST_SHARE,
    LIKELY,
    STRONG,
    Match,
    matched,
    share_text,
)
from workbench.core.verification.observation import Array, Observation

_LEAST_UNTOUCHED = 0.25
_LINES, _ON_A_LINE = 24, 96
_EXACT = 2e-3  # how near a ratio must be to a constant to be called by its name


def never_written(seen: Observation) -> Match | None:
    """Wrong elements that have the bits they had before the run."""
    if seen.untouched is None:
        return None
    count = int(np.count_nonzero(seen.untouched & seen.wrong))
    share = count / seen.wrong_count
    if share < _LEAST_UNTOUCHED:
        return None
    says = f"{share_text(share)} the wrong elements hold what was there before the run"
    confidence = STRONG if share >= LEAST_SHARE else LIKELY
    return Match(says, confidence, share, seen.wrong_count, {"elements": count})


def not_a_number(seen: Observation) -> Match | None:
    """Wrong elements that are NaN or infinite although the reference is finite."""
    sample = seen.wrong_sample
    strange = ~np.isfinite(sample.got) & np.isfinite(sample.expected)
    share = float(strange.mean())
    if share < LEAST_SHARE:
        return None
    nan = float(np.isnan(sample.got[strange]).mean())
    kind = "NaN" if nan == 1 else "infinite" if nan == 0 else "NaN or infinite"
    says = f"{share_text(share)} the wrong elements are {kind}, and no other number is wrong"
    if share < 1:
        says = f"{share_text(share)} the wrong elements are {kind}"
    return Match(says, STRONG, share, sample.size, {"nan_share": nan})


def zero(seen: Observation) -> Match | None:
    """Wrong elements that are 0."""
    return _same_value(seen, is_zero=True)


def constant(seen: Observation) -> Match | None:
    """Wrong elements that are all one number, other than 0."""
    return _same_value(seen, is_zero=False)


def _same_value(seen: Observation, is_zero: bool) -> Match | None:
    sample = seen.wrong_sample
    value = 0.0 if is_zero else float(np.median(sample.got))
    share = float((sample.got == value).mean())
    is_plain = np.ptp(sample.expected) == 0 or sample.size < LEAST_ELEMENTS
    if share < LEAST_SHARE or not math.isfinite(value) or (value == 0) != is_zero or is_plain:
        return None
    says = f"{share_text(share)} the wrong elements are {value:g}"
    return Match(says, STRONG, share, sample.size, {"value": value})


def sign(seen: Observation) -> Match | None:
    """Elements that are the negative of what is expected."""
    sample = seen.wrong_sample
    says = "got equals -expected in {share} the wrong elements"
    return matched(seen, sample.got, -sample.expected, says)


def scaled(seen: Observation) -> Match | None:
    """Elements that are one constant times what is expected."""
    sample = seen.wrong_sample
    factor = _factor(sample.got, sample.expected)
    if factor is None or abs(factor) < 1e-9:
        return None
    names = [name for name, value in _constants(seen) if abs(factor / value - 1) < _EXACT]
    names = [name for name in names if name != f"{factor:.4g}"]
    called = f", which is {' = '.join(names[:2])}" if names else ""
    says = f"got equals {factor:.5g} × expected in {{share}} the wrong elements{called}"
    wanted = factor * sample.expected
    return matched(seen, sample.got, wanted, says, factor=factor, names=names)


def _factor(got: Array, expected: Array) -> float | None:
    """The middle of got / expected over the larger half, where both are finite."""
    usable = np.isfinite(got) & np.isfinite(expected) & (expected != 0)
    if np.count_nonzero(usable) < LEAST_ELEMENTS:
        return None
    got, expected = got[usable], expected[usable]
    large = np.abs(expected) >= np.median(np.abs(expected))
    return float(np.median(got[large] / expected[large]))


def _constants(seen: Observation) -> Iterator[tuple[str, float]]:
    """Constants that kernels forget or apply twice, with their names."""
    yield from (("log2(e)", math.log2(math.e)), ("ln(2)", math.log(2)))
    shapes = [operand.values.shape for operand in seen.operands]
    sizes = {size for shape in [seen.shape, *shapes] for size in shape} | set(seen.lengths)
    for size in sorted(sizes - {0, 1, 2}):
        root = math.sqrt(size)
        yield from ((f"√{size}", root), (f"1/√{size}", 1 / root))
        yield from ((f"log2(e)/√{size}", math.log2(math.e) / root),)
        yield from ((f"{size}", float(size)), (f"1/{size}", 1 / size))
    for number in range(2, 9):
        yield from ((f"{number}", float(number)), (f"1/{number}", 1 / number))


def offset(seen: Observation) -> Match | None:
    """Elements that are what is expected plus one constant."""
    sample = seen.wrong_sample
    difference = sample.got - sample.expected
    usable = np.isfinite(difference)
    if np.count_nonzero(usable) < LEAST_ELEMENTS:
        return None
    shift = float(np.median(difference[usable]))
    says = f"got equals expected {shift:+.5g} in {{share}} the wrong elements"
    return matched(seen, sample.got, sample.expected + shift, says, offset=shift)


def scaled_by_row(seen: Observation) -> Match | None:
    """Rows along the last dimension that are each a constant times what is expected."""
    return _by_line(seen, -1, _scaled_line, "each row is a constant of its own × expected")


def scaled_by_column(seen: Observation) -> Match | None:
    """Columns that are each a constant times what is expected."""
    return _by_line(seen, -2, _scaled_line, "each column is a constant of its own × expected")


def offset_by_row(seen: Observation) -> Match | None:
    """Rows along the last dimension that each have a constant added."""
    return _by_line(seen, -1, _shifted_line, "each row has a constant of its own added")


def offset_by_column(seen: Observation) -> Match | None:
    """Columns that each have a constant added, as with a bias that is missing."""
    return _by_line(seen, -2, _shifted_line, "each column has a constant of its own added")


def _scaled_line(got: Array, expected: Array) -> Array:
    factor = (got * expected).sum(1) / np.maximum((expected**2).sum(1), 1e-300)
    return np.asarray(factor[:, None] * expected)


def _shifted_line(got: Array, expected: Array) -> Array:
    return np.asarray(expected + np.median(got - expected, axis=1)[:, None])


def _by_line(
    seen: Observation, axis: int, fit: Callable[[Array, Array], Array], says: str
) -> Match | None:
    """Fit each of some lines along an axis by itself, and see how well the fits explain them."""
    if len(seen.shape) < -axis or seen.shape[axis] < LEAST_ELEMENTS:
        return None
    got, expected = _lines(seen, len(seen.shape) + axis)
    if got.shape[0] < 4 or not np.isfinite(got).all() or not np.isfinite(expected).all():
        return None
    wanted = fit(got, expected)
    is_wrong = ~seen.agrees(got, expected).all(1)
    share = float(seen.agrees(got, wanted)[is_wrong].mean()) if is_wrong.any() else 0.0
    mixed = seen.random().permuted(expected, axis=1)
    chance = float(seen.agrees(got, fit(got, mixed)).mean())
    if share < 0.98 or chance > 0.4:
        return None
    where = f"{says}, in {share_text(share)} the elements looked at"
    return Match(where, LIKELY, share, got.size, {"by_chance": round(chance, 4)})


def _lines(seen: Observation, axis: int) -> tuple[Array, Array]:
    """Elements of lines along an axis that hold a wrong one: a row for each line."""
    sample = seen.wrong_sample
    random = seen.random()
    chosen = random.permutation(sample.size)[:_LINES]
    size = seen.shape[axis]
    along = np.sort(random.choice(size, min(size, _ON_A_LINE), replace=False))
    at = [index[chosen][:, None] for index in sample.at]
    at[axis] = along[None, :]
    index = tuple(np.broadcast_arrays(*at))
    if seen.compared is not None:
        kept = seen.compared[index].all(1)
        index = tuple(each[kept] for each in index)
    got, expected = (np.asarray(each[index], np.float64) for each in (seen.got, seen.expected))
    return got, expected
