"""Neighbouring loads or stores of PTX that the assembler makes one wider instruction of.

ptxas joins 4- and 8-byte accesses of one basic block from one base register whose words follow
each other, where the wider address is aligned. Whether it did is checked against the SASS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.engine.analysis.code_traces import CodeTrace
from workbench.engine.analysis.ptx import Entry, Instruction, defined

_ADDRESS = re.compile(r"\[\s*([%$\w]+)\s*(?:\+\s*(-?\w+))?\s*\]$")
_BREAKS = (
    "bra",
    "bar",
    "barrier",
    "ret",
    "exit",
    "atom",
    "red",
    "cp",
    "membar",
    "fence",
    "mbarrier",
)
_SIZES = (16, 8)


@dataclass(frozen=True)
class _Candidate:
    """An access that may be joined with those of its key."""

    key: tuple[object, ...]
    offset: int
    trace: CodeTrace


def merged(entry: Entry, traces: Sequence[CodeTrace], operation: str) -> list[CodeTrace]:
    """The traces with the accesses of an operation, "ld" or "st", joined where they can be."""
    own = {trace.index: trace for trace in traces}
    groups: dict[tuple[object, ...], list[_Candidate]] = {}
    for candidate in _candidates(entry, own, operation):
        groups.setdefault(candidate.key, []).append(candidate)
    for group in groups.values():
        for size in _SIZES:
            _join(group, size, own)
    return [own[index] for index in sorted(own)]


def _candidates(
    entry: Entry, traces: Mapping[int, CodeTrace], operation: str
) -> Iterator[_Candidate]:
    """Shared accesses that nothing in between keeps apart, keyed by what they have in common."""
    targets = {each.target for each in entry.instructions}
    epoch, versions = 0, dict[str, int]()
    for index, each in enumerate(entry.instructions):
        other = each.op[0] in ("ld", "st") and each.op[0] != operation and _is_shared(each)
        if index in targets or each.op[0] in _BREAKS or other:
            epoch += 1
        match = _ADDRESS.match(_address(each))
        if index in traces and match is not None and _may_be_joined(each, operation):
            key = (epoch, match[1], versions.get(match[1], 0))
            yield _Candidate(key, int(match[2] or "0", 0), traces[index])
        for register in defined(each):
            versions[register] = versions.get(register, 0) + 1


def _join(group: list[_Candidate], size: int, own: dict[int, CodeTrace]) -> None:
    chunks: dict[int, list[_Candidate]] = {}
    for candidate in group:
        trace = own.get(candidate.trace.index)
        if trace is not None and trace.width_bytes in (4, 8) and trace.width_bytes < size:
            chunks.setdefault(candidate.offset // size, []).append(candidate)
    for start, members in chunks.items():
        members.sort(key=lambda each: each.offset)
        widths = sum(each.trace.width_bytes for each in members)
        first = members[0]
        offsets = [each.offset for each in members]
        if len(members) < 2 or widths != size or offsets[0] != start * size:
            continue
        rows = first.trace.rows
        if len(set(offsets)) != len(offsets) or ((rows >= 0) & (rows % size != 0)).any():
            continue
        own[first.trace.index] = replace(first.trace, width_bytes=size)
        for each in members[1:]:
            del own[each.trace.index]


def _may_be_joined(instruction: Instruction, operation: str) -> bool:
    plain = instruction.guard is None and "volatile" not in instruction.op
    return instruction.op[0] == operation and plain and _is_shared(instruction)


def _address(instruction: Instruction) -> str:
    return next((o for o in instruction.operands if o.startswith("[")), "")


def _is_shared(instruction: Instruction) -> bool:
    return any(part.startswith("shared") for part in instruction.op)
