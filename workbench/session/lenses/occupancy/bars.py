"""How many blocks each resource of a core holds, target by target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.figures import number, size
from workbench.session.lenses.occupancy.block import CDNA, CUDA, TargetBlock, Words
from workbench.session.lenses.subject import LensTarget

ORDER = (
    Resource.REGISTERS,
    Resource.SCALAR_REGISTERS,
    Resource.SHARED,
    Resource.WARPS,
    Resource.BLOCKS,
    Resource.BARRIERS,
    Resource.CLUSTER,
)
_ALWAYS = (Resource.REGISTERS, Resource.SHARED, Resource.WARPS, Resource.BLOCKS)


@dataclass(frozen=True)
class LimitCell:
    """The blocks that one resource of a target's core holds; None is unknown.

    `before` is the same with the case's own arguments, where they differ.
    """

    blocks: int | None
    is_limiting: bool
    tip: str
    before: int | None = None

    @property
    def text(self) -> str:
        """The number as it stands beside the bar."""
        return "unknown" if self.blocks is None else str(self.blocks)


@dataclass(frozen=True)
class LimitRow:
    """One resource over all targets; None where a block does not use it there."""

    resource: Resource
    name: str
    cells: tuple[LimitCell | None, ...]
    line: int | None = None


@dataclass(frozen=True)
class Column:
    """One target: its warps of those that a core holds, and their part of them.

    `note` says what is unknown, at fault or left out of them; `needs_analysis` that an analysis of
    the machine code would tell it. `measured` is what the hardware reached and what it allowed.
    """

    label: str
    mark: int
    warps: str
    share: str
    note: str = ""
    is_fault: bool = False
    needs_analysis: bool = False
    measured: str = ""


def column_of(target: LensTarget, found: TargetBlock | str) -> Column:
    """The head of a target's column."""
    if isinstance(found, str):
        return Column(target.label, target.mark, "unknown", "", found)
    column = _column_of(target, found)
    return replace(column, measured=measured_text(target))


def measured_text(target: LensTarget) -> str:
    """The occupancy that was measured: "62 % achieved of 75 %"; empty where none was."""
    if target.measured is None:
        return ""
    achieved = target.measured.value(target.kernel, "achieved_occupancy")
    most = target.measured.value(target.kernel, "occupancy")
    if achieved is None:
        return ""
    return f"{percent(achieved)} reached" + (f" of {percent(most)}" if most is not None else "")


def _column_of(target: LensTarget, found: TargetBlock) -> Column:
    occupancy, words = found.occupancy, found.words
    most = found.arch.limits.max_warps_per_sm
    head = f"{occupancy.most_warps} of {most} {words.warps}"
    share = percent(found.fraction)
    if found.is_known:
        fault = "no block fits" if occupancy.blocks == 0 else ""
        return Column(target.label, target.mark, head, share, fault, bool(fault))
    asks = found.can_be_counted
    note = f"{words.registers} unknown" if asks else ""
    return Column(target.label, target.mark, head, f"≤ {share}", note, needs_analysis=asks)


def limit_rows(
    targets: Sequence[LensTarget],
    blocks: Sequence[TargetBlock | str],
    before: Sequence[TargetBlock | None],
) -> tuple[LimitRow, ...]:
    """The rows of all resources that a block uses and that can limit it."""
    known = [each for each in blocks if not isinstance(each, str)]
    tables = [_limits(each) for each in blocks]
    rows = []
    for resource in ORDER:
        if not any(_matters(resource, each) for each in known):
            continue
        cells = tuple(
            _cell(resource, found, table, earlier)
            for found, table, earlier in zip(blocks, tables, before, strict=True)
        )
        rows.append(LimitRow(resource, _name(resource, known), cells))
    return tuple(rows)


def percent(fraction: float) -> str:
    """A part of one in per cent, with at most three digits."""
    return f"{number(round(fraction * 100, 1)).removesuffix('.0')} %"


def used(resource: Resource, block: BlockResources, words: Words) -> str:
    """What one block uses of a resource, in words; "" where nothing is counted."""
    if resource is Resource.REGISTERS:
        count = "unknown" if block.registers is None else str(block.registers)
        return f"{count} {words.registers} a thread"
    if resource is Resource.SHARED:
        return f"{size(block.shared_bytes)} of {words.shared} a block"
    if resource is Resource.WARPS:
        return f"{block.threads} threads a block"
    return f"{block.barriers} barriers a block" if resource is Resource.BARRIERS else ""


def _limits(found: TargetBlock | str) -> Mapping[Resource, int | None]:
    if isinstance(found, str):
        return {}
    return {limit.resource: limit.blocks for limit in found.occupancy.limits}


def _matters(resource: Resource, found: TargetBlock) -> bool:
    """Whether a row tells something: barriers for as many blocks as there are slots do not."""
    limits = _limits(found)
    if resource not in limits:
        return False
    slots = found.arch.limits.max_blocks_per_sm or 0
    return resource in _ALWAYS or (limits[resource] or 0) < slots


def _cell(
    resource: Resource,
    found: TargetBlock | str,
    limits: Mapping[Resource, int | None],
    earlier: TargetBlock | None,
) -> LimitCell | None:
    if isinstance(found, str) or resource not in limits:
        return None
    blocks = limits[resource]
    is_limiting = resource in found.occupancy.limiting
    was = _limits(earlier).get(resource) if earlier is not None else None
    return LimitCell(
        blocks,
        is_limiting,
        _tip(resource, found, blocks, is_limiting),
        was if was != blocks else None,
    )


def _tip(resource: Resource, found: TargetBlock, blocks: int | None, is_limiting: bool) -> str:
    words, label = found.words, found.target.label
    lines = [f"{label}: {used(resource, found.block, words)}".removesuffix(": ")]
    if blocks is None:
        lines.append(why_unknown(found))
    else:
        plural = "s" * (blocks != 1)
        lines.append(f"room for {blocks} block{plural} on a {words.core}")
    if resource is Resource.SHARED:
        lines.append(_carveout(found))
    if is_limiting:
        lines.append("the smallest: this limits the blocks")
    return "\n".join([*lines, "predicted by the published occupancy rules"])


def _carveout(found: TargetBlock) -> str:
    carveout, words = found.occupancy.carveout, found.words
    given = "given" if carveout.given else "assumed: the driver chooses it"
    return f"{size(carveout.size_bytes)} of {words.shared} on a {words.core} ({given})"


def why_unknown(found: TargetBlock) -> str:
    """Why the registers of a thread are unknown."""
    return f"registers unknown: {found.target.why_missing('registers')}"


def _name(resource: Resource, known: Sequence[TargetBlock]) -> str:
    """What the resource is called by the makers of all targets."""
    makers = [words for words in (CUDA, CDNA) if any(each.words is words for each in known)]
    names = {
        Resource.REGISTERS: [words.registers for words in makers],
        Resource.SCALAR_REGISTERS: ["scalar registers"],
        Resource.SHARED: [words.shared for words in makers]
        if len(makers) < 2
        else ["shared", "LDS"],
        Resource.WARPS: [words.warps for words in makers],
        Resource.BLOCKS: ["block slots"],
        Resource.BARRIERS: ["barriers"],
        Resource.CLUSTER: ["cluster"],
    }[resource]
    joined = " / ".join(names)
    return joined[0].upper() + joined[1:]
