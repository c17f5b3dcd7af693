"""What threads know of themselves and of each other: special registers, vectors, shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.launch import Launch
from workbench.engine.analysis.ptx import Instruction
from workbench.engine.analysis.ptx_traces import WARP
from workbench.engine.analysis.ptx_values import Value

Ints = npt.NDArray[np.int64]
SHARED_WINDOW = 1 << 60  # where generic addresses of shared memory begin


def special_registers(launch: Launch, blocks: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    """The special registers of the threads of some blocks, and `%thread`, the number in a block.

    Those of threads are a row, those of blocks a column.
    """
    threads = np.arange(launch.warps * WARP, dtype=np.int64)[None, :]
    x, y, _ = launch.block
    found: dict[str, Any] = {
        "%thread": threads,
        "%tid.x": threads % x,
        "%tid.y": threads // x % y if y > 1 else 0,
        "%tid.z": threads // (x * y) if launch.block[2] > 1 else 0,
        "%laneid": threads % WARP,
        "%warpid": threads // WARP,
    }
    for place, dimension in enumerate("xyz"):
        found[f"%ntid.{dimension}"] = launch.block[place]
        found[f"%nctaid.{dimension}"] = launch.grid[place]
        indices = [block[place] for block in blocks]
        each = np.array(indices, np.int64)[:, None]
        found[f"%ctaid.{dimension}"] = indices[0] if len(set(indices)) == 1 else each
    return found


def vector_parts(operand: str) -> list[str]:
    """The registers of an operand that may be a vector."""
    return [part.strip() for part in operand.strip("{} ").split(",")]


def packed_parts(values: Sequence[Value | None], width: int) -> Value | None:
    """One value of parts of `width` bits, the first the lowest; None where one is unknown."""
    whole: Value = 0
    for place, value in enumerate(values):
        if value is None:
            return None
        whole = whole | (value & (1 << width) - 1) << place * width if len(values) > 1 else value
    return whole


def shuffle_sources(
    op: tuple[str, ...], by: Ints, control: int
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Source lane of each lane, and whether it is in range; `by` has the lanes last.

    Source: NVIDIA, PTX ISA 9.0, shfl.sync: the clamp and the segment mask in operand c.
    """
    lane = np.arange(WARP)
    offset = by & 31
    clamp, segment = control & 31, control >> 8 & 31
    most = (lane & segment) | (clamp & ~segment)
    least = lane & segment
    if "up" in op:
        source = lane - offset
        return source, source >= most
    sources = {"down": lane + offset, "bfly": lane ^ offset, "idx": least | (offset & ~segment)}
    source = sources[next(part for part in op if part in sources)]
    return source, source <= most


def space_of(each: Instruction, address: Value | None) -> str:
    """The state space of an access; a generic address tells it by its value."""
    for part in each.op:
        space = part.partition(":")[0]
        if space in ("shared", "global", "local", "const", "param"):
            return space
    if each.op[0] in ("ldmatrix", "stmatrix", "cp"):
        return "shared"
    if address is None:
        return "generic"
    first = address if isinstance(address, int) else int(np.max(address))
    return "shared" if first >= SHARED_WINDOW else "global"
