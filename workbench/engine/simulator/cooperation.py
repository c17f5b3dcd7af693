"""Runs the roles of blocks as coroutines: barriers, meetings, and what happens when all wait.

Source of the barriers' semantics: PTX ISA, "mbarrier". A barrier counts down arrivals; the last one
ends its phase. Waiting for a parity lasts until the phase of that parity has ended, so that on a
fresh barrier a wait for parity 1 passes at once. Copies are done when they are issued, so that
expected bytes never hold a phase up.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from workbench.engine.simulator.dtypes import fill_poison
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Index, Runtime, block_order

Array = np.ndarray[Any, Any]
Members = frozenset[int]
_DEADLOCK = "the threads wait for {}, which nobody can give any more"
_MOST_FUTILE_ROUNDS = 2000  # in which every thread only looked again at memory it polls


@dataclass(frozen=True)
class Wait:
    """What a coroutine waits for; a poll has no `ready` and is always resumed."""

    site: int
    what: str
    ready: Callable[[], bool] | None


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


@dataclass(eq=False)
class Team:
    """What the roles of one block share."""

    rt: Runtime
    block: Index
    memories: dict[Any, Any] = field(default_factory=dict)
    meetings: dict[Any, Meeting] = field(default_factory=dict)
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

    def wait(self, barrier: Barrier, parity: Any, site: int) -> Coroutine:
        """Wait until a phase of this parity has ended."""
        wanted = int(np.reshape(parity, -1)[0])
        if not barrier.has_passed(wanted):
            what = f"parity {wanted % 2} of {barrier.name}"
            yield Wait(site, what, lambda: barrier.has_passed(wanted))

    def named(self, number: int, count: int, own: int, waits: bool, site: int) -> Coroutine:
        """Arrive at a barrier of the hardware that lets `count` threads through."""
        name = f"the barrier numbered {number} ({count} threads)"
        barrier = self.team.barriers(-1 - number, name, [count])[0]
        phase = barrier.phases
        barrier.arrive(own)
        if waits and barrier.phases == phase:
            yield Wait(site, name, lambda: barrier.phases > phase)


@dataclass
class _Running:
    team: Team
    coroutine: Coroutine
    wait: Wait | None = None


@helper
def sync_grid(role: Role, site: int) -> Coroutine:
    """Wait for all blocks of the launch (one role of each block calls this)."""
    barrier = role.team.rt.grid_barrier
    phase = barrier.phases
    barrier.arrive(1)
    if barrier.phases == phase:
        yield Wait(site, "the other blocks of the grid", lambda: barrier.phases > phase)


@helper
def barrier_at(barriers: list[Barrier], index: Any) -> Barrier:
    """Return one of several barriers; all threads of a role name the same."""
    return barriers[int(np.reshape(index, -1)[0])]


@helper
def poll(site: int) -> Wait:
    """Let others run before memory that they may write is looked at again."""
    return Wait(site, "memory that others should write", None)


@helper
def launch_together(
    rt: Runtime,
    body: Callable[..., Coroutine],
    grid: Index,
    roles: Sequence[Array],
    cluster: Index,
    all_at_once: bool,
) -> None:
    """Run the blocks of one launch, each one's roles as coroutines.

    Of a cluster all blocks run, or none. `all_at_once` is for kernels whose blocks all wait for
    each other: there a sample is no choice.
    """
    order = block_order(grid, replace(rt.options, sample=None) if all_at_once else rt.options)
    clusters = list(dict.fromkeys(_cluster_start(block, cluster) for block in order))
    groups = [_cluster_blocks(start, cluster) for start in clusters]
    blocks = [block for group in groups for block in group]
    number = rt.open_launch(grid, len(blocks))
    rt.grid_barrier = Barrier("the grid", len(blocks))
    for together in [groups] if all_at_once else [[group] for group in groups]:
        _run(rt, number, [each for group in together for each in _start(rt, body, group, roles)])
        for block in (block for group in together for block in group):
            rt.leave_block(number, block)


def _cluster_start(block: Index, cluster: Index) -> Index:
    return tuple(at - at % size for at, size in zip(block, cluster, strict=False))


def _cluster_blocks(start: Index, cluster: Index) -> list[Index]:
    """Return the blocks of a cluster by rank, x fastest."""
    sizes = tuple(cluster[: len(start)])
    offsets = (np.unravel_index(rank, sizes, order="F") for rank in range(int(np.prod(sizes))))
    return [tuple(int(at + by) for at, by in zip(start, offset, strict=True)) for offset in offsets]


def _start(
    rt: Runtime, body: Callable[..., Coroutine], cluster: list[Index], roles: Sequence[Array]
) -> list[_Running]:
    teams = [Team(rt, block) for block in cluster]
    threads = sum(len(lanes) for lanes in roles)
    barrier = Barrier("the cluster", len(teams) * threads)
    for team in teams:
        team.cluster, team.cluster_barrier = teams, barrier
    return [
        _Running(team, body(*team.block, Role(team, number, lanes)))
        for team in teams
        for number, lanes in enumerate(roles)
    ]


def _run(rt: Runtime, launch: int, live: list[_Running]) -> None:
    """Run blocks to their end, or until none can go on (which is a finding)."""
    futile = 0
    while live and futile < _MOST_FUTILE_ROUNDS:
        resumed = [each for each in live if _is_ready(each)]
        if not resumed:
            break
        moved = [_resume(rt, launch, each) for each in resumed]
        futile = 0 if any(moved) else futile + 1
        live = [each for each in live if each.wait is not None]
    _note_deadlock(rt, live)


def _is_ready(running: _Running) -> bool:
    wait = running.wait
    return wait is None or wait.ready is None or wait.ready()


def _resume(rt: Runtime, launch: int, running: _Running) -> bool:
    """Run one coroutine up to its next wait; whether it did more than look where it looked."""
    before = running.wait
    rt.enter_block(launch, running.team.block)
    running.wait = after = next(running.coroutine, None)
    return after is None or before is None or after.ready is not None or after.site != before.site


def _note_deadlock(rt: Runtime, live: Sequence[_Running]) -> None:
    for running in live:
        wait = running.wait
        if wait is not None:
            rt.block = running.team.block
            rt.suspended = getattr(running.coroutine, "gi_frame", None)
            rt.note("barrier-deadlock", "error", wait.site, partial(_DEADLOCK.format, wait.what))
            rt.suspended = None
        running.coroutine.close()
