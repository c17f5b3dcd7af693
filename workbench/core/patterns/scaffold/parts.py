"""The texts of a scaffold's fields as read, and the tiles that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.patterns.model import Values
from workbench.core.patterns.tensor_specs import TensorSpec, read_names, read_sizes, read_tensors


@dataclass(frozen=True)
class Parts:
    """The texts of the fields as read."""

    sizes: Mapping[str, int]
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    grid: tuple[str, ...]
    loop: str

    @property
    def looped(self) -> tuple[TensorSpec, ...]:
        """The inputs of which each turn of the loop loads a tile."""
        return tuple(t for t in self.inputs if self.loop and self.loop in t.extents)


def read_parts(values: Values) -> Parts:
    """The fields' texts as read. Raises SpecError."""
    return Parts(
        read_sizes(values["sizes"]),
        read_tensors(values["inputs"]),
        read_tensors(values["outputs"]),
        read_names(values["grid"]),
        values["loop"].strip(),
    )


def tile_of(tensor: TensorSpec, parts: Parts, values: Values) -> list[int]:
    """The shape of a tensor's tile: blocks of what is divided or walked along, the rest whole."""
    return [extent_of(extent, parts, values) for extent in tensor.extents]


def extent_of(extent: str, parts: Parts, values: Values) -> int:
    """How much of an extent a tile holds."""
    if extent in parts.grid:
        return int(values["block"])
    if extent == parts.loop:
        return int(values["block_loop"])
    return int(extent) if extent.isdigit() else parts.sizes[extent]


def known_extent(extent: str, parts: Parts) -> str | None:
    """An extent as the reference can know it: a number, or read off an input."""
    if extent.isdigit():
        return extent
    known = (
        f"{tensor.name}.shape[{axis}]"
        for tensor in parts.inputs
        for axis, name in enumerate(tensor.extents)
        if name == extent
    )
    return next(known, None)
