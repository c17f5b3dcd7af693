"""Which accesses of a block are known to be done: clocks of its warps and asynchronous units.

Each warp, and each queue of asynchronous work of a warp or an mbarrier, is a column with a clock of
its own. A row says how far a warp knows each column to be done; barriers join rows. What is later
than a row says has no order to what the warp does next.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.hazards import Agent

Ints = npt.NDArray[np.int64]
_GROUP = 4  # warps that issue wgmma together
_QUEUES = (Agent.THREAD, Agent.COPY, Agent.TENSOR, Agent.BULK_STORE)


class Clocks:
    """The clocks of a block of `warps` warps and up to `slots` mbarriers.

    `known` has a row per warp. Its own column holds what its lanes know of one another: a warp has
    no order among its lanes but by what makes it converge. `copied` is what lanes know of their own
    cp.async groups.
    """

    def __init__(self, warps: int, slots: int) -> None:
        self.warps = warps
        self.known = np.zeros((warps, len(_QUEUES) * warps + slots), np.int64)
        self.now = np.ones(warps, np.int64)
        self.copied = np.zeros(warps, np.int64)
        self._begun = {agent: np.ones(warps, np.int64) for agent in _QUEUES[1:]}

    def column(self, agent: Agent) -> int:
        """The first of the columns of an agent, one for each warp."""
        return _QUEUES.index(agent) * self.warps

    def slot_column(self, slot: int) -> int:
        """The column of an mbarrier."""
        return len(_QUEUES) * self.warps + slot

    def epochs(self, agent: Agent) -> Ints:
        """When what an agent is given now will be done, by warp."""
        return self.now if agent is Agent.THREAD else self._begun[agent]

    def commit(self, agent: Agent, warps: Ints) -> None:
        """End the group that is being made."""
        self._begun[agent][warps] += 1

    def await_groups(self, agent: Agent, warps: Ints, left: int) -> None:
        """Wait until at most `left` groups are still being worked on.

        The four warps of a group issue wgmma together: the wait of one is taken to be that of all.
        """
        done = self._begun[agent][warps] - 1 - left
        if agent is Agent.COPY:
            self.copied[warps] = np.maximum(self.copied[warps], done)
            return
        column = self.column(agent)
        for warp, of_warp in zip(warps, done, strict=True):
            together = warps // _GROUP == warp // _GROUP if agent is Agent.TENSOR else warps == warp
            rows = warps[together]
            self.known[rows, column + warp] = np.maximum(self.known[rows, column + warp], of_warp)

    def converge(self, warps: Ints) -> None:
        """The lanes of each warp come together."""
        self.known[warps, warps] = self.now[warps]
        copies = self.column(Agent.COPY) + warps
        self.known[warps, copies] = np.maximum(self.known[warps, copies], self.copied[warps])
        self.now[warps] += 1

    def released(self, warps: Ints) -> Ints:
        """What one knows who waits for all these warps."""
        self.converge(warps)
        row: Ints = self.known[warps].max(axis=0)
        return row

    def acquire(self, warps: Ints, row: Ints) -> None:
        """Let warps know what a row says."""
        self.known[warps] = np.maximum(self.known[warps], row)

    def copies_done(self, warps: Ints, row: Ints) -> Ints:
        """The row with all cp.async done that these warps have begun."""
        columns = self.column(Agent.COPY) + warps
        row[columns] = np.maximum(row[columns], self._begun[Agent.COPY][warps])
        return row

    def forget(self, warps: Iterable[int]) -> None:
        """Take everything to be known to these warps."""
        for warp in warps:
            self.known[warp] = np.iinfo(np.int64).max // 2
