"""The pattern of a matrix multiplication with weights of 4 bits, for any number of rows."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.common import (
    GPU,
    block_field,
    ceildiv,
    dialect_rule,
    element_bytes,
    is_gpu,
    matrix_dtype_rule,
    numbers,
    registers_rule,
    shared_rule,
    size_field,
    stages_field,
    storage_dtype_rule,
    switch_field,
    threads_field,
    threads_rule,
    tolerance_fields,
)
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.program import hardware, why_stages
from workbench.core.patterns.int4.fields import (
    BIAS,
    PACKING_RULES,
    REQUIREMENTS,
    SIZES,
    STEP_K,
    TILE_ROWS,
)
from workbench.core.patterns.int4.widening import PACKING, functions, gemm_widening
from workbench.core.patterns.model import (
    Advice,
    Field,
    Goal,
    Kind,
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

_FIELDS = (
    size_field("M", "Rows", "Rows of A and C.", 4096, r"rows", r"tokens"),
    *SIZES,
    *REQUIREMENTS,
    block_field("block_M", "Block M", "Rows of a tile of C.", 128, (16, 64, 128, 256), 16, 256),
    block_field("block_N", "Block N", "Columns of a tile of C.", 128, (64, 128, 256), 16, 256),
    threads_field(),
    stages_field(2),
    Field(
        "panel",
        Kind.INTEGER,
        Step.PIPELINE,
        "Swizzle panel",
        "Rows of tiles that blocks take in turns, so that they share operands in L2.",
        0,
        (Option(0, "Off"), *numbers(4, 8, 10)),
        "tiles",
        0,
        64,
    ),
    switch_field("staged", Step.EPILOGUE, "Through shared memory", "C leaves in whole rows.", True),
    BIAS,
    *tolerance_fields(),
)


def shared_bytes(values: Values, target: Target) -> int:
    """The stages and the tile of widened weights, or C's tile in their place at the end."""
    width = element_bytes(values["dtype"])
    groups = STEP_K // values["group"] * (width + values["zeros"])
    stage = values["block_M"] * STEP_K * width + values["block_N"] * (STEP_K // 2 + groups)
    tile = values["block_M"] * values["block_N"] * width if values["staged"] else 0
    return int(max(stage * values["num_stages"] + values["block_N"] * STEP_K * width, tile))


def _chunks_broken(values: Values, target: Target) -> str | None:
    chunks = values["block_N"] * 4
    if chunks % values["threads"] == 0:
        return None
    return (
        f"{values['block_N']} packed rows of 64 bytes are {chunks} pieces of 16 bytes, which "
        f"{values['threads']} threads do not divide evenly."
    )


def sums(values: Values, target: Target) -> int:
    """Registers of a thread that hold its part of C."""
    return int(values["block_M"] * values["block_N"] // values["threads"])


_DIVISION = (
    *(rule for rule in variants.rules(_FIELDS) if rule.name == "warp-partition"),
    Rule("uneven-pieces", "Threads", ("threads", "block_N"), _chunks_broken),
)
_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    matrix_dtype_rule(),
    storage_dtype_rule(),
    *PACKING_RULES,
    threads_rule(),
    *_DIVISION,
    registers_rule(sums, "threads", "block_N", "block_M"),
    shared_rule(shared_bytes, "num_stages", "block_M", "block_N"),
)


def broken(values: Values, target: Target) -> str | None:
    """Why the threads cannot share the tiles, or None."""
    found = (rule.broken(values, target) for rule in _DIVISION)
    return next((each for each in found if each is not None), None)


# Measured at 4096 x 4096 x 12288 in fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15, of forms
# that read scales straight from memory: a tile of 128 x 256 with two stages 1057 us, where torch's
# product of halves takes 518; one that widened a byte at a time 1282 us with panels, 1297 without.
def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    tile_m, tile_n, threads, stages = _tile(values, target)
    share = tile_m * tile_n // threads
    return {
        "block_M": Advice(tile_m, "Each tile of weights is widened once for so many rows."),
        "block_N": Advice(tile_n, "Columns that share the rows of A."),
        "threads": Advice(threads, f"The sums take {share} registers a thread."),
        "num_stages": Advice(stages, "Packed weights are small: what waits is mostly A."),
        "panel": Advice(
            0, "Panels gained 1 % on an H200: widening the weights is what takes time."
        ),
        "staged": Advice(
            target.arch.has(Feature.WGMMA) and tile_m >= 64,
            "Rows leave whole, by TMA, from where the products of a warpgroup are stored without "
            "conflicts; fragments of mma.sync would meet in the same banks.",
        ),
    }


def _tile(values: Values, target: Target) -> tuple[int, int, int, int]:
    """Rows, columns, threads, stages: a large tile for many rows, as few as there are for few."""
    few = values["M"] <= 32
    if target.arch.vendor is Vendor.AMD:
        return (16, 64, 64, 2) if few else (64, 64, 256, 2)
    if few:
        return (16, 64, 128, 4)
    large = (target.arch.limits.shared_bytes_per_block_opt_in or 0) > 128 * 1024
    if values["M"] <= 64 or not large:
        return (64, 128, 128, 2)
    if target.arch.has(Feature.WGMMA):
        return (128, 256, 256, 2) if values["M"] > 128 else (128, 128, 128, 2)
    return (128, 128, 256, 2)


def program(values: Values, setting: Setting) -> Program:
    """The document's parts for one set of values."""
    target = setting.target
    found = functions(values)
    sizes = _text(values, target)
    return Program(
        "int4_matmul",
        "int4_gemm.py.j2",
        {
            **values,
            **found,
            **gemm_widening(values),
            "why_stages": why_stages(values["num_stages"]),
            "why_panel": f"Blocks run in panels of {values['panel']} tiles, not row by row: those "
            "that run together share operands in L2.",
        },
        f"C = A W{' + bias' if values['bias'] else ''}, weights of 4 bits with a scale to "
        f"{values['group']}.",
        (
            f"kernel = int4_matmul({values['M']}, {values['N']}, {values['K']})",
            f"C = kernel({found['inputs']})  # A: (M, K) {values['dtype']}, W: pack(...)",
        ),
        _hardware(values, target),
        sizes,
        _cases(values),
        (
            Why("Widened once a tile", sizes),
            Why("Two weights at once", "Bits become numbers by one `and` and packed arithmetic."),
            Why("Order of weights", PACKING),
            Why("Pipeline", why_stages(values["num_stages"])),
        ),
        f"{PACKING} Weights are rounded to the operands' format before the product.",
    )


def _hardware(values: Values, target: Target) -> str:
    """The unit that a plain product of such tiles has, with this kernel's shared memory."""
    unit, _, _ = hardware(_as_gemm(values), target).partition(";")
    shared = size(shared_bytes(values, target))
    return f"{unit}; {shared} of shared memory and {values['threads']} threads a block."


def _as_gemm(values: Values) -> dict[str, object]:
    return variants.as_gemm({**values, "block_K": STEP_K, "out_dtype": values["dtype"]})


def _text(values: Values, target: Target) -> str:
    tiles = ceildiv(values["M"], values["block_M"]) * ceildiv(values["N"], values["block_N"])
    units = max(target.sm_counts.values(), default=0)
    there = f" for {units} multiprocessors of {short_label(target)}" if units else ""
    return (
        f"C has {tiles} tiles of {values['block_M']} × {values['block_N']}{there}; a tile of "
        f"{values['block_N']} × {STEP_K} weights is widened for {values['block_M']} rows."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    m, n = values["block_M"], values["block_N"]
    tails = {"M": m // 2 + 5, "N": n + TILE_ROWS, "K": 3 * STEP_K}
    return variants.product_cases(values, tails, {"M": m, "N": 2 * n, "K": 2 * STEP_K})


INT4_GEMM = Pattern(
    "int4_gemm",
    "Matrix multiplication",
    "Matrix multiplication with 4-bit weights",
    "C = A W with weights of 4 bits and a scale for each group: widened in shared memory.",
    1,
    _FIELDS,
    _RULES,
    (
        r"\b(?:int4|4[- ]bit|w4a16)\b.*\b(?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?)\b",
        r"\bweight[- ]only\b.*\b(?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?)\b",
    ),
    ("M", "N", "K"),
    _advise,
    program,
)
