"""What a running program needs around it: on-chip memory, block order, and the list of findings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import numpy as np

from workbench.engine.simulator.dtypes import fill_poison
from workbench.engine.simulator.model import Finding, SimulationOptions
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.translator import Site
from workbench.engine.simulator.writes import MOST_BLOCKS, WriteRecorder

Index = tuple[int, ...]
PROGRAM_FILE = "<simulated kernel>"  # the file name under which generated code is compiled


@dataclass(frozen=True)
class Where:
    """The first of several elements or iterations that something is noticed at.

    `iteration` are values of the statement's T.Parallel variables.
    """

    index: Index | None = None
    iteration: Index = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)


NOWHERE = Where()


class Runtime:
    """The state of one execution of a program."""

    def __init__(
        self,
        sites: Sequence[Site],
        options: SimulationOptions,
        arrays: Mapping[int, np.ndarray[Any, Any]],
    ) -> None:
        self.options = options
        self.recorder = WriteRecorder(arrays) if options.record_writes else None
        self.grids: list[Index] = []
        self.grid_barrier: Any = None  # where blocks of a launch wait for each other
        self.block: Index = ()
        self.launch = 0
        self.suspended: FrameType | None = None  # of the program that waits, where one is looked at
        self.state: dict[str, Any] = {}  # what each kind of check keeps, by its name
        self.blocks_total = 0
        self.blocks_run = 0
        self._sites = sites
        self._memory: dict[int, np.ndarray[Any, Any]] = {}
        self._findings: dict[tuple[str, int], Finding] = {}
        self._muted = 0

    def site(self, number: int) -> Site:
        """Return the place in the user's file that has a number."""
        return self._sites[number]

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Look at what was accessed already without noting it again."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed so far, in order of first occurrence."""
        return tuple(self._findings.values())

    def open_launch(self, grid: Index, blocks: int) -> int:
        """Count a launch of which so many blocks run; returns its number."""
        self.grids.append(grid)
        self.blocks_total += int(np.prod(grid))
        self.blocks_run += blocks
        if self.blocks_run > MOST_BLOCKS:
            self.recorder = None
        return len(self.grids) - 1

    def enter_block(self, launch: int, block: Index) -> None:
        """Whatever happens from now on is this block's."""
        self.block, self.launch = block, launch
        if self.recorder is not None:
            self.recorder.begin(launch, block)

    def leave_block(self, launch: int, block: Index) -> None:
        """The block is done."""
        if self.recorder is not None:
            self.recorder.begin(launch, block)
            self.recorder.end()

    def note(
        self,
        code: str,
        severity: str,
        site: int,
        message: Callable[[], str],
        where: Callable[[], Where] | None = None,
        count: int = 1,
    ) -> None:
        """Count a finding; `message` and `where` are asked for at its first occurrence only."""
        if self._muted:
            return
        known = self._findings.get((code, site))
        if known is not None:
            self._findings[code, site] = replace(known, count=known.count + count)
            return
        place, at = self._sites[site], NOWHERE if where is None else where()
        variables = _variables(self.suspended)
        at = _in_whole_loop(place, at, variables)
        loops = _loop_values(place, variables) | dict(zip(place.axes, at.iteration, strict=False))
        self._findings[code, site] = Finding(
            code,
            severity,
            place.line,
            place.buffer,
            message(),
            self.block,
            count,
            at.index,
            loops,
            at.evidence,
        )

    def has_noted(self, *codes: str) -> bool:
        """Whether a finding with one of these codes was noted."""
        return any(code in codes for code, _ in self._findings)

    def grade(self, code: str, severity: str) -> None:
        """Give all findings of a code another severity."""
        for key, finding in self._findings.items():
            if finding.code == code:
                self._findings[key] = replace(finding, severity=severity)

    def note_outside(
        self, site: int, verb: str, describe: Callable[[], str], where: Callable[[], Where]
    ) -> None:
        """Note an element access outside a buffer: predicated away in global memory, else wrong."""
        place = self._sites[site]
        if place.is_global:
            effect = "gives 0" if verb == "read" else "is dropped"
            self.note(
                f"global-out-of-bounds-{verb}",
                "info",
                site,
                lambda: f"{place.buffer} {describe()}; the {verb} is predicated and {effect}",
                where,
            )
        else:
            message = lambda: f"{place.buffer} {describe()}"  # noqa: E731
            self.note(f"out-of-bounds-{verb}", "error", site, message, where)

    def note_partial(
        self, site: int, verb: str, describe: Callable[[], str], start: Index, is_outside: bool
    ) -> None:
        """Note a tile that reaches over a buffer's end, or lies behind it as a whole."""
        place = self._sites[site]
        if place.is_global and is_outside:
            message = lambda: f"{verb} of {place.buffer}: {describe()}, with none of its elements"  # noqa: E731
            # A start that was read from a tensor is a number of numpy's.
            first = tuple(int(s) for s in start)
            self.note("tile-outside", "warning", site, message, lambda: Where(first))
        elif place.is_global:
            self.note(
                "partial-tile", "info", site, lambda: f"{verb} of {place.buffer}: {describe()}"
            )
        else:
            self.note_outside(site, verb, describe, lambda: Where(start))

    def memory(self, slot: int, shape: Index, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Return on-chip memory as a block finds it; its storage is reused by the next block."""
        array = self._memory.get(slot)
        if array is None or array.shape != shape:
            array = self._memory[slot] = np.empty(shape, dtype)
        if self.options.poison:
            fill_poison(array)
        else:
            array.fill(0)
        return array


def _variables(frame: FrameType | None) -> Mapping[str, Any]:
    """Return the program's variables where it stands now (or in a frame that waits)."""
    frame = frame or sys._getframe()
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        frame = frame.f_back
    return {} if frame is None else frame.f_locals


def _loop_values(site: Site, known: Mapping[str, Any]) -> dict[str, int]:
    values = {user: known.get(name) for user, name in site.loops}
    return {user: int(value) for user, value in values.items() if value is not None}


def _in_whole_loop(site: Site, at: Where, known: Mapping[str, Any]) -> Where:
    """Return a place in a part of T.Parallel as one in all of it.

    Where a finding gives the iteration for the element, the element is meant so, too.
    """
    if site.part is None or site.part[0] not in site.axes or not at.iteration:
        return at
    loop, place, size = site.part
    moved = list(at.iteration)
    moved[site.axes.index(loop)] += known.get(place, 0) * size
    index = tuple(moved) if at.index == at.iteration else at.index
    return replace(at, index=index, iteration=tuple(moved))


@helper
def launch(rt: Runtime, body: Callable[..., None], grid: Index) -> None:
    """Run the blocks of one launch one after another, x fastest as the hardware dispatches them."""
    chosen = block_order(grid, rt.options)
    number = rt.open_launch(grid, len(chosen))
    for block in chosen:
        rt.enter_block(number, block)
        body(*block)
        rt.leave_block(number, block)


def block_order(grid: Index, options: SimulationOptions) -> list[Index]:
    """Return the blocks that run, in their order."""
    total = int(np.prod(grid))
    numbers = np.arange(total)
    random = np.random.default_rng(options.shuffle_seed or 0)
    if options.sample is not None and options.sample < total:
        numbers = _sampled(grid, options.sample, random)
    if options.shuffle_seed is not None:
        random.shuffle(numbers)
    columns = np.unravel_index(numbers, grid, order="F")
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _sampled(grid: Index, count: int, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return block numbers in ascending order.

    The corners of the grid come first, with the neighbours of the first block, which show how far
    blocks are apart; then a third of the rest from the grid's edges, and what remains at random.
    """
    ends = [sorted({0, extent - 1}) for extent in grid]
    corners = np.stack(np.meshgrid(*ends, indexing="ij")).reshape(len(grid), -1)
    steps = np.minimum(np.eye(len(grid), dtype=np.int64), np.array(grid)[:, None] - 1)
    numbers = (np.ravel_multi_index(tuple(each), grid, order="F") for each in (corners, steps))
    chosen = np.unique(np.concatenate([*numbers]))[-count:]
    edges = np.setdiff1d(_edges(grid), chosen)
    drawn = random.choice(edges, min(len(edges), (count - len(chosen)) // 3), replace=False)
    chosen = np.concatenate([chosen, drawn])
    others = np.setdiff1d(np.arange(int(np.prod(grid))), chosen)
    drawn = random.choice(others, count - len(chosen), replace=False)
    return np.sort(np.concatenate([chosen, drawn]))


def _edges(grid: Index) -> np.ndarray[Any, Any]:
    """Return the numbers of the blocks that are first or last along some axis of several."""
    numbers = np.arange(int(np.prod(grid)))
    places = np.unravel_index(numbers, grid, order="F")
    on_edge = [
        (at == 0) | (at == extent - 1)
        for at, extent in zip(places, grid, strict=True)
        if extent > 1
    ]
    return numbers[np.any(on_edge, axis=0)] if on_edge else numbers
