"""Regions as the arguments of tile operations name them: TIR alone, before anything is emitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.engine.simulator.tir import call_name, static_int, tirx

_REGION = "tl.region"
_ANY_ACCESS = 3  # the argument of a region that tells reads (1) from writes (2)


@dataclass(frozen=True)
class Region:
    """A rectangle of a buffer: TIR expressions for its starts and extents."""

    buffer: Any
    starts: tuple[Any, ...]
    extents: tuple[Any, ...]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions of the buffer along which the region has more than one element."""
        return tuple(at for at, size in enumerate(self.extents) if static_int(size) != 1)


def is_region(node: Any) -> bool:
    """Whether an argument of a tile operation is a region."""
    if isinstance(node, (tirx.BufferLoad, tirx.BufferRegion)):
        return True
    return isinstance(node, tirx.Call) and call_name(node) == _REGION


def first_element(node: Any) -> Any:
    """Return the load of the first element of the region that an argument names, None for none."""
    if isinstance(node, tirx.Call) and call_name(node) == _REGION:
        return node.args[0]
    if isinstance(node, tirx.BufferRegion):
        return tirx.BufferLoad(node.buffer, [each.min for each in node.region])
    return node if isinstance(node, tirx.BufferLoad) else None


def find_region(node: Any) -> Region | None:
    """Return the region that an argument names, None where it names none."""
    if isinstance(node, tirx.BufferLoad):
        return Region(node.buffer, tuple(node.indices), (1,) * len(node.indices))
    if isinstance(node, tirx.BufferRegion):
        ranges = list(node.region)
        return Region(node.buffer, tuple(r.min for r in ranges), tuple(r.extent for r in ranges))
    if not is_region(node):
        return None
    load, extents = node.args[0], tuple(node.args[2:])
    missing = len(load.indices) - len(extents)
    return Region(load.buffer, tuple(load.indices), (1,) * missing + extents)


def as_argument(region: Region) -> Any:
    """Return an argument that names a region."""
    first = tirx.BufferLoad(region.buffer, list(region.starts))
    op = tirx.op.Op.get(_REGION)
    return tirx.Call("handle", op, [first, _ANY_ACCESS, *region.extents])
