"""Recommended tiles of a matrix multiplication: what a target runs well, in whole waves."""

from __future__ import annotations

import math
from collections.abc import Mapping

from workbench.core.patterns.common import ASCEND, CPU, ceildiv, counted, element_bytes
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.gemm.staying import stages_of
from workbench.core.patterns.gemm.tiles import HOPPER, Family, Tile, family_of
from workbench.core.patterns.model import Advice, Goal, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

_WARPGROUP_THREADS = 128
_WGMMA_ROWS = 64
_PANELS = (4, 8, 10, 16)
_ONE_TILE = Advice(False, "Each block has one tile, so that the GPU divides the work.")
_NATURAL_OUTPUT = {"int8": "int32", "float32": "float32", "bfloat16": "bfloat16"}


def advise(
    values: Values, target: Target, goal: Goal, may_stay: bool = True
) -> Mapping[str, Advice]:
    """Recommended values for one target, given the problem.

    `may_stay` is whether the pattern has a form in which blocks take several tiles.
    """
    if target.dialect == CPU:
        return {**_requirements(values, target), **_cpu_advice(values)}
    if target.dialect == ASCEND:
        return {**_requirements(values, target), **_ascend_advice(values)}
    family = family_of(target, values["dtype"])
    tile, reason = _best(family, values, target, goal)
    step = max(1, family.step_bytes // element_bytes(values["dtype"]))
    stays = _stays(values, tile, family, target) if may_stay else _ONE_TILE
    return {
        **_requirements(values, target),
        "block_M": Advice(tile.block_M, reason),
        "block_N": Advice(tile.block_N, _intensity(tile, values)),
        "block_K": Advice(step, family.step_reason),
        "threads": Advice(tile.threads, _registers(tile)),
        "policy": _policy(tile, family),
        "num_stages": stages_of(family, stays.value),
        **_order(values, tile, target),
        "stays": stays,
    }


def _stays(values: Values, tile: Tile, family: Family, target: Target) -> Advice:
    """Whether blocks stay for several tiles.

    An NVIDIA H200, 2026-11-30, tilelang 0.1.15, fp16: 183.0 us at 4096 cubed and 1,416 us at 8192
    cubed, where blocks of one tile need 188.1 and 1,436 us. Not measured of 8 bits.
    """
    short = element_bytes(values["dtype"]) == element_bytes(values["out_dtype"]) == 2
    plain = not (values["bias"] or values["dynamic_M"])
    aligned = all(values[name] % 8 == 0 for name in "MNK")
    several = _blocks(tile, values) > max(target.sm_counts.values(), default=1)
    if family is HOPPER and tile is HOPPER.tiles[0] and short and plain and aligned and several:
        return Advice(
            True, "The copies of the next tile run while a tile is written: no wait at its start."
        )
    return _ONE_TILE


def _requirements(values: Values, target: Target) -> dict[str, Advice]:
    advice = {}
    natural = _NATURAL_OUTPUT.get(values["dtype"], "float16")
    if target.dialect == CPU and natural != "int32":
        natural = "float32"
        advice["dtype"] = Advice("float32", "Plain C has no shorter floating-point format.")
    if target.dialect == ASCEND:
        natural = "float32"
    title = DTYPES[natural].title
    advice["out_dtype"] = Advice(
        natural, f"Sums are rounded to {title} once, where they are written."
    )
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
    waves = f"{blocks / units:.2f}" if blocks < 100 * units else f"{blocks / units:,.0f}"
    label = short_label(target)
    if blocks < units:
        return tile, f"{counted(blocks, 'tile')} for the {units} multiprocessors of {label}."
    return tile, (
        f"{blocks:,} tiles make {waves} waves on the {units} multiprocessors of "
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


def largest(target: Target, dtype: str) -> tuple[Tile, Advice]:
    """The tile that reads least where waves do not matter, and how warps share it."""
    family = family_of(target, dtype)
    square = Tile(128, 128, 128, 1.0)
    tile = family.tiles[0] if family is HOPPER else square
    return tile, _policy(tile, family)


def _policy(tile: Tile, family: Family) -> Advice:
    """How warps share a tile: two warpgroups of Hopper best take whole rows.

    128 x 256 in fp16 at 4096 cubed, an NVIDIA H200, 2026-11-30, tilelang 0.1.15: 186.4 us with
    whole rows, 188.5 us with square parts; at 8192 cubed 1,439 and 1,458 us.
    """
    groups = tile.threads // _WARPGROUP_THREADS
    if family is HOPPER and groups > 1 and tile.block_M == groups * _WGMMA_ROWS:
        return Advice(
            "FullRow",
            f"A warpgroup multiplies its {_WGMMA_ROWS} rows with all {tile.block_N} columns in one "
            f"instruction, which reads less of shared memory than two of half the width.",
        )
    return Advice("Square", "Each warp gets a part as square as can be: it reads least.")


def _order(values: Values, tile: Tile, target: Target) -> dict[str, Advice]:
    along_n = ceildiv(values["N"], tile.block_N)
    along_m = ceildiv(values["M"], tile.block_M)
    units = max(target.sm_counts.values(), default=0)
    if along_n * along_m > max(units, 1) and min(along_m, along_n) > 4:
        panel = _panel(tile, units)
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


def _panel(tile: Tile, units: int) -> Advice:
    """The offered panel with which the blocks that run at once load the fewest bytes.

    A panel of p tiles has p rows of A and units / p columns of B in work: p block_M + units / p
    block_N is least at the root below. 16 was the fastest of 4 to 16 for 128 x 256 on an NVIDIA
    H200 (fp16, 4096 cubed, 2026-11-30), as the root says.
    """
    best = math.sqrt(max(units, 1) * tile.block_N / tile.block_M)
    panel = min(_PANELS, key=lambda offered: abs(math.log(offered / best)))
    return Advice(
        panel,
        f"Blocks that run together then share rows of A and columns of B in L2; panels of {panel} "
        f"need the fewest bytes for {units} at once.",
    )


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
