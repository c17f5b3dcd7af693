"""Tiles of a matrix multiplication by kind of GPU, with how fast each was or can be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.core.targets.model import Feature, Target, Vendor


@dataclass(frozen=True)
class Tile:
    """A tile of C with its threads; `share` is its speed over that of the best tile."""

    block_M: int  # noqa: N815
    block_N: int  # noqa: N815
    threads: int
    share: float


@dataclass(frozen=True)
class Family:
    """What suits the GPUs of one kind: tiles, bytes of K a step, stages, and why the stages."""

    tiles: tuple[Tile, ...]
    step_bytes: int
    stages: int
    step_reason: str
    stages_reason: str


# Shares of Hopper's tiles: the times of every tile at 4096 x 4096 x 4096 in fp16 with a step of 64
# and 3 or 4 stages, an NVIDIA H200, 2026-11-29, tilelang 0.1.15 (128 x 256: 206 us). The narrow
# tiles below 64 rows have no wgmma: mma.sync has half its rate.
HOPPER = Family(
    (
        Tile(128, 256, 256, 1.0),
        Tile(128, 128, 128, 0.82),
        Tile(64, 256, 128, 0.70),
        Tile(128, 64, 128, 0.64),
        Tile(64, 128, 128, 0.61),
        Tile(64, 64, 128, 0.42),
        Tile(32, 64, 128, 0.16),
        Tile(16, 64, 128, 0.08),
    ),
    128,
    4,
    "A row of the tile fills one 128-byte swizzle of TMA: no bank conflict, and whole sectors.",
    "Hopper's copies run ahead of wgmma in a warp of their own: each further tile in flight "
    "covers more of the memory's latency, and shared memory has room for them.",
)
# Where loads are cp.async and products mma.sync, work for each byte of a tile decides: the shares
# are the bytes that a tile of 128 x 256 loads for one product over those of the tile.
_MMA = (
    Tile(128, 256, 256, 1.0),
    Tile(128, 128, 128, 0.92),
    Tile(64, 128, 128, 0.75),
    Tile(128, 64, 128, 0.75),
    Tile(64, 64, 128, 0.55),
    Tile(32, 64, 128, 0.35),
    Tile(16, 64, 128, 0.2),
)
_AMPERE = Family(
    _MMA,
    128,
    3,
    "A row of the tile is one line of 128 bytes, which cp.async reads whole.",
    "While one tile is multiplied two are copied by cp.async, which needs no registers.",
)
_SMALL_SHARED = Family(
    _MMA[1:],
    64,
    3,
    "With about 100 KiB of shared memory a step of 64 bytes leaves room for a second block.",
    "While one tile is multiplied two are copied by cp.async; more would cost the second block.",
)
_NO_ASYNC_COPY = Family(
    _MMA[1:],
    64,
    2,
    "A step of 64 bytes keeps the tile that waits in registers small.",
    "Without cp.async the next tile waits in registers while this one is multiplied: a third "
    "stage would only take shared memory.",
)
# The sizes for 64 KiB of LDS leave it half empty, so that a second workgroup of a compute unit
# works while the first waits.
_CDNA = Family(
    (
        Tile(128, 128, 256, 1.0),
        Tile(64, 128, 256, 0.8),
        Tile(128, 64, 256, 0.8),
        Tile(64, 64, 256, 0.6),
        Tile(32, 64, 128, 0.35),
        Tile(16, 64, 64, 0.2),
    ),
    64,
    2,
    "Two stages of 64 bytes a row take at most 32 KiB of the 64 KiB of LDS: two workgroups fit.",
    "The next tile is loaded while this one is multiplied; beside the largest tiles a third stage "
    "would cost the second workgroup.",
)
_SIMDGROUP = Family(
    (Tile(64, 64, 128, 1.0), Tile(32, 64, 128, 0.7), Tile(16, 64, 128, 0.4)),
    64,
    1,
    "A threadgroup has 32 KiB for its tiles.",
    "TileLang's back end for Metal has no asynchronous copies: a second stage would only take "
    "memory.",
)


def family_of(target: Target, dtype: str) -> Family:
    """The kind of GPU that decides the tiles; fp32 operands have no wgmma in TileLang 0.1.15."""
    arch = target.arch
    if arch.vendor is Vendor.AMD:
        return _CDNA
    if arch.vendor is Vendor.APPLE:
        return _SIMDGROUP
    if arch.has(Feature.WGMMA) and target.lowering_arch == arch.name and dtype != "float32":
        return HOPPER
    if not arch.has(Feature.CP_ASYNC):
        return _NO_ASYNC_COPY
    shared = arch.limits.shared_bytes_per_block_opt_in or 0
    if shared <= 128 * 1024:
        return _SMALL_SHARED
    # Fragments of fp32 operands take twice the registers: beside 128 sums they would spill.
    return replace(_AMPERE, tiles=_MMA[1:]) if dtype == "float32" else _AMPERE
