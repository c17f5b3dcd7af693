"""Runs the roles of blocks as coroutines, and tells what happens when all wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Index, Runtime, block_order
from workbench.engine.simulator.teams import Barrier, Coroutine, Role, Team, Wait

Array = np.ndarray[Any, Any]
_DEADLOCK = "the threads wait for {}, which nobody can give any more"
_MOST_FUTILE_ROUNDS = 2000  # in which every thread only looked again at memory it polls


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
    for number in itertools.count():
        if not live or futile == _MOST_FUTILE_ROUNDS:
            break
        resumed = [each for each in live if _is_ready(each)]
        # Who comes first changes, without a period that a loop of the program could have: what is
        # right in one order alone lacks a barrier.
        if number.bit_count() % 2:
            resumed.reverse()
        moved = [_resume(rt, launch, each) for each in resumed]
        live = [each for each in live if each.wait is not None]
        if any(moved) or _let_go(live):
            futile = 0
        elif resumed:
            futile += 1
        else:
            break
    _note_deadlock(rt, live)


def _let_go(live: Sequence[_Running]) -> bool:
    """Have the first do alone what it waits to do with others, where one can."""
    for running in live:
        wait = running.wait
        if wait is not None and wait.go_alone is not None:
            wait.go_alone()
            return True
    return False


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
