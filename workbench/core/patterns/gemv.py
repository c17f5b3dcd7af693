"""The pattern of a matrix-vector product, y = W x: one token through a linear layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.activations import TILE, TITLES, TORCH, activation_field
from workbench.core.patterns.common import (
    GPU,
    block_field,
    ceildiv,
    dialect_rule,
    dtype_field,
    element_bytes,
    is_gpu,
    registers_rule,
    size_field,
    storage_dtype_rule,
    switch_field,
    threads_field,
    threads_rule,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.model import (
    Advice,
    Goal,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rendering import returned
from workbench.core.patterns.rows import VECTOR_BYTES
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_FIELDS = (
    size_field("N", "Outputs", "Rows of W, length of y.", 12288, r"rows", r"outputs?"),
    size_field("K", "Inputs", "Columns of W, length of x.", 4096, r"columns", r"inputs?"),
    dtype_field("float16", "float16", "bfloat16", "float32"),
    block_field("block_N", "Block N", "Rows of W that a block works on.", 4, (1, 2, 4, 8), 1, 64),
    block_field(
        "block_K",
        "Block K",
        "Columns that a block reads at once.",
        1024,
        (256, 512, 1024, 2048),
        64,
        8192,
    ),
    threads_field(128),
    switch_field("bias", Step.EPILOGUE, "Bias", "Adds a value to each output.", False, r"\bbias\b"),
    activation_field(),
    *tolerance_fields(),
)


def _kept(values: Values, target: Target) -> int:
    """The sums in fp32, and the weights of a turn in their own format."""
    sums = values["block_N"] * values["block_K"]
    return int(ceildiv(sums * (4 + element_bytes(values["dtype"])), values["threads"] * 4))


def _vectors_broken(values: Values, target: Target) -> str | None:
    row = values["K"] * element_bytes(values["dtype"])
    if not is_gpu(target) or row % VECTOR_BYTES == 0:
        return None
    return (
        f"A row of W has {row} bytes, no multiple of {VECTOR_BYTES}: rows begin anywhere, so that "
        f"no thread can read {VECTOR_BYTES} bytes at once."
    )


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    storage_dtype_rule(),
    threads_rule(),
    registers_rule(_kept, "block_N", "block_K", "threads"),
    Rule("rows-not-vectors", "Alignment", ("K",), _vectors_broken, advisory=True),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    """Recommended tiles.

    12288 x 4096 in fp16, an NVIDIA H200, 2026-11-30, tilelang 0.1.15: 33.2 us with 2 rows of 2048
    columns and 256 threads, 35.8 us with 4 rows of 1024 and 128; 4 rows of 2048 were slower (a
    thread keeps 64 sums and fewer blocks fit), and so was a whole row at once.
    """
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    threads = 256 if values["K"] >= 256 * vector else 128
    units = max(target.sm_counts.values(), default=128)
    rows = 2 if values["N"] >= 4 * units else 1
    return {
        "block_K": Advice(threads * vector, "All threads read 16 bytes of a row each."),
        "block_N": Advice(
            rows, "Few rows a block leave registers for many blocks: their loads are on the way at "
            "the same time."
        ),
        "threads": Advice(threads, "A turn of the loop covers a long piece of each row."),
    }  # fmt: skip


def _program(values: Values, setting: Setting) -> Program:
    inputs = "x, W, Bias" if values["bias"] else "x, W"
    activation = values["activation"]
    title = TITLES[activation]
    inner = "W x + bias" if values["bias"] else "W x"
    return Program(
        "gemv",
        "gemv.py.j2",
        {
            **values,
            **_functions(values),
            "inputs": inputs,
            "activated": TILE.get(activation, "").format(x="result[i]"),
        },
        f"y = {f'{title}({inner})' if title else inner}, a matrix with one vector.",
        (
            f"kernel = gemv({values['N']}, {values['K']})",
            f"y = kernel({inputs})  # x: (K,), W: (N, K), {values['dtype']}",
        ),
        "none. Bound by memory: each weight is read once, for two FLOP.",
        _sizes(values, setting.target),
        _cases(values),
        (
            Why("No matrix unit", "With one vector each weight is used once: memory decides."),
            Why("Sums in registers", "Threads add their own columns and meet once, at the end."),
            Why("Tiles", _sizes(values, setting.target)),
        ),
    )


def _functions(values: Values) -> dict[str, Any]:
    short = values["dtype"] != "float32"
    wide = ".float()" if short else ""
    bias = values["bias"]
    reference = [f"W{wide} @ x{wide}", *([f"y + Bias{wide}"] if bias else [])]
    baseline = ["torch.addmv(Bias, W, x)" if bias else "torch.mv(W, x)"]
    if values["activation"] != "none":
        step = TORCH[values["activation"]].format(x="y")
        reference, baseline = [*reference, step], [*baseline, step]
    if short and len(reference) == 1:
        reference = [f"({reference[0]}).to(torch.{values['dtype']})"]
    elif short:
        reference.append(f"y.to(torch.{values['dtype']})")
    return {"reference": returned("y", reference), "baseline": returned("y", baseline)}


def _sizes(values: Values, target: Target) -> str:
    blocks = ceildiv(values["N"], values["block_N"])
    units = max(target.sm_counts.values(), default=0)
    share = (
        f", {blocks / units:.1f} for each multiprocessor of {short_label(target)}" if units else ""
    )
    read = values["block_N"] * values["block_K"] * element_bytes(values["dtype"])
    return (
        f"{values['block_N']} rows a block make {blocks} blocks at N = {values['N']}{share}; a "
        f"turn reads {read // values['threads']} bytes a thread."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    n, k = values["block_N"], values["block_K"]
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    real = (f"{values['N']}x{values['K']}", values["N"], values["K"])
    named = (("tails", 2 * n + 1, k + 5 * vector), ("whole-tiles", 3 * n, 2 * k), real)
    return tuple(
        Case(
            name,
            {"N": rows, "K": columns},
            flops="2 * N * K",
            baseline="torch_gemv",
            **tolerances(values),
        )
        for name, rows, columns in named
    )


GEMV = Pattern(
    "gemv",
    "Matrix multiplication",
    "Matrix-vector product (GEMV)",
    "y = W x with bias and activation: one token through a linear layer, at the speed of memory.",
    1,
    _FIELDS,
    _RULES,
    (r"\bgemv\b", r"\bmat(?:rix)?[- ]?vec(?:tor)?\b(?: (?:product|multiplication))?"),
    ("N", "K"),
    _advise,
    _program,
)
