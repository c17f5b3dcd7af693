"""Says a sequence of numbers as a sum of digits of its index: `3 + 8·(r ÷ 2 mod 2)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise


def digit_formula(values: Sequence[int], name: str) -> str | None:
    """The values by their index in bits, named `name`; None where they are no such sum.

    The values at powers of two tell what each bit adds; neighbouring bits that add twice as much
    each are one digit.
    """
    if not values:
        return None
    base, count = values[0], len(values)
    steps = [values[1 << bit] - base for bit in range((count - 1).bit_length())]
    if any(step < 0 for step in steps) or not _is_sum(values, steps):
        return None
    terms = [_term(name, steps, low, high) for low, high in _digits(steps)]
    return " + ".join([*([str(base)] if base or not terms else []), *terms])


def _is_sum(values: Sequence[int], steps: Sequence[int]) -> bool:
    sums = (
        values[0] + sum(step for bit, step in enumerate(steps) if index >> bit & 1)
        for index in range(len(values))
    )
    return all(value == wanted for value, wanted in zip(values, sums, strict=True))


def _digits(steps: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last bit of each digit that adds something."""
    ends = [bit for bit, (one, two) in enumerate(pairwise(steps)) if two != 2 * one or not one]
    low = 0
    for high in [*ends, len(steps) - 1]:
        if low <= high and steps[low]:
            yield low, high
        low = high + 1


def _term(name: str, steps: Sequence[int], low: int, high: int) -> str:
    shifted = f"{name} ÷ {1 << low}" if low else name
    is_last = high == len(steps) - 1
    digit = shifted if is_last else f"{shifted} mod {1 << (high - low + 1)}"
    if steps[low] == 1:
        return digit if " " not in digit else f"({digit})"
    return f"{steps[low]}·({digit})" if " " in digit else f"{steps[low]}·{digit}"
