"""Recommended tiles of attention's forward pass on each kind of GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.patterns.attention.fields import Family, family_of
from workbench.core.patterns.model import Advice, Goal, Values
from workbench.core.targets.model import Target


@dataclass(frozen=True)
class Tiles:
    """Queries and keys of a tile, threads and stages."""

    queries: int
    keys: int
    threads: int
    stages: int


# Hopper: of the tiles for a head of 128, every one was timed at 4 x 16 heads of 4096 tokens in fp16
# on an NVIDIA H200, 2026-11-29, tilelang 0.1.15: 128 x 128 with 256 threads 0.99 to 1.03 ms, 128 x
# 64 1.06 ms, 64 x 128 1.28 ms. The others are what shared memory and registers leave.
_TILES: Mapping[Family, Mapping[int, Tiles]] = {
    Family.HOPPER: {
        64: Tiles(128, 128, 256, 2),
        128: Tiles(128, 128, 256, 2),
        256: Tiles(128, 64, 256, 2),
    },
    Family.AMPERE: {
        64: Tiles(128, 64, 256, 2),
        128: Tiles(128, 64, 256, 2),
        256: Tiles(64, 64, 128, 1),
    },
    Family.SMALL_SHARED: {
        64: Tiles(128, 64, 256, 2),
        128: Tiles(64, 64, 128, 2),
        256: Tiles(64, 32, 128, 1),
    },
    Family.OLD: {
        64: Tiles(64, 64, 128, 1),
        128: Tiles(64, 64, 128, 1),
        256: Tiles(64, 16, 128, 1),
    },
    Family.CDNA: {
        64: Tiles(128, 64, 256, 1),
        128: Tiles(64, 64, 256, 1),
        256: Tiles(64, 16, 256, 1),
    },
}
_WHY_TILES: Mapping[Family, str] = {
    Family.HOPPER: "Two warpgroups of 64 rows: one computes exponentials while the other "
    "multiplies, and each key is read once for 128 queries.",
    Family.AMPERE: "Each key is read once for all queries of a block; more would spill.",
    Family.SMALL_SHARED: "The tiles of Q, K and V fit the 99 KiB that a block may have.",
    Family.OLD: "The tiles of Q, K and V fit the 64 KiB that a block may have.",
    Family.CDNA: "The tiles of Q, K and V fit the 64 KiB of LDS.",
}
_WHY_STAGES: Mapping[int, str] = {
    1: "Shared memory has room for one tile of keys and values beside the queries.",
    2: "The next keys and values arrive while these are multiplied; a third stage was no faster.",
}


def advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    """Recommended values for one target, given the problem."""
    family = family_of(target)
    dims = _TILES[family]
    tiles = dims.get(values["dim"], dims[128])
    reason = _WHY_TILES[family]
    return {
        "kv_heads": Advice(values["heads"], "Each head has keys and values of its own (MHA)."),
        "block_M": Advice(tiles.queries, reason),
        "block_N": Advice(tiles.keys, "What registers leave for scores beside the results."),
        "threads": Advice(tiles.threads, _registers(tiles, values)),
        "num_stages": Advice(tiles.stages, _WHY_STAGES[tiles.stages]),
        "order": _order(values),
    }


def _registers(tiles: Tiles, values: Values) -> str:
    kept = tiles.queries * (values["dim"] + tiles.keys) // tiles.threads
    return f"Results and scores take {kept} registers a thread."


def _order(values: Values) -> Advice:
    if values["causal"]:
        return Advice("heads", "The longest tiles start first: short ones fill the launch's end.")
    return Advice("tiles", "Tiles of one head share its keys and values in L2.")


# Hopper with roles, timed at 8 x 16 heads of 4096 tokens in fp16 on an NVIDIA H200, 2026-11-30,
# tilelang 0.1.15, in TFLOP/s. Without a mask 128 x 128: 652 (cuDNN 654, TileLang's own schedule
# 607); causal 128 x 128: 598 (cuDNN 578, TileLang's own 555). With warpgroups that take turns at
# beginning products 653 and 612, without a mask 128 x 160 663, 128 x 176 661, 128 x 112 618, causal
# 128 x 96 563. 160 keys without turns, and heads of 64 and 256, were not timed.
_ROLES: Mapping[int, Tiles] = {
    64: Tiles(128, 128, 256, 2),
    128: Tiles(128, 160, 256, 2),
    256: Tiles(128, 64, 256, 2),
}
_ROLES_CAUSAL: Mapping[int, Tiles] = {**_ROLES, 128: Tiles(128, 128, 256, 2)}


def advise_schedule(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    """Recommended values of the pattern that offers a schedule, given the problem."""
    advice = dict(advise(values, target, goal))
    if family_of(target) is not Family.HOPPER:
        reason = "The compiler places the copies; there are no asynchronous warpgroup products."
        return {**advice, "schedule": Advice("compiler", reason)}
    dims = _ROLES_CAUSAL if values["causal"] else _ROLES
    tiles = dims.get(values["dim"], dims[128])
    reason = "What registers leave for scores and weights beside the results."
    return {
        **advice,
        "block_M": Advice(tiles.queries, "Two warpgroups of 64 rows share each tile of keys."),
        "block_N": Advice(tiles.keys, reason),
        "threads": Advice(tiles.threads, _registers(tiles, values)),
        "num_stages": Advice(tiles.stages, "The next keys and values arrive meanwhile."),
        "schedule": Advice("roles", "Exponentials overlap with the product of the tile before."),
    }
