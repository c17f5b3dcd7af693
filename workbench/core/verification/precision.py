"""Detectors of results that are right but for their precision."""

from __future__ import annotations

import numpy as np

from workbench.core.verification.matching import LIKELY, POSSIBLE, STRONG, Match, share_text
from workbench.core.verification.observation import Array, Observation

# Bits of the significand behind the point, the narrowest first.
_TYPES = {
    "float8_e5m2": 2,
    "float8_e4m3": 3,
    "bfloat16": 7,
    "float16 (or TF32)": 10,
    "float32": 23,
}
_LEAST_ELEMENTS = 64
_MOST_ERROR = 0.05
_LEAST_SPREAD = 0.3
_MOST_BIAS = 0.3


def rounded_through(seen: Observation) -> Match | None:
    """All values fit a narrower type than the output's, which those expected do not."""
    sample = seen.anywhere
    own = -np.log2(seen.spacing) if seen.spacing else 0
    got, expected = sample.got, sample.expected
    usable = np.isfinite(got) & (got != 0) & np.isfinite(expected)
    if np.count_nonzero(usable) < _LEAST_ELEMENTS or not _is_near(got, expected):
        return None
    for name, bits in _TYPES.items():
        if bits >= own:
            break
        share = float((_rounded(got[usable], bits) == got[usable]).mean())
        plain = float((_rounded(expected[usable], bits) == expected[usable]).mean())
        if share >= 0.999 and plain < 0.5:
            says = (
                f"{share_text(share)} its values are numbers of {name}, narrower than {seen.dtype}"
            )
            return Match(says, STRONG, share, int(usable.sum()), {"type": name})
    return None


def rounding(seen: Observation) -> Match | None:
    """Errors of about one size everywhere, independent of the values: those of a narrow type."""
    sample = seen.anywhere
    usable = np.isfinite(sample.got) & np.isfinite(sample.expected)
    got, expected = sample.got[usable], sample.expected[usable]
    if got.size < _LEAST_ELEMENTS or not _is_near(got, expected):
        return None
    error, scale = got - expected, _rms(expected)
    size = _rms(error)
    spread = float((np.abs(error) > 0.1 * size).mean())
    bias = max(abs(float(error.mean())) / size, abs(_correlation(error, expected)))
    if spread < _LEAST_SPREAD or bias > _MOST_BIAS or size < scale * 2.0**-26:
        return None
    name, roundings = _as_roundings(size / scale)
    says = (
        f"errors of a root mean square of {size / scale:.2g} times the values', "
        f"{roundings:.3g} roundings to {name}, spread over {share_text(spread)} the elements"
    )
    evidence = {"relative_rms": size / scale, "type": name, "roundings": roundings, "bias": bias}
    return Match(says, LIKELY if spread > 0.6 else POSSIBLE, spread, got.size, evidence)


def _is_near(got: Array, expected: Array) -> bool:
    """Whether got is what is expected but for some percent."""
    usable = np.isfinite(got) & np.isfinite(expected)
    scale = _rms(expected[usable])
    if scale == 0:
        return False
    error = _rms(got[usable] - expected[usable])
    return bool(0 < error <= _MOST_ERROR * scale)


def _as_roundings(relative: float) -> tuple[str, float]:
    """The coarsest type whose single rounding is not above an error, and how many it makes.

    Rounding to b bits gives relative errors spread evenly over 2^-(b+1) on either side.
    """
    units = {name: 2.0 ** -(bits + 1) / np.sqrt(3) for name, bits in _TYPES.items()}
    fitting = [name for name, unit in units.items() if unit <= 1.5 * relative]
    name = fitting[0] if fitting else "float32"
    return name, float(relative / units[name])


def _rounded(values: Array, bits: int) -> Array:
    """Values with so many bits of significand behind the point, exponents unbounded."""
    fraction, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.round(fraction * 2.0 ** (bits + 1)), exponent - bits - 1))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


def _correlation(left: Array, right: Array) -> float:
    if left.std() == 0 or right.std() == 0:
        return 0.0
    return float(np.corrcoef(left, right)[0, 1])
