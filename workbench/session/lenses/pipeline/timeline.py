"""Lays the stretches of a schedule into rows: copies, roles, and the units of an SM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.pipeline import Pipeline, StepKind
from workbench.core.analysis.pipeline_schedule import Schedule
from workbench.core.analysis.pipeline_stretches import Part, Stretch
from workbench.session.lenses.links import Selection
from workbench.session.lenses.pipeline.model import Block, Look, Row, RowKind
from workbench.session.lenses.pipeline.shares import share
from workbench.session.lenses.pipeline.words import Names, kind_of, tip, waited

LOOKS = {
    Part.COPY: Look.COPY,
    Part.WAIT: Look.WAIT,
    Part.HAND_OVER: Look.WAIT,
    Part.ROOM: Look.ROOM,
    Part.BARRIER: Look.BARRIER,
    Part.SHARED: Look.SHARED,
    Part.TENSOR: Look.TENSOR,
    Part.VECTOR: Look.VECTOR,
    Part.MEMORY: Look.MEMORY,
}
_UNITS = (
    (Part.TENSOR, RowKind.TENSOR, "Tensor cores"),
    (Part.VECTOR, RowKind.VECTOR, "Vector units"),
    (Part.SHARED, RowKind.SHARED, "Shared memory"),
)


_SHOWN = 0.005  # of a steady turn: a unit that is busy for less gets no row


@dataclass(frozen=True)
class Scene:
    """What blocks are made from; `hazards` are messages by line, `mhz` the clocks of a µs."""

    pipeline: Pipeline
    schedule: Schedule
    names: Names
    hazards: Mapping[int, str]
    mhz: float
    window: tuple[float, float] | None


def rows_and_blocks(
    scene: Scene, bottleneck: RowKind | None
) -> tuple[tuple[Row, ...], tuple[Block, ...]]:
    """The rows from top to bottom with all their blocks."""
    rows: list[Row] = []
    blocks: list[Block] = []
    for row, stretches in _groups(scene):
        placed, lanes = (
            _lanes(stretches) if row.kind is RowKind.COPIES else ([0] * len(stretches), 1)
        )
        number = _Counter()
        for each, lane in zip(stretches, placed, strict=True):
            block = _block(scene, each, len(rows), row.kind, number)
            blocks.append(replace(block, lane=lane))
        is_slow = bottleneck is row.kind and _is_own(scene, row)
        rows.append(replace(row, lanes=lanes, is_bottleneck=is_slow))
    return tuple(rows), tuple(blocks)


def _is_own(scene: Scene, row: Row) -> bool:
    """Whether a row may be the slow one: of the roles it is the one that computes."""
    return row.kind is not RowKind.ROLE or row.key == f"role-{scene.schedule.role}"


def _groups(scene: Scene) -> list[tuple[Row, list[Stretch]]]:
    found: list[tuple[Row, list[Stretch]]] = []
    copies = scene.schedule.stretches
    pipeline = scene.pipeline
    in_flight = [each for each in copies if each.part is Part.COPY]
    if in_flight:
        texts = dict.fromkeys(pipeline.steps[each.step].text for each in in_flight)
        row = Row("copies", RowKind.COPIES, "Copies in flight", ", ".join(texts))
        found.append((row, in_flight))
    for number in range(len(pipeline.roles)):
        own = [e for e in copies if e.role == number and e.part is not Part.COPY]
        if own:
            found.append((_role_row(scene, number), own))
    for part, kind, title in _UNITS:
        own = [each for each in copies if each.part is part]
        busy = share(own, part, scene.window) if scene.window is not None else None
        if own and (busy is None or busy >= _SHOWN):
            detail = _unit_detail(scene, part, own)
            found.append((Row(kind.value, kind, title, detail, busy=busy), own))
    return found


def _unit_detail(scene: Scene, part: Part, own: Sequence[Stretch]) -> str:
    if part is Part.SHARED:
        return "wavefronts"
    if part is Part.VECTOR:
        return "float, special, shuffles"
    texts = [scene.pipeline.steps[each.step].text for each in own]
    return next(iter(dict.fromkeys(texts)), "")


def _role_row(scene: Scene, number: int) -> Row:
    pipeline = scene.pipeline
    first, last = pipeline.roles[number]
    kinds = {pipeline.steps[place].kind for place in pipeline.of_role((first, last))}
    title = f"Warps {first}\N{EN DASH}{last}" if last > first else f"Warp {first}"
    detail = "all in one role, in order"
    if len(pipeline.roles) > 1:
        copies = StepKind.COPY in kinds and StepKind.TENSOR not in kinds
        detail = "producer" if copies else "consumer"
    return Row(f"role-{number}", RowKind.ROLE, title, detail)


class _Counter:
    """Numbers the copies into each buffer."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], int] = {}

    def next(self, buffers: tuple[str, ...]) -> int:
        number = self._seen.get(buffers, 0)
        self._seen[buffers] = number + 1
        return number


