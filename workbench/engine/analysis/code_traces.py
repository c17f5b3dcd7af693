"""Runs a kernel's PTX for the blocks that stand for all, and gathers what each instruction did."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.ptx import Instruction, read_entry
from workbench.engine.analysis.ptx_machine import Machine
from workbench.engine.analysis.ptx_program import Program, sliced
from workbench.engine.analysis.ptx_traces import WARP, Trace, block_signatures

Ints = npt.NDArray[np.int64]
Block = tuple[int, int, int]
LANES = 1 << 16  # threads of the blocks that are run together
DECIDING = 256  # blocks that differ in what they do; more are sampled
_OTHERS = 3  # values of a dimension that moves addresses in global memory alone


@dataclass(frozen=True)
class CodeTrace:
    """What an instruction did in the blocks that were run: patterns x lanes.

    `counts` says how often each pattern was, `weight` how many blocks of the launch each of those
    blocks stands for. `unknown_warps` is how often warps ran it whose addresses are unknown, for
    the reason in `unknown`.
    """

    instruction: Instruction
    index: int
    space: str
    width_bytes: int
    rows: Ints
    partners: Ints | None
    counts: Ints
    weight: Fraction
    unknown: str | None
    unknown_warps: int

    @property
    def executions(self) -> Fraction:
        """How often warps of the launch ran it with known addresses."""
        return int(self.counts.sum()) * self.weight


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
        shared = ((i, trace) for i, trace in traces.items() if trace.space == "shared")
        signatures.append(block_signatures(shared, len(some)))
        for index, trace in traces.items():
            merged.setdefault(index, Trace(trace.space, trace.width_bytes)).merge(trace)
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


def _gathered(program: Program, index: int, trace: Trace, weight: Fraction) -> CodeTrace:
    rows, partners, counts = trace.patterns()
    return CodeTrace(
        program.entry.instructions[index],
        index,
        trace.space,
        trace.width_bytes,
        rows,
        partners,
        counts,
        weight,
        trace.unknown,
        trace.unknown_warps,
    )
