"""The picture of the memory hierarchy: lanes of blocks, ribbons, fill bars and a strip of lines."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from workbench.core.figures import size


class Level(enum.Enum):
    """A level of memory; the first four are a GPU's, the others an Ascend core's."""

    HBM = "HBM"
    L2 = "L2"
    SHARED = "Shared"
    TENSOR = "Tensor memory"
    REGISTERS = "Registers"
    GM = "GM"
    L1 = "L1"
    L0 = "L0"
    UB = "UB"


@dataclass(frozen=True)
class MemoryBlock:
    """What takes one place of a lane: a buffer, or several that lie at the same bytes.

    `weight` is its area, in bytes, of registers in registers of a thread; None where it is not
    known, and `why` says so. `copies` are the stages of a pipeline that it has room for. A block
    that stands for no buffer of the source has no `buffers`.
    """

    name: str
    buffers: tuple[str, ...]
    weight: float | None
    size: str
    dtype: str | None = None
    copies: int = 1
    lines: tuple[tuple[str, int], ...] = ()
    note: str = ""
    why: str = ""

    @property
    def is_merged(self) -> bool:
        """Whether several buffers lie at its bytes."""
        return len(self.buffers) > 1


@dataclass(frozen=True)
class Fill:
    """How full a level is for one target, with bytes of an SM, of the launch, or of a core's unit.

    `used` and `capacity` are None where `why` says what is not known. `step` is what `used` would
    have to fall to for more blocks, which `step_text` tells. `severity` is "error" where it cannot
    run, "warn" where it costs; `was` is what was used before the arguments were changed.
    """

    mark: int
    label: str
    used: float | None
    capacity: float | None
    text: str = ""
    limit: str = ""
    name: str = ""
    step: float | None = None
    step_text: str = ""
    severity: str = ""
    told: str = ""
    why: str = ""
    was: float | None = None
    was_text: str = ""

    @property
    def is_over(self) -> bool:
        """Whether more is needed than there is."""
        return self.severity == "error"


@dataclass(frozen=True)
class Lane:
    """One level: its blocks, what it holds in a line or two, and how full it is by target.

    `gap` says what is not known of it.
    """

    level: Level
    title: str
    notes: tuple[str, ...]
    blocks: tuple[MemoryBlock, ...]
    fills: tuple[Fill, ...] = ()
    gap: str = ""

    def block_of(self, buffer: str) -> MemoryBlock | None:
        """The block that a buffer is in."""
        return next((each for each in self.blocks if buffer in each.buffers), None)


@dataclass(frozen=True)
class End:
    """One end of a ribbon: a level, and a buffer there; None: no buffer in particular."""

    level: Level
    buffer: str | None


@dataclass(frozen=True)
class Flow:
    """What one block of the grid moves from one place to another; bytes None: `why` says so."""

    source: End
    target: End
    moved: float | None
    lines: tuple[int, ...]
    how: str = ""
    why: str = ""


@dataclass(frozen=True)
class StripBar:
    """A shared buffer over the lines in which it must be kept; `rows` are those of its offsets."""

    name: str
    size_bytes: int
    first: int
    last: int
    rows: tuple[int, int]
    shares_with: tuple[str, ...]
    line: int | None = None


@dataclass(frozen=True)
class Strip:
    """Which shared buffers are kept when: a row an offset, from `first` to `last` line.

    `peak` are the lines in which the most bytes are in use at once.
    """

    bars: tuple[StripBar, ...]
    offsets: tuple[int, ...]
    first: int
    last: int
    ticks: tuple[int, ...]
    peak_bytes: int
    peak: tuple[int, int] | None
    saved_bytes: int
    without_lines: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The peak in words."""
        if self.peak is None:
            return f"peak {size(self.peak_bytes)}"
        first, last = self.peak
        where = f"line {first}" if first == last else f"lines {first}–{last}"
        saved = f" · merging saves {size(self.saved_bytes)}" if self.saved_bytes > 0 else ""
        return f"peak {size(self.peak_bytes)} in {where}{saved}"


@dataclass(frozen=True)
class MemoryPicture:
    """All of it for one target, with the fill bars of all; `strip_gap`: why there is no strip.

    `mark` is the target's.
    """

    lanes: tuple[Lane, ...]
    flows: tuple[Flow, ...]
    strip: Strip | None
    strip_gap: str
    conclusion: str
    mark: int
    has_threads: bool = True

    def lane(self, level: Level) -> Lane:
        """A lane. Raises KeyError where the target has no such level."""
        return {each.level: each for each in self.lanes}[level]

    def is_over(self, lane: Lane) -> bool:
        """Whether the target has less of a level than the kernel needs."""
        return any(fill.is_over and fill.mark == self.mark for fill in lane.fills)
