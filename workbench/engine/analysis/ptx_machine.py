"""Runs the address arithmetic of a PTX entry for whole blocks at once and keeps every access.

Threads move together; where they part, those behind go first and are joined by the others. What
memory holds is unknown, and so is all that is computed from it. Values are blocks x threads, with
one row where all blocks have the same, and one column where all threads of a block have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.ptx import Instruction, defined
from workbench.engine.analysis.ptx_flow import ControlFlow
from workbench.engine.analysis.ptx_program import Program, is_memory
from workbench.engine.analysis.ptx_registers import Mask, Registers, by_warp
from workbench.engine.analysis.ptx_threads import (
    SHARED_WINDOW,
    packed_parts,
    shuffle_sources,
    space_of,
    special_registers,
    vector_parts,
)
from workbench.engine.analysis.ptx_traces import POINTER_BITS, WARP, Trace
from workbench.engine.analysis.ptx_values import (
    Value,
    bits_of,
    compare,
    compute,
    is_integer,
    truth,
)

Ints = npt.NDArray[np.int64]
STEPS = 3_000_000
_IMMEDIATE = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?$")
_INDIRECT = re.compile(r"\[?\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+))?\s*\]?$")
_DATA = "whether it runs depends on data"


class PtxLimitError(Exception):
    """The entry runs for longer than is worth it."""


class Machine:
    """One run of a program for some blocks of a launch."""

    def __init__(
        self,
        program: Program,
        launch: Launch,
        blocks: Sequence[tuple[int, int, int]],
        scalars: Mapping[str, int] | None = None,
    ) -> None:
        self.program = program
        self.traces: dict[int, Trace] = {}
        self._launch = launch
        self._scalars = dict(scalars or {})
        self._blocks = len(blocks)
        self._registers = Registers()
        self._special = special_registers(launch, blocks)
        self._real = self._special["%thread"] < launch.threads
        self._doubtful: set[int] = set()
        self._visited: set[int] = set()
        self._flow = ControlFlow(program.entry)
        self._readers: dict[int, list[Callable[[Mask], Value | None]]] = {}
        self._parameters = {name: i + 1 for i, name in enumerate(program.entry.parameters)}

    def run(self) -> dict[int, Trace]:
        """The traces by the index of the instruction. Raises PtxLimitError."""
        instructions, order = self.program.entry.instructions, self.program.order
        place_of = {index: place for place, index in enumerate(order)}
        following = _following(len(instructions), place_of)
        end, steps = len(order), 0
        groups: dict[int, npt.NDArray[np.bool_]] = {0: self._real}
        while groups:
            place = min(groups)
            mask = groups.pop(place)
            if place >= end or not mask.any():
                continue
            limit = min(groups) if groups else end
            mask = _narrow(mask)
            everyone = bool((mask == self._real).all())
            while place < limit:
                steps += 1
                if steps > STEPS:
                    raise PtxLimitError(f"the kernel takes more than {STEPS} steps")
                index = order[place]
                each = instructions[index]
                if each.op[0] in ("bra", "ret", "exit", "trap"):
                    taken = self._taken(index, each, mask, everyone)
                    target = following[each.target] if each.target is not None else end
                    if taken is None:
                        place += 1
                        continue
                    _join(groups, target, taken)
                    _join(groups, place + 1, mask & ~taken)
                    break
                self._execute(index, each, None if everyone else mask)
                place += 1
            else:
                _join(groups, place, mask)
        return self.traces

    # -- control ----------------------------------------------------------------------------

    def _taken(
        self, index: int, each: Instruction, mask: npt.NDArray[np.bool_], everyone: bool
    ) -> npt.NDArray[np.bool_] | None:
        """The threads that go; None where none does."""
        if each.guard is None:
            return mask
        guard = self._registers.get(each.guard, None if everyone else mask)
        if guard is None:
            return self._undecided(index, mask)
        going = truth(guard)
        if isinstance(going, bool):
            return mask if going != each.negated else None
        chosen = mask & (~going if each.negated else going)
        return chosen if chosen.any() else None

    def _undecided(self, index: int, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
        """A branch by data: what it decides is in doubt. It is passed first, and taken then."""
        if index not in self._visited:
            self._visited.add(index)
            self._doubtful |= self._flow.uncertain_region(index)
            return None
        return mask

    # -- execution --------------------------------------------------------------------------

    def _execute(self, index: int, each: Instruction, mask: Mask) -> None:
        if each.guard is not None:
            guard = self._registers.get(each.guard, mask)
            if guard is None:
                if is_memory(each):
                    self._unknown_access(index, each, mask, _DATA)
                self._forget(each, mask)
                return
            going = truth(guard)
            if isinstance(going, bool):
                if going == each.negated:
                    return
            else:
                chosen = ~going if each.negated else going
                mask = (self._real if mask is None else mask) & chosen
                if not mask.any():
                    return
        if is_memory(each) and "param" not in each.op:
            self._access(index, each, mask)
            self._forget(each, mask)
            return
        self._compute(index, each, mask)

    def _forget(self, each: Instruction, mask: Mask) -> None:
        for register in defined(each):
            self._registers.put(register, None, mask)

    def _compute(self, index: int, each: Instruction, mask: Mask) -> None:
        if index in self._doubtful:
            self._forget(each, mask)
            return
        handler = _HANDLERS.get(each.op[0])
        if handler is not None:
            handler(self, index, each, mask)
            return
        inputs = self._inputs(index, each, mask)
        value = None if any(v is None for v in inputs) else compute(each.op, inputs)
        self._store(each.operands[0], value, mask)

    def _inputs(self, index: int, each: Instruction, mask: Mask) -> list[Value | None]:
        readers = self._readers.get(index)
        if readers is None:
            readers = self._readers[index] = [self._reader(o) for o in each.operands[1:]]
        return [read(mask) for read in readers]

    def _store(self, operand: str, value: Value | None, mask: Mask) -> None:
        if operand != "_":
            self._registers.put(operand, value, mask)

    def _reader(self, operand: str) -> Callable[[Mask], Value | None]:
        """What reads an operand: a number, a register, a symbol, or their sum with an offset."""
        if operand.startswith("!"):
            inner = self._reader(operand[1:].strip())
            return lambda mask: None if (v := inner(mask)) is None else v ^ 1
        if _IMMEDIATE.match(operand):
            number = int(operand.rstrip("U"), 0)
            return lambda mask: number
        if operand in self._special:
            special: Value = self._special[operand]
            return lambda mask: special
        constant = self._symbol(operand)
        if constant is not None:
            return lambda mask: constant
        match = _INDIRECT.match(operand)
        if match is not None and (match[2] is not None or operand.startswith("[")):
            base, offset = self._reader(match[1]), int(match[2] or "0", 0)
            return lambda mask: None if (v := base(mask)) is None else v + offset
        return lambda mask: self._registers.get(operand, mask)

    def _symbol(self, operand: str) -> int | None:
        if operand in self.program.entry.shared:
            return self.program.entry.shared[operand]
        if operand in self._parameters:
            return self._parameters[operand] << POINTER_BITS
        return 32 if operand == "WARP_SZ" else None

    # -- instructions with a way of their own -----------------------------------------------

    def _compare(self, index: int, each: Instruction, mask: Mask) -> None:
        inputs = self._inputs(index, each, mask)
        value = None if any(v is None for v in inputs) else compare(each.op, inputs)
        first, _, second = each.operands[0].partition("|")
        self._store(first.strip(), value, mask)
        if second:
            self._store(second.strip(), None if value is None else value ^ 1, mask)

    def _load_parameter(self, index: int, each: Instruction, mask: Mask) -> None:
        name = each.operands[1].strip("[] ")
        known = self._scalars.get(name)
        if known is None and bits_of(each.type) == 64 and name in self._parameters:
            known = self._parameters[name] << POINTER_BITS
        for register in defined(each):
            self._store(register, known, mask)

    def _move(self, index: int, each: Instruction, mask: Mask) -> None:
        parts = [vector_parts(operand) for operand in each.operands]
        if len(parts[0]) == 1 and len(parts[1]) == 1:
            value = self._inputs(index, each, mask)[0]
            kind = each.type
            self._store(each.operands[0], value if is_integer(kind) else None, mask)
            return
        values = [self._reader(part)(mask) for part in parts[1]]
        width = bits_of(each.type) // max(len(parts[0]), len(parts[1]))
        whole = packed_parts(values, width)
        for place, register in enumerate(parts[0]):
            alone = len(parts[0]) == 1
            value = whole if alone or whole is None else whole >> place * width & (1 << width) - 1
            self._store(register, value, mask)

    def _to_generic(self, index: int, each: Instruction, mask: Mask) -> None:
        value = self._inputs(index, each, mask)[0]
        if value is not None and any(part.startswith("shared") for part in each.op):
            value = value - SHARED_WINDOW if "to" in each.op else value + SHARED_WINDOW
        self._store(each.operands[0], value, mask)

    def _wait(self, index: int, each: Instruction, mask: Mask) -> None:
        """A barrier's test comes true at once: what is waited for has happened."""
        if "test_wait" in each.op or "try_wait" in each.op:
            self._store(each.operands[0], 1, mask)
        else:
            self._forget(each, mask)

    def _elect(self, index: int, each: Instruction, mask: Mask) -> None:
        """The lowest active lane of each warp is elected."""
        active = by_warp(self._real if mask is None else mask)
        leader = active.argmax(axis=2)
        chosen = (np.arange(WARP) == leader[:, :, None]) & active
        first, _, second = each.operands[0].partition("|")
        self._store(first.strip(), np.repeat(leader, WARP, axis=1), mask)
        self._store(second.strip(), chosen.reshape(len(active), -1).astype(np.int64), mask)

    def _shuffle(self, index: int, each: Instruction, mask: Mask) -> None:
        first, _, second = each.operands[0].partition("|")
        value, by, control = self._inputs(index, each, mask)[:3]
        result: Value | None = None
        if value is not None and by is not None and isinstance(control, int):
            values, offsets, _ = np.broadcast_arrays(value, by, self._real)
            source, inside = shuffle_sources(each.op, by_warp(offsets), control)
            source = np.where(inside, source, np.arange(WARP))
            result = np.take_along_axis(by_warp(values), source, axis=2).reshape(values.shape)
        self._store(first.strip(), result, mask)
        if second:
            self._store(second.strip(), None, mask)

    def _mask_of_active(self, index: int, each: Instruction, mask: Mask) -> None:
        active = by_warp(self._real if mask is None else mask)
        bits = (active.astype(np.int64) << np.arange(WARP)).sum(axis=2)
        self._store(each.operands[0], np.repeat(bits, WARP, axis=1), mask)

    # -- memory -----------------------------------------------------------------------------

    def _access(self, index: int, each: Instruction, mask: Mask) -> None:
        addresses = [operand for operand in each.operands if operand.startswith("[")]
        if index in self._doubtful:
            self._unknown_access(index, each, mask, _DATA)
            return
        if each.op[0] in ("wgmma", "tcgen05") or "bulk" in each.op:
            self._keep(index, each, "", [np.zeros(1, np.int64)], mask)
            return
        readers = self._readers.get(index)
        if readers is None:
            readers = self._readers[index] = [self._reader(o) for o in addresses]
        values = [read(mask) for read in readers]
        if values[0] is None or (each.op[0] == "cp" and values[1] is None):
            self._unknown_access(index, each, mask, "its address depends on data")
            return
        space = space_of(each, values[0])
        low = SHARED_WINDOW - 1 if space == "shared" else -1
        plain = [value & low for value in values if value is not None]
        if each.op[0] == "cp" and len(each.operands) > 3:
            read = self._reader(each.operands[3])(mask)
            if read is None:
                self._unknown_access(index, each, mask, "how much it reads depends on data")
                return
            plain[1] = np.where(np.asarray(read) > 0, plain[1], -1)
        self._keep(index, each, space, plain, mask)

    def _keep(
        self, index: int, each: Instruction, space: str, values: Sequence[Value], mask: Mask
    ) -> None:
        trace = self._trace(index, each, space, mask)
        active = self._real if mask is None else mask
        rows = [np.where(active, v, -1) for v in values]
        trace.space = trace.space or space
        trace.keep(rows[0], rows[1] if len(rows) > 1 else None)

    def _trace(self, index: int, each: Instruction, space: str, mask: Mask) -> Trace:
        found = self.traces.get(index)
        if found is None:
            width = self._width(index, each, mask)
            found = self.traces[index] = Trace(space, width, self._blocks)
        return found

    def _unknown_access(self, index: int, each: Instruction, mask: Mask, reason: str) -> None:
        trace = self._trace(index, each, space_of(each, None), mask)
        trace.unknown = reason
        active = by_warp(self._real if mask is None else mask)
        trace.unknown_warps += int(active.any(axis=2).sum()) * (self._blocks // len(active))

    def _width(self, index: int, each: Instruction, mask: Mask) -> int:
        """Bytes of a thread, also where they are the operand of a copy."""
        if each.op[0] in ("ldmatrix", "stmatrix"):
            return 16
        if each.op[0] == "cp" and "bulk" not in each.op:
            size = self._reader(each.operands[2])(mask)
            return size if isinstance(size, int) else 16
        vector = next((int(p[1:]) for p in each.op if re.match(r"v[248]$", p)), 1)
        return max(1, bits_of(each.type) // 8) * vector


def _narrow(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """One row for all blocks where they are alike."""
    return mask[:1] if len(mask) > 1 and bool((mask == mask[:1]).all()) else mask


def _join(
    groups: dict[int, npt.NDArray[np.bool_]], place: int, mask: npt.NDArray[np.bool_]
) -> None:
    if mask.any():
        groups[place] = groups[place] | mask if place in groups else mask


def _following(count: int, place_of: Mapping[int, int]) -> list[int]:
    """For each instruction of the entry, the place of the first one that is run from there on."""
    following = [len(place_of)] * (count + 1)
    for index in range(count - 1, -1, -1):
        following[index] = place_of.get(index, following[index + 1])
    return following


_HANDLERS: dict[str, Callable[[Machine, int, Instruction, Mask], None]] = {
    "setp": Machine._compare,
    "ld": Machine._load_parameter,
    "mov": Machine._move,
    "cvta": Machine._to_generic,
    "mbarrier": Machine._wait,
    "elect": Machine._elect,
    "shfl": Machine._shuffle,
    "activemask": Machine._mask_of_active,
}
