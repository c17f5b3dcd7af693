"""What the pipeline lens shows: rows of blocks over time, and the steady turn of the loop."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from workbench.session.lenses.links import Selection


class RowKind(enum.Enum):
    """What a row stands for."""

    COPIES = "copies"
    ROLE = "role"
    TENSOR = "tensor"
    VECTOR = "vector"
    SHARED = "shared"


class Look(enum.Enum):
    """What a block is drawn as."""

    COPY = "copy"
    WAIT = "wait"
    ROOM = "room"
    BARRIER = "barrier"
    TENSOR = "tensor"
    VECTOR = "vector"
    SHARED = "shared"
    MEMORY = "memory"


@dataclass(frozen=True)
class Row:
    """A row; blocks that overlap lie in `lanes`. `is_bottleneck`: it is what a turn takes long for.

    `busy` is the part of a steady turn that its blocks take, None without one.
    """

    key: str
    kind: RowKind
    title: str
    detail: str
    lanes: int = 1
    busy: float | None = None
    is_bottleneck: bool = False


@dataclass(frozen=True)
class Block:
    """A stretch of time in a row: µs from the begin of the block, or places where there are none.

    `label` is short, `text` longer where there is room, `hazard` what is at fault at its line.
    """

    row: int
    look: Look
    begin: float
    end: float
    label: str
    text: str
    tip: str
    selection: Selection | None
    lane: int = 0
    hazard: str | None = None


@dataclass(frozen=True)
class Bracket:
    """A stretch of time that a text tells of: the steady turn of the loop."""

    begin: float
    end: float
    text: str


@dataclass(frozen=True)
class PipelinePicture:
    """A block's timeline. Without `is_timed` blocks have an order and no length.

    `opens` is the stretch of time that is in sight first, `turns` where turns begin, `method` how
    the times were made, `is_cut` that the block goes on after them. `turn` is the time of a steady
    turn, of which the bracket may have several.
    """

    rows: tuple[Row, ...]
    blocks: tuple[Block, ...]
    conclusion: str
    method: str
    opens: tuple[float, float]
    end: float
    bracket: Bracket | None = None
    turns: tuple[float, ...] = ()
    is_timed: bool = True
    is_cut: bool = False
    turn: float | None = None

    @property
    def period(self) -> float:
        """What the view of a twin is linked by: a turn, or all of it without one."""
        if self.bracket is None:
            return max(self.end, 1e-9)
        return self.bracket.end - self.bracket.begin
