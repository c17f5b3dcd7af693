"""What one instruction of PTX accessed: its rows of lanes, equal ones once where they are many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.banks import unique_rows

Ints = npt.NDArray[np.int64]
WARP = 32
POINTER_BITS = 40  # each pointer parameter begins at a multiple of this power of 2
WAITING = 1 << 19  # addresses that are kept as they come
_ROW = 256  # bytes: a row of up to 64 banks, and two lines of global memory
_LINE = 128
_SIGNATURE = 0x9E3779B97F4A7C15


class Trace:
    """The accesses of one instruction in some blocks: warps x lanes addresses, -1 where inactive.

    `unknown` says why addresses miss. Rows that are many are kept once for each kind, moved by
    whole rows of banks and lines of global memory, which no count depends on.
    """

    def __init__(self, space: str = "", width_bytes: int = 0, blocks: int = 1) -> None:
        self.space, self.width_bytes = space, width_bytes
        self.unknown: str | None = None
        self.unknown_warps = 0
        self.signatures = np.zeros(blocks, np.uint64)
        self._blocks = blocks
        self._parts: list[tuple[Ints, Ints | None, Ints]] = []
        self._waiting = 0

    def keep(self, rows: Ints, partners: Ints | None) -> None:
        """Keep an access of blocks x threads; one block stands for all where all do the same."""
        rows = _alike(rows)
        if partners is not None:
            rows, partners = np.broadcast_arrays(rows, _alike(partners))
        if self.space == "shared":
            self.signatures += _signatures(rows, 2 * _LINE)
            self.signatures += 0 if partners is None else _signatures(partners, _LINE)
        counts = np.full(rows.size // WARP, self._blocks // len(rows), np.int64)
        self._add(_lanes(rows), None if partners is None else _lanes(partners), counts)

    def merge(self, other: Trace) -> None:
        """Take in what other blocks did."""
        self.unknown = self.unknown or other.unknown
        self.unknown_warps += other.unknown_warps
        for part in other._parts:
            self._add(*part)

    def patterns(self) -> tuple[Ints, Ints | None, Ints]:
        """Rows in which a lane is active, those of the other side of copies, how often each is."""
        rows = _joined([rows for rows, _, _ in self._parts])
        far = [partners for _, partners, _ in self._parts if partners is not None]
        counts = np.concatenate([np.zeros(0, np.int64), *(counts for _, _, counts in self._parts)])
        some = (rows >= 0).any(axis=1)
        return rows[some], _joined(far)[some] if far else None, counts[some]

    def _add(self, rows: Ints, partners: Ints | None, counts: Ints) -> None:
        self._parts.append((rows, partners, counts))
        self._waiting += rows.size
        if self._waiting > WAITING:
            self._parts = [_folded(*self.patterns())]
            # What is left is looked at anew when as much again has come.
            self._waiting = 0


def _alike(addresses: Ints) -> Ints:
    """Addresses of one block for all, where those of the others are only moved by whole rows."""
    if len(addresses) == 1:
        return addresses
    moved = _moved(_lanes(addresses)).reshape(addresses.shape)
    return moved[:1] if bool((moved == moved[:1]).all()) else addresses


def _folded(rows: Ints, partners: Ints | None, counts: Ints) -> tuple[Ints, Ints | None, Ints]:
    """Rows of each kind once, with the sums of their counts."""
    sides = [_moved(side) for side in (rows, partners) if side is not None]
    first, which = unique_rows(np.concatenate(sides, axis=1))
    sums = np.bincount(which, weights=counts, minlength=len(first)).astype(np.int64)
    return sides[0][first], sides[1][first] if partners is not None else None, sums


def _moved(rows: Ints) -> Ints:
    """Rows moved to the begin of their memory; which pointer they belong to stays."""
    lowest = np.where(rows >= 0, rows, np.iinfo(np.int64).max).min(axis=1)
    start = (lowest & (1 << POINTER_BITS) - 1) // _ROW * _ROW
    return np.where(rows >= 0, rows - start[:, None], -1)


def _signatures(addresses: Ints, modulus: int) -> npt.NDArray[np.uint64]:
    """A number for each block of what it did, equal where two blocks did the same."""
    lanes = _lanes(addresses)
    factors = np.cumprod(np.full(WARP, _SIGNATURE, np.uint64))
    words = np.where(lanes >= 0, lanes % modulus + 1, 0).astype(np.uint64)
    found: npt.NDArray[np.uint64] = (words @ factors).reshape(len(addresses), -1).sum(axis=1)
    return found


def _lanes(rows: Ints) -> Ints:
    return np.ascontiguousarray(rows).reshape(-1, WARP)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros((0, WARP), np.int64)


def block_signatures(traces: Iterable[tuple[int, Trace]], blocks: int) -> npt.NDArray[np.uint64]:
    """A number for each block of what it did by all instructions, given with their index."""
    total = np.zeros(blocks, np.uint64)
    for index, trace in traces:
        total += trace.signatures * np.uint64(2 * index + 1)
    return total
