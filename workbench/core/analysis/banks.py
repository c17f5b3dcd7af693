"""Wavefronts and bank conflicts of shared-memory instructions, over many patterns at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.bank_rules import BankRules, Ints, Rule, Service, SharedAccess

Weights = npt.NDArray[Any]  # of int64 where all are whole, else of float64
Count = int | float

_CHUNK = 4096  # patterns at once, so that the lanes x lanes tables of a copy stay small


@dataclass(frozen=True)
class BankCount:
    """The sum over all instructions of an access site; all but `instructions` None if unknown.

    `conflicts` is wavefronts - ideal, what the hardware's counters call bank conflicts. `least`
    is how many wavefronts the different bytes would fill alone; where it is below `ideal`, no
    counter tells of the difference. `ways`: the most wavefronts of one phase.
    """

    instructions: Count
    wavefronts: Count | None = None
    ideal: Count | None = None
    least: Count | None = None
    ways: int | None = None
    unknown: str | None = None
    measured_on: str | None = None

    @property
    def conflicts(self) -> Count | None:
        """Wavefronts beyond the ideal ones."""
        if self.wavefronts is None or self.ideal is None:
            return None
        return self.wavefronts - self.ideal


@dataclass(frozen=True)
class PatternCounts:
    """The same per pattern: arrays of one entry a pattern."""

    wavefronts: Ints
    ideal: Ints
    least: Ints
    ways: Ints


def count_wavefronts(
    access: SharedAccess,
    shared: npt.ArrayLike,
    rules: BankRules,
    *,
    outside: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> BankCount:
    """The totals of patterns x lanes byte addresses; a negative address is an inactive lane.

    `outside` holds the global addresses of asynchronous copies, modulo at least 128 bytes.
    `weights` says how often each pattern is executed, by default once; a pattern without an
    active lane is no instruction. Raises ValueError where the shapes do not fit.
    """
    addresses, far = prepare(access, shared, rules, outside)
    weight = _weights(weights, len(addresses))
    weight = np.where((addresses >= 0).any(axis=1), weight, 0)
    instructions = weight.sum().item()
    unknown = why_unknown(access, addresses, far, rules)
    if unknown is not None:
        return BankCount(instructions, unknown=unknown, measured_on=rules.measured_on)
    counts = _count(access, addresses, far, rules)
    total = {name: (getattr(counts, name) * weight).sum().item() for name in _TOTALS}
    ways = int(counts.ways.max(initial=0))
    return BankCount(instructions, **total, ways=ways, measured_on=rules.measured_on)


def count_patterns(
    access: SharedAccess,
    shared: npt.ArrayLike,
    rules: BankRules,
    *,
    outside: npt.ArrayLike | None = None,
) -> PatternCounts | None:
    """The counts of each pattern, arguments as for `count_wavefronts`; None where unknown."""
    addresses, far = prepare(access, shared, rules, outside)
    if why_unknown(access, addresses, far, rules) is not None:
        return None
    return _count(access, addresses, far, rules)


def distinct_patterns(
    shared: Ints, weights: npt.ArrayLike | None = None, outside: Ints | None = None
) -> tuple[Ints, Weights, Ints | None]:
    """Patterns that differ, with the sums of their weights; the counts do not change.

    Two patterns are equal when they differ by a multiple of 256 bytes, a row of up to 64 banks;
    global addresses are equal modulo 128 bytes.
    """
    weight = _weights(weights, len(shared))
    moved = [_from_row(shared, 256), *([] if outside is None else [_from_row(outside, 128)])]
    first, which = unique_rows(np.concatenate(moved, axis=1))
    sums = np.bincount(which, weights=weight, minlength=len(first)).astype(weight.dtype)
    return moved[0][first], sums, moved[1][first] if outside is not None else None


def operand_wavefronts(size_bytes: int, rules: BankRules) -> int:
    """Wavefronts of a tensor operand that the unit reads through a descriptor, as wgmma does.

    Source: Nsight Compute on an NVIDIA H200: memory_l1_wavefronts_shared less those of the load
    and store unit is the operands' bytes over 128 in three GEMMs of float16 and float8.
    """
    return -(-size_bytes // rules.row_bytes)


def prepare(
    access: SharedAccess,
    shared: npt.ArrayLike,
    rules: BankRules,
    outside: npt.ArrayLike | None,
) -> tuple[Ints, Ints | None]:
    """The addresses as patterns x lanes, -1 for a lane that does not take part."""
    addresses = _as_patterns(shared, rules.lanes)
    if access.addressing_lanes is not None:
        addresses[:, access.addressing_lanes :] = -1
    if outside is None:
        return addresses, None
    far = _as_patterns(outside, rules.lanes)
    if far.shape != addresses.shape:
        raise ValueError(f"{addresses.shape} shared addresses, but {far.shape} global ones")
    return addresses, far


def why_unknown(
    access: SharedAccess, addresses: Ints, outside: Ints | None, rules: BankRules
) -> str | None:
    """Why nothing can be said of the access; None where it can."""
    rule = rules.rule(access)
    if rule is None:
        return rules.why_unknown(access)
    if rule.needs_global and outside is None:
        return "the addresses in global memory are unknown, and wavefronts depend on them"
    if ((addresses >= 0) & (addresses % access.width_bytes != 0)).any():
        return f"an address is no multiple of {access.width_bytes}, which the hardware refuses"
    return None


def serve(access: SharedAccess, addresses: Ints, outside: Ints | None, rules: BankRules) -> Service:
    """How a known access is served, of addresses that `prepare` gave."""
    rule: Rule | None = rules.rule(access)
    assert rule is not None
    return rule.serve(rules, addresses, outside, access.width_bytes)


_TOTALS = ("wavefronts", "ideal", "least")


def _count(
    access: SharedAccess, addresses: Ints, outside: Ints | None, rules: BankRules
) -> PatternCounts:
    parts = []
    for start in range(0, len(addresses), _CHUNK):
        part = slice(start, start + _CHUNK)
        far = None if outside is None else outside[part]
        served = serve(access, addresses[part], far, rules)
        parts.append((served.wavefronts.sum(1), served.ideal, served.wavefronts.max(1, initial=0)))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    wavefronts, ideal, ways = columns or [np.zeros(0, np.int64)] * 3
    least = _least(addresses, access.width_bytes, rules.row_bytes)
    return PatternCounts(wavefronts, ideal, least, ways)


def _least(addresses: Ints, width: int, row_bytes: int) -> Ints:
    """Per pattern, the rows of all banks that its different units fill."""
    units = np.sort(np.where(addresses >= 0, addresses // width, -1), axis=1)
    new = np.ones(units.shape, bool)
    new[:, 1:] = units[:, 1:] != units[:, :-1]
    size = (new & (units >= 0)).sum(axis=1) * width
    least: Ints = -(-size // row_bytes)
    return least


def unique_rows(table: Ints) -> tuple[Ints, Ints]:
    """The first of each kind of row, and the kind of each row.

    Rows are told apart by a sum, which sorts ten times faster than rows do; the sums are checked.
    """
    factors = np.cumprod(np.full(table.shape[1], 0x9E3779B97F4A7C15, np.uint64))
    sums = (table.astype(np.uint64) * factors).sum(axis=1)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if not np.array_equal(table[first][which], table):
        _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, which.ravel()


def _from_row(addresses: Ints, row_bytes: int) -> Ints:
    lowest = np.where(addresses >= 0, addresses, np.iinfo(np.int64).max).min(axis=1)
    start = lowest // row_bytes * row_bytes
    return np.where(addresses >= 0, addresses - start[:, None], -1)


def _as_patterns(addresses: npt.ArrayLike, lanes: int) -> Ints:
    patterns = np.array(addresses, np.int64, ndmin=2)
    if patterns.ndim != 2 or patterns.shape[1] != lanes:
        raise ValueError(f"expected patterns of {lanes} lanes, got the shape {patterns.shape}")
    return np.where(patterns < 0, -1, patterns)


def _weights(weights: npt.ArrayLike | None, patterns: int) -> Weights:
    if weights is None:
        return np.ones(patterns, np.int64)
    given = np.asarray(weights)
    if given.shape != (patterns,):
        raise ValueError(f"{patterns} patterns, but weights of the shape {given.shape}")
    return given.astype(np.int64 if np.issubdtype(given.dtype, np.integer) else np.float64)
