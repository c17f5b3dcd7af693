"""The shared tiles that a loop feeds its products with, and what they take."""

from __future__ import annotations

import math
from collections.abc import Iterable

from workbench.core.doctor.facts import KernelFacts, Loop
from workbench.core.doctor.values import Buffer, Scope, bits_of, buffer_of

_COPIES = ("copy", "async_copy")


def fed_tiles(facts: KernelFacts, loop: Loop) -> list[Buffer]:
    """The shared tiles that a loop itself copies from global memory, each once."""
    found = []
    for operation in facts.named(*_COPIES):
        source = buffer_of(operation.operand(0, "src"))
        tile = buffer_of(operation.operand(1, "dst"))
        if not operation.loops or operation.loops[-1] is not loop or source is None or tile is None:
            continue
        if (source.scope, tile.scope) == (Scope.GLOBAL, Scope.SHARED):
            found.append(tile)
    return list(dict.fromkeys(found))


def bytes_of(buffers: Iterable[Buffer]) -> int | None:
    """What buffers take together; None where the source does not tell, 0 for none."""
    total = 0
    for buffer in buffers:
        sizes, bits = buffer.sizes, bits_of(buffer.dtype)
        if sizes is None or bits is None:
            return None
        total += math.prod(sizes) * bits // 8
    return total
