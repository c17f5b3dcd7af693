"""Which convolutions are legal: those of their matrix product, and those that TMA can gather."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.core.patterns.common import (
    GPU,
    ceildiv,
    dialect_rule,
    element_bytes,
    is_gpu,
    shared_rule,
)
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.rules import RULES as GEMM_RULES
from workbench.core.patterns.gemm.rules import shared_bytes
from workbench.core.patterns.model import Rule, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

VECTOR_BYTES = 16
_MOST_STRIDE = 8  # elementStrides of cuTensorMapEncodeIm2col
_BLOCKS = ("block_M", "block_N", "block_K", "threads", "num_stages", "staged", "dtype")
_OF_PRODUCTS = (
    "dtype-without-matrix-unit",
    "threads-not-whole-warps",
    "instruction-depth",
    "warp-partition",
    "registers-would-spill",
)


def out_extent(size: int, taps: int, values: Values) -> int:
    """Places along one side of the output: 0 or less where the filter is larger than the image."""
    reach = values["dilation"] * (taps - 1) + 1
    return int((size + 2 * values["padding"] - reach) // values["stride"] + 1)


def out_size(values: Values) -> tuple[int, int]:
    """Rows and columns of an image of the output."""
    return out_extent(values["H"], values["KH"], values), out_extent(
        values["W"], values["KW"], values
    )


def matrix_sizes(values: Values) -> dict[str, Any]:
    """The matrix product: a row for each pixel of the output, a column for each filter."""
    height, width = out_size(values)
    return {
        "M": values["N"] * max(1, height) * max(1, width),
        "N": values["filters"],
        "K": values["KH"] * values["KW"] * values["C"],
        "layout_B": "column" if values["layout"] == "filters-first" else "row",
        "out_dtype": values["dtype"],
        "staged": values["staged"],
        "bias": values["bias"],
    }


def as_gemm(values: Values) -> Mapping[str, Any]:
    """The values that the matrix product has."""
    return variants.as_gemm(values, matrix_sizes)


def why_no_im2col(values: Values, target: Target) -> str | None:
    """Why the hardware cannot gather the image's tile (Im2Col::Lower in TileLang's copy.cc)."""
    if not target.arch.has(Feature.WGMMA) or target.lowering_arch != target.arch.name:
        return f"TMA gathers for Hopper alone; {short_label(target)} loads pixels by threads."
    if values["KH"] != values["KW"]:
        return f"T.im2col takes square filters, not {values['KH']} × {values['KW']}."
    if 2 * values["padding"] != values["dilation"] * (values["KH"] - 1):
        return (
            f"T.im2col bounds what a tap may read by the padding alone, which is right where the "
            f"image keeps its size: padding {values['dilation'] * (values['KH'] - 1) / 2:g}, "
            f"not {values['padding']}."
        )
    if values["C"] % values["block_K"]:
        return (
            f"One TMA copy reads channels of one tap: {values['C']} channels are no multiple of "
            f"block_K = {values['block_K']}."
        )
    if values["stride"] > _MOST_STRIDE:
        return f"TMA steps over {_MOST_STRIDE} pixels at most, not {values['stride']}."
    if values["C"] * element_bytes(values["dtype"]) % VECTOR_BYTES:
        return f"TMA takes pixels of whole {VECTOR_BYTES} bytes."
    return None


def _loads_broken(values: Values, target: Target) -> str | None:
    if not is_gpu(target) or values["loads"] == "gather":
        return None
    return why_no_im2col(values, target)


def _size_broken(values: Values, target: Target) -> str | None:
    if min(out_size(values)) > 0:
        return None
    return (
        f"Filters of {values['KH']} × {values['KW']} reach beyond an image of "
        f"{values['H']} × {values['W']}: no pixel is left."
    )


def _channels_broken(values: Values, target: Target) -> str | None:
    pixel = values["C"] * element_bytes(values["dtype"])
    if not is_gpu(target) or pixel % VECTOR_BYTES == 0:
        return None
    return (
        f"A pixel has {pixel} bytes, no multiple of {VECTOR_BYTES}: its channels are loaded one "
        f"by one."
    )


def _filters_broken(values: Values, target: Target) -> str | None:
    row = values["filters"] * element_bytes(values["dtype"])
    if not is_gpu(target) or row % VECTOR_BYTES == 0:
        return None
    return (
        f"A pixel of Y has {row} bytes, no multiple of {VECTOR_BYTES}: it is written in smaller "
        f"pieces."
    )


def _steps_broken(values: Values, target: Target) -> str | None:
    depth = values["KH"] * values["KW"] * values["C"]
    steps = ceildiv(depth, values["block_K"])
    if not is_gpu(target) or steps >= values["num_stages"]:
        return None
    return f"The sum has {steps} steps of {values['block_K']}: not every stage would have one."


def _of_product(rule: Rule) -> Rule:
    """A rule of matrix products as it holds for a convolution's."""
    fields = tuple(name for name in rule.fields if name in _BLOCKS)
    return replace(
        rule,
        fields=fields,
        broken=lambda values, target: rule.broken(as_gemm(values), target),
    )


RULES = (
    dialect_rule((GPU,), "There is a form for GPUs only."),
    Rule("filter-beyond-image", "Size", ("padding", "dilation", "KH", "KW"), _size_broken),
    *(_of_product(rule) for rule in GEMM_RULES if rule.name in _OF_PRODUCTS),
    Rule("im2col-form", "Loads", ("loads", "block_K", "padding"), _loads_broken),
    Rule("stages-without-steps", "Stages", ("num_stages", "block_K"), _steps_broken),
    shared_rule(
        lambda values, target: shared_bytes(as_gemm(values), target),
        "num_stages", "block_K", "staged", "block_N", "block_M",
    ),
    Rule("channels-not-vectors", "Channels", ("C",), _channels_broken, advisory=True),
    Rule("filters-not-vectors", "Filters", ("filters",), _filters_broken, advisory=True),
)  # fmt: skip
