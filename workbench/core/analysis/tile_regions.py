"""Which part of each global tensor a block touches at each turn of its loops, as expressions.

An expression is text of `index_expressions` over `bx`, `by`, `bz` (the indices that the block works
with) and the names of the loops around the access.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.rasterization import Rasterization

BLOCK_NAMES = ("bx", "by", "bz")


@dataclass(frozen=True)
class GlobalTensor:
    """A tensor of the kernel's parameters; an extent that the launch decides is None."""

    name: str
    dtype: str
    bits: int
    shape: tuple[int | None, ...]


@dataclass(frozen=True)
class TileLoop:
    """A loop whose variable `name` runs from `start` for `extent` turns.

    `label` is the variable as the document calls it. `stages` are those of T.Pipelined, 0 where
    the loop is none.
    """

    name: str
    label: str
    start: str
    extent: str
    stages: int = 0
    line: int | None = None


@dataclass(frozen=True)
class TileAccess:
    """One operation on a tensor: the region begins at `offset` and spans `extent`, by dimension.

    It may reach beyond the tensor, where nothing is read or written. `loops` are the positions of
    those around it, the outermost first; where a guard is 0 the operation is left out. `into` is
    the shared buffer that it fills. `bounded` says that the region is the most that it can be: a
    part of it may be left out. Where the region cannot be told `unknown` says why, and offset and
    extent are empty.
    """

    tensor: str
    reads: bool
    writes: bool
    line: int | None
    loops: tuple[int, ...] = ()
    offset: tuple[str, ...] = ()
    extent: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    into: str | None = None
    bounded: bool = False
    unknown: str | None = None


@dataclass(frozen=True)
class TileRegions:
    """What the blocks of one kernel touch, in the order of the code.

    `line` is that of T.Kernel, `names` are the block's indices as the document calls them.
    """

    grid: tuple[int, int, int]
    names: tuple[str, ...]
    tensors: tuple[GlobalTensor, ...]
    loops: tuple[TileLoop, ...]
    accesses: tuple[TileAccess, ...]
    swizzle: Rasterization | None = None
    line: int | None = None

    def tensor(self, name: str) -> GlobalTensor:
        """A tensor by its name. Raises KeyError."""
        return {each.name: each for each in self.tensors}[name]
