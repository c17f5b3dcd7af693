"""Shared memory by the machine code: PTX evaluated lane by lane, and held against the SASS."""

from __future__ import annotations

import collections
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from workbench.core.analysis.bank_rules import BankRules
from workbench.core.analysis.shared_sites import Count, Level, SharedKind, SharedSite
from workbench.engine.analysis.code_traces import CodeTrace, CodeTraces
from workbench.engine.analysis.merging import merged
from workbench.engine.analysis.ptx import Instruction, defined, used
from workbench.engine.analysis.ptx_traces import POINTER_BITS
from workbench.engine.analysis.sass import Form
from workbench.engine.analysis.shared_ir import bank_access, counted, tensor_figures
from workbench.engine.analysis.space import Patterns

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")
_KINDS = {
    "ld": SharedKind.LOAD,
    "ldu": SharedKind.LOAD,
    "st": SharedKind.STORE,
    "ldmatrix": SharedKind.LDMATRIX,
    "stmatrix": SharedKind.STMATRIX,
    "cp": SharedKind.ASYNC_COPY,
    "atom": SharedKind.INTEGER_ATOMIC,
    "red": SharedKind.INTEGER_ATOMIC,
    "wgmma": SharedKind.TENSOR,
}
_MERGEABLE = {"ld": SharedKind.LOAD, "st": SharedKind.STORE}
_WARPGROUP = 4  # warps of one wgmma
_LOOPS = "the loads of a compare-and-swap loop, as many as lanes lose"


@dataclass(frozen=True)
class CodeSites:
    """The sites of the code, whether the SASS has just these instructions, and what else to say."""

    sites: tuple[SharedSite, ...]
    confirmed: bool | None
    notes: tuple[str, ...] = ()


def code_sites(
    found: CodeTraces,
    rules: BankRules,
    lines: Mapping[int, int | None],
    forms: Mapping[Form, int] | None,
    sources: Mapping[int, int] | None = None,
) -> CodeSites:
    """The sites of a kernel's PTX. `lines` gives the document's line of each line of the source.

    `forms` are the instructions of the SASS, None where nothing could disassemble it. `sources`
    gives the line of the copies from a parameter, counted from 1, for those that lost theirs.
    """
    traces = [trace for trace in found.traces if _is_shared(trace)]
    traces, confirmed, notes = _as_assembled(found, traces, forms)
    read = {name for each in found.program.entry.instructions for name in used(each)}
    groups: dict[tuple[Any, ...], list[CodeTrace]] = {}
    for trace in traces:
        counts = counts_ones(trace.instruction, read)
        groups.setdefault((*_key(trace, lines, sources or {}), counts), []).append(trace)
    sites = [
        site for key, group in groups.items() for site in _sites(key, group, rules, found.sampled)
    ]
    return CodeSites(tuple(sites), confirmed, notes)


def kind_of(instruction: Instruction) -> SharedKind | None:
    """What an instruction does to shared memory; None for one that does nothing to it."""
    if "bulk" in instruction.op:
        return SharedKind.BULK_COPY
    kind = _KINDS.get(instruction.op[0])
    if kind is SharedKind.INTEGER_ATOMIC and re.match(r"b?f\d", instruction.type):
        return SharedKind.FLOAT_ATOMIC
    return kind


def counts_ones(instruction: Instruction, read: Collection[str]) -> bool:
    """Whether an atomic adds one to integers and nothing reads what it returns.

    The assembler makes ATOMS.POPC.INC of it, which counts the lanes of a word at once.
    """
    if instruction.op[0] not in ("atom", "red") or "add" not in instruction.op:
        return False
    unread = not any(register in read for register in defined(instruction))
    return instruction.type in ("u32", "s32") and instruction.operands[-1] == "1" and unread


def static_forms(traces: Sequence[CodeTrace]) -> collections.Counter[Form]:
    """How often each form stands in the PTX, as `sass.shared_forms` counts them.

    Generic instructions are left out, whose opcodes do not tell the memory.
    """
    found: collections.Counter[Form] = collections.Counter()
    for trace in traces:
        kind = kind_of(trace.instruction)
        named = any(part.startswith("shared") for part in trace.instruction.op)
        if named and kind not in (None, SharedKind.TENSOR, SharedKind.BULK_COPY):
            assert kind is not None
            found[kind, _matrices(trace.instruction) or trace.width_bytes] += 1
    return found


def _is_shared(trace: CodeTrace) -> bool:
    return trace.space == "shared" or (trace.space == "" and kind_of(trace.instruction) is not None)


def _as_assembled(
    found: CodeTraces, traces: list[CodeTrace], forms: Mapping[Form, int] | None
) -> tuple[list[CodeTrace], bool | None, tuple[str, ...]]:
    """The traces with loads and stores joined as the SASS says, and whether all agrees then."""
    if forms is None:
        return traces, None, ("no disassembler is here, so the assembler's changes are not seen",)
    for operation, kind in _MERGEABLE.items():
        joined = merged(found.program.entry, traces, operation)
        apart = _distance(static_forms(traces), forms, kind)
        if apart and _distance(static_forms(joined), forms, kind) < apart:
            traces = joined
    ours = static_forms(traces)
    kinds = {kind for kind, _ in (*ours, *forms)}
    wrong = [kind for kind in SharedKind if kind in kinds and _distance(ours, forms, kind)]
    notes = tuple(_disagreement(kind, ours, forms) for kind in wrong)
    return traces, not wrong, notes


