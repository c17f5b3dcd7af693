"""What limits a kernel on a target: the busiest part, occupancy, waves, conflicts, spills."""

from __future__ import annotations

import math
from collections.abc import Iterator

from workbench.core.analysis.estimate import CONSTANTS
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.figures import duration, number, size
from workbench.session.lenses.bounds import bound_of
from workbench.session.lenses.explain.model import (
    Bar,
    Bars,
    Drawing,
    Section,
    Sentence,
    Tone,
    plural,
    unknown,
)
from workbench.session.lenses.explain.optimisations import narrow_accesses
from workbench.session.lenses.occupancy.bars import percent
from workbench.session.lenses.occupancy.block import line_of, target_block
from workbench.session.lenses.occupancy.words import conclusion as occupancy_words
from workbench.session.lenses.subject import LensTarget
from workbench.session.lenses.tiles.waves import BlockWaves, block_waves

_MEANINGS = {
    "latency": "each step waits for the one before, and no part of an SM is busy half of the time",
    "launch": "starting the kernel takes longer than its work",
    "registers": "what does not fit goes to memory and back",
}
_PIPE_NAMES = {
    "tensor": "Tensor cores",
    "shared": "Shared memory",
    "issue": "Instructions issued",
    "special": "Special functions",
    "float": "Vector units",
    "conversion": "Conversions",
    "shuffle": "Shuffles",
    "l2": "L2",
    "dram": "Memory",
}
_PIPE_HUES = {"shared": "shared", "l2": "l2", "dram": "hbm"}
_LEAST = 0.005  # a share that is shown


def limits(target: LensTarget, kernel: KernelAnalysis) -> Section:
    """The section about what a faster kernel would have to overcome."""
    blocks = blocks_of(kernel)
    waves = block_waves(target, blocks) if blocks is not None else "the launch decides the grid"
    sentences = (
        *_time(target, kernel),
        *_occupancy(target, kernel),
        *_waves(waves, kernel),
        *_conflicts(target, kernel),
        *narrow_accesses(kernel),
        *_spills(target),
    )
    return Section("limits", "What limits it", sentences, tuple(_drawings(target, kernel, waves)))


def blocks_of(kernel: KernelAnalysis) -> int | None:
    """The blocks of a launch; None where it decides them."""
    known = [each for each in kernel.grid if each is not None]
    return math.prod(known) if len(known) == len(kernel.grid) else None


def time_text(kernel: KernelAnalysis) -> str | None:
    """The predicted time and what bounds it; None where it is unknown."""
    found = kernel.estimate
    if found is None:
        return None
    least = "at least " if found.leaves_out else ""
    time = duration(found.time_us / 1e6)
    return f"predicted to take {least}{time}, bound by {bound_of(found.bound).words}"


