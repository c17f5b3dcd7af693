"""Latent attention by two warpgroups in turn: the scores of every other tile, half the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.patterns.attention.fields import uses_warpgroups
from workbench.core.patterns.attention.roles import (
    COPYING_THREADS,
    WARPGROUP_PRODUCTS,
    has_roles,
    registers_of_roles,
)
from workbench.core.patterns.model import Advice, Rule, Values, Why
from workbench.core.patterns.rendering import call
from workbench.core.targets.model import Target

_SIDE = 64  # rows that a warpgroup multiplies, and keys whose weights fill the rotated keys' place
_THREADS = 256
_WIDEST = 256  # columns of one product (wgmma)
_ROW_BYTES = 5 * 4  # of a head: its maximum, and factor and sum of each warpgroup


def alternating_rules() -> tuple[Rule, ...]:
    """What the schedule of roles asks of the target, and the sizes that it is written for."""

    def broken(values: Values, target: Target) -> str | None:
        if not has_roles(values) or _fits(values):
            return None
        return (
            f"Two warpgroups ({_THREADS} threads) in turn take {_SIDE} heads and {_SIDE} keys, "
            f"with 2 tiles in flight: the weights of a tile take the place of its {_SIDE} rotated "
            f"values, and each keeps half of at most {2 * _WIDEST} columns."
        )

    names = ("schedule", "block_H", "block_N", "threads", "num_stages")
    return (
        WARPGROUP_PRODUCTS,
        Rule("tiles-not-for-roles", "Tiles of roles", names, broken),
    )


def _fits(values: Values) -> bool:
    tiles = values["block_H"] == values["block_N"] == values["rope"] == _SIDE
    wide = 2 * _SIDE <= values["latent"] <= 2 * _WIDEST
    return bool(tiles and wide and values["threads"] == _THREADS and values["num_stages"] == 2)


def all_threads(values: Values) -> int:
    """Threads of a block, with those that copy."""
    return int(values["threads"]) + (COPYING_THREADS if has_roles(values) else 0)


def alternating_bytes(values: Values) -> int:
    """Bytes of shared memory of a block: queries, two tiles, and what the warpgroups exchange."""
    rows = values["block_H"] + 2 * values["block_N"]
    return int(rows * (values["latent"] + values["rope"]) * 2 + values["block_H"] * _ROW_BYTES)


def alternating_registers(values: Values, target: Target) -> int:
    """Values that a thread keeps: half of the result, and the scores of a tile."""
    return int(values["block_H"] * (values["latent"] // 2 + values["block_N"]) // 128)


# 128 sequences of 8192 tokens with 128 heads in fp16, NVIDIA H200, 2026-11-30, tilelang 0.1.15:
# TileLang's schedule 607 us (481 TFLOP/s); in turn, the second warpgroup's tile after the first's,
# 479 us (609); each tile after the other warpgroup's last 560 us; copies of 64 columns instead of
# halves 487 us; weights and rotated queries in registers 477 us, within the noise.
def schedule_advice(values: Values, target: Target, heads: int) -> Advice:
    """Roles where there are warpgroups and the sizes suit them."""
    sizes = {"block_H": heads, "block_N": _SIDE, "threads": _THREADS, "num_stages": 2}
    if not uses_warpgroups(target) or not _fits({**values, **sizes}):
        return Advice("compiler", "TileLang places the copies and waits for each product.")
    return Advice(
        "roles",
        "Exponentials of one warpgroup run beside products of the other: a quarter faster than "
        "TileLang's own schedule.",
    )


def alternating_words(values: Values) -> Mapping[str, Any]:
    """What the template of roles names."""
    few, many = registers_of_roles(values)
    split = values["num_split"] > 1
    row = "bz, head : head + block_H"
    places = (
        ["Parts[{row}, by, {columns}]", "LogSums[{row}, by]"]
        if split
        else ["Out[{row}, {columns}]"]
    )
    shared = ["first", "pairs", "queries", "tiles", "rows", "barriers"]
    calls = {}
    for own, columns in enumerate(("0:half", "half:latent")):
        here = [place.format(row=row, columns=columns) for place in places]
        calls[f"attend_{own}"] = call("attend", [str(own), *shared, *here], 16)
    return {
        "few_registers": few,
        "many_registers": many,
        "all_threads": all_threads(values),
        "parts": " * num_split" if split else "",
        **calls,
    }


def alternating_why() -> tuple[Why, ...]:
    """Why the warpgroups of a block take turns."""
    return (
        Why(
            "Two warpgroups in turn",
            "The result is 512 wide, too much for the registers of one warpgroup: each has half of "
            "its columns. Scores are not halved, since a product of half the keys would read the "
            "queries twice: each warpgroup computes those of every other tile, and while one is "
            "at its exponentials, the other keeps the tensor cores busy.",
        ),
        Why(
            "Weights in the keys' place",
            "Queries and two tiles fill shared memory. The rotated keys of a tile are read once, "
            "and its weights, which both warpgroups multiply, have the same size.",
        ),
        Why(
            "Halves of a tile",
            "The columns that one warpgroup is done with are free before the others: the copies of "
            "the tile after the next begin with them, and its scores too.",
        ),
    )
