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


# Hopper with roles and with turns, timed on an NVIDIA H200, 2026-11-30, tilelang 0.1.15: medians of
# 20 launches at 8 x 16 heads of 4096 tokens of 128 in fp16, in microseconds as roles / turns
# (cuDNN). Causal 128 x 128: 929 / 904 (955); grouped heads in bf16 898 / 874 (924); packed 611 /
# 600; 4000 tokens 921 / 912 (937); 32 heads of 64: 1583 / 1377 (1240); 128 x 112: 975 / 956.
# Without a mask 128 x 160: 1683 / 1681 (1746), 128 x 176: 1688 / 1685, 128 x 128: 1696 / 1692; 8
# heads of 256, 128 x 64: 1615 / 1633 (1600). Heads of 64 without a mask, and causal heads of 256,
# were not timed. At the power cap, with a cold L2, causal 128 x 128 took 1,044 / 1,038 us (967).
# Queries in registers, without a mask, 8 x 16 heads of 4096 tokens of 128 in fp16, on the same day:
# turns 128 x 128 with them 1,876 us, roles 128 x 160 1,902 us (cold L2, at the power cap); under
# load 2,135 and 2,266 us at the same energy, in a burst at 1,980 MHz 1,643 and 1,669 us. By count,
# of each key the tensor cores read 4 rows in shared memory, not 5 with queries there too, or 4.8
# with 160 keys. Packed sequences, heads of other sizes and causal masks were not timed.
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
    keeps = _suits_queries(values)
    dims = _ROLES_CAUSAL if values["causal"] else _ROLES
    tiles = _WITH_QUERIES if keeps else dims.get(values["dim"], dims[128])
    reason = "What registers leave for scores and weights beside the results."
    return {
        **advice,
        "block_M": Advice(tiles.queries, "Two warpgroups of 64 rows share each tile of keys."),
        "block_N": Advice(tiles.keys, reason),
        "threads": Advice(tiles.threads, _registers(tiles, values)),
        "num_stages": Advice(tiles.stages, "The next keys and values arrive meanwhile."),
        "schedule": _TURNS_WITH_QUERIES if keeps else _schedule(values),
        **({"queries_in_registers": _QUERIES} if keeps else {}),
    }


_WITH_QUERIES = Tiles(128, 128, 256, 2)
_TURNS_WITH_QUERIES = Advice(
    "turns", "One warpgroup multiplies while the other computes exponentials."
)
_QUERIES = Advice(
    True,
    "The tensor cores read a sixth less in shared memory than with 160 keys and queries from "
    "there: on H200 1.4 % faster, 6 % under load.",
)


def _suits_queries(values: Values) -> bool:
    """Whether queries in registers were measured to be faster, with the tiles that are free."""
    measured = not values["causal"] and not values["variable"] and values["dim"] == 128
    tiles = (values["block_M"], values["block_N"], values["threads"])
    free = tiles == (_WITH_QUERIES.queries, _WITH_QUERIES.keys, _WITH_QUERIES.threads)
    return measured and free and values["schedule"] != "roles"


_MOST_TURNING = 128  # values of a head


def _schedule(values: Values) -> Advice:
    """Turns where they were faster: with a causal mask and heads of up to 128."""
    if values["causal"] and values["dim"] <= _MOST_TURNING:
        return Advice(
            "turns",
            "One warpgroup multiplies while the other computes exponentials: on H200 up to 3 % "
            "faster than roles alone with a causal mask, 13 % with heads of 64.",
        )
    return Advice("roles", "Exponentials overlap with the product of the tile before.")
