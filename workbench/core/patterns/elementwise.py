"""The pattern of fused pointwise kernels: every element by itself, in one pass over memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.common import (
    ASCEND,
    CPU,
    GPU,
    block_field,
    ceildiv,
    choice_field,
    dtype_field,
    element_bytes,
    is_gpu,
    registers_rule,
    size_field,
    storage_dtype_rule,
    threads_field,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.elementwise_ascend import ASCEND_RULES, ascend_advice, ascend_bytes
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
from workbench.core.patterns.pointwise_ops import OPERATIONS, Operation
from workbench.core.patterns.rendering import assigned
from workbench.core.targets.model import Target

_VECTOR_BYTES = 16
_VECTORS_A_THREAD = 4
_TEMPLATES = {CPU: "elementwise_cpu.py.j2", ASCEND: "elementwise_ascend.py.j2"}

_FIELDS = (
    size_field("M", "Rows", "Rows of every tensor.", 16384, r"rows"),
    size_field("N", "Columns", "Columns of every tensor, which run fastest.", 8192, r"columns"),
    choice_field(
        "op",
        Step.REQUIREMENTS,
        "Operation",
        "What is computed of each element, in fp32.",
        "add",
        *(Option(op.name, op.title, op.formula, op.words) for op in OPERATIONS.values()),
    ),
    dtype_field("float16", "float16", "bfloat16", "float32"),
    block_field("block_M", "Block M", "Rows of a block's tile.", 4, (1, 2, 4, 8), 1, 256),
    block_field(
        "block_N", "Block N", "Columns of a block's tile.", 1024, (256, 512, 1024, 2048), 16, 16384
    ),
    threads_field(256),
    *hint_fields(),
    *tolerance_fields(),
)


def _operation(values: Values) -> Operation:
    return OPERATIONS[values["op"]]


def _kept(values: Values, target: Target) -> int:
    """Registers of a thread: its part of each tile in fp32."""
    tiles = sum(name != "Bias" for name in _operation(values).inputs)
    return int(ceildiv(values["block_M"] * values["block_N"] * tiles, values["threads"]))


def _vectors_broken(values: Values, target: Target) -> str | None:
    row = values["N"] * element_bytes(values["dtype"])
    if not is_gpu(target) or row % _VECTOR_BYTES == 0:
        return None
    return (
        f"A row has {row} bytes, no multiple of {_VECTOR_BYTES}: rows begin anywhere, so that no "
        f"thread can read or write {_VECTOR_BYTES} bytes at once."
    )


_RULES = (
    storage_dtype_rule(),
    threads_rule(),
    *ASCEND_RULES,
    *hint_rules(),
    registers_rule(_kept, "block_M", "threads", "block_N"),
    Rule("rows-not-vectors", "Alignment", ("N",), _vectors_broken, advisory=True),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    vector = _VECTOR_BYTES // element_bytes(values["dtype"])
    if target.dialect == CPU:
        return _cpu_advice()
    threads = 256
    wide = min(_power_up(values["N"]), threads * vector)
    tile = threads * vector * (1 if goal is Goal.LATENCY else _VECTORS_A_THREAD)
    rows = max(1, min(_power_up(values["M"]), tile // wide))
    if target.dialect == ASCEND:
        return ascend_advice(values)
    advice = {
        "block_N": Advice(wide, f"{threads} threads read 16 bytes each: one run of a row."),
        "block_M": Advice(
            rows, "Each thread has several loads on their way at once, which hides latency."
        ),
        "threads": Advice(
            threads, "Enough warps to keep memory busy; no thread waits for another."
        ),
    }
    is_usual = values["threads"] == threads and rows * wide == tile
    if is_usual and _is_short_of_blocks(values, target):
        advice["min_blocks"] = Advice(3, "The compiler would take the registers of a third block.")
    return advice


def _is_short_of_blocks(values: Values, target: Target) -> bool:
    """Whether the usual tile was measured to be faster with one more block at once.

    silu(a) b of 16384 x 8192 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of the
    bandwidth of a copy of as many bytes: 0.95 with the 90 registers that nvcc 13.0 takes, which
    are two blocks at once; 1.02 with three. Of silu(a), and of both in fp32, it takes 72 and 54.
    """
    is_short = element_bytes(values["dtype"]) == 2
    return target.arch.name == "sm_90a" and values["op"] == "silu_mul" and is_short


def _cpu_advice() -> dict[str, Advice]:
    return {
        "block_M": Advice(1, "Rows are walked one after the other."),
        "block_N": Advice(1024, "A part of a row that stays in the L1 cache while it is computed."),
        "threads": Advice(256, "A CPU's code has no threads."),
    }


def _power_up(number: int) -> int:
    return max(16, 1 << (number - 1).bit_length()) if number > 1 else 1


def _program(values: Values, setting: Setting) -> Program:
    target, op = setting.target, _operation(values)
    return Program(
        values["op"],
        _TEMPLATES.get(target.dialect, "elementwise.py.j2"),
        {**values, **_context(values, op, target)},
        f"C = {op.formula}, element by element, computed in float32.",
        _usage(values, op, target),
        _hardware(values, op, target),
        _sizes(values, target),
        _cases(values, target),
        _why(values, op, target),
    )


def _context(values: Values, op: Operation, target: Target) -> dict[str, Any]:
    tensors = [name for name in op.inputs if name != "Bias"]
    is_ascend = target.dialect == ASCEND
    wide = tensors if is_ascend and values["dtype"] != "float32" else []
    place = "wide" if wide else "local"
    names = {name.lower(): f"{name}_{place}[i, j]" for name in tensors}
    bias = 'T.cast(Bias[bx * block_N + j], "float32")'
    if values["dtype"] == "float32":
        bias = "Bias[bx * block_N + j]"
    if is_ascend:
        bias = "Bias_local[j]"
    expression = op.tile.format(**{"a": "", "b": "", "bias": bias, **names})
    widened = [f"{name.lower()} = {name}.float()" for name in op.inputs]
    return {
        "kernel": op.name,
        "tensors": tensors,
        "with_bias": "Bias" in op.inputs,
        "inputs": ", ".join(op.inputs),
        "wide": wide,
        "computed": assigned("A_local[i, j]", expression, 20 if is_ascend else 16),
        "widened": widened if values["dtype"] != "float32" else [],
        "reference": op.torch if values["dtype"] != "float32" else op.baseline,
        "baseline": op.baseline,
        "functional": "F." in op.torch,
        **hint_context(values, is_fast=is_gpu(target) and _is_fast(values, op)),
    }


def _is_fast(values: Values, op: Operation) -> bool:
    """Whether exponential and division are taken short: in a short format nobody can tell."""
    return "T.sigmoid" in op.tile and values["dtype"] != "float32"


def _usage(values: Values, op: Operation, target: Target) -> tuple[str, ...]:
    make = f"kernel = {op.name}({values['M']}, {values['N']})"
    shapes = f"(M, N) {values['dtype']}"
    bias = ", Bias: (N,)" if "Bias" in op.inputs else ""
    call = f"C = kernel({', '.join(op.inputs)})"
    if target.dialect == ASCEND:
        call = f"kernel({', '.join(op.inputs)}, C)"
    return make, f"{call}  # {shapes}{bias}"


def moved_bytes(values: Values) -> int:
    """Bytes for each element: inputs that are read and the output that is written."""
    tensors = sum(name != "Bias" for name in _operation(values).inputs) + 1
    return tensors * element_bytes(values["dtype"])


def _hardware(values: Values, op: Operation, target: Target) -> str:
    if target.dialect == ASCEND:
        return f"vector cores; {size(ascend_bytes(values))} of their unified buffer."
    each = moved_bytes(values)
    return f"none. Bound by memory: {each} bytes move for each element, and each byte once."


def _sizes(values: Values, target: Target) -> str:
    m, n = values["block_M"], values["block_N"]
    blocks = ceildiv(values["M"], m) * ceildiv(values["N"], n)
    first = f"{m} × {n} elements a block make {blocks} blocks at {values['M']} × {values['N']}"
    if target.dialect != GPU:
        return f"{first}."
    vector = _VECTOR_BYTES // element_bytes(values["dtype"])
    each = m * n // values["threads"]
    return (
        f"{first}; each of {values['threads']} threads has {each} elements of each tensor, "
        f"{vector} to an access of 16 bytes."
    )


def _cases(values: Values, target: Target) -> tuple[Case, ...]:
    m, n = values["block_M"], values["block_N"]
    vector = _VECTOR_BYTES // element_bytes(values["dtype"])
    real = ("x".join(str(values[name]) for name in "MN"), values["M"], values["N"])
    small = [("tails", 2 * m + 1, n + 3 * vector), ("whole-tiles", 3 * m, 2 * n)]
    if target.dialect == ASCEND:
        small = [("flat", m, 3 * n), ("tall", 5 * m, n)]
    return tuple(_case(*sizes, values, target) for sizes in (*small, real))


def _case(name: str, rows: int, columns: int, values: Values, target: Target) -> Case:
    baseline = f"torch_{values['op']}" if target.dialect == GPU else None
    args = {"M": rows, "N": columns}
    return Case(name, args, baseline=baseline, **tolerances(values))


def _why(values: Values, op: Operation, target: Target) -> tuple[Why, ...]:
    title = DTYPES[values["dtype"]].title
    found = [
        Why(
            "One pass",
            f"{op.formula} is computed where it is read: {_hardware(values, op, target)}",
        ),
        Why("Tiles", _sizes(values, target)),
    ]
    if is_gpu(target) and _is_fast(values, op):
        found.append(
            Why(
                "Short exponential and division",
                "They are exact to a few units of fp32, far below what the result is rounded to, "
                "and take less time than the memory.",
            )
        )
    if values["dtype"] != "float32":
        found.append(
            Why(
                "Arithmetic in fp32",
                f"{title} is widened in registers: only the result is rounded.",
            )
        )
    return tuple(found)


ELEMENTWISE = Pattern(
    "elementwise",
    "Pointwise",
    "Elementwise and fused pointwise",
    "Sums, activations, SwiGLU and GeGLU gates, bias and residual, in one pass over memory.",
    2,
    _FIELDS,
    _RULES,
    (
        r"\belement-?wise\b", r"\bpoint-?wise\b", r"\bswi-?glu\b", r"\bge-?glu\b",
        r"\bresidual add(?:ition)?\b", r"\bvector add\b", r"\b(?:gelu|silu|relu) (?:kernel|of)\b",
    ),
    ("M", "N"),
    _advise,
    _program,
)  # fmt: skip
