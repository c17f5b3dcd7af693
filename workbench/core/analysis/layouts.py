"""Where the elements of a tile lie in shared memory: row by row, padded, or swizzled."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

SWIZZLES = (32, 64, 128)  # bytes of a row that are permuted among each other
_CHUNK_BITS = 4  # swizzles move chunks of 16 bytes
_ROW_BITS = 7  # by the number of the 128-byte row that they are in


class LayoutError(ValueError):
    """A tile cannot be laid out so; the message says why."""


@dataclass(frozen=True)
class TileLayout:
    """A tile of `rows` x `columns` elements at `base_bytes` of shared memory.

    `padding` is in elements, behind each row. With `swizzle_bytes` the tile is cut into panels of
    that many bytes of each row, one after the other, as TMA boxes and TileLang's layouts are.
    Raises LayoutError where the two are combined or a row is no whole number of panels.
    """

    rows: int
    columns: int
    element_bytes: int
    padding: int = 0
    swizzle_bytes: int = 0
    base_bytes: int = 0

    def __post_init__(self) -> None:
        if self.swizzle_bytes == 0:
            return
        if self.swizzle_bytes not in SWIZZLES:
            raise LayoutError(
                f"there are swizzles of 32, 64 and 128 bytes, not {self.swizzle_bytes}"
            )
        if self.padding:
            raise LayoutError("a swizzled tile has no padding")
        if self.columns * self.element_bytes % self.swizzle_bytes:
            raise LayoutError(
                f"rows of {self.columns * self.element_bytes} bytes are no whole number of "
                f"{self.swizzle_bytes}-byte panels"
            )

    @property
    def pitch_bytes(self) -> int:
        """From one row to the next, within a panel where there are panels."""
        padded = (self.columns + self.padding) * self.element_bytes
        return self.swizzle_bytes or padded

    @property
    def size_bytes(self) -> int:
        """Shared memory that the tile takes, with its padding."""
        return self.rows * (self.columns + self.padding) * self.element_bytes

    def addresses(self, rows: npt.ArrayLike, columns: npt.ArrayLike) -> Ints:
        """Byte addresses of elements; -1 where the row is negative: the lane is inactive."""
        row, column = (np.asarray(index, np.int64) for index in (rows, columns))
        offset = column * self.element_bytes
        if self.swizzle_bytes:
            panel, within = np.divmod(offset, self.swizzle_bytes)
            offset = panel * self.rows * self.swizzle_bytes + within
        plain = self.base_bytes + row * self.pitch_bytes + offset
        return np.where(row < 0, -1, swizzled(plain, self.swizzle_bytes))

    def padded_by(self, elements: int) -> TileLayout:
        """The same tile with so much padding and no swizzle."""
        return replace(self, padding=elements, swizzle_bytes=0)

    def swizzled_by(self, swizzle_bytes: int) -> TileLayout:
        """The same tile with a swizzle and no padding. Raises LayoutError."""
        return replace(self, padding=0, swizzle_bytes=swizzle_bytes)


def swizzled(addresses: Ints, swizzle_bytes: int) -> Ints:
    """Addresses with their 16-byte chunks permuted: 1, 2 or 3 bits of the chunk xor of the row.

    Source: NVIDIA, CUDA C++ Programming Guide, TMA swizzle modes; the pattern repeats every 256,
    512 or 1024 bytes, to which the tile must be aligned. 0 permutes nothing.
    """
    if swizzle_bytes == 0:
        return addresses
    chunks = swizzle_bytes // 16 - 1
    moved: Ints = addresses ^ ((addresses >> _ROW_BITS & chunks) << _CHUNK_BITS)
    return moved
