"""What the tile operations of a kernel became, line by line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """A tile operation of the document and one kind of instruction that it became.

    `op` is the operation with its buffers, `kind` its name alone. `bytes` is what one instruction
    moves: for a lane, or for a whole box where the copy goes by boxes; None for what moves none.
    `instruction` is None where no code of the line was found; `note` then says so, else why it is
    not a better one, where that can be told.
    """

    line: int | None
    kind: str
    op: str
    instruction: str | None
    bytes: int | None = None
    note: str | None = None
    buffers: tuple[str, ...] = ()
