"""Which elements of a shared tile the lanes access: what changes of layout are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.bank_rules import AccessKind, SharedAccess
from workbench.core.analysis.shared_sites import Count, SharedKind


@dataclass(frozen=True)
class SharedTile:
    """A buffer of shared memory: `rows` x `columns` elements, `copies` times for a pipeline.

    `swizzle_bytes` is how its rows are permuted, 0 where they follow each other plainly and None
    where elements lie in another order.
    """

    name: str
    rows: int
    columns: int
    element_bytes: int
    copies: int
    base_bytes: int
    swizzle_bytes: int | None


@dataclass(frozen=True)
class LaneElements:
    """One instruction: for each lane the first element that it accesses, -1 where inactive.

    Elements are counted row by row in the document's order, whatever layout they have. `weight`
    says how often it is executed in the whole launch, `outside` are addresses in global memory.
    """

    elements: tuple[int, ...]
    weight: Count
    outside: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LaneStep:
    """One instruction of one warp of the first block, at one turn of the loops around it.

    `turns` are the loops' variables with their values; `addresses` are in bytes from the
    beginning of shared memory, -1 where a lane is inactive. `elements` are told as patterns are.
    """

    warp: int
    turns: tuple[tuple[str, int], ...]
    addresses: tuple[int, ...]
    outside: tuple[int, ...] | None = None
    elements: tuple[int, ...] | None = None


@dataclass(frozen=True)
class TileSite:
    """An access site of the lowered IR with what its lanes do.

    `patterns` are all its instructions, each kind once, empty where the buffer has no conflict or
    is no tile: then `lacks` says why. `sampled` says that some stand for all. `steps` are the
    first ones of the first block, in the order of execution. `counts`: an atomic that adds one.
    """

    line: int | None
    kind: SharedKind
    operation: str
    buffer: str | None
    width_bytes: int
    matrices: int = 4
    counts: bool = False
    patterns: tuple[LaneElements, ...] = ()
    steps: tuple[LaneStep, ...] = ()
    sampled: bool = False
    lacks: str | None = None

    @property
    def access(self) -> SharedAccess | None:
        """The access as the bank rules know it; None for what goes through descriptors."""
        if self.kind in (SharedKind.TENSOR, SharedKind.BULK_COPY):
            return None
        if self.kind is SharedKind.INTEGER_ATOMIC and self.counts:
            return SharedAccess(AccessKind.INTEGER_COUNT, self.width_bytes)
        return SharedAccess(AccessKind(self.kind.value), self.width_bytes, self.matrices)


@dataclass(frozen=True)
class SharedTiles:
    """The shared tiles of one kernel and all sites that access them, in the order of the code."""

    tiles: tuple[SharedTile, ...]
    sites: tuple[TileSite, ...]

    def tile(self, name: str | None) -> SharedTile | None:
        """The tile of a name."""
        return next((each for each in self.tiles if each.name == name), None)
