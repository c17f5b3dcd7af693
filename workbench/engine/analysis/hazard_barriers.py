"""The barriers of a block while it is walked: who has come, who may go on, and what that tells."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from workbench.engine.analysis.hazard_order import Clocks, Ints
from workbench.engine.analysis.hazard_program import Touch


@dataclass
class Meeting:
    """A barrier of a number of threads, identified by its number; 0 is that of the whole block."""

    row: Ints
    threads: int = 0
    turn: int = 0  # how often it has let threads go
    rows: list[Ints] = field(default_factory=list)


class Meetings:
    """bar.sync and bar.arrive: a barrier lets go when as many threads as it counts have come."""

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._made: dict[int, Meeting] = {}

    def come(self, number: int, count: int, threads: int, warps: Ints) -> tuple[Meeting, int]:
        """`threads` of these warps come: the barrier, and which of its turns they wait for."""
        columns = self._clocks.known.shape[1]
        meeting = self._made.setdefault(number, Meeting(np.zeros(columns, np.int64)))
        turn = meeting.turn
        meeting.row = np.maximum(meeting.row, self._clocks.released(warps))
        meeting.threads += threads
        if meeting.threads >= count:
            meeting.rows.append(meeting.row)
            meeting.row = np.zeros(columns, np.int64)
            meeting.threads, meeting.turn = 0, turn + 1
        return meeting, turn


@dataclass
class Slot:
    """An mbarrier: `count` arrivals end a phase; `balance` is bytes expected less those that came.

    `rows` has what one knows of each phase that has ended. `expected` and `copied` are all bytes.
    """

    name: str
    number: int
    count: int
    line: int | None
    row: Ints
    pending: int
    balance: int = 0
    rows: list[Ints] = field(default_factory=list)
    arrivals: int = 0
    expected: int = 0
    copied: int = 0
    expect_line: int | None = None
    too_many: int = 0
    made: tuple[int, int] = (0, 0)  # the warp that made it, and when
    near: Touch | None = None  # an access that it is for

    @property
    def phase(self) -> int:
        """The number of the phase that has not ended, from 0."""
        return len(self.rows)

    def arrive(self, threads: int, row: Ints) -> None:
        """Threads arrive that know what the row says."""
        self.row = np.maximum(self.row, row)
        self.arrivals += threads
        if threads > self.pending:
            self.too_many = max(self.too_many, threads)
        self.pending = max(0, self.pending - threads)

    def expect(self, size_bytes: int, line: int | None) -> None:
        """Expect bytes of copies."""
        self.balance += size_bytes
        self.expected += size_bytes
        self.expect_line = line if self.expect_line is None else self.expect_line

    def bring(self, size_bytes: int, copy: Touch) -> None:
        """A copy has brought bytes."""
        self.near = copy
        self.balance -= size_bytes
        self.copied += size_bytes

    def settle(self, column: int) -> bool:
        """End the phase if all has come; the row then says so in the slot's own column."""
        if self.pending or self.balance:
            return False
        self.row[column] = self.phase + 1
        self.rows.append(self.row)
        self.row = self.row.copy()
        self.pending = self.count
        return True


class Slots:
    """The mbarriers of a block."""

    def __init__(self, clocks: Clocks, most: int) -> None:
        self._clocks, self._most = clocks, most
        self.made: dict[tuple[str, int], Slot] = {}

    def make(self, key: tuple[str, int], count: int, warp: int, line: int | None) -> None:
        """A warp makes an mbarrier for so many arrivals, or makes it anew."""
        if key not in self.made and len(self.made) == self._most:
            raise OverflowError("more mbarriers than are followed")
        number = self.made[key].number if key in self.made else len(self.made)
        row = np.zeros(self._clocks.known.shape[1], np.int64)
        name = f"{key[0]}[{key[1]}]"
        made = (warp, int(self._clocks.now[warp]))
        self.made[key] = Slot(name, number, count, line, row, count, made=made)

    def is_made_for(self, slot: Slot, warps: Ints) -> bool:
        """Whether all these warps know that the mbarrier was made."""
        warp, when = slot.made
        return bool(((self._clocks.known[warps, warp] >= when) | (warps == warp)).all())

    def column(self, slot: Slot) -> int:
        """The slot's column in the clocks."""
        return self._clocks.slot_column(slot.number)

    def known_phases(self, slot: Slot, warps: Ints) -> int:
        """How many phases the warps know to have ended, all of them."""
        return int(self._clocks.known[warps, self.column(slot)].min())
