"""The simulator's vocabulary: parameters, options, findings and the report of one execution."""

from __future__ import annotations

from dataclasses import dataclass, field


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
    (corners of the grid first, the others drawn with the seed).
    """

    poison: bool = True
    shuffle_seed: int | None = None
    sample: int | None = None


@dataclass(frozen=True)
class Finding:
    """What an execution noticed: its first occurrence, and how often it happened.

    `severity` is "error", "warning" or "info"; `block` the block index (x, y, z).
    """

    code: str
    severity: str
    line: int | None
    buffer: str | None
    message: str
    block: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class SimulationReport:
    """One execution: blocks of all launches, those that ran, wall time, and what was noticed."""

    blocks_total: int
    blocks_run: int
    seconds: float
    findings: tuple[Finding, ...] = field(default=())
