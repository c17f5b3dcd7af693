"""Which scaffolds are legal: names, grid and loop fit each other, and tiles fit memory."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from math import prod
from typing import Any

from workbench.core.patterns.common import GPU, dialect_rule, shared_rule, threads_rule
from workbench.core.patterns.model import Rule, Values
from workbench.core.patterns.scaffold.parts import Parts, known_extent, read_parts, tile_of
from workbench.core.patterns.tensor_specs import SpecError, unknown_extent
from workbench.core.targets.model import Target

_BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}
_MOST_GRID = 3


def _readable(check: Callable[[Values, Parts], str | None]) -> Any:
    """A rule's function: what cannot be read breaks the first rule alone."""

    def broken(values: Values, target: Target) -> str | None:
        try:
            parts = read_parts(values)
        except SpecError:
            return None
        return check(values, parts)

    return broken


def _unreadable(values: Values, target: Target) -> str | None:
    try:
        read_parts(values)
    except SpecError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
    return None


def _names_broken(values: Values, parts: Parts) -> str | None:
    name = values["name"]
    if not name.isidentifier() or keyword.iskeyword(name):
        return f"{name!r} is no name that Python takes."
    unknown = unknown_extent((*parts.inputs, *parts.outputs), parts.sizes)
    if unknown is not None:
        return f"{unknown} is in a shape, but not among the sizes."
    names = [tensor.name for tensor in (*parts.inputs, *parts.outputs)]
    repeated = next((n for n in names if names.count(n) > 1 or n in parts.sizes), None)
    if repeated is not None:
        return f"{repeated} is the name of two things."
    extents = (extent for tensor in parts.outputs for extent in tensor.extents)
    lost = next((extent for extent in extents if known_extent(extent, parts) is None), None)
    if lost is not None:
        return f"{lost} is an extent of no input, from which the reference would know it."
    return None if parts.outputs else "A kernel writes at least one tensor."


def _grid_broken(values: Values, parts: Parts) -> str | None:
    missing = next((name for name in parts.grid if name not in parts.sizes), None)
    if missing is not None:
        return f"{missing} is not among the sizes."
    if not 1 <= len(parts.grid) <= _MOST_GRID:
        return "A grid has one to three extents."
    for tensor in parts.outputs:
        left_out = next((name for name in parts.grid if name not in tensor.extents), None)
        if left_out is not None:
            return f"Blocks along {left_out} would all write the same part of {tensor.name}."
    return None


def _loop_broken(values: Values, parts: Parts) -> str | None:
    if not parts.loop:
        return None
    if parts.loop not in parts.sizes:
        return f"{parts.loop} is not among the sizes."
    if parts.loop in parts.grid:
        return f"{parts.loop} is divided among the blocks already."
    if any(parts.loop in tensor.extents for tensor in parts.outputs):
        return f"{parts.loop} is an extent of an output, which is written after the loop."
    return None


def _shared_bytes(values: Values, target: Target) -> int:
    try:
        parts = read_parts(values)
    except SpecError:
        return 0
    if values["memory"] != "shared" or unknown_extent(parts.inputs, parts.sizes):
        return 0
    stages = values["num_stages"]
    return sum(
        prod(tile_of(t, parts, values))
        * _element_bytes(t.dtype)
        * (stages if t in parts.looped else 1)
        for t in parts.inputs
    )


def _element_bytes(dtype: str) -> int:
    return next((size for bits, size in _BYTES.items() if bits in dtype), 4)


RULES = (
    dialect_rule((GPU,), "The scaffold is written for GPUs: threads and shared memory."),
    Rule("scaffold-text", "How it is written", (), _unreadable),
    Rule("scaffold-names", "Names", ("sizes",), _readable(_names_broken)),
    Rule("scaffold-grid", "Grid", ("grid",), _readable(_grid_broken)),
    Rule("scaffold-loop", "Loop", ("loop",), _readable(_loop_broken)),
    threads_rule(),
    shared_rule(_shared_bytes, "block", "num_stages", "block_loop"),
)
