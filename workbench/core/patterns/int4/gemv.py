"""The pattern of a few rows times weights of 4 bits: each weight is read once, from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.common import (
    GPU,
    block_field,
    ceildiv,
    dialect_rule,
    is_gpu,
    matrix_dtype_rule,
    numbers,
    registers_rule,
    shared_rule,
    storage_dtype_rule,
    threads_field,
    threads_rule,
    tolerance_fields,
)
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.int4 import gemm
from workbench.core.patterns.int4.fields import (
    BIAS,
    PACKING_RULES,
    REQUIREMENTS,
    SIZES,
    STEP_K,
    TILE_ROWS,
)
from workbench.core.patterns.int4.widening import PACKING, functions, gemv_widening
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
from workbench.core.patterns.rendering import call
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

_MOST_ROWS = 16
_COLUMNS = 8  # of an mma
_FIELDS = (
    Field(
        "M",
        Kind.SIZE,
        Step.REQUIREMENTS,
        "Rows",
        "Rows of A and C: tokens of one step.",
        1,
        low=1,
        high=_MOST_ROWS,
        words=(r"rows", r"tokens", r"batch(?: size)?"),
    ),
    *SIZES,
    *REQUIREMENTS,
    block_field("block_N", "Block N", "Rows of W that a block works on.", 32, (16, 32, 64), 16, 64),
    threads_field(512),
    Field(
        "num_stages",
        Kind.INTEGER,
        Step.PIPELINE,
        "Stages",
        "Steps along K that wait in a thread's registers.",
        2,
        numbers(1, 2, 3),
        "steps",
        1,
        4,
    ),
    BIAS,
    *tolerance_fields(),
)


def uses_warps(target: Target) -> bool:
    """Whether the form of mma.sync of 16 x 8 x 16 is generated, which came with sm_80."""
    is_nvidia = target.arch.vendor is Vendor.NVIDIA
    return is_nvidia and target.arch.has(Feature.MMA) and target.arch.has(Feature.CP_ASYNC)


def _columns(values: Values) -> int:
    return ceildiv(values["M"], _COLUMNS)


def _kept(values: Values, target: Target) -> int:
    """Words of weights and of A that wait, and sums."""
    if not uses_warps(target):
        return gemm.sums(_as_tiles(values), target)
    tiles, columns = values["block_N"] // TILE_ROWS, _columns(values)
    return int(values["num_stages"] * (tiles * 8 + columns * 16) + (tiles + 1) * columns * 4)


def _shared_bytes(values: Values, target: Target) -> int:
    if not uses_warps(target):
        return gemm.shared_bytes(_as_tiles(values), target)
    return int(values["threads"] // 32 * _columns(values) * _COLUMNS * (values["block_N"] + 4) * 4)


def _threads_broken(values: Values, target: Target) -> str | None:
    limits = target.arch.limits
    kept, have = _kept(values, target) + 32, limits.registers_per_sm
    if not uses_warps(target) or have is None or kept * values["threads"] <= have:
        return None
    return (
        f"{values['threads']} threads that keep about {kept} values each need more than the "
        f"{have} registers of a multiprocessor."
    )


def _tiles_broken(values: Values, target: Target) -> str | None:
    return None if uses_warps(target) else gemm.broken(_as_tiles(values), target)


def _tiles_broken_beside(values: Values, target: Target, targets: Sequence[Target]) -> str | None:
    """One target without that instruction gives all of them the form in tiles."""
    alike = all(uses_warps(each) for each in targets)
    return None if alike else gemm.broken(_as_tiles(values), target)


_RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    matrix_dtype_rule(),
    storage_dtype_rule(),
    *PACKING_RULES,
    threads_rule(),
    Rule(
        "tiles-and-warps",
        "Threads",
        ("threads", "block_N"),
        _tiles_broken,
        beside=_tiles_broken_beside,
    ),
    registers_rule(_kept, "num_stages", "block_N", "threads"),
    Rule("registers-of-a-block", "Registers", ("threads", "num_stages"), _threads_broken),
    shared_rule(_shared_bytes, "threads", "block_N"),
)


# Measured at N = 4096, K = 12288 in fp16 with a cold L2 on an NVIDIA H200, 2026-11-30, tilelang
# 0.1.15: 12.0 us for one row, 12.9 for eight, 14.4 for sixteen, 3.0, 2.8 and 2.5 times as fast as
# torch's product of halves. One row comes within 8 % of a kernel that only reads W; with W through
# shared memory, by cp.async or by TMA, it takes 1 to 3 us more.
def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    if not uses_warps(target):
        reason = "A is padded to the 16 rows of a matrix instruction."
        tiles = {"block_N": 64, "threads": 64, "num_stages": 2}
        return {name: Advice(value, reason) for name, value in tiles.items()}
    units = max(target.sm_counts.values(), default=128)
    block = 32 if ceildiv(values["N"], 32) * 8 >= units * 7 else 16
    stages = 2 if values["M"] <= _COLUMNS else 1
    return {
        "block_N": Advice(
            block, f"{ceildiv(values['N'], block)} blocks for {units} multiprocessors: about one "
            "each, which reads A once for all its rows."
        ),
        "threads": Advice(512, "Sixteen warps share the steps along K, with loads on the way."),
        "num_stages": Advice(
            stages, "While one step is multiplied the next is on its way; with more than 8 rows A "
            "takes the registers for that."
        ),
    }  # fmt: skip


def _as_tiles(values: Values) -> dict[str, Any]:
    """The values of the form in tiles, as the pattern for many rows has them."""
    return {**values, "block_M": 16, "panel": 0, "staged": False}


def _program(values: Values, setting: Setting) -> Program:
    if not all(uses_warps(target) for target in setting.targets):
        return gemm.program(_as_tiles(values), setting)
    found = functions(values)
    sizes = _sizes(values, setting.target)
    return Program(
        "int4_gemv",
        "int4_gemv.py.j2",
        {**values, **found, **gemv_widening(values), **_calls(values)},
        f"C = A W{' + bias' if values['bias'] else ''} for up to {_MOST_ROWS} rows, weights of 4 "
        f"bits with a scale to {values['group']}.",
        (
            f"kernel = int4_gemv({values['M']}, {values['N']}, {values['K']})",
            f"C = kernel({found['inputs']})  # A: (M, K) {values['dtype']}, W: pack(...)",
        ),
        f"mma.sync (compute capability 8.0); {size(_shared_bytes(values, setting.target))} of "
        f"shared memory and {values['threads']} threads a block. Bound by memory.",
        sizes,
        _cases(values),
        (
            Why("Each weight once", sizes),
            Why("W on the left", "An mma has 16 rows on its left, 8 columns on its right: few rows "
                "of A fill the right side, so that no product is wasted on padding to 16."),
            Why("No shared memory", "A weight is used by one thread only, which loads it itself."),
            Why("Order of weights", PACKING),
        ),
        PACKING,
    )  # fmt: skip


def _calls(values: Values) -> dict[str, str]:
    """The arguments of the template's macros, and the first term of a sum."""
    zeros = values["zeros"]
    tensors = ["A", "W", "Scales", *(["Zeros"] if zeros else [])]
    held = ["words", "a", "scales", *(["offsets"] if zeros else [])]
    first, following = "p * warps + warp", "((o + 1) * num_stages + p) * warps + warp"
    place = ["bx", "lane"]
    return {
        "loaded": ", ".join([*tensors, *held, *place, "step", "p"]),
        "load_first": ", ".join([*tensors, *held, *place, first, "p"]),
        "load_next": _broken([*tensors, *held, *place, following, "p"], 20),
        "multiplied": ", ".join([*held, "w", "part", "result", "p"]),
        "first_term": "Bias[bx * block_N + at % block_N]" if values["bias"] else "0.0",
    }


