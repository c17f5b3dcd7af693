"""The fields that both patterns of 4-bit weights have, and the rules of their packing."""

from __future__ import annotations

from workbench.core.patterns.common import dtype_field, numbers, size_field, switch_field
from workbench.core.patterns.model import Field, Kind, Rule, Step, Values
from workbench.core.targets.model import Target

STEP_K = 128
"""Weights of a row in a packed tile."""
TILE_ROWS = 16
"""Rows of a packed tile."""
TILE_BYTES = STEP_K * TILE_ROWS // 2
_GROUPS = (32, 64, 128)

SIZES = (
    size_field("N", "Outputs", "Rows of W, columns of C.", 4096, r"outputs?"),
    size_field("K", "Inputs", "Columns of W and of A.", 12288, r"inputs?"),
)
REQUIREMENTS = (
    dtype_field("float16", "float16", "bfloat16"),
    Field(
        "group",
        Kind.INTEGER,
        Step.REQUIREMENTS,
        "Group",
        "Weights along K that share a scale.",
        128,
        numbers(*_GROUPS),
        "weights",
        _GROUPS[0],
        _GROUPS[-1],
        power_of_two=True,
        words=(r"groups? of", r"group[- ]size", r"groups?"),
    ),
    switch_field(
        "zeros",
        Step.REQUIREMENTS,
        "Zero points",
        "A whole number of each group is taken off its weights; else it is 8.",
        False,
        r"\bzero[- ]?points?\b",
        r"\basymmetric(?:al|ally)?\b",
    ),
)
BIAS = switch_field(
    "bias", Step.EPILOGUE, "Bias", "Adds a value to each output.", False, r"\bbias\b"
)


def _depth_broken(values: Values, target: Target) -> str | None:
    if values["K"] % STEP_K == 0:
        return None
    return (
        f"Weights are packed in tiles of {STEP_K} along K, which K = {values['K']} does not fill."
    )


def _rows_broken(values: Values, target: Target) -> str | None:
    if values["N"] % TILE_ROWS == 0:
        return None
    return (
        f"Weights are packed in tiles of {TILE_ROWS} rows, which N = {values['N']} does not fill."
    )


PACKING_RULES = (
    Rule("packed-depth", "Packing", ("K",), _depth_broken),
    Rule("packed-rows", "Packing", ("N",), _rows_broken),
)
