"""Makes the pipeline lens's picture of a target: scheduled, or in order alone without a time."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core import figures
from workbench.core.analysis.estimate import CONSTANTS, Estimate
from workbench.core.analysis.hazards import HazardKind
from workbench.core.analysis.pipeline import Pipeline
from workbench.core.analysis.pipeline_costs import middle_block, step_clocks
from workbench.core.analysis.pipeline_schedule import Schedule, schedule
from workbench.core.analysis.pipeline_stretches import Part
from workbench.session.lenses.pipeline.in_order import ordered_picture
from workbench.session.lenses.pipeline.model import Bracket, PipelinePicture, RowKind
from workbench.session.lenses.pipeline.shares import (
    Shares,
    bracket_text,
    shares_of,
    turn_sentence,
)
from workbench.session.lenses.pipeline.timeline import Scene, rows_and_blocks
from workbench.session.lenses.pipeline.words import PARTS, Names, hazard_sentence, percent, time
from workbench.session.lenses.subject import LensTarget

_IN_SIGHT = 1.9  # turns that are in sight first
_UNTOLD = "what its waits are for could not be followed"
_AGREES = 0.02  # what a sum may be off without a word


def pipeline_picture(target: LensTarget, text: str) -> PipelinePicture | None:
    """The picture of a target; `text` is the document's. None where the steps are not known."""
    kernel = target.kernel
    if kernel is None or kernel.pipeline is None or not kernel.pipeline.steps:
        return None
    names, hazards = Names(kernel, text), _hazards(target)
    clocks = step_clocks(kernel.pipeline, kernel)
    model = target.target.model
    if clocks is None or kernel.estimate is None or model is None or not model.boost_clock_mhz:
        why = target.why_missing("estimate")
        return ordered_picture(kernel.pipeline, names, hazards, why, middle_block(kernel))
    found = schedule(kernel.pipeline, clocks, middle_block(kernel))
    if found.is_untold or found.is_unmet:
        return ordered_picture(kernel.pipeline, names, hazards, _UNTOLD, middle_block(kernel))
    mhz = model.boost_clock_mhz * CONSTANTS.clock
    return _timed(target, kernel.pipeline, kernel.estimate, found, names, hazards, mhz)


def _timed(
    target: LensTarget,
    pipeline: Pipeline,
    estimate: Estimate,
    found: Schedule,
    names: Names,
    hazards: dict[int, str],
    mhz: float,
) -> PipelinePicture:
    factor = estimate.block_clocks / found.block_clocks if found.block_clocks else 1.0
    found = found.scaled(factor)
    window = found.steady
    turn = (found.period or 0.0) / mhz
    shares = shares_of(found, window, turn) if window else None
    scene = Scene(pipeline, found, names, hazards, mhz, window)
    rows, blocks = rows_and_blocks(scene, shares.bottleneck if shares else None)
    end = found.end / mhz
    bracket, opens = None, (0.0, end)
    if window is not None and shares is not None:
        begin, until = window[0] / mhz, window[1] / mhz
        bracket = Bracket(begin, until, bracket_text(shares, found.cycle))
        opens = _opens(begin, until, turn, end)
    return PipelinePicture(
        rows,
        blocks,
        _conclusion(pipeline, estimate, found, shares, hazards, target),
        _method(target, estimate, factor, found, mhz),
        opens,
        end,
        bracket,
        tuple(turn / mhz for turn in found.turns),
        is_cut=found.is_cut,
        turn=turn if bracket is not None else None,
    )


def _opens(begin: float, until: float, turn: float, end: float) -> tuple[float, float]:
    """A few turns with the steady ones among them."""
    span = min(end, max(_IN_SIGHT * turn, until - begin + turn / 2))
    before = (span - (until - begin)) * 0.6
    first = min(max(0.0, begin - before), max(0.0, end - span))
    return first, first + span


def _hazards(target: LensTarget) -> dict[int, str]:
    """Messages of hazards by the lines that they are about."""
    kinds = {kind.value for kind in HazardKind}
    found: dict[int, str] = {}
    for each in target.analysis.diagnostics if target.analysis is not None else ():
        if each.code in kinds and each.range is not None:
            found.setdefault(each.range.line, each.message)
            for other in each.related:
                found.setdefault(other.range.line, each.message)
    return found


def _conclusion(
    pipeline: Pipeline,
    estimate: Estimate,
    found: Schedule,
    shares: Shares | None,
    hazards: dict[int, str],
    target: LensTarget,
) -> str:
    said = [*hazard_sentence(hazards)]
    said.append(turn_sentence(shares, pipeline) if shares else _sequence_sentence(found, target))
    said += _together(estimate, shares)
    return " ".join(said)


def _together(estimate: Estimate, shares: Shares | None) -> Iterator[str]:
    """What is different where all blocks run."""
    several = estimate.blocks_per_sm
    if estimate.bound == "dram":
        yield "All blocks together are bound by the memory's bandwidth."
    elif several > 1 and (shares is None or shares.bottleneck in _GAPS):
        yield f"{several} blocks share an SM and can fill one another's gaps."


_GAPS = (RowKind.COPIES, RowKind.ROLE)


def _sequence_sentence(found: Schedule, target: LensTarget) -> str:
    """A kernel without a pipeline: what its block takes longest for."""
    spent: dict[Part, float] = {}
    for each in found.stretches:
        if each.role == found.role and each.part is not Part.COPY:
            spent[each.part] = spent.get(each.part, 0.0) + each.clocks
    whole = sum(spent.values())
    head = "No loop is pipelined" if found.has_copies else "No copy runs in the background"
    if not whole:
        return f"{head}, so the steps follow one another."
    most = sorted(spent, key=spent.__getitem__, reverse=True)[:2]
    parts = " and ".join(f"{percent(spent[part] / whole)} {_SPENT[part]}" for part in most)
    return f"{head}: alone on an SM of {target.label} a block spends {parts}."


_SPENT = {
    **{part: f"on {words}" for part, words in PARTS.items()},
    Part.WAIT: "waiting for copies",
    Part.HAND_OVER: "handing over",
    Part.ROOM: "waiting for a free stage",
    Part.MEMORY: "waiting for memory",
    Part.BARRIER: "at barriers",
    Part.SHARED: "in shared memory",
    Part.TENSOR: "on the tensor cores",
    Part.VECTOR: "on vector work",
}


def _method(
    target: LensTarget, estimate: Estimate, factor: float, found: Schedule, mhz: float
) -> str:
    """How the times were made."""
    block = time(estimate.block_clocks / mhz)
    off = abs(factor - 1)
    fits = (
        f"the steps add up to the estimate's {block}"
        if off <= _AGREES
        else f"times scaled by {figures.number(factor)} to the estimate's {block}"
    )
    parts = [f"Predicted for one block alone on an SM of {target.label}; {fits}."]
    if estimate.leaves_out:
        parts.append(f"Not in it, because unknown: {', '.join(estimate.leaves_out)}.")
    if found.is_cut and found.turns:
        parts.append(f"The first {len(found.turns)} of {found.total_turns} turns are shown.")
    return " ".join(parts)
