"""The patterns of many matrix multiplications in one launch: batched, and grouped by expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.attention.fields import copies_asynchronously
from workbench.core.patterns.common import ceildiv, size_field, tolerance_fields, tolerances
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.program import (
    hardware,
    is_swizzled,
    why_panel,
    why_staged,
    why_stages,
)
from workbench.core.patterns.model import (
    Advice,
    Goal,
    Pattern,
    Program,
    Rule,
    Setting,
    Values,
    Why,
)
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

_KNOBS = ("block_M", "block_N", "block_K", "threads", "policy", "num_stages", "staged")
_FORMATS = ("dtype", "out_dtype", "layout_B")

_BATCHED_FIELDS = (
    size_field("batch", "Batch", "Products in one launch.", 64, r"batch(?:es| size)?"),
    *variants.fields("M", "N", "K", *_FORMATS, *_KNOBS),
    *tolerance_fields(),
)
_GROUPED_FIELDS = (
    size_field("tokens", "Tokens", "Rows of all groups together.", 8192, r"tokens", r"rows"),
    size_field(
        "experts", "Experts", "Groups, each with its own weights.", 16, r"experts", r"groups"
    ),
    *variants.fields("N", "K", *_FORMATS, *_KNOBS, "panel"),
    *tolerance_fields(),
)


def _of_batch(values: Values) -> Mapping[str, int]:
    """The sizes that the rules look at; for the number of tiles the batch counts as rows."""
    return {"M": values["M"], "N": values["N"], "K": values["K"]}


def _of_groups(values: Values) -> Mapping[str, int]:
    return {"M": values["tokens"], "N": values["N"], "K": values["K"]}


def _has_tma(targets: Sequence[Target]) -> bool:
    """Whether warps of their own copy on one of the targets: blocks without rows take no turns."""
    return any(target.arch.has(Feature.TMA) for target in targets)


def _turns_not_known(values: Values, target: Target, targets: Sequence[Target]) -> str | None:
    """TileLang 0.1.15 ends with "Downcast from tirx.Sub to ir.IntImm failed" for more stages."""
    if not copies_asynchronously(target) or values["num_stages"] <= 2 or not _has_tma(targets):
        return None
    return (
        "For a target with TMA the loop's turns are counted at run time, which is lowered to "
        "cp.async with two stages at most."
    )


_TURNS = Rule(
    "turns-not-known", "Stages", ("num_stages",), lambda values, target: None, False,
    _turns_not_known,
)  # fmt: skip


def _operands(values: Values, setting: Setting, name: str, lead: str, index: str) -> dict[str, Any]:
    """How B or W lies and is multiplied, and how C leaves, in the context's words for it."""
    rows = values["layout_B"] == "row"
    inner = ("k * block_K", "bx * block_N") if rows else ("bx * block_N", "k * block_K")
    return {
        f"shape_{name}": f"({lead}, K, N)" if rows else f"({lead}, N, K)",
        f"tile_{name}": "(block_K, block_N)" if rows else "(block_N, block_K)",
        f"part_{name}": f"{name}[{index}, {inner[0]}, {inner[1]}]",
        "gemm": variants.multiply(values, 16, f"{name}_shared"),
        "why_staged": why_staged(f"{name}_shared"),
        "swizzled": is_swizzled(values, setting),
        "why_stages": why_stages(values["num_stages"]),
    }


