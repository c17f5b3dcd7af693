"""The fields of the scaffold: tensors and sizes as text, then grid, tiles and loop."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.patterns.common import (
    choice_field,
    numbers,
    stages_field,
    threads_field,
    tolerance_fields,
)
from workbench.core.patterns.model import Field, Kind, Option, Step, Values


def _text_field(name: str, title: str, text: str, default: str, step: Step) -> Field:
    return Field(name, Kind.TEXT, step, title, text, default)


def _loops(values: Values) -> bool:
    return bool(values["loop"].strip())


FIELDS = (
    _text_field("name", "Name", "What the kernel is called.", "kernel", Step.REQUIREMENTS),
    _text_field(
        "sizes", "Sizes", "The sizes that shapes are made of.", "M=1000, N=1024", Step.REQUIREMENTS
    ),
    _text_field(
        "inputs",
        "Inputs",
        "Tensors that are read: name, shape and format, with ; between them.",
        "A: (M, N) float16",
        Step.REQUIREMENTS,
    ),
    _text_field(
        "outputs", "Outputs", "Tensors that are written.", "C: (M, N) float16", Step.REQUIREMENTS
    ),
    choice_field(
        "out_idx",
        Step.REQUIREMENTS,
        "Outputs are",
        "Returned outputs are made by TileLang (out_idx); else the caller passes them.",
        "returned",
        Option("returned", "Returned"),
        Option("passed", "Passed by the caller"),
    ),
    _text_field(
        "grid", "Grid", "Sizes that are divided among blocks, up to three.", "M, N", Step.TILES
    ),
    Field(
        "block",
        Kind.INTEGER,
        Step.TILES,
        "Block",
        "Extent of a block's tile along each size of the grid.",
        64,
        numbers(16, 32, 64, 128),
        "elements",
        1,
        1024,
        power_of_two=True,
    ),
    choice_field(
        "memory",
        Step.TILES,
        "Tiles of inputs in",
        "Shared memory is seen by all threads of a block; a fragment lies in their registers.",
        "shared",
        Option("shared", "Shared memory"),
        Option("fragment", "Fragment"),
    ),
    threads_field(128),
    _text_field(
        "loop", "Loop over", "A size that each block walks along, or none.", "", Step.PIPELINE
    ),
    Field(
        "block_loop",
        Kind.INTEGER,
        Step.PIPELINE,
        "Step of the loop",
        "Extent of a tile along the loop.",
        32,
        numbers(16, 32, 64),
        "elements",
        1,
        1024,
        power_of_two=True,
        matters=_loops,
    ),
    replace(stages_field(2), matters=_loops),
    *tolerance_fields(),
)
