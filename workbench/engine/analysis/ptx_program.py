"""The part of a PTX entry that decides addresses and control flow, and what is left out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workbench.engine.analysis.ptx import Entry, Instruction, defined, registers, used

_BLOCK_INDEX = ("%ctaid.x", "%ctaid.y", "%ctaid.z")
_CONTROL = ("bra", "ret", "exit", "trap")
_MEMORY = ("ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "cp", "wgmma", "tcgen05")


@dataclass(frozen=True)
class Program:
    """The instructions that matter, by their index in the entry; branches go to such indices.

    `deciding_axes` are the dimensions of the grid that control flow or addresses in shared memory
    depend on, `block_axes` those that any address does.
    """

    entry: Entry
    order: tuple[int, ...]
    deciding_axes: tuple[str, ...]
    block_axes: tuple[str, ...]


def address_operands(instruction: Instruction) -> tuple[str, ...]:
    """The operands in brackets of a memory instruction, and the byte counts of a copy."""
    head = instruction.op[0]
    if not is_memory(instruction):
        return ()
    found = tuple(each for each in instruction.operands if each.startswith("["))
    if head == "cp" and "bulk" not in instruction.op:
        return (*found, *instruction.operands[2:4])
    return found


def is_memory(instruction: Instruction) -> bool:
    """Whether an instruction accesses memory or multiplies matrices in it."""
    head = instruction.op[0]
    if head == "cp":
        return sum(operand.startswith("[") for operand in instruction.operands) > 1
    if head in ("wgmma", "tcgen05"):
        return any(part.startswith("mma") for part in instruction.op)
    return head in _MEMORY


def sliced(entry: Entry) -> Program:
    """What of an entry decides its accesses."""
    instructions = entry.instructions
    needed = _needed(instructions)
    order = [
        index
        for index, each in enumerate(instructions)
        if each.op[0] in _CONTROL or is_memory(each) or any(d in needed for d in defined(each))
    ]
    kept = [instructions[index] for index in order]
    deciding, every = _block_axes(kept, needed, _deciding), _block_axes(kept, needed, _roots)
    return Program(entry, tuple(order), deciding, every)


def _needed(instructions: Sequence[Instruction]) -> set[str]:
    makers: dict[str, list[Instruction]] = {}
    for each in instructions:
        for register in defined(each):
            makers.setdefault(register, []).append(each)
    open_names = [name for each in instructions for name in _roots(each)]
    needed: set[str] = set()
    while open_names:
        register = open_names.pop()
        if register in needed:
            continue
        needed.add(register)
        for maker in makers.get(register, ()):
            open_names.extend(_sources(maker))
    return needed


def _roots(instruction: Instruction) -> Iterable[str]:
    if instruction.op[0] in _CONTROL or is_memory(instruction):
        yield from registers(address_operands(instruction))
        if instruction.guard is not None:
            yield instruction.guard


def _deciding(instruction: Instruction) -> Iterable[str]:
    """The roots but for addresses in global memory."""
    if "bulk" not in instruction.op and (
        instruction.op[0] == "cp" or "global" not in instruction.op
    ):
        shared = address_operands(instruction)
        yield from registers((*shared[:1], *shared[2:]) if instruction.op[0] == "cp" else shared)
    if instruction.guard is not None:
        yield instruction.guard


def _sources(instruction: Instruction) -> Iterable[str]:
    """What a value is computed from; what memory holds is not followed."""
    loaded = is_memory(instruction) and "param" not in instruction.op
    if loaded or instruction.op[0] == "mbarrier":
        return (instruction.guard,) if instruction.guard else ()
    return used(instruction)


def _block_axes(
    instructions: Sequence[Instruction],
    needed: set[str],
    roots: Callable[[Instruction], Iterable[str]],
) -> tuple[str, ...]:
    found = []
    for axis in _BLOCK_INDEX:
        own = {axis}
        grew = True
        while grew:
            grew = False
            for each in instructions:
                results = [d for d in defined(each) if d in needed and d not in own]
                if results and any(name in own for name in _sources(each)):
                    own.update(results)
                    grew = True
        if any(name in own for each in instructions for name in roots(each)):
            found.append(axis[-1])
    return tuple(found)
