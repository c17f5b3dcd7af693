"""The pattern of transposes and permutes: of matrices, of batches of them, and of heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    GPU,
    block_field,
    choice_field,
    dialect_rule,
    dtype_field,
    element_bytes,
    shared_rule,
    size_field,
    storage_dtype_rule,
    threads_field,
    threads_rule,
    tolerance_fields,
    tolerances,
)
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
from workbench.core.targets.model import Target

_VECTOR_BYTES = 16
_MATTERS: Mapping[str, Callable[[Values], bool]] = {
    "batch": lambda values: values["form"] != "matrix",
    "heads": lambda values: values["form"] == "heads",
}
_ALL_FIELDS = (
    choice_field(
        "form",
        Step.REQUIREMENTS,
        "Axes",
        "Which axes change place.",
        "matrix",
        Option("matrix", "Matrix", "(M, N) becomes (N, M)."),
        Option(
            "batched",
            "Batch of matrices",
            "(batch, M, N) becomes (batch, N, M).",
            (r"\bbatch(?:ed)? (?:of )?(?:matri|transpos)\w*",),
        ),
        Option(
            "heads",
            "Heads",
            "(batch, seq, heads, dim) becomes (batch, heads, seq, dim).",
            (r"\bbshd\b", r"\bbhsd\b", r"\bheads\b"),
        ),
    ),
    size_field("M", "Rows", "Rows of a matrix; of heads the length of a sequence.", 16384,
               r"rows", r"seq(?:uence)?(?: len(?:gth)?)?", r"tokens"),
    size_field("N", "Columns", "Columns of a matrix; of heads the size of one.", 8192,
               r"columns", r"(?:head )?dim", r"(?<=heads )of"),
    size_field("batch", "Batch", "Matrices or sequences.", 8,
               r"batch(?:es| size)?", r"matrices"),
    size_field("heads", "Heads", "Heads of a sequence.", 32, r"heads"),
    dtype_field("float16", "float16", "bfloat16", "float32"),
    block_field("block", "Block", "Edge of a block's tile.", 64, (32, 64, 128), 16, 256),
    threads_field(256),
    *tolerance_fields(),
)  # fmt: skip


_FIELDS = tuple(
    replace(found, matters=_MATTERS[found.name]) if found.name in _MATTERS else found
    for found in _ALL_FIELDS
)


def _vector(values: Values) -> int:
    return _VECTOR_BYTES // element_bytes(values["dtype"])


def _shared_bytes(values: Values, target: Target) -> int:
    edge = values["block"]
    return 0 if values["form"] == "heads" else edge * edge * element_bytes(values["dtype"])


def _rows_broken(values: Values, target: Target) -> str | None:
    names = ("N",) if values["form"] == "heads" else ("N", "M")
    odd = next((name for name in names if values[name] % _vector(values)), None)
    if odd is None:
        return None
    return (
        f"{odd} = {values[odd]} is no multiple of {_vector(values)}: rows begin anywhere, so that "
        f"no thread can access {_VECTOR_BYTES} bytes at once."
    )


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    threads_rule(),
    shared_rule(_shared_bytes, "block"),
    Rule("rows-not-vectors", "Alignment", ("N", "M"), _rows_broken, advisory=True),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    """Tiles with rows of 256 bytes.

    16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the bandwidth of a copy:
    0.95 with tiles of 128 x 128, 0.88 with 64 x 64, 64 x 128, or in panels.
    """
    edge = 16 * _vector(values)
    if values["form"] == "heads":
        rows = max(16, 16384 // element_bytes(values["dtype"]) // max(1, values["N"]))
        edge = 1 << (rows.bit_length() - 1)
        return {
            "block": Advice(edge, "16 KiB a block: several accesses of each thread in flight."),
            "threads": Advice(256, "Enough warps to keep memory busy."),
        }
    return {
        "block": Advice(edge, "A row of the tile is 256 bytes: whole lines, two of them together."),
        "threads": Advice(edge * edge // _vector(values) // 2, "Two accesses of 16 bytes each."),
    }


def _program(values: Values, setting: Setting) -> Program:
    if values["form"] == "heads":
        return _heads(values)
    batched = values["form"] == "batched"
    names = ("batch", "M", "N") if batched else ("M", "N")
    context: dict[str, Any] = {
        **values,
        "vector": _vector(values),
        "parameters": ", ".join(names),
        "shape_X": f"({', '.join(names)})",
        "shape_Y": "(batch, N, M)" if batched else "(N, M)",
        "grid": "tiles_N, tiles_M, batch" if batched else "tiles_N, tiles_M",
        "blocks": "bx, by, bz" if batched else "bx, by",
        "lead": "bz, " if batched else "",
    }
    return Program(
        "transpose",
        "transpose.py.j2",
        context,
        f"Y = Xᵀ{' of each matrix of a batch' if batched else ''}, through shared memory.",
        _usage("transpose", [values[name] for name in names], context["shape_X"], values),
        "none. Bound by memory: each element is read and written once.",
        _sizes(values),
        _cases(values, names),
        (
            Why("Along rows on both sides", "Read and write whole lines: shared memory turns."),
            Why("Places in shared memory", _swizzle_reason(values)),
        ),
    )


def _heads(values: Values) -> Program:
    names = {"batch": "batch", "seq": "M", "heads": "heads", "dim": "N"}
    sizes = [values[field] for field in names.values()]
    shape = "(batch, seq, heads, dim)"
    return Program(
        "swap_heads",
        "swap_heads.py.j2",
        values,
        f"{shape} becomes (batch, heads, seq, dim).",
        _usage("swap_heads", sizes, shape, values),
        "none. Bound by memory: each element is read and written once.",
        f"{values['block']} positions of one head a block.",
        _head_cases(values),
        (Why("Whole runs", "The last axis stays: runs of it are copied, without shared memory."),),
    )


def _usage(kernel: str, sizes: list[int], shape: str, values: Values) -> tuple[str, ...]:
    arguments = ", ".join(str(size) for size in sizes)
    return f"kernel = {kernel}({arguments})", f"Y = kernel(X)  # X: {shape} {values['dtype']}"


def _sizes(values: Values) -> str:
    edge = values["block"]
    row = edge * element_bytes(values["dtype"])
    return f"a tile of {edge} × {edge} has rows of {row} bytes, read and written as whole lines."


def _swizzle_reason(values: Values) -> str:
    return (
        f"A column is written by threads {_vector(values)} rows apart. With runs of 16 bytes "
        f"exchanged by row they meet in no bank, and no padding breaks the 16-byte accesses."
    )


def _cases(values: Values, names: tuple[str, ...]) -> tuple[Case, ...]:
    edge, vector = values["block"], _vector(values)
    lead = {"batch": 3} if "batch" in names else {}
    tails = {**lead, "M": 2 * edge - vector, "N": 3 * edge - vector}
    whole = {**lead, "M": edge, "N": 3 * edge}
    real = {name: values[name] for name in names}
    return _named(values, tails, whole, real)


def _head_cases(values: Values) -> tuple[Case, ...]:
    block = values["block"]
    tails = {"batch": 2, "seq": block + 5, "heads": 3, "dim": values["N"]}
    whole = {"batch": 1, "seq": 2 * block, "heads": 4, "dim": values["N"]}
    real = {
        "batch": values["batch"],
        "seq": values["M"],
        "heads": values["heads"],
        "dim": values["N"],
    }
    return _named(values, tails, whole, real)


def _named(
    values: Values, tails: dict[str, int], whole: dict[str, int], real: dict[str, int]
) -> tuple[Case, ...]:
    name = "x".join(str(size) for size in real.values())
    named = (("tails", tails), ("whole-tiles", whole), (name, real))
    return tuple(Case(key, args, **tolerances(values)) for key, args in named)


TRANSPOSE = Pattern(
    "transpose",
    "Transpose",
    "Transpose and permute",
    "Matrices, batches of them, and heads of sequences, at the speed of a copy.",
    2,
    _FIELDS,
    _RULES,
    (r"\btransposes?\b", r"\btransposition\b", r"\bpermut(?:e|ation)\b", r"\bbshd to bhsd\b"),
    ("M", "N"),
    _advise,
    _program,
)