def _block(scene: Scene, each: Stretch, row: int, kind: RowKind, counter: _Counter) -> Block:
    step, mhz = scene.pipeline.steps[each.step], scene.mhz
    name = scene.names.short(step)
    label, text = name, name
    if each.part is Part.COPY:
        name = each.buffers[0] if each.buffers else name
        label = text = f"{name} {counter.next(each.buffers)}"
    elif each.part in (Part.WAIT, Part.HAND_OVER, Part.ROOM, Part.BARRIER):
        label = each.buffers[0] if each.part is Part.WAIT and each.buffers else ""
        text = waited(each.part, each.buffers)
    elif each.part is Part.TENSOR:
        label = "gemm"
    elif each.part is Part.MEMORY:
        text = f"{kind_of(step)} {name}"
    elif kind is RowKind.SHARED or each.part is Part.SHARED:
        text = f"{name}, shared"
    span = (each.begin / mhz, each.end / mhz)
    line = line_of(scene.pipeline, each)
    told = text if each.part is not Part.COPY else f"copy {text}"
    hazard = scene.hazards.get(line) if line is not None and kind in _MARKED else None
    words = tip(told, each.part, scene.names.source(line), line, span, mhz)
    words = f"{hazard}\n{words}" if hazard else words
    chosen = Selection(line=line, buffer=_buffer(each, step.buffers)) if line is not None else None
    return Block(row, LOOKS[each.part], *span, label, text, words, chosen, 0, hazard)


_MARKED = (RowKind.COPIES, RowKind.ROLE)


def line_of(pipeline: Pipeline, each: Stretch) -> int | None:
    """The line of a stretch; of a wait it is that of the copy that it is for."""
    if each.part in (Part.WAIT, Part.HAND_OVER):
        copies = [
            step.line
            for step in pipeline.steps
            if step.kind is StepKind.COPY and set(step.buffers) & set(each.buffers)
        ]
        return copies[0] if copies else pipeline.steps[each.step].line
    return pipeline.steps[each.step].line


def _buffer(each: Stretch, touched: tuple[str, ...]) -> str | None:
    """The buffer that a copy or a wait is about; work is about its line alone."""
    about = each.buffers or touched
    return about[0] if each.part in (Part.COPY, Part.WAIT) and about else None


def _lanes(stretches: Sequence[Stretch]) -> tuple[list[int], int]:
    """A lane for each copy, so that those at once lie below one another; how many there are.

    A buffer keeps its lane where that is free, so that its copies can be followed.
    """
    ends: list[float] = []
    of_buffer: dict[tuple[str, ...], int] = {}
    placed = []
    for each in stretches:
        usual = of_buffer.get(each.buffers)
        free = [lane for lane, end in enumerate(ends) if end <= each.begin + 1e-6]
        if usual in free:
            lane = usual
        elif (free and usual is None) or free:
            lane = free[0]
        else:
            ends.append(0.0)
            lane = len(ends) - 1
        assert lane is not None
        ends[lane] = each.end
        of_buffer.setdefault(each.buffers, lane)
        placed.append(lane)
    return placed, max(1, len(ends))