def _time(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    text, found = time_text(kernel), kernel.estimate
    if text is None or found is None:
        yield unknown("What bounds its time", target.why_missing("estimate"))
        return
    meaning = f": {_MEANINGS[found.bound]}" if found.bound in _MEANINGS else ""
    yield Sentence(f"It is {text}{meaning}.", _busiest_line(kernel, found.bound), Tone.LIMIT)
    if found.leaves_out:
        yield unknown("What these take", ", ".join(found.leaves_out))


def _busiest_line(kernel: KernelAnalysis, bound: str) -> int | None:
    """The line that asks most of the part that bounds the kernel."""
    from workbench.session.line_facts import facts_by_line

    facts = {line: each for line, each in facts_by_line((kernel,)).items() if line is not None}
    pipe = "l2" if bound == "dram" else bound
    if pipe not in _PIPE_NAMES or pipe == "dram":
        return None
    amounts = {line: each.of(pipe) for line, each in facts.items()}
    most = max(amounts, key=lambda line: amounts[line], default=None)
    return most if most is not None and amounts[most] > 0 else None


def _occupancy(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    found = target_block(target)
    if isinstance(found, str):
        yield unknown("How many blocks fit on a core", found)
        return
    limiting = found.occupancy.limiting
    line = line_of(limiting[0], [target]) if limiting else None
    yield Sentence(occupancy_words([found]), line, Tone.LIMIT)


def _waves(waves: BlockWaves | str, kernel: KernelAnalysis) -> Iterator[Sentence]:
    line = kernel.tiles.line if kernel.tiles is not None else None
    if isinstance(waves, str):
        yield unknown("In how many waves the blocks run", waves)
        return
    most = "" if waves.exact else "at most "
    room = f"{most}{waves.capacity:,} can run at once on {plural(waves.cores, waves.word)}"
    if waves.count == 1:
        idle = f", and {plural(waves.idle, waves.word)} have nothing to do" if waves.idle else ""
        text = f"All {plural(waves.blocks, 'block')} run in one wave{idle}: {room}."
        yield Sentence(text, line, Tone.LIMIT if waves.idle else Tone.FACT)
        return
    share = waves.last / waves.capacity
    full = f"the last one is {percent(share)} full"
    text = f"The blocks run in {waves.count:,} waves, as {room}; {full}."
    yield Sentence(text, line, Tone.LIMIT if share < 0.5 else Tone.FACT)


def _conflicts(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    if kernel.shared is None:
        yield unknown("Whether banks conflict", target.why_missing("shared"))
        return
    worst = sorted(
        (each for each in kernel.shared.lines if each.conflicts),
        key=lambda each: -(each.conflicts or 0),
    )
    for each in worst[:3]:
        ways = f"{each.ways}-way bank conflicts" if each.ways else "Bank conflicts"
        text = (
            f"{ways} cost {number(each.conflicts or 0)} of {number(each.wavefronts or 0)} "
            "wavefronts of shared memory there."
        )
        yield Sentence(text, each.line, Tone.LIMIT)
    unknowns = dict.fromkeys(reason for total in kernel.shared.totals for reason in total.unknown)
    if not worst and not unknowns and kernel.shared.sites:
        yield Sentence("No access to shared memory has a bank conflict.")
    for reason in unknowns:
        yield unknown("Whether some accesses conflict", reason)


def _spills(target: LensTarget) -> Iterator[Sentence]:
    resources = target.resources
    if resources is not None and resources.spill_bytes:
        text = f"A thread spills {size(resources.spill_bytes)} of registers to memory."
        yield Sentence(text, None, Tone.LIMIT)


def _drawings(
    target: LensTarget, kernel: KernelAnalysis, waves: BlockWaves | str
) -> Iterator[Drawing]:
    bars = tuple(_busy(target, kernel))
    if bars:
        yield Bars("Busy, of the predicted time", bars)
    room = tuple(_room(target, waves))
    if any(bar.share is not None for bar in room):
        yield Bars("Room on the GPU", room)


def _busy(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Bar]:
    """How long each part is busy on the SM that has most blocks, of the time without the launch."""
    found, cores = kernel.estimate, next(iter(target.target.sm_counts.values()), None)
    model, blocks = target.target.model, blocks_of(kernel)
    if found is None or model is None or not model.boost_clock_mhz or not cores or not blocks:
        return
    running = found.time_us - CONSTANTS.launch_us
    full, rest = divmod(blocks, cores * found.blocks_per_sm)
    turns = full * found.blocks_per_sm + math.ceil(rest / cores)
    clocks_per_us = model.boost_clock_mhz * CONSTANTS.clock
    shares = {each.name: each.clocks * turns / clocks_per_us / running for each in found.pipes}
    shares["dram"] = (found.dram_us or 0.0) / running
    for name, share in sorted(shares.items(), key=lambda item: -item[1]):
        if share >= _LEAST:
            hue = _PIPE_HUES.get(name, "registers")
            yield Bar(_PIPE_NAMES[name], share, percent(share), hue, name == found.bound)


def _room(target: LensTarget, waves: BlockWaves | str) -> Iterator[Bar]:
    block = target_block(target)
    if isinstance(block, str):
        yield Bar("Occupancy", None, "unknown", "accent")
    else:
        most = "" if block.is_known else "≤ "
        yield Bar("Occupancy", block.fraction, f"{most}{percent(block.fraction)} of the warps")
    if isinstance(waves, str):
        yield Bar("Last wave", None, "unknown")
    else:
        share = waves.last / waves.capacity
        yield Bar("Last wave", share, f"{percent(share)} of {waves.capacity:,} blocks")
