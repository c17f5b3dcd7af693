"""The conclusion of the memory lens: what limits the blocks on an SM, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.occupancy_steps import Step
from workbench.core.figures import number, size
from workbench.session.lenses.memory.fills import Room, core_word
from workbench.session.lenses.memory.model import Fill
from workbench.session.lenses.subject import LensTarget

_NAMES = {
    Resource.REGISTERS: "registers",
    Resource.SHARED: "shared memory",
    Resource.WARPS: "threads",
    Resource.BLOCKS: "the number of blocks",
    Resource.BARRIERS: "barriers",
    Resource.SCALAR_REGISTERS: "scalar registers",
    Resource.CLUSTER: "clusters",
}
_SINGULAR = frozenset({Resource.SHARED, Resource.BLOCKS})
_MEMORY = (Resource.REGISTERS, Resource.SHARED)


def gpu_conclusion(target: LensTarget) -> str:
    """What limits the blocks on an SM of the target."""
    room = Room(target)
    found = room.occupancy
    if found is None:
        return f"How many blocks fit is unknown: {target.why_missing('occupancy')}."
    if found.most_blocks == 0:
        reason = "; ".join(found.reasons) or "a block needs more than a core has"
        return f"No block fits on {target.label}: {reason}."
    if found.fraction == 1:
        blocks = _blocks(target, found)
        word = core_word(target)
        return f"No memory limits this kernel: {blocks} fill all threads that {_an(word)} can hold."
    if found.blocks is None:
        return _as_far_as_known(target, room, found)
    return f"{_limits(found)}: {_needs(target, room, found)}{_would(room.step)}"


def unit_conclusion(target: LensTarget, fills: Iterable[Fill]) -> str:
    """Which buffer of a core is the fullest."""
    known = [f for f in fills if f.used is not None and f.capacity]
    over = [f for f in known if f.is_over]
    if over:
        told = ", ".join(f"{f.name} needs {f.text} of {f.limit}" for f in over)
        return f"The kernel does not fit on a core of {target.label}: {told}."
    used = [f for f in known if f.used]
    if not used:
        return f"How full the buffers of a core are is unknown: {target.why_missing('buffers')}."
    fullest = max(used, key=lambda f: (f.used or 0) / (f.capacity or 1))
    share = (fullest.used or 0) / (fullest.capacity or 1)
    return (
        f"All buffers fit on a core of {target.label}: {fullest.name} is the fullest, with "
        f"{fullest.text} of {fullest.limit} ({share:.0%})."
    )


def _limits(found: Occupancy) -> str:
    """`Registers, not shared memory, limit this kernel`."""
    memory = [each for each in found.limiting if each in _MEMORY]
    if len(memory) == len(_MEMORY):
        return "Registers and shared memory limit this kernel alike"
    told = {each.resource for each in found.limits}
    others = [each for each in _MEMORY if each in told and each not in memory]
    alone = others and len(memory) == len(found.limiting)
    contrast = _NAMES[others[0]] if alone else "" if memory else "memory"
    between = f", not {contrast}," if contrast else ""
    return f"{_capital(_and(found.limiting))}{between} {_verb(found, 'limit')} this kernel"


def _needs(target: LensTarget, room: Room, found: Occupancy) -> str:
    block, blocks = room.block, _blocks(target, found)
    texts = {} if block is None else _texts(block)
    told = [texts[each] for each in found.limiting if each in texts]
    if not told:
        return f"there is room for {blocks}"
    verb = "leaves" if len(told) == 1 and found.limiting[0] in _SINGULAR else "leave"
    return f"{' and '.join(told)} {verb} room for {blocks}"


def _texts(block: BlockResources) -> dict[Resource, str]:
    return {
        Resource.REGISTERS: f"{block.registers} a thread",
        Resource.SHARED: f"{size(block.shared_bytes)} a block",
        Resource.WARPS: f"{number(block.threads)} threads a block",
    }


def _would(step: Step | None) -> str:
    """`; 128 would give 4.`"""
    if step is None:
        return "."
    unit = " registers" if len(step.changes) > 1 else ""
    told = [
        f"{c.value}{unit}" if c.resource is Resource.REGISTERS else str(size(c.value))
        for c in step.changes
    ]
    return f"; {' and '.join(told)} would give {step.blocks}."


def _as_far_as_known(target: LensTarget, room: Room, found: Occupancy) -> str:
    """Without registers: what the other resources leave room for."""
    is_shared = room.block is not None and Resource.SHARED in found.limiting
    used = f" ({size(room.block.shared_bytes)} a block)" if is_shared and room.block else ""
    counted = room.can_be_counted
    why = target.why_missing("registers")
    rest = (
        "registers, which Analyze (F7) counts, may allow fewer"
        if counted
        else f"registers may allow fewer ({why})"
    )
    return (
        f"{_capital(_and(found.limiting))}{used} {_verb(found, 'leave')} room for at most "
        f"{_blocks(target, found)}: {rest}."
    )


def _blocks(target: LensTarget, found: Occupancy) -> str:
    return f"{found.most_blocks} block{'s' * (found.most_blocks != 1)} per {core_word(target)}"


def _an(word: str) -> str:
    """An SM, a CU."""
    return f"{'an' if word[0] in 'S' else 'a'} {word}"


def _and(resources: Sequence[Resource]) -> str:
    return " and ".join(_NAMES[each] for each in resources)


def _verb(found: Occupancy, verb: str) -> str:
    """The verb after what limits: `registers limit`, `shared memory limits`."""
    return f"{verb}s" if len(found.limiting) == 1 and found.limiting[0] in _SINGULAR else verb


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
