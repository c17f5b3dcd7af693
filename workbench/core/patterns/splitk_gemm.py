"""The pattern of a matrix multiplication whose sum is split among blocks: few tiles, long K."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.patterns.common import (
    ceildiv,
    counted,
    is_gpu,
    numbers,
    switch_field,
    tolerance_fields,
)
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.launches import launches, second_launch
from workbench.core.patterns.gemm.program import hardware, why_stages
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
from workbench.core.patterns.rows import power_up
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

_ROWS = 8
_WGMMA_ROWS = 64
_WORTH_TELLING = 0.05
_FIELDS = (
    *variants.fields(
        "M", "N", "K", "dtype", "out_dtype", "layout_B",
        "block_M", "block_N", "block_K", "threads", "num_stages", M=128, N=4096, K=16384,
    ),
    Field(
        "split",
        Kind.INTEGER,
        Step.TILES,
        "Split",
        "Parts of the sum, each computed by blocks of its own and added up by a second launch.",
        4,
        numbers(1, 2, 4, 8, 16),
        "parts",
        1,
        128,
    ),
    switch_field(
        "copy_warps",
        Step.PIPELINE,
        "Warps that copy",
        "Copies by TMA are started by warps of their own, not by those that multiply. TileLang "
        "then gives one block all registers of a multiprocessor.",
        True,
    ),
    *tolerance_fields(),
)  # fmt: skip


def _split_broken(values: Values, target: Target) -> str | None:
    steps = ceildiv(values["K"], values["block_K"])
    if values["split"] <= steps:
        return None
    return f"K has {steps} steps of {values['block_K']}: not every part would have one."


def _uneven(values: Values, target: Target) -> str | None:
    steps, split = ceildiv(values["K"], values["block_K"]), values["split"]
    wasted = ceildiv(steps, split) * split - steps
    if split > steps or wasted < _WORTH_TELLING * steps:
        return None
    share = f"{wasted / steps * 100:.0f} %"
    return f"{split} parts do not divide {steps} steps evenly: the last multiplies zeros, {share}."


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    advice = variants.advise(values, target, goal)
    block_m = max(16, min(128, power_up(values["M"])))
    width = max(64, min(128, power_up(values["N"])))
    advice["block_M"] = Advice(block_m, "As many rows as C has, up to 128: B is read once or so.")
    advice["block_N"] = Advice(width, "Splitting the sum fills the GPU, not small tiles.")
    advice["threads"] = Advice(128, f"The sums take {block_m * width // 128} registers a thread.")
    units = max(target.sm_counts.values(), default=132)
    tiles = ceildiv(values["M"], block_m) * ceildiv(values["N"], width)
    steps = ceildiv(values["K"], advice["block_K"].value)
    advice["copy_warps"] = _copy_warps(block_m, target)
    alone = advice["copy_warps"].value and target.arch.has(Feature.WGMMA)
    resident = units if alone else 2 * units
    most = max(1, min(resident // max(1, tiles), steps // 4, 32))
    split = ceildiv(steps, ceildiv(steps, most))
    return {**advice, "split": Advice(split, _why_split(tiles, split, units))}


def _why_split(tiles: int, split: int, units: int) -> str:
    if split == 1:
        return f"{counted(tiles, 'tile')} give all {units} multiprocessors work: nothing is split."
    return (
        f"{counted(tiles, 'tile')} for {units} multiprocessors: {split} parts of the sum make "
        f"{tiles * split:,} blocks."
    )


def _copy_warps(block_m: int, target: Target) -> Advice:
    """Whether copies get warps of their own where TMA makes them.

    fp16 on an NVIDIA H200, 2026-11-30, tilelang 0.1.15: 16 x 4096 x 16384 in 8 parts 44.0 us
    without, 46.1 us with them (46.4 us where the second launch waits for the end of the first);
    128 x 4096 x 14336 49.9 us without them in 8 parts, 46.7 us with them in 4, which is a block a
    multiprocessor, and 53.0 us in 8.
    """
    if block_m >= _WGMMA_ROWS or not target.arch.has(Feature.TMA):
        return Advice(True, "They run ahead of the products, as far as there are stages.")
    return Advice(
        False, "Small tiles leave room for several blocks a multiprocessor, which wait in turn."
    )


def _program(values: Values, setting: Setting) -> Program:
    b = variants.operand_b(
        values["layout_B"] == "row", "(bz * steps + k) * block_K", "bx * block_N"
    )
    sizes = _sizes(values, setting.target)
    return Program(
        "splitk_matmul",
        "splitk_gemm.py.j2",
        {
            **values,
            **b,
            "gemm": variants.multiply(values, 16),
            "why_stages": why_stages(values["num_stages"]),
            "rows": _ROWS,
            **launches(setting),
            "plain_roles": not values["copy_warps"] and setting.target.arch.has(Feature.TMA),
        },
        f"C = A B with the sum over K in {values['split']} parts, for few tiles and a long K.",
        (
            f"kernel = splitk_matmul({values['M']}, {values['N']}, {values['K']})",
            f"C = kernel(A, B)  # A: (M, K), B: {b['shape_B']}, {values['dtype']}",
        ),
        hardware(variants.as_gemm(values), setting.target),
        sizes,
        _cases(values),
        (
            Why("Split sum", sizes),
            second_launch(setting),
            Why("Pipeline", why_stages(values["num_stages"])),
        ),
    )


def _sizes(values: Values, target: Target) -> str:
    tiles = ceildiv(values["M"], values["block_M"]) * ceildiv(values["N"], values["block_N"])
    units = max(target.sm_counts.values(), default=0)
    there = f" for {units} multiprocessors of {short_label(target)}" if units else ""
    return (
        f"C has {tiles} tiles of {values['block_M']} × {values['block_N']}; {values['split']} "
        f"parts of the sum make {tiles * values['split']} blocks{there}."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    m, n, k, split = (values[name] for name in ("block_M", "block_N", "block_K", "split"))
    # The last step of the last part is partial.
    tails = {"M": m + 16, "N": n + 48, "K": split * 2 * k - 16}
    return variants.product_cases(values, tails, {"M": m, "N": 2 * n, "K": 2 * split * k})


SPLITK_GEMM = Pattern(
    "splitk_gemm",
    "Matrix multiplication",
    "Split-K matrix multiplication",
    "Few tiles and a long K: the sum is split among blocks and added up in a fixed order.",
    2,
    _FIELDS,
    (
        *variants.rules(_FIELDS),
        Rule("split-without-steps", "Split", ("split", "block_K"), _split_broken),
        Rule("uneven-split", "Uneven split", ("split",), _uneven, advisory=True),
    ),
    (r"\bsplit[- ]?k\b(?: (?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?))?", r"\bskinny gemm\b"),
    ("M", "N", "K"),
    _advise,
    _program,
)
