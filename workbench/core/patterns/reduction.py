"""The pattern of reductions along rows or columns, and of the cumulative sum along rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    GPU,
    ceildiv,
    choice_field,
    dialect_rule,
    dtype_field,
    element_bytes,
    shared_rule,
    storage_dtype_rule,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import (
    Advice,
    Goal,
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rows import VECTOR_BYTES, kept_rule, power_up, row_fields, vector_rule
from workbench.core.targets.model import Target


@dataclass(frozen=True)
class Operation:
    """A reduction: TileLang's operation, the value it starts from, and PyTorch's call on `dim`."""

    title: str
    tile: str
    start: str
    torch: str
    words: tuple[str, ...]


_LOWEST, _HIGHEST = '-T.infinity("float32")', 'T.infinity("float32")'
_OPERATIONS = {
    "sum": Operation("Sum", "reduce_sum", "0", "sum(dim={dim})", (r"\bsums?\b",)),
    "mean": Operation("Mean", "reduce_sum", "0", "mean(dim={dim})", (r"\bmeans?\b", r"\baverage")),
    "max": Operation("Maximum", "reduce_max", _LOWEST, "amax(dim={dim})", (r"\bmax(?:imum)?\b",)),
    "min": Operation("Minimum", "reduce_min", _HIGHEST, "amin(dim={dim})", (r"\bmin(?:imum)?\b",)),
    "absmax": Operation(
        "Largest magnitude", "reduce_absmax", "0", "abs().amax(dim={dim})",
        (r"\babs(?:olute)?[- ]?max(?:imum)?\b",),
    ),
    "cumsum": Operation(
        "Cumulative sum", "cumsum", "0", "cumsum(dim={dim})",
        (r"\bcum(?:ulative )?[- ]?sum\b", r"\bprefix sum\b", r"\bscan\b"),
    ),
}  # fmt: skip

_FIELDS = (
    *row_fields(2048),
    choice_field(
        "op",
        Step.REQUIREMENTS,
        "Operation",
        "What becomes of a row or column.",
        "sum",
        *(Option(name, op.title, "", op.words) for name, op in _OPERATIONS.items()),
    ),
    choice_field(
        "axis",
        Step.REQUIREMENTS,
        "Along",
        "The cumulative sum goes along rows.",
        "rows",
        Option("rows", "Rows", "Each row gives one value.", (r"\balong (?:the )?rows\b",)),
        Option(
            "columns",
            "Columns",
            "Each column gives one value.",
            (r"\b(?:along|of|over) (?:the )?columns\b", r"\bcolumn (?:sum|max|min|mean)"),
        ),
    ),
    dtype_field(
        "float32", "float16", "bfloat16", "float32", name="out_dtype", title="Format of the result"
    ),
    *tolerance_fields(),
)


def _axis_broken(values: Values, target: Target) -> str | None:
    if values["op"] != "cumsum" or values["axis"] == "rows":
        return None
    return "The cumulative sum is written for rows, along which memory runs."


def _shared_bytes(values: Values, target: Target) -> int:
    if values["op"] != "cumsum":
        return 0
    return int(values["block_M"] * (values["block_N"] + 1) * 4)


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    storage_dtype_rule("out_dtype"),
    threads_rule(),
    Rule("cumsum-along-rows", "Cumulative sum", ("axis",), _axis_broken),
    shared_rule(_shared_bytes, "block_M", "block_N"),
    kept_rule(),
    vector_rule(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    out = {
        "out_dtype": Advice("float32", "The result is small: it costs nothing to keep its bits.")
    }
    if values["axis"] == "columns":
        return {
            **out,
            "block_N": Advice(8 * vector, "128 bytes of each row: whole lines of memory."),
            "block_M": Advice(64, "Each thread has several rows on their way at once."),
            "threads": Advice(256, "Few blocks are busy, so that each needs many warps."),
        }
    if values["op"] == "cumsum":
        wide = max(128, min(power_up(values["N"]), 2048))
        return {
            "block_N": Advice(wide, "Fewer tiles are fewer waits: they come one after the other."),
            "block_M": Advice(1, "One row a block: many small blocks hide each other's waits."),
            "threads": Advice(64, "A warp goes along the row; more would wait for it."),
        }
    wide = max(128, min(power_up(values["N"]), 256 * vector))
    rows = max(1, min(power_up(values["M"]), 256 * vector * 2 // wide))
    return {
        **out,
        "block_N": Advice(wide, "All threads read 16 bytes of a row each."),
        "block_M": Advice(rows, "Rows together give each thread two accesses in flight."),
        "threads": Advice(256, "Enough warps to keep memory busy."),
    }


def _program(values: Values, setting: Setting) -> Program:
    op, name = _OPERATIONS[values["op"]], values["op"]
    kernel = "cumsum" if name == "cumsum" else f"reduce_{name}"
    rows = values["axis"] == "rows"
    shape = "(M, N)" if name == "cumsum" else "(M,)" if rows else "(N,)"
    out = values["dtype"] if name == "cumsum" else values["out_dtype"]
    return Program(
        kernel,
        "cumsum.py.j2" if name == "cumsum" else "reduce.py.j2",
        {**values, **_context(op, rows)},
        f"{op.title} along the {values['axis']} of a matrix, in fp32.",
        (
            f"kernel = {kernel}({values['M']}, {values['N']})",
            f"Y = kernel(X)  # X: (M, N) {values['dtype']}, Y: {shape} {out}",
        ),
        "none. Bound by memory: each element is read once.",
        _sizes(values),
        _cases(values),
        (
            Why("Arithmetic in fp32", "A long sum in a short format loses small values."),
            Why("Tiles", _sizes(values)),
        ),
    )


def _context(op: Operation, rows: bool) -> dict[str, Any]:
    return {
        "kept_extent": "M" if rows else "N",
        "reduced_extent": "N" if rows else "M",
        "start": op.start,
        "zero_wins": "be the largest" if op.start == _LOWEST else "be the smallest",
        "tile_op": op.tile,
        "dim": 1 if rows else 0,
        "torch_call": op.torch.format(dim=-1 if rows else 0),
    }


def _sizes(values: Values) -> str:
    each = ceildiv(values["block_M"] * values["block_N"], values["threads"])
    extent, block = ("M", "block_M") if values["axis"] == "rows" else ("N", "block_N")
    blocks = ceildiv(values[extent], values[block])
    return (
        f"{values['block_M']} × {values['block_N']} {DTYPES[values['dtype']].title} values at "
        f"once, {each} for each of {values['threads']} threads; {blocks} blocks at "
        f"{values['M']} × {values['N']}."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    m, n = values["block_M"], values["block_N"]
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    tails = (2 * m + 1, n + 3 * vector)
    real = (f"{values['M']}x{values['N']}", values["M"], values["N"])
    baseline = f"torch_{values['op']}"
    named = (("tails", *tails), ("whole-tiles", 2 * m, 3 * n), real)
    return tuple(
        Case(name, {"M": a, "N": b}, baseline=baseline, **tolerances(values))
        for name, a, b in named
    )


REDUCTION = Pattern(
    "reduction",
    "Reductions",
    "Reductions and cumulative sum",
    "Sum, mean, maximum, minimum, largest magnitude along rows or columns; cumulative sum.",
    1,
    _FIELDS,
    _RULES,
    (
        r"\breduc(?:e|tion)s?\b", r"\bcum(?:ulative )?[- ]?sum\b", r"\bprefix sum\b",
        r"\b(?:row|column) (?:sum|max|min|mean)s?\b", r"\babs[- ]?max\b",
    ),
    ("M", "N"),
    _advise,
    _program,
)  # fmt: skip
