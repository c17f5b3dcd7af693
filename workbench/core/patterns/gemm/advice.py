"""Recommended tiles of a matrix multiplication: what a target runs well, in whole waves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.core.patterns.common import ASCEND, CPU, ceildiv, counted, element_bytes
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import Advice, Goal, Values
from workbench.core.targets.labels import short_label
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
_HOPPER = Family(
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
    "Two stages of 64 bytes a row take 32 KiB of the 64 KiB of LDS, so that two workgroups fit.",
    "The next tile is loaded while this one is multiplied; LDS has room for no third.",
)
_SIMDGROUP = Family(
    (Tile(64, 64, 128, 1.0), Tile(32, 64, 128, 0.7), Tile(16, 64, 128, 0.4)),
    64,
    1,
    "A threadgroup has 32 KiB for its tiles.",
    "TileLang's back end for Metal has no asynchronous copies: a second stage would only take "
    "memory.",
)
_NATURAL_OUTPUT = {"int8": "int32", "float32": "float32", "bfloat16": "bfloat16"}


def advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    """Recommended values for one target, given the problem."""
    if target.dialect == CPU:
        return {**_requirements(values, target), **_cpu_advice(values)}
    if target.dialect == ASCEND:
        return {**_requirements(values, target), **_ascend_advice(values)}
    family = family_of(target, values["dtype"])
    tile, reason = _best(family, values, target, goal)
    step = max(1, family.step_bytes // element_bytes(values["dtype"]))
    return {
        **_requirements(values, target),
        "block_M": Advice(tile.block_M, reason),
        "block_N": Advice(tile.block_N, _intensity(tile, values)),
        "block_K": Advice(step, family.step_reason),
        "threads": Advice(tile.threads, _registers(tile)),
        "policy": Advice("Square", "Each warp gets a part as square as can be: it reads least."),
        "num_stages": Advice(family.stages, family.stages_reason),
        **_order(values, tile, target),
    }


def family_of(target: Target, dtype: str) -> Family:
    """The kind of GPU that decides the tiles; fp32 operands have no wgmma in TileLang 0.1.15."""
    arch = target.arch
    if arch.vendor is Vendor.AMD:
        return _CDNA
    if arch.vendor is Vendor.APPLE:
        return _SIMDGROUP
    if arch.has(Feature.WGMMA) and target.lowering_arch == arch.name and dtype != "float32":
        return _HOPPER
    if not arch.has(Feature.CP_ASYNC):
        return _NO_ASYNC_COPY
    shared = arch.limits.shared_bytes_per_block_opt_in or 0
    if shared <= 128 * 1024:
        return _SMALL_SHARED
    # Fragments of fp32 operands take twice the registers: beside 128 sums they would spill.
    return replace(_AMPERE, tiles=_MMA[1:]) if dtype == "float32" else _AMPERE


def _requirements(values: Values, target: Target) -> dict[str, Advice]:
    advice = {}
    natural = _NATURAL_OUTPUT.get(values["dtype"], "float16")
    if target.dialect == CPU and natural != "int32":
        natural = "float32"
        advice["dtype"] = Advice("float32", "Plain C has no shorter floating-point format.")
    if target.dialect == ASCEND:
        natural = "float32"
    title = DTYPES[natural].title
    advice["out_dtype"] = Advice(natural, f"The sums lose nothing that matters as {title}.")
    if element_bytes(values["dtype"]) == 1 and target.dialect != CPU:
        reason = "Operands of 8 bits are read along K."
        advice["layout_A"] = Advice("row", reason)
        advice["layout_B"] = Advice("column", reason)
    if values["dtype"] == "float32" and target.arch.has(Feature.LDMATRIX):
        reason = "No instruction transposes 32-bit values on their way out of shared memory."
        advice["layout_B"] = Advice("column", reason)
    if target.dialect == ASCEND:
        known = values["dtype"] in ("float16", "bfloat16")
        dtype = values["dtype"] if known else "bfloat16"
        advice["dtype"] = Advice(dtype, "The cube core multiplies fp16 and bf16.")
        advice["layout_B"] = Advice("column", "The cube core's tiles are loaded along K.")
    return advice


def _best(family: Family, values: Values, target: Target, goal: Goal) -> tuple[Tile, str]:
    """The tile whose waves end first, and why; without a number of multiprocessors the largest."""
    units = max(target.sm_counts.values(), default=0)
    fitting = [t for t in family.tiles if _is_worth(t, values)] or list(family.tiles[-1:])
    if not units:
        tile = fitting[0]
        return tile, f"{tile.block_M} × {tile.block_N} is the largest tile that does not spill."
    tile = min(fitting, key=lambda t: _cost(t, values, units, goal))
    blocks = _blocks(tile, values)
    waves = blocks / units
    label = short_label(target)
    if blocks < units:
        return tile, f"{counted(blocks, 'tile')} for the {units} multiprocessors of {label}."
    return tile, (
        f"{counted(blocks, 'tile')} make {waves:.2f} waves on the {units} multiprocessors of "
        f"{label}: of the tiles that fit, the soonest end."
    )


def _is_worth(tile: Tile, values: Values) -> bool:
    """A tile at least half of which is rows and columns of C, or the smallest there is."""
    return bool(tile.block_M < 2 * values["M"] and tile.block_N < 2 * values["N"])


def _cost(tile: Tile, values: Values, units: int, goal: Goal) -> float:
    """Time in units of a multiprocessor's work: whole waves of tiles, each at its share of speed.

    For latency a wave that is not full counts in full, for throughput other kernels may use what
    is idle in the last one.
    """
    blocks = _blocks(tile, values)
    whole = ceildiv(blocks, units)
    waves = whole if goal is Goal.LATENCY else max(1.0, (blocks / units + whole) / 2)
    return waves * tile.block_M * tile.block_N / tile.share


def _blocks(tile: Tile, values: Values) -> int:
    return ceildiv(values["M"], tile.block_M) * ceildiv(values["N"], tile.block_N)


def _intensity(tile: Tile, values: Values) -> str:
    """FLOP for each byte that a block loads: 2 M N K over the bytes of (M + N) K."""
    loaded = (tile.block_M + tile.block_N) * element_bytes(values["dtype"])
    flop = 2 * tile.block_M * tile.block_N / loaded
    return f"Each byte that comes from L2 feeds {flop:.0f} FLOP."


def _registers(tile: Tile) -> str:
    kept = tile.block_M * tile.block_N // tile.threads
    half = f"; half as many threads would need {kept * 2}" if kept >= 64 else ""
    return f"The sums take {kept} registers a thread{half}."


def _order(values: Values, tile: Tile, target: Target) -> dict[str, Advice]:
    along_n = ceildiv(values["N"], tile.block_N)
    along_m = ceildiv(values["M"], tile.block_M)
    units = max(target.sm_counts.values(), default=0)
    if along_n * along_m > max(units, 1) and min(along_m, along_n) > 4:
        panel = Advice(10, "Blocks that run together then share rows of A and columns of B in L2.")
    else:
        panel = Advice(0, "All blocks run at once or lie in one row: no order is better.")
    whole_rows = element_bytes(values["out_dtype"]) <= 2 and tile.block_M >= 64
    through = (
        "A fragment holds two neighbours of a row in one thread: written from shared memory, rows "
        "leave whole (on Hopper by TMA), in the place of the stages, which are done by then."
    )
    straight = "The tile of C would not fit beside what it holds, or gains nothing from it."
    suits = whole_rows and target.arch.has(Feature.LDMATRIX)
    return {"panel": panel, "staged": Advice(suits, through if suits else straight)}


def _cpu_advice(values: Values) -> dict[str, Advice]:
    edge = 64
    reason = "Three tiles fit the 48 KiB of an L1 data cache."
    return {
        "block_M": Advice(edge, reason),
        "block_N": Advice(edge, "A row of the tile is several vectors of the processor."),
        "block_K": Advice(edge, reason),
        "panel": Advice(0, "The grid becomes the outer loops."),
        "staged": Advice(False, "A CPU has no shared memory."),
    }


def _ascend_advice(values: Values) -> dict[str, Advice]:
    return {
        "block_M": Advice(
            128, "A tile of 128 × 128 fp32 sums fills half of a core's 128 KiB of L0C."
        ),
        "block_N": Advice(128, "The two vector cores take half of the tile each."),
        "block_K": Advice(64, "128 bytes of a row: four blocks of the 32 bytes that copies move."),
        "num_stages": Advice(2, "One tile of L1 is multiplied while the next is loaded."),
        "panel": Advice(0, "Tiles are divided among the cores by number."),
        "staged": Advice(False, "The sums leave through the vector cores in any case."),
    }
