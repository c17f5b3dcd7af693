"""Global-memory accesses of a warp: the bytes asked for, and the sectors and lines they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Count = int | float

_WIDEST = 16  # bytes that a lane moves at once at the most
_NONE = np.iinfo(np.int64).max  # sorts behind every piece


@dataclass(frozen=True)
class GlobalCount:
    """The sum over all instructions of an access site.

    `requested_bytes` counts every active lane, `distinct_bytes` what the lanes of one instruction
    share once. `sectors` and `lines` are those that each instruction touches, and
    `least_sectors` those that its distinct bytes would fill alone. `pairs` are neighbouring lanes
    that are both active, `far_pairs` those of them whose addresses are more than 16 bytes apart:
    what a lane's next instructions touch does not lie between them.
    """

    instructions: Count
    requested_bytes: Count
    distinct_bytes: Count
    sectors: Count
    least_sectors: Count
    lines: Count
    sector_bytes: int
    pairs: Count = 0
    far_pairs: Count = 0

    @property
    def sectors_per_instruction(self) -> float | None:
        """Sectors of an instruction on average; None where there is none."""
        return self.sectors / self.instructions if self.instructions else None

    @property
    def efficiency(self) -> float | None:
        """The part of the sectors' bytes that lanes asked for; None where there are none."""
        return self.distinct_bytes / (self.sectors * self.sector_bytes) if self.sectors else None


def count_sectors(
    addresses: npt.ArrayLike,
    width_bytes: int,
    *,
    weights: npt.ArrayLike | None = None,
    sector_bytes: int = 32,
    line_bytes: int = 128,
    past_l1: bool = False,
) -> GlobalCount:
    """The totals of patterns x lanes byte addresses; a negative address is an inactive lane.

    Addresses count modulo a line. `weights` says how often each pattern is executed. With `past_l1`
    they are 16-byte copies of `cp.async.cg`, whose sectors `count_lane_pairs` counts. Source:
    Nsight Compute, Kernel Profiling Guide, Memory Tables: sectors of 32 bytes, lines of 128; its
    sector counters count each sector of a request once.
    """
    lanes = np.array(addresses, np.int64, ndmin=2)
    weight = _weights(weights, lanes)
    active = (lanes >= 0).sum(axis=1)
    distinct = _pieces(lanes, width_bytes, 1).sum(axis=1)
    paired = (lanes[:, 1:] >= 0) & (lanes[:, :-1] >= 0)
    far = paired & (np.abs(np.diff(lanes, axis=1)) > _WIDEST)

    def total(each: Ints) -> Count:
        value: Count = (each * weight).sum().item()
        return value

    return GlobalCount(
        instructions=total((active > 0).astype(np.int64)),
        requested_bytes=total(active * width_bytes),
        distinct_bytes=total(distinct),
        sectors=total(
            count_lane_pairs(lanes, line_bytes)
            if past_l1
            else count_pieces(lanes, width_bytes, sector_bytes)
        ),
        least_sectors=total(-(-distinct // sector_bytes)),
        lines=total(count_pieces(lanes, width_bytes, line_bytes)),
        sector_bytes=sector_bytes,
        pairs=total(paired.sum(axis=1)),
        far_pairs=total(far.sum(axis=1)),
    )


def count_pieces(addresses: Ints, width_bytes: int, piece_bytes: int) -> Ints:
    """Per pattern, the aligned pieces of memory that its lanes touch."""
    pieces: Ints = _pieces(addresses, width_bytes, piece_bytes).sum(axis=1)
    return pieces


def count_lane_pairs(addresses: Ints, line_bytes: int = 128) -> Ints:
    """Per pattern, the sectors that 16-byte copies past the L1 (`cp.async.cg`) are counted as.

    Lanes 2i and 2i + 1 together are one where they read from one line, else one each, whatever
    sectors of memory they lie in. Source: 477 single instructions on an NVIDIA H200, of which all
    agree whose lanes do not conflict in shared memory; those that do are counted as more.
    """
    even, odd = addresses[:, 0::2], addresses[:, 1::2]
    joined = (even >= 0) & (odd >= 0) & (even // line_bytes == odd // line_bytes)
    counted: Ints = (addresses >= 0).sum(axis=1) - joined.sum(axis=1)
    return counted


def touched_pieces(addresses: npt.ArrayLike, width_bytes: int, piece_bytes: int = 32) -> Ints:
    """The different pieces that all patterns touch together, as rising piece numbers.

    Their number times `piece_bytes` is the footprint; unite the results of several sites of a
    buffer with numpy.union1d.
    """
    lanes = np.asarray(addresses, np.int64).ravel()
    lanes = lanes[lanes >= 0]
    first, last = lanes // piece_bytes, (lanes + width_bytes - 1) // piece_bytes
    most = int((last - first).max(initial=0)) + 1
    spread = first[:, None] + np.arange(most)
    return np.unique(spread[spread <= last[:, None]])


def _pieces(addresses: Ints, width_bytes: int, piece_bytes: int) -> Ints:
    """Patterns x lanes: the pieces of each lane that no lane before it in address order has.

    Lanes are as wide as each other, so in the order of their addresses a lane's pieces begin no
    earlier than those before it, and only the end of the lane before matters.
    """
    ordered = np.sort(np.where(addresses >= 0, addresses, _NONE - width_bytes), axis=1)
    first, last = ordered // piece_bytes, (ordered + width_bytes - 1) // piece_bytes
    begin = first.copy()
    begin[:, 1:] = np.maximum(first[:, 1:], last[:, :-1] + 1)
    return np.where(ordered < _NONE - width_bytes, np.maximum(last - begin + 1, 0), 0)


def _weights(weights: npt.ArrayLike | None, lanes: Ints) -> npt.NDArray[Any]:
    given = np.ones(len(lanes), np.int64) if weights is None else np.asarray(weights)
    if given.shape != (len(lanes),):
        raise ValueError(f"{len(lanes)} patterns, but weights of the shape {given.shape}")
    return given
