"""Says in a line where the elements of a tile in shared memory lie."""

from __future__ import annotations

import numpy as np

from workbench.core.analysis.layouts import SWIZZLES, Ints, LayoutError, TileLayout

ROW_MAJOR = "row-major"


def tile_words(places: Ints, element_bytes: int) -> str | None:
    """The layout in words of a tile whose element (row, column) lies at `places[row, column]`.

    Places count elements from the start of the tile. None for a layout that has no name here.
    """
    rows, columns = places.shape
    row, column = np.indices(places.shape)
    pitch = int(places[1, 0]) if rows > 1 else columns
    if np.array_equal(places, row * pitch + column):
        if pitch == columns:
            return ROW_MAJOR
        padding = (pitch - columns) * element_bytes
        return f"row-major, {padding} B of padding a row"
    if np.array_equal(places, column * rows + row):
        return "column-major"
    return _swizzle_words(places, element_bytes)


def swizzle_of(places: Ints, element_bytes: int) -> int | None:
    """The bytes that a swizzle permutes, 0 for plain rows one after the other, None for others."""
    rows, columns = places.shape
    row, column = np.indices(places.shape)
    if np.array_equal(places, row * columns + column):
        return 0
    for swizzle in reversed(SWIZZLES):
        try:
            tile = TileLayout(rows, columns, element_bytes, swizzle_bytes=swizzle)
        except LayoutError:
            continue
        if np.array_equal(places * element_bytes, tile.addresses(row, column)):
            return swizzle
    return None


def _swizzle_words(places: Ints, element_bytes: int) -> str | None:
    swizzle = swizzle_of(places, element_bytes)
    if not swizzle:
        return None
    return f"{swizzle}-byte swizzle{_panels(places.shape[1] * element_bytes, swizzle)}"


def _panels(row_bytes: int, swizzle_bytes: int) -> str:
    count = row_bytes // swizzle_bytes
    return f" in {count} panels of {swizzle_bytes} B a row" if count > 1 else ""


def fragment_words(registers: int, threads: int, copies: int) -> str:
    """The layout in words of a tile that is spread over the registers of a block's threads."""
    counted = f"{registers:,} register{'' if registers == 1 else 's'} a thread"
    text = f"{counted} over {threads:,} threads"
    return text if copies == 1 else f"{text}, each element in {copies:,} of them"
