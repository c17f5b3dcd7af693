"""What the roles of a block share and wait for: barriers, meetings, and memory.

Source of the barriers' semantics: PTX ISA, "mbarrier". A barrier counts down arrivals; the last one
ends its phase. Waiting for a parity lasts until the phase of that parity has ended, so that on a
fresh barrier a wait for parity 1 passes at once. Copies are done when they are issued, so that
expected bytes never hold a phase up.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.engine.simulator.dtypes import fill_poison
from workbench.engine.simulator.roles import Members, Way
from workbench.engine.simulator.runtime import Index, Runtime

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Wait:
    """What a coroutine waits for; a poll has no `ready` and is always resumed.

    `go_alone` lets it go on without those that it waits for, where it can.
    """

    site: int
    what: str
    ready: Callable[[], bool] | None
    go_alone: Callable[[], None] | None = None


Coroutine = Generator[Wait, None, None]


@dataclass
class Barrier:
    """An mbarrier: arrivals that its phase still lacks, and how many phases have ended."""

    name: str
    count: int
    pending: int = 0
    phases: int = 0

    def __post_init__(self) -> None:
        self.pending = self.count

    def expect(self, count: int) -> None:
        """A phase takes as many arrivals as the greatest number that threads name."""
        if count > self.count:
            self.pending += count - self.count
            self.count = count

    def arrive(self, count: int) -> None:
        """Count arrivals; where more come than a phase takes, they belong to the next."""
        self.pending -= count
        while self.pending <= 0:
            self.pending += self.count
            self.phases += 1

    def has_passed(self, parity: int) -> bool:
        """Whether the latest phase of a parity has ended."""
        return self.phases % 2 != parity % 2


@dataclass
class Meeting:
    """A statement that several roles do together: who has come, and how often it was done."""

    arrived: set[int] = field(default_factory=set)
    done: int = 0


@dataclass
class Rounds:
    """A statement that several roles come to: how often each has, and what they did of it.

    `apart` are the rounds in which each does its part, `last` is the latest one done together.
    """

    came: dict[int, int] = field(default_factory=dict)
    apart: set[int] = field(default_factory=set)
    last: int = -1


@dataclass(eq=False)
class Team:
    """What the roles of one block share."""

    rt: Runtime
    block: Index
    memories: dict[Any, Any] = field(default_factory=dict)
    meetings: dict[Any, Meeting] = field(default_factory=dict)
    rounds: dict[Any, Rounds] = field(default_factory=dict)
    cluster: list[Team] = field(default_factory=list)  # the teams of its cluster, by rank
    cluster_barrier: Barrier | None = None

    @property
    def rank(self) -> int:
        """The block's rank in its cluster."""
        return next(at for at, team in enumerate(self.cluster) if team is self)

    def barriers(self, slot: int, name: str, counts: Sequence[int]) -> list[Barrier]:
        """Return the barriers of one allocation."""
        if slot not in self.memories:
            self.memories[slot] = [Barrier(name, count) for count in counts]
        found: list[Barrier] = self.memories[slot]
        return found


