"""The bank rules of the architectures that we know, each with its source."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.core.analysis.bank_rules import (
    AccessKind,
    BankedRule,
    BankRules,
    Bools,
    Ints,
    Rule,
    SameWord,
    Split,
)
from workbench.core.analysis.copy_rules import LineRule, TransferRule
from workbench.core.targets.model import Architecture, Vendor

MEASUREMENT = (
    "288 single instructions on an NVIDIA H200 (compute capability 9.0), driver 580, CUDA 13.0, "
    "2026-11-29"
)
_COPIES = f"{MEASUREMENT}: the patterns cpasync4, cpasync8 and cpasync16"
_LINES = (
    f"{_COPIES}, and 621 more of 16 bytes, of tiles, padded tiles, rows filled with zeros and "
    "lanes put at random: all but one agree, which is one wavefront of 25 off"
)
_NARROW = (
    f"{_COPIES}, and 431 more of 4 and 8 bytes, whose lanes are in or out of order in shared "
    "memory, in global memory or in both: all agree, with L1 empty and with the data in it"
)
_COUNTS = (
    "ATOMS.POPC.INC on an NVIDIA H200, driver 580, CUDA 13.0, 2026-11-29: 2,048 instructions whose "
    "lanes count 8 words by fours took 2,048 wavefronts: lanes of one word are counted together"
)
_LDS = "AMD, ROCm Compute Profiler documentation, Pipeline descriptions, Local data share"
_CK = "AMD, Composable Kernel documentation, Understanding AMD GPU LDS and Bank Conflicts"
_CDNA4 = (
    "HipKittens, analysis/paper_experiments/phases: which lanes and banks of ds_read_b64 and "
    "ds_read_b128 conflict on an AMD Instinct MI355X, as its authors found"
)


def rules_for(arch: Architecture) -> BankRules | None:
    """The bank rules of an architecture; None where none are known.

    NVIDIA's were measured on compute capability 9.0. The others, from 7.0 on, have the same banks
    (CUDA C++ Programming Guide, Shared Memory), so the rules stand for them too, as not measured.
    """
    limits = arch.limits
    geometry = (limits.warp_size, limits.shared_banks, limits.shared_bank_bytes)
    if arch.vendor is Vendor.NVIDIA and geometry == (32, 32, 4):
        return NVIDIA if arch.order == 90 else replace(NVIDIA, measured_on=None)
    return {("gfx942", 32): CDNA3, ("gfx950", 64): CDNA4}.get((arch.name, limits.shared_banks or 0))


def by_runs(lanes: int, run: int) -> Split:
    """Phases of `run` neighbouring lanes."""
    return by_groups([list(range(start, start + run)) for start in range(0, lanes, run)])


def by_groups(groups: list[list[int]]) -> Split:
    """Phases of the lanes named."""
    phases = np.empty(sum(map(len, groups)), np.int64)
    for phase, lanes in enumerate(groups):
        phases[lanes] = phase
    return lambda addresses: np.broadcast_to(phases, addresses.shape)


def loads_by_halves(addresses: Ints) -> Ints:
    """The phases of 8-byte loads: half warps, merged where lanes read in pairs.

    Source: the calibration, patterns ld8; NVIDIA's forum (thread 77228) tells the same of
    compute capability 7.x, where pairs are lanes i and i^1 or lanes i and i^2.
    """
    lane = np.arange(addresses.shape[1])
    return np.where(_in_pairs(addresses)[:, None], 0, lane // 16)


def loads_by_quarters(addresses: Ints) -> Ints:
    """The phases of 16-byte loads: quarter warps, two of a half merged as in `loads_by_halves`.

    Source: the calibration, patterns ld16.
    """
    lane = np.arange(addresses.shape[1])
    halves = [_in_pairs(addresses[:, half : half + 16]) for half in (0, 16)]
    merged = np.repeat(np.stack(halves, axis=1), 16, axis=1)
    return np.where(merged, lane // 16 * 2, lane // 8)


def _in_pairs(addresses: Ints) -> Bools:
    """Per pattern, whether all active pairs of lanes i, i^1 or all of i, i^2 share an address."""
    lane = np.arange(addresses.shape[1])
    found = np.zeros(len(addresses), bool)
    for stride in (1, 2):
        other = addresses[:, lane ^ stride]
        found |= ((addresses == other) | (addresses < 0) | (other < 0)).all(axis=1)
    return found


def _nvidia() -> dict[tuple[AccessKind, int], Rule]:
    whole, half, quarter = (by_runs(32, run) for run in (32, 16, 8))
    loads = {1: whole, 2: whole, 4: whole, 8: loads_by_halves, 16: loads_by_quarters}
    stores = {2: whole, 4: whole, 8: half, 16: quarter}  # these never merge
    ours = MEASUREMENT
    return {
        **{(AccessKind.LOAD, w): BankedRule(s, f"{ours}: ld{w}") for w, s in loads.items()},
        **{(AccessKind.STORE, w): BankedRule(s, f"{ours}: st{w}") for w, s in stores.items()},
        (AccessKind.STORE, 1): BankedRule(whole, f"{ours}: st2, taken to hold for 1 byte"),
        (AccessKind.LDMATRIX, 16): BankedRule(quarter, f"{ours}: ldsm1, ldsm2, ldsm4, ldsm4t"),
        (AccessKind.STMATRIX, 16): BankedRule(quarter, f"{ours}: stsm4"),
        (AccessKind.ASYNC_COPY, 4): TransferRule(whole, _NARROW),
        (AccessKind.ASYNC_COPY, 8): TransferRule(half, _NARROW),
        (AccessKind.ASYNC_COPY, 16): LineRule(TransferRule(quarter, _LINES), _LINES),
        (AccessKind.INTEGER_ATOMIC, 4): BankedRule(
            whole, f"{ours}: atomu32, redu32", SameWord.EACH
        ),
        (AccessKind.INTEGER_COUNT, 4): BankedRule(whole, _COUNTS),
    }


NVIDIA = BankRules(
    title="NVIDIA shared memory, 32 banks of 4 bytes",
    lanes=32,
    banks=32,
    bank_bytes=4,
    rules=_nvidia(),
    unknown={
        AccessKind.FLOAT_ATOMIC: (
            "atomics on floating-point shared memory compile to a compare-and-swap loop, whose "
            "passes depend on which lanes win"
        )
    },
    measured_on=MEASUREMENT,
)


def _four_and_four(first: list[tuple[int, int]]) -> list[list[int]]:
    """Groups of two runs of four lanes each, in both halves of a wavefront."""
    runs = [(a + half, b + half) for half in (0, 32) for a, b in first]
    return [[*range(a, a + 4), *range(b, b + 4)] for a, b in runs]


def _cdna3() -> dict[tuple[AccessKind, int], Rule]:
    """Half wavefronts of 4 bytes fill the 128 bytes a clock that the banks give.

    The groups of ds_read_b128 and ds_write_b128 are AMD's. Of 8 bytes only the rate is told, not
    which lanes go together, so those are unknown.
    """
    narrow = by_runs(64, 32)
    read = by_groups(_four_and_four([(0, 20), (4, 16), (8, 28), (12, 24)]))
    both = (AccessKind.LOAD, AccessKind.STORE)
    return {
        **{(kind, w): BankedRule(narrow, _LDS) for kind in both for w in (1, 2, 4)},
        (AccessKind.LOAD, 16): BankedRule(read, _CK),
        (AccessKind.STORE, 16): BankedRule(by_runs(64, 8), _CK),
        (AccessKind.INTEGER_ATOMIC, 4): BankedRule(narrow, _LDS, SameWord.EACH),
    }


def _cdna4() -> dict[tuple[AccessKind, int], Rule]:
    """Reads of 8 and 16 bytes, which fill 64 banks."""
    halves = by_runs(64, 32)
    first, second = [0, 12, 20, 24], [4, 8, 16, 28]
    runs = [[start + half for start in group] for half in (0, 32) for group in (first, second)]
    read = by_groups([[lane for s in group for lane in range(s, s + 4)] for group in runs])
    return {
        (AccessKind.LOAD, 8): BankedRule(halves, _CDNA4),
        (AccessKind.LOAD, 16): BankedRule(read, _CDNA4),
    }


_PAIRS = "AMD documents no groups of lanes for accesses of 8 bytes to LDS"
_AMD_UNKNOWN = {
    AccessKind.FLOAT_ATOMIC: "AMD documents no rate for atomics on floating-point LDS",
    AccessKind.ASYNC_COPY: "AMD documents no bank rule for loads from global memory to LDS",
}

CDNA3 = BankRules(
    title="AMD CDNA 3 LDS, 32 banks of 4 bytes",
    lanes=64,
    banks=32,
    bank_bytes=4,
    rules=_cdna3(),
    unknown={**_AMD_UNKNOWN, AccessKind.LOAD: _PAIRS, AccessKind.STORE: _PAIRS},
    measured_on=None,
)

CDNA4 = BankRules(
    title="AMD CDNA 4 LDS, 64 banks of 4 bytes",
    lanes=64,
    banks=64,
    bank_bytes=4,
    rules=_cdna4(),
    unknown={
        **_AMD_UNKNOWN,
        AccessKind.STORE: "writes to LDS seem to meet 32 banks, not 64, and AMD documents none",
    },
    measured_on=None,
)
