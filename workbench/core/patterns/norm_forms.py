"""The forms of a norm beside the plain one: one barrier a row, by one bulk copy, or read twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from workbench.core.patterns.common import element_bytes, numbers, shared_rule
from workbench.core.patterns.model import Field, Kind, Rule, Step, Values
from workbench.core.patterns.rows import VECTOR_BYTES, whole_row_rule
from workbench.core.targets.model import Target

WHY_BULK = "L2 keeps what is read, not what is written: results leave while rows arrive."
WHY_ONE_BARRIER = "Warps add up by shuffles: the sums of a row take one barrier."
_Broken = Callable[[Values, Target], str | None]


def form_fields() -> tuple[Field, ...]:
    """What makes a form; a kernel in which neither is set has the plain one."""
    reread = Field(
        "reread_N",
        Kind.INTEGER,
        Step.TILES,
        "Second reading",
        "Columns that a block reads at once when it reads a row for the second time, from a cache, "
        "to write the results. Threads then keep no row in registers: more rows are at work at "
        "once, and block_N is what the first reading takes at once.",
        None,
        numbers(1024, 2048, 4096),
        "elements",
        64,
        65536,
        power_of_two=True,
        optional=True,
        matters=lambda values: not values["residual"],
    )
    one_barrier = Field(
        "one_barrier",
        Kind.SWITCH,
        Step.TILES,
        "One barrier",
        "Warps add up their part of a row by shuffles, and every thread adds the warps' sums: they "
        "take one barrier. Squares are summed beside the values, not after the mean.",
        None,
        optional=True,
        matters=lambda values: not values["residual"] and not values["reread_N"],
    )
    bulk_row = Field(
        "bulk_row",
        Kind.SWITCH,
        Step.TILES,
        "Row by one copy",
        "One thread asks for a whole row, which comes to shared memory by a bulk copy of Hopper's. "
        "L2 keeps what was read rather than what is written: results leave while rows arrive.",
        None,
        optional=True,
        matters=_has_one_barrier,
    )
    return reread, one_barrier, bulk_row


def _has_one_barrier(values: Values) -> bool:
    return bool(values["one_barrier"]) and not values["residual"] and not values["reread_N"]


def comes_by_bulk(values: Values) -> bool:
    """Whether a row comes by a bulk copy."""
    return bool(values["bulk_row"]) and _has_one_barrier(values)


def form_rules() -> tuple[Rule, ...]:
    """What the forms need, and that rows are whole where registers keep them."""
    barrier = ("one_barrier", "block_M", "residual")
    reread = ("reread_N", "block_M", "residual")
    return (
        _where_rows_stay(whole_row_rule()),
        Rule("one-barrier-runs", "One barrier", barrier, _barrier_broken),
        Rule("bulk-row-runs", "Row by one copy", ("bulk_row", "one_barrier", "N"), _bulk_broken),
        shared_rule(_shared_bytes, "bulk_row", "N"),
        Rule("second-reading-runs", "Second reading", reread, _reread_broken),
        Rule("second-reading-in-turns", "Second reading", ("reread_N",), _merged_broken),
    )


def template_of(values: Values) -> str:
    """The file of the form that the values ask for."""
    if values["reread_N"]:
        return "norm_two_readings.py.j2"
    return "norm_one_barrier.py.j2" if values["one_barrier"] else "norm.py.j2"


def vector_of(values: Values) -> int:
    """Values that one access of 16 bytes reads."""
    return VECTOR_BYTES // element_bytes(values["dtype"])


def case_columns(values: Values) -> int:
    """The columns of a small problem of whole tiles, in which one reading has a second turn."""
    reread = values["reread_N"]
    return int(max(values["block_N"], 2 * reread) if reread else values["block_N"])


def _where_rows_stay(rule: Rule) -> Rule:
    broken: _Broken = rule.broken
    return replace(rule, broken=lambda v, target: None if v["reread_N"] else broken(v, target))


def _barrier_broken(values: Values, target: Target) -> str | None:
    if not values["one_barrier"] or values["reread_N"]:
        return None
    return next(_unfit(values, target, "form with one barrier", ("block_N",)), None)


def _bulk_broken(values: Values, target: Target) -> str | None:
    if not values["bulk_row"]:
        return None
    if not _has_one_barrier(values):
        return "A row comes by one copy in the form with one barrier, without a residual."
    if target.arch.name != "sm_90a":
        return "The copy with its hint to L2 is written for Hopper (sm_90a)."
    needed = row_bytes(values)
    if needed % VECTOR_BYTES:
        return f"A bulk copy moves whole units of {VECTOR_BYTES} B; a row has {needed} B."
    return None


def row_bytes(values: Values) -> int:
    """The bytes of one row of X."""
    return int(values["N"] * element_bytes(values["dtype"]))


def _shared_bytes(values: Values, target: Target) -> int:
    """The row, and beside it two sums of each warp and the barrier."""
    return row_bytes(values) + values["threads"] // 32 * 8 + 8 if values["bulk_row"] else 0


def _reread_broken(values: Values, target: Target) -> str | None:
    if not values["reread_N"]:
        return None
    return next(_unfit(values, target, "second reading", ("reread_N", "block_N")), None)


def _unfit(values: Values, target: Target, form: str, widths: tuple[str, ...]) -> Iterator[str]:
    """Both forms are written for a row a block, in whole runs of all threads, by warps of 32."""
    run = values["threads"] * vector_of(values)
    if values["residual"]:
        yield f"The {form} is written without a residual."
    for name in widths:
        if values[name] % run:
            yield f"In the {form}, {name} is a multiple of the {run} values read at once."
    if values["block_M"] != 1:
        yield f"In the {form} a block has one row."
    if target.arch.limits.warp_size != 32:
        yield f"The {form} is written for warps of 32 threads."


def _merged_broken(values: Values, target: Target) -> str | None:
    """Measured in SASS of nvcc 13.0: two readings in one turn each become one."""
    if not values["reread_N"] or min(values["block_N"], values["reread_N"]) < values["N"]:
        return None
    return (
        f"Both readings would take the {values['N']} columns of a row in one turn: the compiler "
        f"makes one of them, and keeps the row in registers."
    )
