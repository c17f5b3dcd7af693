"""The simulator's vocabulary: parameters, options, findings and the report of one execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class Unsupported(Exception):  # noqa: N818 - a fact about the kernel, not a failure of ours
    """The kernel holds an operation that cannot be executed; `line` is the user's, where known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        self.line = line


class ArgumentError(ValueError):
    """An argument of a run does not fit its parameter."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    `shape` holds an int or, where the size is dynamic, its expression as text; scalars have none.
    `reads` and `writes` tell what the body does with a buffer (a scalar is only read).
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    is_buffer: bool
    reads: bool
    writes: bool


@dataclass(frozen=True)
class SimulationOptions:
    """How a kernel is executed.

    `poison` fills on-chip memory with NaN (integers: bytes 0xA5) before it is written, else zeros.
    `shuffle_seed` runs the blocks of each launch in a random order; `sample` runs so many of them
    (corners of the grid first, the others drawn with the seed). `record_writes` notes which part of
    each global parameter each block wrote. `fresh` numbers the parameters whose memory holds
    nothing until the kernel writes it (None: those that it does not read).
    """

    poison: bool = True
    shuffle_seed: int | None = None
    sample: int | None = None
    record_writes: bool = False
    fresh: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Finding:
    """What an execution noticed: its first occurrence, and how often it happened.

    `severity` is "error", "warning" or "info"; `block` the block index (x, y, z). `index` is the
    element of `buffer`, `loops` the values of the loops around the statement (T.Parallel's too,
    where one iteration is meant), `evidence` what else was measured, in JSON's types.
    """

    code: str
    severity: str
    line: int | None
    buffer: str | None
    message: str
    block: tuple[int, ...]
    count: int
    index: tuple[int, ...] | None = None
    loops: Mapping[str, int] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def details(self) -> dict[str, Any]:
        """Everything beside code, line and message, in JSON's types."""
        return {
            "block": list(self.block),
            "buffer": self.buffer,
            "count": self.count,
            "index": None if self.index is None else list(self.index),
            "loops": dict(self.loops),
            **self.evidence,
        }


@dataclass(frozen=True, eq=False)
class BlockWrites:
    """What blocks wrote of one parameter: a row for each block that wrote any of it, all int32.

    `launches` (n) numbers the launches of the kernel, `blocks` (n, 3) are block indices x, y, z;
    `starts` and `extents` (n, rank) give the bounding box of what the block wrote, in elements.
    """

    launches: np.ndarray[Any, Any]
    blocks: np.ndarray[Any, Any]
    starts: np.ndarray[Any, Any]
    extents: np.ndarray[Any, Any]


@dataclass(frozen=True)
class SimulationReport:
    """One execution: blocks of all launches, those that ran, wall time, and what was noticed.

    `grids` are the extents of each launch, x first. `writes` has an entry for each parameter that
    was written, by its number; None where it was not asked for, or there are over 65,536 blocks.
    """

    blocks_total: int
    blocks_run: int
    seconds: float
    findings: tuple[Finding, ...] = field(default=())
    grids: tuple[tuple[int, ...], ...] = ()
    writes: Mapping[int, BlockWrites] | None = field(default=None, compare=False)