@dataclass(eq=False)
class Role:
    """Threads of a block that take the same way through the kernel."""

    team: Team
    number: int
    lanes: Array
    cluster_waits: int = 0

    def peer(self, rank: int, slot: int) -> Array:
        """Return memory of another block of the cluster, which that block has allocated."""
        found: Array = self.team.cluster[rank].memories[slot, None]
        return found

    def receive(self, key: int, mask: int, site: int) -> Generator[Wait, None, bool]:
        """Come to a multicast; true in the block that copies for all in the mask, once all came."""
        ranks = {at for at in range(len(self.team.cluster)) if mask >> at & 1}
        meeting = self.team.cluster[0].meetings.setdefault(("multicast", key), Meeting())
        meeting.arrived.add(self.team.rank)
        done = meeting.done
        if self.team.rank == min(ranks):
            yield Wait(site, "the other blocks of a multicast", lambda: meeting.arrived >= ranks)
            return True
        yield Wait(site, "the copy of another block's multicast", lambda: meeting.done > done)
        return False

    def sent(self, key: int) -> None:
        """The copy is with all blocks of the multicast."""
        meeting = self.team.cluster[0].meetings["multicast", key]
        meeting.arrived.clear()
        meeting.done += 1

    def wait_for_cluster(self, site: int) -> Coroutine:
        """Wait until all threads of the cluster have arrived once more."""
        barrier = self.team.cluster_barrier
        self.cluster_waits += 1
        wanted = self.cluster_waits
        if barrier is not None and barrier.phases < wanted:
            yield Wait(site, "the other blocks of the cluster", lambda: barrier.phases >= wanted)

    def thread(self, indices: Array) -> Array:
        """Return the thread indices of this role's threads, from those of the whole block."""
        return np.asarray(indices[self.lanes])

    def own(self, slot: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return memory that each thread of this role has for itself."""
        return self._memory((slot, self.number), shape, dtype)

    def shared(
        self,
        slot: int,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        groups: tuple[Members, ...] = (),
    ) -> Array:
        """Return memory of the block, or of those roles that form a group with this one."""
        group = next((each for each in groups if self.number in each), None)
        return self._memory((slot, group), shape, dtype)

    def _memory(self, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        memories = self.team.memories
        if key not in memories:
            memories[key] = array = np.zeros(shape, dtype)
            if self.team.rt.options.poison:
                fill_poison(array)
        found: Array = memories[key]
        return found

    def meet(self, key: int, members: Members, site: int) -> Generator[Wait, None, bool]:
        """Wait for the other roles; the one that comes last does what they do together."""
        meeting = self.team.meetings.setdefault((key, members), Meeting())
        meeting.arrived.add(self.number)
        if meeting.arrived >= members:
            meeting.arrived.clear()
            meeting.done += 1
            return True
        done = meeting.done
        what = "the other threads of the block, to go on together"
        yield Wait(site, what, lambda: meeting.done > done)
        return False

    def place(self, owners: tuple[int, ...]) -> int:
        """Return which part this role has of what some divide among themselves, -1 for none."""
        return owners.index(self.number) if self.number in owners else -1

    def come(self, key: int, members: Members, site: int) -> Generator[Wait, None, Way]:
        """Wait for the other roles, or do this one's part where nobody could go on else.

        TileLang may have the threads wait for each other here. Where the program has them take
        turns it cannot, and each goes on by itself.
        """
        rounds = self.team.rounds.setdefault((key, members), Rounds())
        turn = rounds.came[self.number] = rounds.came.get(self.number, -1) + 1
        if turn in rounds.apart:
            return Way.APART
        if all(rounds.came.get(each, -1) >= turn for each in members):
            rounds.last = turn
            return Way.TOGETHER
        yield Wait(
            site,
            "the other threads of the block, to go on together",
            lambda: rounds.last >= turn or turn in rounds.apart,
            lambda: rounds.apart.add(turn),
        )
        return Way.APART if turn in rounds.apart else Way.DONE

    def wait(self, barrier: Barrier, parity: Any, site: int) -> Coroutine:
        """Wait until a phase of this parity has ended."""
        wanted = int(np.reshape(parity, -1)[0])
        if not barrier.has_passed(wanted):
            what = f"parity {wanted % 2} of {barrier.name}"
            yield Wait(site, what, lambda: barrier.has_passed(wanted))

    def named(self, number: Any, count: int, own: int, waits: bool, site: int) -> Coroutine:
        """Arrive at a barrier of the hardware that lets `count` threads through.

        All threads of a role name the same.
        """
        number = int(np.reshape(number, -1)[0])
        name = f"the barrier numbered {number} ({count} threads)"
        barrier = self.team.barriers(-1 - number, name, [count])[0]
        barrier.expect(count)
        phase = barrier.phases
        barrier.arrive(own)
        if waits and barrier.phases == phase:
            yield Wait(site, name, lambda: barrier.phases > phase)
