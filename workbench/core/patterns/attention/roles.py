"""Warpgroups with roles: one copies, the others multiply without waiting for each product."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from workbench.core.patterns.attention.fields import (
    key_block_field,
    query_block_field,
    uses_warpgroups,
)
from workbench.core.patterns.common import BytesOf, choice_field, numbers
from workbench.core.patterns.model import Field, Kind, Option, Rule, Step, Values
from workbench.core.targets.model import Target

WARPGROUP = 128
COPYING_THREADS = WARPGROUP
# Registers of a thread that copies and of one that multiplies, by how many multiply: together they
# take what a multiprocessor has, in steps of 8 as setmaxnreg takes them (PTX ISA).
_REGISTERS: Mapping[int, tuple[int, int]] = {128: (24, 240), 256: (24, 240), 384: (32, 160)}
# What ptxas 13.0 needs beside accumulators and operands; with less it told of C7512.
_SPARE_REGISTERS = 32


_TURNS = Option(
    "turns",
    "Warpgroups that take turns",
    "As with roles, and two warpgroups begin their products one after the other: while one "
    "multiplies, the other computes exponentials.",
)


def schedule_field(turns: bool = False) -> Field:
    """Who decides what overlaps; `turns` offers that two warpgroups take them."""
    return choice_field(
        "schedule",
        Step.PIPELINE,
        "Schedule",
        "How copies, products and exponentials overlap.",
        "compiler",
        Option("compiler", "TileLang's", "The compiler places copies; each product is waited for."),
        Option(
            "roles",
            "Warpgroups with roles",
            "One warpgroup copies; the others multiply asynchronously and go on meanwhile.",
        ),
        *((_TURNS,) if turns else ()),
    )


def queries_field() -> Field:
    """Whether the first product takes its queries from registers; unset, from shared memory."""
    return Field(
        "queries_in_registers",
        Kind.SWITCH,
        Step.PIPELINE,
        "Queries in registers",
        "The first product takes its queries from registers: the tensor cores read keys and values "
        "alone in shared memory, and each thread has fewer registers for scores.",
        None,
        optional=True,
        matters=has_roles,
    )


def tile_fields() -> tuple[Field, ...]:
    """Queries and keys of a tile: wgmma takes any multiple of 8 keys, and 64 rows a warpgroup."""
    fields = ((query_block_field(), (64, 128, 192)), (key_block_field(), (32, 64, 128, 160)))
    return tuple(
        dataclasses.replace(field, options=numbers(*offered), power_of_two=False, multiple=16)
        for field, offered in fields
    )


def has_roles(values: Values) -> bool:
    """Whether the warpgroups of a block have roles."""
    return values.get("schedule") in ("roles", "turns")


def takes_turns(values: Values) -> bool:
    """Whether two warpgroups multiply one after the other."""
    return bool(values.get("schedule") == "turns")


def keeps_queries(values: Values) -> bool:
    """Whether a block with roles keeps its queries in registers."""
    return has_roles(values) and bool(values.get("queries_in_registers"))


def registers_of_roles(values: Values) -> tuple[int, int]:
    """Registers of each thread that copies, and of each that multiplies."""
    return _REGISTERS.get(values["threads"], (24, 240))


def _no_warpgroups(values: Values, target: Target) -> str | None:
    if not has_roles(values) or uses_warpgroups(target):
        return None
    return (
        "Roles need products that run asynchronously to a warpgroup (wgmma) and copies by TMA, "
        "which Hopper has."
    )


def _queries_alone(values: Values, target: Target) -> str | None:
    if not values["queries_in_registers"] or has_roles(values):
        return None
    return "TileLang's own schedule reads the queries of every product in shared memory."


#: What queries in registers ask of the schedule.
QUERIES_OF_ROLES = Rule(
    "queries-of-roles", "Queries", ("queries_in_registers", "schedule"), _queries_alone
)

#: What every schedule of roles asks of its target.
WARPGROUP_PRODUCTS = Rule("no-warpgroup-products", "Schedule", ("schedule",), _no_warpgroups)


def _not_two_groups(values: Values, target: Target) -> str | None:
    if not takes_turns(values) or values["threads"] == 2 * WARPGROUP:
        return None
    return "Turns are between two warpgroups: 256 threads that multiply."


#: What turns ask of the threads.
TURNS_OF_TWO = Rule("turns-of-two", "Threads", ("threads", "schedule"), _not_two_groups)


def role_rules(kept: BytesOf, *keeping: str) -> tuple[Rule, ...]:
    """What a schedule of roles asks of target and threads.

    `kept` counts a thread's values; `keeping` are fields that decide of it, beside tiles.
    """

    def no_whole_groups(values: Values, target: Target) -> str | None:
        if not has_roles(values) or values["threads"] in _REGISTERS:
            return None
        return "One to three warpgroups of 128 threads multiply beside the one that copies."

    def odd_tiles(values: Values, target: Target) -> str | None:
        sizes = [values["block_M"], values["block_N"]]
        odd = [n for n in sizes if n & (n - 1)]
        if has_roles(values) or not odd:
            return None
        return f"{odd[0]} is no power of two: such tiles are for warpgroups with roles."

    def too_many_values(values: Values, target: Target) -> str | None:
        if not has_roles(values):
            return None
        most = registers_of_roles(values)[1]
        needed = kept(values, target)
        if needed <= most - _SPARE_REGISTERS:
            return None
        return (
            f"Each of {values['threads']} threads would keep {needed} registers of the {most} that "
            f"setmaxnreg can give it; {_SPARE_REGISTERS} are needed for the rest, or ptxas runs "
            "the products one after the other (C7512)."
        )

    return (
        WARPGROUP_PRODUCTS,
        Rule("threads-of-roles", "Threads", ("threads", "schedule"), no_whole_groups),
        Rule("tiles-of-roles", "Tiles", ("block_N", "block_M", "schedule"), odd_tiles),
        Rule(
            "registers-of-roles",
            "Registers of a role",
            (*keeping, "block_N", "threads"),
            too_many_values,
        ),
    )


def role_words(values: Values) -> Mapping[str, Any]:
    """What a template with roles names."""
    few, many = registers_of_roles(values)
    return {
        "roles": has_roles(values),
        "turns": takes_turns(values),
        "queries": "queries" if keeps_queries(values) else "Q_shared",
        "few_registers": few,
        "many_registers": many,
    }
