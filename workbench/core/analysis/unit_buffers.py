"""How much of each buffer of an Ascend core a kernel takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.targets.limits import Limits

# The scopes of TileLang's ascend dialect (tilelang/ascend/language/allocate.py, 0.1.15); what is
# merged into one allocation has a scope of its own.
_BUFFERS = (
    ("unified buffer", ("shared", "shared.dyn"), "unified_buffer_bytes"),
    ("L1", ("shared.l1", "shared.l1.dyn"), "l1_buffer_bytes"),
    ("L0A", ("shared.l0a", "shared.l0a.dyn"), "l0a_buffer_bytes"),
    ("L0B", ("shared.l0b", "shared.l0b.dyn"), "l0b_buffer_bytes"),
    ("L0C", ("shared.l0c", "shared.l0c.dyn"), "l0c_buffer_bytes"),
)


@dataclass(frozen=True)
class UnitBuffer:
    """One buffer of a core: what the kernel's allocations take of it, and what it holds."""

    name: str
    used_bytes: int
    capacity_bytes: int | None

    @property
    def fits(self) -> bool | None:
        """Whether the allocations fit; None where the capacity is unknown."""
        return None if self.capacity_bytes is None else self.used_bytes <= self.capacity_bytes


def unit_buffers(bytes_by_scope: Mapping[str, int], limits: Limits) -> tuple[UnitBuffer, ...]:
    """The buffers of a core from the bytes that the lowered code allocates in each scope."""
    return tuple(
        UnitBuffer(name, sum(bytes_by_scope.get(s, 0) for s in scopes), getattr(limits, limit))
        for name, scopes, limit in _BUFFERS
    )
