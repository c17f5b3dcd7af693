"""What is said of occupancy: the conclusion, and the notes beside the stairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.occupancy_steps import Change, Step, better_steps
from workbench.core.figures import size
from workbench.session.lenses.occupancy.bars import percent
from workbench.session.lenses.occupancy.block import TargetBlock
from workbench.session.lenses.occupancy.stairs import Curve, Scale, Stair

_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth"),
)


@dataclass(frozen=True)
class Note:
    """A line beside the stairs; a strong one begins what is said of some targets."""

    text: str
    is_strong: bool = False


def conclusion(blocks: Sequence[TargetBlock]) -> str:
    """What limits the blocks, target by target, and what would let in one more."""
    faulty = [each for each in blocks if each.occupancy.most_blocks == 0]
    known = [each for each in blocks if each.is_known and each not in faulty]
    open_ = [each for each in blocks if not each.is_known and each not in faulty]
    sentences = [
        *(_no_block(each) for each in faulty),
        *(_limited(known, len(known) == len(blocks)) if known else ()),
        *_at_most(open_, len(open_) == len(blocks)),
    ]
    return " ".join(sentences)


def stair_notes(stair: Stair) -> tuple[Note, ...]:
    """What the next step of each target takes and gives, targets of one step together."""
    notes: list[Note] = []
    known = [curve for curve in stair.curves if curve.at is not None]
    groups: dict[tuple[int, int] | None, list[Curve]] = {}
    for curve in known:
        better = curve.better
        groups.setdefault(None if better is None else (better.value, better.blocks), []).append(
            curve
        )
    for curves in groups.values():
        notes += _group_notes(stair, curves, everywhere=len(curves) == len(known))
    unknown = [curve.label for curve in stair.curves if curve.at is None]
    if unknown:
        notes += [Note("unknown", True), Note(", ".join(unknown))]
    bounds = [curve.label for curve in stair.curves if curve.at_most]
    if bounds:
        notes.append(Note(f"at most on {_and(bounds)}"))
    return tuple(notes)


def value_text(value: int, scale: Scale) -> str:
    """A value as its axis writes it."""
    return f"{value / scale.value:.4g}" if scale is Scale.KIB else str(value)


def _group_notes(stair: Stair, curves: Sequence[Curve], everywhere: bool) -> list[Note]:
    better = curves[0].better
    if better is None:
        head = Note(_NO_GAIN[stair.resource], True)
        where = [] if everywhere else [Note(", ".join(curve.label for curve in curves))]
        return [head, *where, *_room(stair, curves)]
    blocks = f"{better.blocks} block{'s' * (better.blocks != 1)}"
    what = value_text(better.value, stair.scale) + (" KiB" if stair.scale is Scale.KIB else "")
    sign = "" if stair.resource is Resource.WARPS else "≤ "
    by_share: dict[str, list[str]] = {}
    for curve in curves:
        assert curve.better is not None
        by_share.setdefault(percent(curve.better.fraction), []).append(curve.label)
    shares = [Note(f"{share} {', '.join(labels)}") for share, labels in by_share.items()]
    return [Note(f"{sign}{what}: {blocks}", True), *shares]


_NO_GAIN = {
    Resource.REGISTERS: "no gain from fewer alone",
    Resource.SHARED: "no gain from less alone",
    Resource.WARPS: "no better block size",
}


def _room(stair: Stair, curves: Sequence[Curve]) -> list[Note]:
    """From where on the first of the targets loses something."""
    worse = [(curve.worse, curve.label) for curve in curves if curve.worse is not None]
    if not worse:
        return []
    value, label = min(worse)
    unit = " KiB" if stair.scale is Scale.KIB else ""
    name = f", {label}" if len(curves) > 1 else ""
    return [Note(f"fewer above {value_text(value - 1, stair.scale)}{unit}{name}")]


def _no_block(found: TargetBlock) -> str:
    return f"No block fits on {found.target.label}: {'; '.join(found.occupancy.reasons)}."


def _limited(known: Sequence[TargetBlock], is_every: bool) -> Iterable[str]:
    groups: dict[tuple[Resource, ...], list[TargetBlock]] = {}
    for each in known:
        groups.setdefault(_limiting(each), []).append(each)
    if all(each.fraction == 1 for each in known):
        yield f"{_subject(known, is_every)} full: {_full(known)}."
        return
    alone = is_every and len(groups) == 1
    parts: list[str] = []
    for limiting, members in groups.items():
        counts = _counts(members, alone, unit="" if parts else _unit(members[0]))
        parts.append(f"{_limiters(limiting, members[0])} {_limit_verb(limiting)} {counts}")
    text = "; ".join(parts)
    yield f"{text[0].upper()}{text[1:]}."
    yield from _step_sentence(known)


def _limiting(found: TargetBlock) -> tuple[Resource, ...]:
    """What limits; slots of barriers and blocks go without saying where something else does."""
    telling = [r for r in found.occupancy.limiting if r is not Resource.BARRIERS]
    return tuple(telling or found.occupancy.limiting)


def _limiters(limiting: Sequence[Resource], found: TargetBlock) -> str:
    words = found.words
    names = {
        Resource.REGISTERS: words.registers,
        Resource.SCALAR_REGISTERS: "scalar registers",
        Resource.SHARED: words.shared,
        Resource.WARPS: f"places for {words.warps}",
        Resource.BLOCKS: "block slots",
        Resource.BARRIERS: "barriers",
        Resource.CLUSTER: "clusters",
    }
    return _and([names[each] for each in limiting])


def _limit_verb(limiting: Sequence[Resource]) -> str:
    return "limits" if tuple(limiting) == (Resource.SHARED,) else "limit"


def _counts(members: Sequence[TargetBlock], is_every: bool, unit: str) -> str:
    """`every target to 3 blocks per SM`, or `H100 to 3 blocks per SM, A100 to 2`."""
    by_count: dict[int, list[TargetBlock]] = {}
    for each in members:
        by_count.setdefault(each.occupancy.most_blocks, []).append(each)
    parts: list[str] = []
    for count, found in by_count.items():
        who = _and([each.target.label for each in found])
        if is_every and len(by_count) == 1 and len(members) > 1:
            who = "every target"
        what = "" if parts else unit.replace("blocks", "block") if count == 1 else unit
        parts.append(f"{who} to {count}{what}")
    return ", ".join(parts)


def _unit(found: TargetBlock) -> str:
    return f" blocks per {found.words.core}"


def _subject(known: Sequence[TargetBlock], is_every: bool) -> str:
    if is_every and len(known) > 1:
        return "Every target is"
    return f"{_and([each.target.label for each in known])} {'are' if len(known) > 1 else 'is'}"


def _full(known: Sequence[TargetBlock]) -> str:
    counts = {(each.occupancy.most_blocks, each.occupancy.most_warps) for each in known}
    if len(counts) > 1:
        return f"the blocks fill every place for {known[0].words.warps}"
    blocks, warps = counts.pop()
    return f"{blocks} block{'s' * (blocks != 1)} fill all {warps} places for {known[0].words.warps}"


def _step_sentence(known: Sequence[TargetBlock]) -> Iterable[str]:
    """The next step of the first target that has one, of the others with the same."""
    steps = [(each, step) for each in known if (step := next_step(each)) is not None]
    if not steps:
        return
    first, step = steps[0]
    alike = all(other.changes == step.changes and other.blocks == step.blocks for _, other in steps)
    where = "" if alike and len(steps) == len(known) else f"On {first.target.label}, "
    text = f"{where}{_changes(step.changes, first)} would {_gives(step, first)}."
    yield text[0].upper() + text[1:]


def next_step(found: TargetBlock) -> Step | None:
    """The nearest way to more warps; the first to more blocks by using less, else other threads."""
    steps = better_steps(found.block, found.arch, found.carveout_bytes, count=1)
    return next(iter(steps), None)


def _changes(changes: Sequence[Change], found: TargetBlock) -> str:
    return _and([_change(each, found) for each in changes])


def _change(change: Change, found: TargetBlock) -> str:
    block, words = found.block, found.words
    if change.resource is Resource.REGISTERS:
        return f"{change.value} instead of {block.registers} {words.registers} a thread"
    if change.resource is Resource.SHARED:
        return f"{size(change.value)} instead of {size(block.shared_bytes)} of {words.shared}"
    if change.resource is Resource.BARRIERS:
        return f"{change.value} instead of {block.barriers} barriers"
    return f"{change.value} instead of {block.threads} threads a block"


def _gives(step: Step, found: TargetBlock) -> str:
    now = found.occupancy.most_blocks
    if any(change.resource is Resource.WARPS for change in step.changes):
        most = found.arch.limits.max_warps_per_sm
        return f"fill {step.warps} instead of {found.occupancy.most_warps} of {most} warps"
    return f"give {_one_more(now, step.blocks)}"


def _one_more(now: int, then: int) -> str:
    if then == now + 1 and then <= len(_ORDINALS):
        return f"a {_ORDINALS[then - 1]}".replace("a eighth", "an eighth")
    return f"{then} blocks"


def _at_most(open_: Sequence[TargetBlock], is_every: bool) -> Iterable[str]:
    """Targets whose registers nobody counted, those with one reason together.

    The reason is told where nothing else is to be.
    """
    by_reason: dict[str, list[str]] = {}
    for each in open_:
        reason = _why_open(each) if is_every or each.can_be_counted else "registers are unknown"
        count = each.occupancy.most_blocks
        blocks = "" if reason in by_reason else f" block{'s' * (count != 1)}"
        limit = f"{count}{blocks} per {each.words.core} on {each.target.label}"
        by_reason.setdefault(reason, []).append(limit)
    for reason, limits in by_reason.items():
        yield f"At most {_and(limits)}: {reason}."


def _why_open(found: TargetBlock) -> str:
    if found.can_be_counted:
        return "Analyze (F7) counts the registers, which may allow fewer"
    return found.target.why_missing("registers").partition(": ")[0]


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