def _advise_batched(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    def sizes(values: Values) -> Mapping[str, int]:
        tall = values["M"] if values["M"] < 64 else values["M"] * values["batch"]
        return {"M": tall, "N": values["N"], "K": values["K"]}

    return variants.advise(values, target, goal, sizes)


def _advise_grouped(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    def sizes(values: Values) -> Mapping[str, int]:
        average = ceildiv(values["tokens"], values["experts"])
        return {
            "M": average if average < 64 else values["tokens"],
            "N": values["N"],
            "K": values["K"],
        }

    return variants.advise(values, target, goal, sizes)


def _tiles(values: Values, blocks: int, target: Target, what: str) -> str:
    units = max(target.sm_counts.values(), default=0)
    waves = f", {blocks / units:.2f} waves of {short_label(target)}" if units else ""
    return f"{values['block_M']} × {values['block_N']} a block: {blocks} blocks {what}{waves}."


def _batched(values: Values, setting: Setting) -> Program:
    target = setting.target
    blocks = values["batch"] * ceildiv(values["M"], values["block_M"])
    blocks *= ceildiv(values["N"], values["block_N"])
    sizes = _tiles(values, blocks, target, "for all products together")
    context = _operands(values, setting, "B", "batch", "bz")
    matrix = "B" if values["layout_B"] == "row" else "B.transpose(1, 2)"
    arguments = ", ".join(str(values[name]) for name in ("batch", "M", "N", "K"))
    return Program(
        "batched_matmul",
        "batched_gemm.py.j2",
        {**values, **context, "matrix_B": matrix},
        f"C[b] = A[b] B[b] for each of a batch, {values['dtype']} operands and float32 sums.",
        (
            f"kernel = batched_matmul({arguments})",
            f"C = kernel(A, B)  # A: (batch, M, K), B: {context['shape_B']}, {values['dtype']}",
        ),
        hardware(variants.as_gemm(values), target),
        sizes,
        _batched_cases(values),
        (
            Why("One launch", "Small products fill the GPU together, where each alone would not."),
            Why("Tiles", sizes),
            Why("Pipeline", context["why_stages"]),
        ),
    )


def _batched_cases(values: Values) -> tuple[Case, ...]:
    m, n, k = values["block_M"], values["block_N"], values["block_K"]
    real = {name: values[name] for name in ("batch", "M", "N", "K")}
    named = (
        ("tails", {"batch": 2, "M": m + 16, "N": n + 48, "K": 2 * k + 16}),
        ("whole-tiles", {"batch": 3, "M": m, "N": 2 * n, "K": 2 * k}),
        ("x".join(str(size) for size in real.values()), real),
    )
    return tuple(
        Case(
            name, args, flops="2 * batch * M * N * K", baseline="torch_matmul", **tolerances(values)
        )
        for name, args in named
    )


def _grouped(values: Values, setting: Setting) -> Program:
    target = setting.target
    blocks = ceildiv(values["tokens"], values["block_M"]) + values["experts"]
    blocks *= ceildiv(values["N"], values["block_N"])
    sizes = _tiles(values, blocks, target, "at most")
    context = _operands(values, setting, "W", "experts", "expert")
    rows = values["layout_B"] == "row"
    names = ("tokens", "experts", "N", "K")
    return Program(
        "grouped_matmul",
        "grouped_gemm.py.j2",
        {
            **values,
            **context,
            "why_panel": why_panel(values["panel"]),
            "by_warps": _has_tma(setting.targets),
            "gemm_at_16": context["gemm"],
            "gemm_at_20": variants.multiply(values, 20, "W_shared"),
            "axis_N": 2 if rows else 1,
            "turned": "" if rows else ".T",
        },
        "C = A W[expert], rows of A sorted by expert, each group with its own number of rows.",
        (
            f"kernel = grouped_matmul({', '.join(str(values[name]) for name in names)})",
            f"C = kernel(A, W, Offsets)  # A: (tokens, K), W: {context['shape_W']}, "
            f"Offsets: (experts + 1,) int32, where each group begins",
        ),
        hardware(variants.as_gemm(values, _of_groups), target),
        sizes,
        _grouped_cases(values),
        (
            Why("One launch", "The kernel reads the groups' sizes: the host waits for none."),
            Why("Tiles", sizes),
            Why("Pipeline", context["why_stages"]),
        ),
    )


def _grouped_cases(values: Values) -> tuple[Case, ...]:
    m, n, k = values["block_M"], values["block_N"], values["block_K"]
    real = {name: values[name] for name in ("tokens", "experts", "N", "K")}
    named = (
        ("tails", {"tokens": 2 * m + 13, "experts": 4, "N": n + 48, "K": k + 16}),
        ("whole-tiles", {"tokens": 3 * m, "experts": 3, "N": n, "K": 2 * k}),
        ("x".join(str(size) for size in real.values()), real),
    )
    return tuple(
        Case(name, args, flops="2 * tokens * N * K", baseline="torch_matmul", **tolerances(values))
        for name, args in named
    )


BATCHED_GEMM = Pattern(
    "batched_gemm",
    "Matrix multiplication",
    "Batched matrix multiplication",
    "Many products of one size in one launch.",
    1,
    _BATCHED_FIELDS,
    variants.rules(_BATCHED_FIELDS, _of_batch),
    (r"\bbatch(?:ed)? (?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?)s?\b", r"\bbmm\b"),
    ("batch", "M", "N", "K"),
    _advise_batched,
    _batched,
)
GROUPED_GEMM = Pattern(
    "grouped_gemm",
    "Matrix multiplication",
    "Grouped matrix multiplication (MoE)",
    "Rows sorted by expert, each group with its own weights and number of rows.",
    3,
    _GROUPED_FIELDS,
    (*variants.rules(_GROUPED_FIELDS, _of_groups), _TURNS),
    (r"\bgrouped (?:gemm|mat(?:rix)?[- ]?mul(?:tiplication)?)s?\b", r"\bmoe\b",
     r"\bmixture of experts\b"),
    ("tokens", "experts", "N", "K"),
    _advise_grouped,
    _grouped,
)  # fmt: skip
