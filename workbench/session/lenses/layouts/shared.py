"""The picture of a tile in shared memory: the banks of its parts, row by row and as lowered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap, row_major
from workbench.core.analysis.layouts import Ints

BANKS, BANK_BYTES = 32, 4  # NVIDIA, CUDA C++ Programming Guide, Shared Memory
_CHUNK_BYTES = 16  # what ldmatrix reads of a row, and what swizzles move


@dataclass(frozen=True, eq=False)
class BankGrid:
    """One way to lay out a tile: the byte at which each part of it begins, shape (rows, parts)."""

    title: str
    bytes: Ints
    banks: int
    part_bytes: int

    @cached_property
    def first_banks(self) -> Ints:
        """The first bank of each part."""
        return self.bytes // BANK_BYTES % self.banks

    @cached_property
    def lines(self) -> Ints:
        """The row of all banks that each part lies in."""
        return self.bytes // (self.banks * BANK_BYTES)

    def stacks(self, rows: range, part: int) -> tuple[tuple[int, ...], ...]:
        """For each place of the row of banks, the rows of a phase whose part lies there."""
        place_bytes = max(self.part_bytes, BANK_BYTES)
        own = self.first_banks[rows.start : rows.stop, part] * BANK_BYTES // place_bytes
        places = max(1, self.banks * BANK_BYTES // place_bytes)
        return tuple(
            tuple(rows[n] for n in np.flatnonzero(own == place)) for place in range(places)
        )

    def passes(self, rows: range, part: int) -> int:
        """How often the fullest bank is used when the rows of a phase are read at once."""
        return max(len(stack) for stack in self.stacks(rows, part))

    def banks_met(self, rows: range, part: int) -> int:
        """How many banks the rows of a phase meet."""
        used = sum(bool(stack) for stack in self.stacks(rows, part))
        return used * max(1, self.part_bytes // BANK_BYTES)


@dataclass(frozen=True, eq=False)
class SharedTile:
    """A tile by parts of `part_elements` neighbours, `before` row by row and `after` as lowered.

    `after` is None where that is row by row. `phase_rows` rows of one part are read at once: as
    many as fill all banks.
    """

    name: str
    before: BankGrid
    after: BankGrid | None
    part_elements: int
    phase_rows: int
    lead: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Rows of the tile."""
        return int(self.before.bytes.shape[0])

    @property
    def parts(self) -> int:
        """Parts of a row."""
        return int(self.before.bytes.shape[1])

    @property
    def grids(self) -> tuple[BankGrid, ...]:
        """What is drawn beside each other."""
        return (self.before,) if self.after is None else (self.before, self.after)

    def phase(self, row: int) -> range:
        """The rows that are read at once with a row."""
        start = row // self.phase_rows * self.phase_rows
        return range(start, min(start + self.phase_rows, self.rows))


def shared_tile(layout: BufferLayout, known: LayoutMap, banks: int | None) -> SharedTile:
    """A tile's first stage. Raises as `LayoutMap.places`, and ValueError for parts of a byte."""
    if layout.bits % 8:
        raise ValueError(f"{layout.dtype} elements are parts of a byte")
    size = layout.bits // 8
    places, plain = known.places() * size, row_major(known.tile).places() * size
    is_plain = bool(np.array_equal(places, plain))
    part = _part_elements(places, size, is_plain)
    width = banks or BANKS
    phase = max(1, width * BANK_BYTES // max(part * size, BANK_BYTES))
    before = BankGrid("Row by row", plain[:, ::part], width, part * size)
    after = None if is_plain else BankGrid(_title(layout), places[:, ::part], width, part * size)
    return SharedTile(layout.name, before, after, part, phase, known.lead)


def _title(layout: BufferLayout) -> str:
    text = "As laid out" if "→" in layout.text else layout.text.partition(" in ")[0]
    return text[:1].upper() + text[1:]


def _part_elements(places: Ints, size: int, is_plain: bool) -> int:
    """How many neighbours stay together: up to 16 bytes, or a bank's where nothing is moved."""
    wide = not is_plain or size < BANK_BYTES
    part = max(1, (_CHUNK_BYTES if wide else max(size, BANK_BYTES)) // size)
    while part > 1 and not _stay_together(places, part, size):
        part //= 2
    return part


def _stay_together(places: Ints, part: int, size: int) -> bool:
    rows, columns = places.shape
    if columns % part:
        return False
    steps = places.reshape(rows, -1, part) - np.arange(part) * size
    return bool((steps == steps[:, :, :1]).all() and (steps[:, :, 0] % (part * size) == 0).all())


def shared_conclusion(tile: SharedTile, row: int, part: int) -> str:
    """What the layout does to the rows that are read at once."""
    rows = tile.phase(row)
    before, count = tile.before.passes(rows, part), len(rows)
    met, banks = tile.before.banks_met(rows, part), tile.before.banks
    if tile.after is None:
        if before == 1:
            return f"{tile.name} lies row by row: {count} rows of a column meet no bank twice."
        return (
            f"{tile.name} lies row by row: {count} rows of a column share {met} of {banks} banks, "
            f"and take {before} passes to read at once. Along a row there is no conflict."
        )
    after, spread = tile.after.passes(rows, part), tile.after.banks_met(rows, part)
    what = tile.after.title[:1].lower() + tile.after.title[1:]
    if after < before:
        return (
            f"The {what} spreads {count} rows of {tile.name} over {_share(spread, banks)}, read "
            f"in {_passes(after)}. Row by row they would share {met}, and take {_passes(before)}."
        )
    return (
        f"{tile.name} lies by {what}: {count} rows of a column take {_passes(after)}, row by row "
        f"{_passes(before)}."
    )


def _share(met: int, banks: int) -> str:
    return f"all {banks} banks" if met == banks else f"{met} of {banks} banks"


def _passes(count: int) -> str:
    return f"{count} pass{'' if count == 1 else 'es'}"
