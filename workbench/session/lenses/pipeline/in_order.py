"""The steps of a kernel in their order, for targets of which no times are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from workbench.core.analysis.pipeline import COMPUTING, MEMORY, Pipeline, PipelineStep, StepKind
from workbench.core.analysis.pipeline_costs import turns_of
from workbench.session.lenses.links import Selection
from workbench.session.lenses.pipeline.model import (
    Block,
    Bracket,
    Look,
    PipelinePicture,
    Row,
    RowKind,
)
from workbench.session.lenses.pipeline.words import Names, hazard_sentence, kind_of, listed

_LOOKS = {
    StepKind.COPY: Look.COPY,
    StepKind.WAIT: Look.WAIT,
    StepKind.BARRIER: Look.BARRIER,
    StepKind.LOAD: Look.MEMORY,
    StepKind.STORE: Look.MEMORY,
    StepKind.TENSOR: Look.TENSOR,
    StepKind.REDUCE: Look.VECTOR,
    StepKind.VECTOR: Look.VECTOR,
    StepKind.MOVE: Look.SHARED,
}
_NARROW = 0.35
METHOD = "In the order of the lowered code; widths mean nothing."


def ordered_picture(
    pipeline: Pipeline,
    names: Names,
    hazards: Mapping[int, str],
    why: str,
    blocks: Mapping[str, int],
) -> PipelinePicture:
    """Each role's steps once, from left to right; `why` says why there are no times."""
    rows: list[Row] = []
    found: list[Block] = []
    bracket = None
    for number, warps in enumerate(pipeline.roles):
        steps = [pipeline.steps[place] for place in pipeline.of_role(warps)]
        own = list(_blocks(steps, len(rows), names, hazards))
        if not own:
            continue
        found += own
        loop = _loop(pipeline, steps)
        if loop is not None and (bracket is None or number > 0):
            bracket = _bracket(pipeline, steps, loop, own, blocks) or bracket
        rows.append(_row(number, warps, len(pipeline.roles)))
    end = max((each.end for each in found), default=1.0)
    said = [*hazard_sentence(hazards), f"Order without times: {why}.", _sentence(pipeline, names)]
    return PipelinePicture(
        tuple(rows),
        tuple(found),
        " ".join(each for each in said if each),
        METHOD,
        (0.0, end),
        end,
        bracket,
        is_timed=False,
    )


def _row(number: int, warps: tuple[int, int], roles: int) -> Row:
    first, last = warps
    title = f"Warps {first}\N{EN DASH}{last}" if last > first else f"Warp {first}"
    detail = "all in one role" if roles == 1 else "in a role of their own"
    return Row(f"role-{number}", RowKind.ROLE, title, detail)


def _shown(steps: Sequence[PipelineStep]) -> Iterator[PipelineStep]:
    """The steps that are drawn, of equal ones in a row the first."""
    before = None
    for step in steps:
        key = (step.kind, step.line, step.loops[:1])
        if step.kind in _LOOKS and key != before:
            yield step
            before = key


def _blocks(
    steps: Sequence[PipelineStep], row: int, names: Names, hazards: Mapping[int, str]
) -> Iterator[Block]:
    place = 0.0
    for step in _shown(steps):
        name = names.short(step)
        is_narrow = step.kind in (StepKind.BARRIER, StepKind.WAIT)
        end = place + (_NARROW if is_narrow else 1.0)
        label = "" if step.kind is StepKind.BARRIER else name
        text = f"{kind_of(step)} {name}" if step.kind in MEMORY else label
        hazard = hazards.get(step.line) if step.line is not None else None
        where = f" \N{MIDDLE DOT} line {step.line}" if step.line is not None else ""
        told = [f"{kind_of(step)} {label}".strip() + where, names.source(step.line)]
        tip = "\n".join(each for each in (hazard or "", *told) if each)
        chosen = Selection(line=step.line) if step.line is not None else None
        yield Block(row, _LOOKS[step.kind], place, end, label, text, tip, chosen, 0, hazard)
        place = end


def _loop(pipeline: Pipeline, steps: Sequence[PipelineStep]) -> int | None:
    """The outermost loop with most of the work."""
    weights: dict[int, int] = {}
    for step in steps:
        if step.loops and step.kind in COMPUTING | MEMORY:
            weights[step.loops[0]] = weights.get(step.loops[0], 0) + 1
    return max(weights, key=weights.__getitem__, default=None)


def _bracket(
    pipeline: Pipeline,
    steps: Sequence[PipelineStep],
    loop: int,
    blocks: Sequence[Block],
    values: Mapping[str, int],
) -> Bracket | None:
    inside = [
        block
        for step, block in zip(_shown(steps), blocks, strict=True)
        if step.loops[:1] == (loop,)
    ]
    if not inside:
        return None
    turns = turns_of(pipeline, loop, values)
    label = pipeline.loops[loop].label
    times = f"{turns:,} turns" if turns is not None else "turns that data decide"
    return Bracket(inside[0].begin, inside[-1].end, f"each turn of {label}, {times}")


def _sentence(pipeline: Pipeline, names: Names) -> str:
    """What each turn does, in order."""
    products = [names.short(s) for s in pipeline.steps if s.kind is StepKind.TENSOR and s.loops]
    background = any(step.kind is StepKind.COPY for step in pipeline.steps)
    if not products:
        return ""
    them = "it" if len(set(products)) == 1 else "them"
    how = "copies run in the background" if background else f"loads are waited for before {them}"
    return f"Each turn multiplies {listed(products)}; {how}."
