"""The fields of a matrix multiplication."""

from __future__ import annotations

from workbench.core.patterns.activations import activation_field
from workbench.core.patterns.common import (
    block_field,
    choice_field,
    dtype_field,
    numbers,
    size_field,
    stages_field,
    switch_field,
    threads_field,
    tolerance_fields,
)
from workbench.core.patterns.dtypes import dtype_options
from workbench.core.patterns.model import Field, Kind, Option, Step


def _layout_field(tensor: str, text: str, *both: str) -> Field:
    """How an operand lies in memory; `both` are words that say it of both operands."""
    name = tensor.lower()
    words = (
        rf"\b{name} (?:is )?(?:stored )?(?:transposed|col(?:umn)?[- ]major)\b",
        rf"\b(?:transposed|col(?:umn)?[- ]major) {name}\b",
        *both,
    )
    return choice_field(
        f"layout_{tensor}",
        Step.REQUIREMENTS,
        f"Layout of {tensor}",
        text,
        "row",
        Option("row", "Row-major", "The last index runs fastest in memory."),
        Option("column", "Column-major", "The tensor is stored transposed.", words),
    )


REQUIREMENTS = (
    size_field("M", "Rows of C", "Rows of A and C.", 4096),
    size_field("N", "Columns of C", "Columns of B and C.", 4096),
    size_field("K", "Depth", "Columns of A, rows of B: how many products make an element.", 4096),
    switch_field(
        "dynamic_M",
        Step.REQUIREMENTS,
        "M at launch",
        "One compiled kernel takes any number of rows; M is then the size that is tried.",
        False,
        r"\bdynamic m\b",
        r"\bm (?:is )?dynamic\b",
        r"\b(?:any|variable|dynamic) (?:number of rows|batch)\b",
    ),
    dtype_field("float16", "float16", "bfloat16", "float32", "int8", "float8_e4m3", "float8_e5m2"),
    Field(
        "out_dtype",
        Kind.DTYPE,
        Step.REQUIREMENTS,
        "Format of C",
        "Sums are kept in fp32, of int8 in int32, and rounded to this once.",
        "float16",
        dtype_options("float16", "bfloat16", "float32", "int32"),
    ),
    _layout_field("A", "How A lies in memory.", r"\btn layout\b", r"\btt layout\b"),
    _layout_field(
        "B",
        "How B lies in memory; the weights of a linear layer are column-major here.",
        r"\bnt layout\b",
        r"\btt layout\b",
        r"\blinear layer\b",
    ),
)

TILES = (
    block_field(
        "block_M", "Block M", "Rows of C that one block computes.", 128, (64, 128, 256), 16, 512
    ),
    block_field(
        "block_N", "Block N", "Columns of C that one block computes.", 128, (64, 128, 256), 8, 512
    ),
    block_field("block_K", "Block K", "Depth of one step of the sum.", 32, (32, 64, 128), 8, 512),
    threads_field(128),
    choice_field(
        "policy",
        Step.TILES,
        "Policy",
        "How the warps of a block divide its tile of C.",
        "Square",
        Option("Square", "Square", "Warps take parts in the proportions of the tile."),
        Option("FullRow", "FullRow", "Each warp takes whole rows."),
        Option("FullCol", "FullCol", "Each warp takes whole columns."),
    ),
)

PIPELINE = (
    stages_field(3),
    Field(
        "panel",
        Kind.INTEGER,
        Step.PIPELINE,
        "Swizzle panel",
        "Blocks are launched in panels of this many tiles, so that those that run together share "
        "operands in L2; 0 launches them row by row.",
        0,
        (Option(0, "Off"), *numbers(4, 8, 10, 16)),
        "tiles",
        0,
        64,
    ),
    Field(
        "stays",
        Kind.SWITCH,
        Step.PIPELINE,
        "Blocks that stay",
        "A block a multiprocessor takes one tile after another, and a warpgroup of its own copies: "
        "it is at the next tile while this one is written.",
        False,
    ),
)

EPILOGUE = (
    switch_field(
        "bias", Step.EPILOGUE, "Bias", "Adds a value to each column of C.", False, r"\bbias\b"
    ),
    activation_field(),
    Field(
        "staged",
        Kind.SWITCH,
        Step.EPILOGUE,
        "Through shared memory",
        "Collects the tile of C in shared memory and writes whole rows from there.",
        False,
        tuned=True,
    ),
)

FIELDS = (*REQUIREMENTS, *TILES, *PIPELINE, *EPILOGUE, *tolerance_fields())