def _distance(ours: Mapping[Form, int], theirs: Mapping[Form, int], kind: SharedKind) -> int:
    """How far the SASS is from having the same instructions of a kind.

    More of each width is no distance: the assembler unrolls loops.
    """
    distance = 0
    for width in {width for each, width in (*ours, *theirs) if each is kind}:
        mine, other = ours.get((kind, width), 0), theirs.get((kind, width), 0)
        distance += abs(mine - other) if mine > other or mine == 0 else 0
    return distance


def _disagreement(kind: SharedKind, ours: Mapping[Form, int], theirs: Mapping[Form, int]) -> str:
    def told(forms: Mapping[Form, int]) -> str:
        own = sorted((width, count) for (each, width), count in forms.items() if each is kind)
        return ", ".join(f"{count} of {width}" for width, count in own) or "none"

    return f"{kind.value}: {told(ours)} in the PTX, {told(theirs)} in the SASS"


def _key(
    trace: CodeTrace, lines: Mapping[int, int | None], sources: Mapping[int, int]
) -> tuple[Any, ...]:
    each = trace.instruction
    line = lines.get(each.line[1]) if each.line is not None else None
    if line is None and trace.partners is not None and trace.partners.size:
        line = sources.get(int(trace.partners.max()) >> POINTER_BITS)
    return (line, kind_of(each), each.text, trace.width_bytes, _matrices(each))


def _matrices(instruction: Instruction) -> int | None:
    if instruction.op[0] not in ("ldmatrix", "stmatrix"):
        return None
    return next((int(part[1:]) for part in instruction.op if re.match(r"x[124]$", part)), 1)


def _sites(
    key: tuple[Any, ...], group: list[CodeTrace], rules: BankRules, sampled: bool
) -> list[SharedSite]:
    line, kind, text, width, matrices, counts = key
    site = SharedSite(line, kind, Level.CODE, text, None, group[0].instruction.type, width)
    known = sum((trace.executions for trace in group), Fraction())
    if kind is SharedKind.BULK_COPY:
        return [replace(site, instructions=whole(known), sampled=sampled)]
    unknown = next((trace.unknown for trace in group if trace.unknown), None)
    if unknown is not None:
        missing = sum(trace.unknown_warps * trace.weight for trace in group)
        count = whole(known + missing) if "address" in unknown else None
        return [replace(site, instructions=count, unknown=unknown)]
    if kind is SharedKind.TENSOR:
        return [replace(site, **_tensor(group, rules))]
    access = bank_access(kind, width, matrices or 4, counts)
    figures = counted(_patterns(group, sampled), access, rules)
    made = _times(replace(site, **{**figures, "matrices": matrices}), group[0].weight)
    return [made, *compare_and_swap_loads([made])]


def _times(site: SharedSite, weight: Fraction) -> SharedSite:
    """A site of the blocks that were run as that of all that they stand for."""
    scaled: dict[str, Any] = {
        name: None if (count := getattr(site, name)) is None else whole(count * weight)
        for name in ("instructions", "wavefronts", "ideal", "conflicts", "least")
    }
    pattern = site.pattern
    if pattern is not None:
        pattern = replace(pattern, weight=whole(pattern.weight * weight))
    return replace(site, **scaled, pattern=pattern)


def compare_and_swap_loads(sites: Sequence[SharedSite]) -> list[SharedSite]:
    """The loads, of unknown number, of the loops that floating-point atomics compile to."""
    return [
        SharedSite(
            site.line,
            SharedKind.LOAD,
            site.level,
            "compare-and-swap loop",
            site.buffer,
            site.dtype,
            site.width_bytes,
            unknown=_LOOPS,
        )
        for site in sites
        if site.kind is SharedKind.FLOAT_ATOMIC
    ]


def whole(count: Fraction | float) -> Count:
    """A count as an int where it is one."""
    return int(count) if count == int(count) else float(count)


def _patterns(group: list[CodeTrace], sampled: bool) -> Patterns:
    rows = np.concatenate([trace.rows for trace in group])
    partners = [trace.partners for trace in group if trace.partners is not None]
    outside = np.concatenate(partners) if partners else None
    return Patterns(rows, outside, np.concatenate([trace.counts for trace in group]), sampled)


def _tensor(group: list[CodeTrace], rules: BankRules) -> dict[str, Any]:
    each = group[0].instruction
    shape = next((m for part in each.op if (m := _SHAPE.match(part))), None)
    bits = _operand_bits(each)
    warps = sum((trace.executions for trace in group), Fraction())
    if shape is None or bits is None:
        return {"instructions": whole(warps), "unknown": "the operands' shape is not in the opcode"}
    rows, columns, depth = (int(part) for part in shape.groups())
    first = 0 if each.operands[1].startswith("{") else rows * depth
    size = ((first // 2 if "sp" in each.op else first) + columns * depth) * bits // 8
    return tensor_figures(whole(warps / _WARPGROUP), whole(warps), size, rules)


def _operand_bits(instruction: Instruction) -> int | None:
    """Bits of an operand's element: wgmma's opcode ends in the types of D, A and B."""
    widths = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8}
    if instruction.type == "b1":
        return 1
    return widths.get(instruction.type)
