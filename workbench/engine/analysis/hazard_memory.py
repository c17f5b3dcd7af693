"""The last accesses to each cell of a block's shared memory, and which of a new one's they race."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.hazards import Agent, Mode
from workbench.engine.analysis.hazard_order import Clocks, Ints
from workbench.engine.analysis.hazard_program import Touch

_THREADS = 1 << 11  # more than a block has


@dataclass(frozen=True, eq=False)
class Event:
    """One execution of a touch: the cells and the thread that accesses each."""

    touch: Touch
    cells: Ints
    threads: Ints
    turns: dict[str, int]

    def keys(self) -> Ints:
        """A number for each pair of cell and thread."""
        return self.cells * _THREADS + self.threads


@dataclass(frozen=True)
class Conflict:
    """Two accesses of one cell that nothing orders."""

    first: Event
    first_thread: int
    second: Event
    second_thread: int
    cell: int


class Shadow:
    """What is remembered of each cell: its last write, and the last read of each warp."""

    def __init__(self, cells: int, warp: int, clocks: Clocks) -> None:
        self._warp, self._clocks = warp, clocks
        self._events: list[Event] = []
        self._writer = np.full(cells, -1, np.int64)
        self._writer_thread = np.zeros(cells, np.int64)
        self._writer_column = np.zeros(cells, np.int64)
        self._writer_epoch = np.zeros(cells, np.int64)
        self._readers: dict[Agent, _Readers] = {}

    def access(self, event: Event, columns: Ints, epochs: Ints) -> Iterator[Conflict]:
        """Remember an event, whose cells are done at `epochs` of `columns`; give its conflicts."""
        yield from self._with_writes(event)
        if event.touch.mode is not Mode.READ:
            for agent in list(self._readers):
                yield from self._with_reads(event, agent)
        number = len(self._events)
        self._events.append(event)
        if event.touch.mode is Mode.READ:
            self._read(event, number, epochs)
            return
        self._writer[event.cells] = number
        self._writer_thread[event.cells] = event.threads
        self._writer_column[event.cells] = columns
        self._writer_epoch[event.cells] = epochs

    def forget(self) -> None:
        """Let all that was remembered be done."""
        self._writer[:] = -1
        self._readers.clear()

    def last_reads(self, agent: Agent) -> list[Event]:
        """The events that were the last to read a cell on behalf of an agent."""
        readers = self._readers.get(agent)
        if readers is None:
            return []
        return [self._events[number] for number in np.unique(readers.event) if number >= 0]

    def read_at(self, agent: Agent, cell: int, warp: int) -> int:
        """When the last read of a cell by an agent of a warp is done."""
        return int(self._readers[agent].epoch[cell, warp])

    def _with_writes(self, event: Event) -> Iterator[Conflict]:
        cells, threads, clocks = event.cells, event.threads, self._clocks
        warps, writers = threads // self._warp, self._writer[cells]
        columns, epochs = self._writer_column[cells], self._writer_epoch[cells]
        known = clocks.known[warps, columns] >= epochs
        copies = clocks.column(Agent.COPY)
        own = columns < copies
        own |= (columns < copies + clocks.warps) & (epochs <= clocks.copied[warps])
        same = own & (self._writer_thread[cells] == threads)
        open_ = np.flatnonzero((writers >= 0) & ~known & ~same)
        for number in np.unique(writers[open_]):
            first = self._events[number]
            places = open_[writers[open_] == number]
            for place in places[~_harmless(first, event, places)][:1]:
                thread = int(self._writer_thread[cells[place]])
                yield Conflict(first, thread, event, int(threads[place]), int(cells[place]))

    def _with_reads(self, event: Event, agent: Agent) -> Iterator[Conflict]:
        readers, cells = self._readers[agent], event.cells
        threads, begin = event.threads, self._clocks.column(agent)
        known = self._clocks.known[threads // self._warp, begin : begin + self._clocks.warps]
        late = readers.epoch[cells] > known
        if agent is Agent.THREAD:
            low, high = readers.lowest[cells], readers.highest[cells]
            late &= ~((low == high) & (low == threads[:, None]))
        seen = set[int]()
        for place, warp in zip(*np.nonzero(late), strict=True):
            cell, thread = int(cells[place]), int(threads[place])
            number = int(readers.event[cell, warp])
            if number not in seen:
                seen.add(number)
                lowest, highest = readers.lowest[cell, warp], readers.highest[cell, warp]
                other = int(lowest if lowest != thread else highest)
                yield Conflict(self._events[number], other, event, thread, cell)

    def _read(self, event: Event, number: int, epochs: Ints) -> None:
        agent = event.touch.agent
        readers = self._readers.get(agent)
        if readers is None:
            readers = self._readers[agent] = _Readers(len(self._writer), self._clocks.warps)
        readers.add(event.cells, event.threads, event.threads // self._warp, epochs, number)


class _Readers:
    """Of each cell and warp: when it was read last, by which event and which lanes of it."""

    def __init__(self, cells: int, warps: int) -> None:
        self.epoch: npt.NDArray[np.int64] = np.zeros((cells, warps), np.int64)
        self.event = np.full((cells, warps), -1, np.int64)
        self.lowest = np.zeros((cells, warps), np.int64)
        self.highest = np.zeros((cells, warps), np.int64)

    def add(self, cells: Ints, threads: Ints, warps: Ints, epochs: Ints, number: int) -> None:
        """Remember reads. With one time in the clock the lanes of two events are joined."""
        where = (cells, warps)
        again = self.epoch[where] == epochs
        low = np.where(again, np.minimum(self.lowest[where], threads), threads)
        high = np.where(again, np.maximum(self.highest[where], threads), threads)
        order = np.argsort(threads, kind="stable")
        up, down = tuple(w[order] for w in where), tuple(w[order[::-1]] for w in where)
        self.highest[up] = high[order]  # the last of equal places stays
        self.lowest[down] = low[order[::-1]]
        self.epoch[where] = epochs
        self.event[where] = number


def _harmless(first: Event, second: Event, places: Ints) -> npt.NDArray[np.bool_]:
    """Where both update, or the thread has a copy of the one value that all of them store."""
    if Mode.ATOMIC is first.touch.mode is second.touch.mode:
        return np.ones(len(places), bool)
    by_threads = first.touch.agent is second.touch.agent is Agent.THREAD
    if first.touch.mode is Mode.ATOMIC or not by_threads:
        return np.zeros(len(places), bool)
    return np.isin(second.keys()[places], first.keys())
