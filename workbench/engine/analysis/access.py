"""An access site of the lowered IR."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis.expressions import Axis, Node


@dataclass(frozen=True)
class Access:
    """An access site: what each thread does there, for all turns of its loops.

    `address` is in bytes from the beginning of the memory (shared) or of the buffer (global), and
    None for what goes through descriptors. `size_bytes` is what an instruction of such moves.
    `partner` is the other side of a copy, `coordinates` where the box of a tensor map begins, the
    innermost first. `unknown` says why nothing can be told of it.
    """

    kind: SharedKind
    memory: str
    buffer: str
    dtype: str
    width_bytes: int
    operation: str
    address: Node | None
    loops: tuple[Axis, ...] = ()
    conditions: tuple[Node, ...] = ()
    filled: tuple[Node, ...] = ()
    line: int | None = None
    partner: Node | None = None
    partner_buffer: str | None = None
    matrices: int = 4
    counts: bool = False
    size_bytes: int = 0
    coordinates: tuple[Node, ...] = ()
    unknown: str | None = None
