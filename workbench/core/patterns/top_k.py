"""The pattern of the k largest values of each row and their columns, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    GPU,
    ceildiv,
    counted,
    dialect_rule,
    element_bytes,
    is_gpu,
    numbers,
    registers_rule,
    storage_dtype_rule,
    threads_rule,
    tolerance_fields,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import (
    Advice,
    Field,
    Goal,
    Kind,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rows import VECTOR_BYTES, power_up, row_fields, vector_rule
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_MOST_K = 64
_SHORT_ROW = 1 << 16
_KEPT = 32
_THREADS = 256
_FIELDS = (
    *(
        replace(field, words=(*field.words, *words))
        for field, words in zip(
            row_fields(), ((r"tokens",), (r"experts",), (), (), (), ()), strict=True
        )
    ),
    Field(
        "k",
        Kind.INTEGER,
        Step.REQUIREMENTS,
        "K",
        "How many values of each row, the largest first; of equal ones the first.",
        8,
        numbers(1, 2, 4, 8, 16, 32),
        "values",
        1,
        _MOST_K,
        words=(r"\bk\b", r"\btop[- ]", r"largest"),
    ),
    *tolerance_fields(),
)


def _vector(values: Values) -> int:
    """Neighbours that a thread reads at once."""
    return VECTOR_BYTES // element_bytes(values["dtype"])


def _lanes(values: Values) -> int:
    """Threads that share a row."""
    return int(max(1, values["threads"] // values["block_M"]))


def _key_bits(values: Values) -> int:
    """Bits of a key: 16 of the value and 16 of the column where both fit, else 32 of each."""
    return 32 if element_bytes(values["dtype"]) == 2 and values["N"] <= _SHORT_ROW else 64


def _kept(values: Values, target: Target) -> int:
    """Registers of a thread that hold keys."""
    each = ceildiv(values["block_M"] * values["block_N"], values["threads"])
    return int(each * _key_bits(values) // 32)


def _lanes_broken(values: Values, target: Target) -> str | None:
    lanes = values["threads"] / values["block_M"]
    if not is_gpu(target) or (
        lanes >= 1 and int(lanes) == lanes and not int(lanes) & int(lanes) - 1
    ):
        return None
    return (
        f"{values['threads']} threads for {values['block_M']} rows are {lanes:g} each: the largest "
        f"of a row is found by halves, so that a row needs a power of two of them."
    )


def _ranks_broken(values: Values, target: Target) -> str | None:
    if not is_gpu(target) or _lanes(values) >= values["k"]:
        return None
    return (
        f"Each of the {values['k']} results is kept by a thread of its row, which has "
        f"{_lanes(values)}."
    )


def _parts_broken(values: Values, target: Target) -> str | None:
    width = _lanes(values) * _vector(values)
    if not is_gpu(target) or values["block_N"] % width == 0:
        return None
    return (
        f"{_lanes(values)} threads of a row read {width} columns at once; block_N = "
        f"{values['block_N']} is no multiple."
    )


def _k_broken(values: Values, target: Target) -> str | None:
    if values["k"] <= values["N"]:
        return None
    return f"A row has {values['N']} values, not {values['k']}."


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    Rule("more-than-a-row", "K", ("k", "N"), _k_broken),
    threads_rule(),
    Rule("threads-of-a-row", "Threads", ("block_M", "threads"), _lanes_broken),
    Rule("thread-for-each-rank", "Threads", ("block_M", "threads"), _ranks_broken),
    Rule("whole-accesses", "Block N", ("block_N", "threads", "block_M"), _parts_broken),
    registers_rule(_kept, "block_N", "threads", "block_M"),
    vector_rule(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    vector = _vector(values)
    row = max(vector, power_up(values["N"]))
    kept = max(vector, _KEPT * 32 // _key_bits(values))
    lanes = min(1024, max(power_up(values["k"]), ceildiv(row, kept)))
    block = max(lanes * vector, min(row, lanes * kept))
    threads = max(lanes, _THREADS if lanes < _THREADS else lanes)
    rows = threads // lanes
    return {
        "block_M": Advice(rows, _why_rows(rows)),
        "block_N": Advice(block, _why_block(values, block, lanes)),
        "threads": Advice(
            threads, f"{counted(lanes, 'thread')} a row: each looks again among few values."
        ),
    }


def _why_rows(rows: int) -> str:
    if rows == 1:
        return "One row keeps all threads of a block busy."
    return "Short rows: several share a block, each with threads of its own."


def _why_block(values: Values, block: int, lanes: int) -> str:
    if block >= values["N"]:
        return "The whole row in registers, so that it is read once."
    return f"{block // lanes} values a thread; what is kept of a tile takes part in the next."


def _program(values: Values, setting: Setting) -> Program:
    wide = _key_bits(values) == 64
    short = element_bytes(values["dtype"]) == 2
    sizes = _sizes(values, setting.target)
    title = DTYPES[values["dtype"]].title
    return Program(
        "top_k",
        "top_k.py.j2",
        {
            **values,
            "bits": "int16" if short else "int32",
            "mask": "0x7FFF" if short else "0x7FFFFFFF",
            "key": "int64" if wide else "int32",
            "shift": 32 if wide else 16,
            "last": "0x7FFFFFFF" if wide else "0xFFFF",
            "lowest": "1 - 2**63" if wide else "-(2**31)",
            "vector": _vector(values),
            "why_keys": _WHY_KEYS,
        },
        f"The {values['k']} largest values of each row and their columns, {title}.",
        (
            f"kernel = top_k({values['M']}, {values['N']})",
            f"Values, Indices = kernel(X)  # X: (M, N) {values['dtype']}; Indices: int32",
        ),
        "none. Bound by memory where k is small: each element is read once.",
        sizes,
        _cases(values),
        (
            Why("One key", _WHY_KEYS),
            Why("Rounds", _WHY_ROUNDS),
            Why("Tiles", sizes),
        ),
        _RESULTS,
    )


_WHY_KEYS = "Value and column in one integer: one reduction finds both, and no two keys are equal."
_WHY_ROUNDS = (
    "Each thread knows its largest key. A round reduces these over the threads of a row, and only "
    "the thread whose key was taken looks at its others again."
)
_RESULTS = (
    "values are the exact ones of X, of equal values the lowest column comes first. -0 counts as "
    "less than 0, and a NaN as beyond infinity of its sign."
)


def _sizes(values: Values, target: Target) -> str:
    blocks = ceildiv(values["M"], values["block_M"])
    each = ceildiv(values["block_N"], _lanes(values))
    units = max(target.sm_counts.values(), default=0)
    there = f" for {units} multiprocessors of {short_label(target)}" if units else ""
    tiles = ceildiv(values["N"], values["block_N"])
    return (
        f"{counted(_lanes(values), 'thread')} a row keep {each} of its values each, "
        f"{counted(values['block_M'], 'row')} a block; {counted(tiles, 'tile')} a row and "
        f"{blocks} blocks{there}."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    rows, width = values["block_M"], values["block_N"]
    vector = _vector(values)
    named: tuple[tuple[str, dict[str, Any]], ...] = (
        ("tails", {"M": 2 * rows + 1, "N": max(values["k"], width - 3 * vector)}),
        ("two-tiles", {"M": 3 * rows, "N": width + 5 * vector}),
        (f"{values['M']}x{values['N']}", {"M": values["M"], "N": values["N"]}),
    )
    return tuple(Case(name, args, baseline="torch_topk") for name, args in named)


TOP_K = Pattern(
    "top_k",
    "Reductions",
    "Top-k along rows",
    "The k largest values of each row with their columns, ties by the lowest column.",
    1,
    _FIELDS,
    _RULES,
    (r"\btop[- ]?k\b", r"\btop[- ]?\d+\b", r"\bmoe gating\b", r"\bgating\b", r"\brouting\b"),
    ("M", "N"),
    _advise,
    _program,
)
