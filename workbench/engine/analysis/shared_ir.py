"""Shared memory by the lowered IR: wavefronts and conflicts of every access site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.analysis.bank_rules import AccessKind, BankRules, SharedAccess
from workbench.core.analysis.banks import (
    BankCount,
    count_patterns,
    count_wavefronts,
    distinct_patterns,
    operand_wavefronts,
)
from workbench.core.analysis.shared_sites import Count, Level, Pattern, SharedKind, SharedSite
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.copy_lines import Pair, line_of
from workbench.engine.analysis.expressions import UnknownValueError, const
from workbench.engine.analysis.space import Patterns, lane_patterns

ROW = 256  # addresses modulo a row of up to 64 banks, and two lines of global memory
_WARPGROUP = 128


def shared_sites(
    found: DeviceAccesses, rules: BankRules | None, copies: Mapping[Pair, int]
) -> tuple[SharedSite, ...]:
    """The sites of one kernel that access shared memory, in the order of the code."""
    own = [access for access in found.accesses if access.memory == "shared"]
    return tuple(_site(found, access, rules, line_of(access, copies)) for access in own)


def _site(
    found: DeviceAccesses, access: Access, rules: BankRules | None, line: int | None
) -> SharedSite:
    def site(**figures: Any) -> SharedSite:
        return SharedSite(
            line,
            access.kind,
            Level.IR,
            access.operation,
            access.buffer or None,
            access.dtype or None,
            access.width_bytes,
            **figures,
        )

    if access.unknown is not None:
        return site(unknown=access.unknown)
    if rules is None:
        return site(unknown="no bank rules are known for this architecture")
    try:
        if access.address is None:
            return site(**_described(found, access, rules))
        patterns = lane_patterns(
            found.axes,
            access.address,
            access.loops,
            access.conditions,
            partner=access.partner,
            filled=access.filled,
            modulus=ROW,
        )
    except UnknownValueError as error:
        return site(unknown=str(error))
    return site(**counted(patterns, as_shared_access(access), rules))


def as_shared_access(access: Access) -> SharedAccess:
    """The access as the bank rules know it."""
    return bank_access(access.kind, access.width_bytes, access.matrices, access.counts)


def bank_access(kind: SharedKind, width_bytes: int, matrices: int, counts: bool) -> SharedAccess:
    """A site's access as the bank rules know it; `counts`: an atomic that adds one."""
    if kind is SharedKind.INTEGER_ATOMIC and counts:
        return SharedAccess(AccessKind.INTEGER_COUNT, width_bytes)
    return SharedAccess(AccessKind(kind.value), width_bytes, matrices)


def counted(patterns: Patterns, access: SharedAccess, rules: BankRules) -> dict[str, Any]:
    """The figures of a site from its patterns, as fields of a SharedSite."""
    addresses, weights, outside = distinct_patterns(
        patterns.addresses, patterns.weights, patterns.partner
    )
    count = count_wavefronts(access, addresses, rules, outside=outside, weights=weights)
    matrices = access.matrices if access.addressing_lanes else None
    return {
        **figures_of(count),
        "sampled": patterns.sampled,
        "matrices": matrices,
        "pattern": _worst(addresses, weights, outside, access, rules),
    }


def figures_of(count: BankCount) -> dict[str, Any]:
    """The counts as fields of a SharedSite."""
    return {
        "instructions": count.instructions,
        "wavefronts": count.wavefronts,
        "ideal": count.ideal,
        "conflicts": count.conflicts,
        "least": count.least,
        "ways": count.ways,
        "unknown": count.unknown,
        "measured_on": count.measured_on,
    }


def _worst(
    addresses: Any, weights: Any, outside: Any, access: SharedAccess, rules: BankRules
) -> Pattern | None:
    """The pattern of the most wavefronts, of those the most frequent."""
    if len(addresses) == 0:
        return None
    counts = count_patterns(access, addresses, rules, outside=outside)
    order = weights if counts is None else counts.wavefronts * (weights.max() + 1) + weights
    worst = int(order.argmax())
    far = None if outside is None else tuple(outside[worst].tolist())
    return Pattern(tuple(addresses[worst].tolist()), weights[worst].item(), far)


def _described(found: DeviceAccesses, access: Access, rules: BankRules) -> dict[str, Any]:
    """The figures of what goes through descriptors: its executions times what one moves."""
    patterns = lane_patterns(found.axes, const(0), access.loops, access.conditions)
    lanes = ((patterns.addresses >= 0).sum(axis=1) * patterns.weights).sum().item()
    warps: Count = patterns.weights.sum().item()
    if access.kind is SharedKind.BULK_COPY:
        moved = lanes * access.size_bytes if access.size_bytes else None
        return {"instructions": warps, "moved_bytes": moved, "sampled": patterns.sampled}
    times = lanes // _WARPGROUP if "wgmma" in access.operation else lanes
    return tensor_figures(times, warps, access.size_bytes, rules)


def tensor_figures(times: Count, warps: Count, size_bytes: int, rules: BankRules) -> dict[str, Any]:
    """The figures of operands of `size_bytes` that a tensor core reads `times` times."""
    wavefronts = times * operand_wavefronts(size_bytes, rules)
    return {
        "instructions": warps,
        "wavefronts": wavefronts,
        "ideal": wavefronts,
        "conflicts": 0,
        "least": wavefronts,
        "ways": 1,
        "moved_bytes": times * size_bytes,
        "measured_on": rules.measured_on,
    }
