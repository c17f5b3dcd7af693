"""The pattern of reductions along rows or columns, and of the cumulative sum along rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    GPU,
    ceildiv,
    choice_field,
    dialect_rule,
    dtype_field,
    element_bytes,
    registers_rule,
    shared_rule,
    stages_field,
    storage_dtype_rule,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.hints import hint_context, hint_fields, hint_rules
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
from workbench.core.patterns.reduction_ops import LOWEST, OPERATIONS, Operation
from workbench.core.patterns.rows import (
    VECTOR_BYTES,
    kept,
    power_up,
    row_fields,
    threads_for,
    vector_rule,
)
from workbench.core.targets.model import Target

_LANES, _LONGEST = 32, 8192
_MATTERS: Mapping[str, Callable[[Values], bool]] = {
    "out_dtype": lambda values: values["op"] != "cumsum",
    "num_stages": lambda values: values["axis"] == "columns",
}
_ALL_FIELDS = (
    *row_fields(2048),
    choice_field(
        "op",
        Step.REQUIREMENTS,
        "Operation",
        "What becomes of a row or column.",
        "sum",
        *(Option(name, op.title, "", op.words) for name, op in OPERATIONS.items()),
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
    stages_field(4),
    *hint_fields(lambda values: bool(values["op"] != "cumsum")),
    *tolerance_fields(),
)
_FIELDS = tuple(
    replace(found, matters=_MATTERS[found.name]) if found.name in _MATTERS else found
    for found in _ALL_FIELDS
)


def _vector(values: Values) -> int:
    return VECTOR_BYTES // element_bytes(values["dtype"])


def _axis_broken(values: Values, target: Target) -> str | None:
    if values["op"] != "cumsum" or values["axis"] == "rows":
        return None
    return "The cumulative sum is written for rows, along which memory runs."


def _lines_broken(values: Values, target: Target) -> str | None:
    line = _LANES * _vector(values)
    if values["op"] != "cumsum" or values["block_N"] >= line:
        return None
    return (
        f"Runs of {_vector(values)} values are added up in lines of {_LANES}: a tile has "
        f"{line} columns at least."
    )


def _shared_bytes(values: Values, target: Target) -> int:
    if values["axis"] == "columns":
        tile = values["block_M"] * values["block_N"] * element_bytes(values["dtype"])
        return int(values["num_stages"] * tile)
    if values["op"] == "cumsum":
        lines = values["block_M"] * ceildiv(values["block_N"], _LANES * _vector(values))
        return int(lines * (_LANES + 2) * 4)
    return 0


def _kept(values: Values, target: Target) -> int:
    """A thread's part of a tile, and of what it is joined to, in fp32."""
    return kept(values, target) * (1 if values["op"] == "cumsum" else 2)


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    storage_dtype_rule("out_dtype"),
    threads_rule(),
    Rule("cumsum-along-rows", "Cumulative sum", ("axis",), _axis_broken),
    Rule("cumsum-whole-lines", "Cumulative sum", ("block_N",), _lines_broken),
    shared_rule(_shared_bytes, "num_stages", "block_M", "block_N"),
    registers_rule(_kept, "threads", "block_N", "block_M"),
    *hint_rules(),
    vector_rule(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if values["op"] == "cumsum":
        return _cumsum_advice(values)
    out = Advice("float32", "The result is small: it costs nothing to keep its bits.")
    if values["axis"] == "columns":
        return {"out_dtype": out, **_column_advice(values)}
    advice = {"out_dtype": out, **_row_advice(values)}
    is_row = values["op"] == "sum" and advice["block_N"].value == 8192
    if is_row and element_bytes(values["dtype"]) == 2 and target.arch.name == "sm_90a":
        advice |= {
            "threads": Advice(512, "Each thread's loads all start at once, and are few."),
            "streaming": Advice(True, "Each value is read once: what L2 held stays in it."),
        }
    return advice


def _row_advice(values: Values) -> dict[str, Advice]:
    """Whole rows as far as registers go.

    16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the bandwidth of a copy
    of as many bytes: 0.94 with whole rows, by 128 or 256 threads; 0.93 with tiles of 2 x 2048.
    Of sums 0.99 with 512 threads and streaming loads together; one of the two alone gains 1 % at
    most, and the largest of rows gains nothing from streaming loads.
    """
    wide = max(128, min(power_up(values["N"]), _LONGEST))
    rows = max(1, min(power_up(values["M"]), 256 * _vector(values) * 2 // wide))
    return {
        "block_N": Advice(wide, "Whole rows as far as registers go: all loads start at once."),
        "block_M": Advice(rows, "Rows together give each thread two accesses in flight."),
        "threads": Advice(256, "Enough warps to keep memory busy."),
    }


def _column_advice(values: Values) -> dict[str, Advice]:
    """All rows of a few columns, whose loads run ahead.

    16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the bandwidth of a copy
    of as many bytes: 0.92; 0.90 with loads to registers by 1024 threads, 0.87 with the rows split
    among blocks and a second launch. The H200 has 132 multiprocessors for the 128 blocks.
    """
    wide = 8 * _vector(values)
    return {
        "block_N": Advice(wide, "128 bytes of each row: whole lines of memory."),
        "block_M": Advice(128, "Enough rows at once to give each thread several accesses."),
        "threads": Advice(256, "Few blocks are busy, so that each needs many warps."),
        "num_stages": Advice(4, "64 KiB on their way to each block keep memory busy."),
    }


def _cumsum_advice(values: Values) -> dict[str, Advice]:
    """Whole rows, with sums of runs in registers.

    16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the bandwidth of a copy:
    0.97 with 32 values a thread, 0.96 with 64; 0.53 where tiles of 2048 were scanned in shared
    memory, one after the other.
    """
    line = _LANES * _vector(values)
    wide = max(line, min(power_up(values["N"]), _LONGEST))
    return {
        "block_N": Advice(wide, "The whole row: tiles would wait for each other."),
        "block_M": Advice(1, "One row a block: many small blocks hide each other's waits."),
        "threads": Advice(threads_for(wide, 32), "32 values a thread stay in registers."),
    }


def _program(values: Values, setting: Setting) -> Program:
    op, name = OPERATIONS[values["op"]], values["op"]
    kernel = "cumsum" if name == "cumsum" else f"reduce_{name}"
    rows = values["axis"] == "rows"
    shape = "(M, N)" if name == "cumsum" else "(M,)" if rows else "(N,)"
    out = values["dtype"] if name == "cumsum" else values["out_dtype"]
    return Program(
        kernel,
        "cumsum.py.j2" if name == "cumsum" else "reduce.py.j2",
        {**values, **_context(op, rows), **_hints(values), "vector": _vector(values)},
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


def _hints(values: Values) -> dict[str, Any]:
    """Columns come by TMA, which has the hint of each copy; other loads have the assembler's."""
    by_copy = values["axis"] == "columns"
    return hint_context({**values, "streaming": values["streaming"] and not by_copy})


def _context(op: Operation, rows: bool) -> dict[str, Any]:
    return {
        "kept_extent": "M" if rows else "N",
        "reduced_extent": "N" if rows else "M",
        "start": op.start,
        "zero_wins": "be the largest" if op.start == LOWEST else "be the smallest",
        "joined": "added" if op.tile == "reduce_sum" else "compared",
        "combined": op.joined.format(part="parts[i, j]", x="x[i, j]"),
        "inside": "k * block_N + j < N" if rows else "k * block_M + i < M",
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
    2,
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
