"""The pattern of a stream-K multiplication: the steps of all tiles divided among programs."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.patterns.common import ceildiv, is_gpu, tolerance_fields
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.advice import largest
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
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

_ROWS = 8
_LARGE = "Large tiles read least; no wave is left half empty in any case."
_FIELDS = (
    *variants.fields(
        "M", "N", "K", "dtype", "out_dtype", "layout_B",
        "block_M", "block_N", "block_K", "threads", "policy", "num_stages",
        M=1536, N=3072, K=8192,
    ),
    Field(
        "programs",
        Kind.INTEGER,
        Step.TILES,
        "Persistent blocks",
        "Blocks that divide the work evenly: as many as there are multiprocessors.",
        132,
        (),
        "blocks",
        1,
        4096,
    ),
    *tolerance_fields(),
)  # fmt: skip


def _programs_broken(values: Values, target: Target) -> str | None:
    steps = ceildiv(values["K"], values["block_K"])
    tiles = ceildiv(values["M"], values["block_M"]) * ceildiv(values["N"], values["block_N"])
    if values["programs"] <= tiles * steps:
        return None
    return f"There are {tiles * steps} steps of the sum: not every program would have one."


def _stages_broken(values: Values, target: Target) -> str | None:
    """TileLang 0.1.15 ends with "Downcast from tirx.Sub to ir.IntImm failed" for more stages."""
    copies_asynchronously = target.arch.has(Feature.CP_ASYNC) and not target.arch.has(Feature.TMA)
    if not copies_asynchronously or values["num_stages"] <= 2:
        return None
    return (
        "A loop whose turns are counted at run time is lowered to cp.async with two stages at most."
    )


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    units = max(target.sm_counts.values(), default=132)
    advice = dict(variants.advise(values, target, Goal.THROUGHPUT))
    stages = advice["num_stages"].value
    if target.arch.has(Feature.CP_ASYNC) and not target.arch.has(Feature.TMA):
        advice["num_stages"] = Advice(
            min(2, stages), "The number of turns is found at run time: two stages are lowered."
        )
    reason = f"One for each multiprocessor of {short_label(target)}: all end together."
    tile, policy = largest(target, values["dtype"])
    kept = tile.block_M * tile.block_N // tile.threads
    return {
        **advice,
        "block_M": Advice(tile.block_M, _LARGE),
        "block_N": Advice(tile.block_N, _LARGE),
        "threads": Advice(tile.threads, f"The sums take {kept} registers a thread."),
        "policy": policy,
        "programs": Advice(units, reason),
    }


def _program(values: Values, setting: Setting) -> Program:
    b = variants.operand_b(values["layout_B"] == "row", "(begin + k) * block_K", "column")
    sizes = _sizes(values, setting.target)
    return Program(
        "streamk_matmul",
        "streamk_gemm.py.j2",
        {
            **values,
            **b,
            "gemm": variants.multiply(values, 24),
            "why_stages": why_stages(values["num_stages"]),
            "rows": _ROWS,
            **launches(setting),
        },
        "C = A B with the steps of all tiles divided evenly among a fixed number of programs.",
        (
            f"kernel = streamk_matmul({values['M']}, {values['N']}, {values['K']})",
            f"C = kernel(A, B)  # A: (M, K), B: {b['shape_B']}, {values['dtype']}",
        ),
        hardware(variants.as_gemm(values), setting.target),
        sizes,
        _cases(values),
        (
            Why("No last wave", sizes),
            second_launch(setting),
            Why("Pipeline", why_stages(values["num_stages"])),
        ),
    )


def _sizes(values: Values, target: Target) -> str:
    tiles = ceildiv(values["M"], values["block_M"]) * ceildiv(values["N"], values["block_N"])
    steps = tiles * ceildiv(values["K"], values["block_K"])
    return (
        f"{tiles} tiles of {values['block_M']} × {values['block_N']} have {steps} steps, "
        f"{ceildiv(steps, values['programs'])} for each of {values['programs']} programs; one tile "
        f"a block would be {tiles / values['programs']:.2f} waves."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    m, n, k = values["block_M"], values["block_N"], values["block_K"]
    # Fewer programs than in earnest, so that shares begin and end within tiles.
    tails = {"M": m + 16, "N": n + 48, "K": 4 * k + 16, "programs": 3}
    return variants.product_cases(values, tails, {"M": m, "N": 3 * n, "K": 4 * k, "programs": 5})


STREAMK_GEMM = Pattern(
    "streamk_gemm",
    "Matrix multiplication",
    "Stream-K matrix multiplication",
    "A number of tiles that leaves a wave half empty: the work is divided evenly all the same.",
    2,
    _FIELDS,
    (
        *variants.rules(_FIELDS),
        Rule("programs-without-steps", "Persistent blocks", ("programs",), _programs_broken),
        Rule("stages-of-unknown-loop", "Stages", ("num_stages",), _stages_broken),
    ),
    (r"\bstream[- ]?k\b(?: (?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?))?",),
    ("M", "N", "K"),
    _advise,
    _program,
)
