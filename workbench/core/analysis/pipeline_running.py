"""Follows the roles of a block through their steps: who waits for whom, and until when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.core.analysis.estimate import EstimateConstants
from workbench.core.analysis.index_expressions import ExpressionError, evaluate
from workbench.core.analysis.pipeline import Pipeline, PipelineStep, StepKind
from workbench.core.analysis.pipeline_costs import StepClocks, holds, turns_of
from workbench.core.analysis.pipeline_stretches import Part, Stretch, parts_of

SlotKey = tuple[str, int]
GROUP_WAIT = "cp.async wait"  # the text of a wait for groups of copies


class Unmet(Exception):  # noqa: N818 - it is a finding, not an error
    """Every role waits for what none of them brings about."""


@dataclass
class _Slot:
    """An mbarrier: when each of its phases ended, and what the present one has so far."""

    ended: list[float] = field(default_factory=list)
    arrived: int = 0
    latest: float = 0.0
    buffers: dict[str, None] = field(default_factory=dict)


@dataclass
class _Role:
    """What a role has done so far; its copies are counted in groups, as cp.async does."""

    number: int
    threads: int
    now: float = 0.0
    group: float = 0.0
    group_buffers: dict[str, None] = field(default_factory=dict)
    groups: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)
    awaited: int = 0
    phases: dict[SlotKey, int] = field(default_factory=dict)
    lines: dict[SlotKey, int] = field(default_factory=dict)
    closed: set[SlotKey] = field(default_factory=set)
    counters: dict[str, int] = field(default_factory=dict)


class Running:
    """The roles of a block; `stretches` are theirs, `turns` when each turn of a loop began."""

    def __init__(
        self,
        pipeline: Pipeline,
        clocks: Sequence[StepClocks],
        blocks: Mapping[str, int],
        constants: EstimateConstants,
        most_turns: int,
    ) -> None:
        self.stretches: list[Stretch] = []
        self.turns: dict[tuple[int, int], list[float]] = {}
        self.is_cut = False
        self.is_untold = False  # whether it is not known what some wait is for
        self._pipeline, self._clocks, self._blocks = pipeline, clocks, blocks
        self._constants, self._most = constants, most_turns
        self._slots: dict[SlotKey, _Slot] = {}
        self._needed = {(each.buffer, each.index): each.count for each in pipeline.arrivals}

    def finish(self) -> None:
        """Follow all roles to their ends. Raises Unmet, where `stretches` are what came before."""
        left = {role.number: self._follow(role) for role in self._roles()}
        while left:
            moved = False
            for number, role in list(left.items()):
                for is_done in role:
                    moved = moved or is_done
                    if not is_done:
                        break
                else:
                    del left[number]
                    moved = True
            if not moved:
                raise Unmet

    def _roles(self) -> list[_Role]:
        warp = self._pipeline.warp
        sizes = [(last - first + 1) * warp for first, last in self._pipeline.roles]
        return [_Role(number, threads) for number, threads in enumerate(sizes)]

    # -- one role ---------------------------------------------------------------------------

    def _follow(self, role: _Role) -> Iterator[bool]:
        """Do the steps of a role; gives True for each that is done, False where it must wait."""
        places = self._pipeline.of_role(self._pipeline.roles[role.number])
        for place, loops, turn in self._expanded(role, places, dict(self._blocks), 0, None):
            values = {**loops, **role.counters}
            if self._pipeline.steps[place].kind is StepKind.WAIT:
                while not self._waited(role, place, values, turn):
                    yield False
            else:
                self._do(role, place, values, turn)
            yield True

    def _expanded(
        self,
        role: _Role,
        places: Sequence[int],
        values: dict[str, int],
        depth: int,
        turn: int | None,
    ) -> Iterator[tuple[int, dict[str, int], int | None]]:
        """The steps in the order in which they are done, with the values of the loops around."""
        for loop, own in _by_loop(self._pipeline, places, depth):
            if loop is None:
                steps = self._pipeline.steps
                for place in own:
                    if holds(steps[place], {**values, **role.counters}):
                        yield place, values, turn
                continue
            extent = turns_of(self._pipeline, loop, {**values, **role.counters})
            self.is_cut = self.is_cut or extent is None or extent > self._most
            for number in range(self._most if extent is None else min(extent, self._most)):
                self.turns.setdefault((role.number, loop), []).append(role.now)
                inner = {**values, self._pipeline.loops[loop].name: number}
                yield from self._expanded(role, own, inner, depth + 1, number)

    def _do(self, role: _Role, place: int, values: Mapping[str, int], turn: int | None) -> None:
        step = self._pipeline.steps[place]
        for part, length in parts_of(self._clocks[place]):
            self._keep(part, role, place, role.now + length, turn, step.buffers)
        if step.kind is StepKind.COPY:
            self._copy(role, place, values, turn)
        elif step.kind is StepKind.COMMIT:
            role.groups.append((role.group, tuple(role.group_buffers)))
            role.group, role.group_buffers = 0.0, {}
        elif step.kind is StepKind.ARRIVE:
            self._arrive(role, step, values)
        elif step.kind is StepKind.COUNT:
            _count(role, step, values)

    def _keep(
        self,
        part: Part,
        role: _Role,
        place: int,
        end: float,
        turn: int | None,
        buffers: tuple[str, ...] = (),
    ) -> None:
        """The role is busy until then."""
        if end > role.now:
            made = Stretch(part, place, role.number, role.now, end, turn, buffers)
            self.stretches.append(made)
            role.now = end

    # -- copies and waits -------------------------------------------------------------------

    def _copy(self, role: _Role, place: int, values: Mapping[str, int], turn: int | None) -> None:
        step, constants = self._pipeline.steps[place], self._constants
        key = _key(step, values)
        lines = step.lines
        if key is not None:
            lines += role.lines.get(key, 0)
            role.lines[key] = lines
        end = role.now + constants.latency + constants.line * lines
        made = Stretch(Part.COPY, place, role.number, role.now, end, turn, step.buffers)
        self.stretches.append(made)
        if key is None:
            role.group = max(role.group, end)
            role.group_buffers.update(dict.fromkeys(step.buffers))
            return
        slot = self._slots.setdefault(key, _Slot())
        slot.buffers.update(dict.fromkeys(step.buffers))
        if key in role.closed:  # the arrival stood before the copy that it is for
            slot.ended[-1] = max(slot.ended[-1], end)
        else:
            slot.latest = max(slot.latest, end)

    def _arrive(self, role: _Role, step: PipelineStep, values: Mapping[str, int]) -> None:
        key = _key(step, values)
        if key is None:
            return
        slot = self._slots.setdefault(key, _Slot())
        by_copies = step.text == "arrive after copies"
        slot.latest = max(slot.latest, role.now, role.group if by_copies else 0.0)
        slot.arrived += min(step.threads, role.threads)
        if slot.arrived >= self._needed.get(key, 1):
            slot.ended.append(slot.latest)
            slot.arrived, slot.latest = 0, 0.0
            role.closed.add(key)

    def _waited(self, role: _Role, place: int, values: Mapping[str, int], turn: int | None) -> bool:
        """Wait, if what is waited for is known; whether it is."""
        step = self._pipeline.steps[place]
        role.closed, role.lines = set(), {}
        key, parity = _key(step, values), _number(step.value, values)
        if step.text == GROUP_WAIT:
            self._wait_group(role, place, values, turn)
            return True
        if key is None or parity is None:
            self.is_untold = True
            return True
        slot = self._slots.setdefault(key, _Slot())
        phase = role.phases.get(key, 0)
        phase += phase % 2 == parity % 2  # of phases that have ended, an even number for parity 1
        if phase > len(slot.ended):
            return False
        role.phases[key] = phase
        ended = slot.ended[phase - 1] if phase else 0.0
        part = Part.WAIT if slot.buffers else Part.ROOM
        self._keep(part, role, place, ended, turn, tuple(slot.buffers))
        if slot.buffers:
            end = role.now + self._constants.wait
            self._keep(Part.HAND_OVER, role, place, end, turn, tuple(slot.buffers))
        return True

    def _wait_group(
        self, role: _Role, place: int, values: Mapping[str, int], turn: int | None
    ) -> None:
        """All but the last groups of copies have come."""
        pending = _number(self._pipeline.steps[place].value, values) or 0
        done = max(0, len(role.groups) - pending)
        ended = max((end for end, _ in role.groups[:done]), default=0.0)
        newly = [name for _, names in role.groups[role.awaited : done] for name in names]
        role.awaited = max(role.awaited, done)
        self._keep(Part.WAIT, role, place, ended, turn, tuple(dict.fromkeys(newly)))


def _count(role: _Role, step: PipelineStep, values: Mapping[str, int]) -> None:
    """A counter of a role takes a value; one that cannot be told is no longer known."""
    number = _number(step.value, values)
    role.counters.pop(step.text, None)
    if number is not None:
        role.counters[step.text] = number


def _by_loop(
    pipeline: Pipeline, places: Sequence[int], depth: int
) -> list[tuple[int | None, list[int]]]:
    """Steps in a row that are in the same loop at a depth, None for those in none."""
    found: list[tuple[int | None, list[int]]] = []
    for place in places:
        loops = pipeline.steps[place].loops
        loop = loops[depth] if len(loops) > depth else None
        if found and found[-1][0] == loop:
            found[-1][1].append(place)
        else:
            found.append((loop, [place]))
    return found


def _key(step: PipelineStep, values: Mapping[str, int]) -> SlotKey | None:
    """The mbarrier of a step; None where it has none, or one that cannot be told."""
    if step.slot is None:
        return None
    index = _number(step.slot.index, values)
    return None if index is None else (step.slot.buffer, index)


def _number(text: str | None, values: Mapping[str, int]) -> int | None:
    try:
        return None if text is None else int(evaluate(text, values))
    except (ExpressionError, KeyError):
        return None