def _broken(arguments: list[str], column: int) -> str:
    """Arguments of a call of `load`, over lines where they are long."""
    return call("load", arguments, column).removeprefix("load(").removesuffix(")")


def _sizes(values: Values, target: Target) -> str:
    blocks = ceildiv(values["N"], values["block_N"])
    units = max(target.sm_counts.values(), default=0)
    share = f" for {units} multiprocessors of {short_label(target)}" if units else ""
    bytes_ = values["num_stages"] * values["block_N"] // TILE_ROWS * 32
    return (
        f"{values['block_N']} rows of W a block make {blocks} blocks{share}; each thread has "
        f"{bytes_} bytes of weights on their way."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    n, warps = values["block_N"], values["threads"] // 32
    tails = {"M": min(5, values["M"]), "N": n + TILE_ROWS, "K": (warps + 3) * STEP_K}
    return variants.product_cases(
        values, tails, {"M": values["M"], "N": 2 * n, "K": 2 * warps * STEP_K}
    )


INT4_GEMV = Pattern(
    "int4_gemv",
    "Matrix multiplication",
    "GEMV with 4-bit weights",
    "C = A W for 1 to 16 rows, weights of 4 bits: a step of decoding, at the speed of memory.",
    1,
    _FIELDS,
    _RULES,
    (
        r"\b(?:int4|4[- ]bit|w4a16)\b.*\b(?:gemv|mat(?:rix)?[- ]?vec(?:tor)?)\b"
        r"(?: (?:product|multiplication))?",
        r"\bweight[- ]only\b.*\b(?:gemv|mat(?:rix)?[- ]?vec(?:tor)?)\b",
    ),
    ("N", "K"),
    _advise,
    _program,
)
