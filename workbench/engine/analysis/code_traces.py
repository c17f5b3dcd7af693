"""Runs a kernel's PTX for the blocks that stand for all, and gathers what each instruction did."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.ptx import Instruction, read_entry
from workbench.engine.analysis.ptx_machine import Machine, Trace
from workbench.engine.analysis.ptx_program import Program, sliced
from workbench.engine.analysis.ptx_threads import WARP

Ints = npt.NDArray[np.int64]
Block = tuple[int, int, int]
LANES = 1 << 14  # threads of the blocks that are run together
DECIDING = 256  # blocks that differ in what they do; more are sampled
_OTHERS = 3  # values of a dimension that moves addresses in global memory alone
_SIGNATURE = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class CodeTrace:
    """What an instruction did in the blocks that were run: patterns x lanes.

    `weight` is how many blocks of the launch each of those stands for. `unknown_warps` is how
    often warps ran it whose addresses are unknown, for the reason in `unknown`.
    """

    instruction: Instruction
    index: int
    space: str
    width_bytes: int
    rows: Ints
    partners: Ints | None
    weight: Fraction
    unknown: str | None
    unknown_warps: int


@dataclass(frozen=True)
class CodeTraces:
    """The traces of a kernel in the order of the code; `sampled` where blocks stand for others
    that may do something else."""

    program: Program
    traces: tuple[CodeTrace, ...]
    sampled: bool


def code_traces(
    ptx: str, kernel: str, launch: Launch, scalars: Mapping[str, int] | None = None
) -> CodeTraces:
    """What every memory instruction of a kernel does. Raises PtxError and PtxLimitError."""
    program = sliced(read_entry(ptx, kernel))
    blocks, complete = _blocks(program, launch)
    at_once = max(1, LANES // (launch.warps * WARP))
    merged: dict[int, Trace] = {}
    signatures: list[npt.NDArray[np.uint64]] = []
    for start in range(0, len(blocks), at_once):
        some = blocks[start : start + at_once]
        traces = Machine(program, launch, some, scalars).run()
        signatures.append(_signatures(traces, len(some)))
        for index, trace in traces.items():
            _merge(merged.setdefault(index, Trace(trace.space, trace.width_bytes)), trace)
    weight = Fraction(launch.blocks, len(blocks))
    every = np.concatenate(signatures)
    found = tuple(_gathered(program, i, merged[i], weight) for i in sorted(merged))
    return CodeTraces(program, found, not complete and len(np.unique(every)) > 1)


def _blocks(program: Program, launch: Launch) -> tuple[list[Block], bool]:
    """The blocks to run, and whether they are all that can differ."""
    extents = dict(zip("xyz", launch.grid, strict=True))
    deciding = math.prod(extents[axis] for axis in program.deciding_axes)
    values, complete = [], True
    share = (
        1.0 if deciding <= DECIDING else (DECIDING / deciding) ** (1 / len(program.deciding_axes))
    )
    for axis, extent in extents.items():
        if axis in program.deciding_axes:
            count = max(1, min(extent, int(extent * share)))
        else:
            count = min(extent, _OTHERS) if axis in program.block_axes else 1
            complete = complete and (count == extent or axis not in program.block_axes)
        complete = complete and (count == extent or axis not in program.deciding_axes)
        values.append(np.unique(np.linspace(0, extent - 1, count).astype(int)).tolist())
    x, y, z = values
    return [(i, j, k) for k, j, i in itertools.product(z, y, x)], complete


def _signatures(traces: Mapping[int, Trace], blocks: int) -> npt.NDArray[np.uint64]:
    """A number for each block of what it did, equal where two blocks did the same."""
    total = np.zeros(blocks, np.uint64)
    factors = np.cumprod(np.full(WARP, _SIGNATURE, np.uint64))
    for index, trace in traces.items():
        if trace.space != "shared":
            continue
        sides = [*((rows, 256) for rows in trace.rows), *((rows, 128) for rows in trace.partners)]
        for rows, modulus in sides:
            words = np.where(rows >= 0, rows % modulus + 1, 0).astype(np.uint64)
            each = (words * factors).sum(axis=1).reshape(blocks, -1).sum(axis=1)
            total += each * np.uint64(2 * index + 1)
    return total


def _merge(into: Trace, trace: Trace) -> None:
    into.rows.extend(trace.rows)
    into.partners.extend(trace.partners)
    into.unknown = into.unknown or trace.unknown
    into.unknown_warps += trace.unknown_warps


def _gathered(program: Program, index: int, trace: Trace, weight: Fraction) -> CodeTrace:
    rows = _concatenated(trace.rows)
    some = (rows >= 0).any(axis=1)
    partners = _concatenated(trace.partners)[some] if trace.partners else None
    return CodeTrace(
        program.entry.instructions[index],
        index,
        trace.space,
        trace.width_bytes,
        rows[some],
        partners,
        weight,
        trace.unknown,
        trace.unknown_warps,
    )


def _concatenated(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros((0, WARP), np.int64)
