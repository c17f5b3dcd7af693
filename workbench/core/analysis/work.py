"""What a kernel computes: operations of the tensor cores, of the vector units, and waits."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.core.analysis.shared_sites import Count, sum_or_none


class WorkUnit(enum.Enum):
    """What carries an operation out."""

    TENSOR = "tensor"
    FLOAT = "float"  # additions, multiplications, comparisons
    SPECIAL = "special"  # exponentials, logarithms, roots, quotients
    CONVERSION = "conversion"  # between types of which one is a floating one
    SHUFFLE = "shuffle"
    WAIT = "wait"  # barriers and waits for copies


# Instructions of an operation where they are not one. A quotient of 32 bits that IEEE 754 rounds is
# a reciprocal, steps of Newton's method, a check of its range and a branch; a power of two has its
# argument and result scaled around it. Counted in the machine code that nvcc 13.0 makes of
# `kernels/softmax.py` for sm_90a: there 30 a value in all, and 30.2 by an H200's counter.
_INSTRUCTIONS = {WorkUnit.SPECIAL: 4.0, WorkUnit.SHUFFLE: 2.0}
_QUOTIENT = 13.0
_FOR_COPIES = ("mbarrier_wait_parity", "ptx_wait_group", "ptx_wait_barrier", "cp_async_wait")


@dataclass(frozen=True)
class WorkSite:
    """Operations of one kind on one line over the whole launch; None where `unknown` says why.

    `operations` counts threads' operations, for tensor cores instructions. `flops` are 2·m·n·k of
    an instruction of the tensor cores, one of a thread's floating-point operation, 0 else.
    """

    line: int | None
    unit: WorkUnit
    operation: str
    dtype: str
    operations: Count | None
    flops: Count | None
    unknown: str | None = None
    sampled: bool = False


@dataclass(frozen=True)
class RoleWork:
    """What warps do that run other code than the rest, over the whole launch; None is unknown.

    `threads` are those of a block that have this role, `live_registers` what its local arrays take
    of one of them. `waits` counts how often a block's thread waits for a copy or another role.
    """

    threads: int
    live_registers: int
    waits: float
    tensor_flops: dict[str, Count] = field(hash=False)
    float_operations: Count | None
    special_operations: Count | None
    conversions: Count | None
    shuffles: Count | None
    vector_instructions: Count | None


@dataclass(frozen=True)
class Work:
    """All sites of a kernel.

    `registers` are those that its local arrays take of a thread; `live_registers` leave out those
    narrower than 32 bits where wider ones are there, which they are taken to be copies of. Where
    warps have different roles they are those of the role with most. `roles` are those that
    compute, empty where there are no two. `uncounted` is about how many comparisons of data
    and operations on its bits there are, by thread, which are no sites.
    """

    sites: tuple[WorkSite, ...]
    registers: int
    live_registers: int
    roles: tuple[RoleWork, ...] = ()
    uncounted: Count = 0

    @property
    def tensor_flops(self) -> Count | None:
        """Floating-point (or integer) operations of the tensor cores; None where unknown."""
        return sum_or_none([s.flops for s in self.sites if s.unit is WorkUnit.TENSOR])

    @property
    def scalar_flops(self) -> Count | None:
        """Floating-point operations of threads; None where unknown."""
        return sum_or_none([s.flops for s in self.sites if s.unit is not WorkUnit.TENSOR])

    def operations(self, unit: WorkUnit) -> Count | None:
        """Operations of a unit; None where unknown."""
        return sum_or_none([s.operations for s in self.sites if s.unit is unit])

    def instructions(self) -> Count | None:
        """Instructions that operations of threads take, by thread; None where unknown."""
        return sum_or_none([instructions_of(site) for site in self.sites])

    def waits(self, copies: bool) -> Count:
        """How often threads wait: for copies and phases of mbarriers, else at other barriers."""
        own = [site for site in self.sites if site.unit is WorkUnit.WAIT]
        return sum(s.operations or 0 for s in own if (s.operation in _FOR_COPIES) is copies)

    def tensor_formats(self) -> dict[str, Count]:
        """Known operations of the tensor cores by operand format, "float16->float16" where the
        accumulator is not the usual one."""
        found: dict[str, Count] = {}
        for site in self.sites:
            if site.unit is WorkUnit.TENSOR and site.flops is not None:
                found[site.dtype] = found.get(site.dtype, 0) + site.flops
        return found


def instructions_of(site: WorkSite) -> Count | None:
    """Instructions that a site's operations of threads take; those of tensor cores and waits 0."""
    if site.unit in (WorkUnit.TENSOR, WorkUnit.WAIT):
        return 0
    if site.operations is None:
        return None
    quotient = site.operation == "divide" and site.dtype == "float32"
    return site.operations * (_QUOTIENT if quotient else _INSTRUCTIONS.get(site.unit, 1.0))


def merged_sites(sites: Iterable[WorkSite]) -> tuple[WorkSite, ...]:
    """Sites of one line and operation as one, in the order of their first."""
    groups: dict[tuple[object, ...], list[WorkSite]] = {}
    for site in sites:
        key = (site.line, site.unit, site.operation, site.dtype)
        groups.setdefault(key, []).append(site)
    return tuple(_merged(group) for group in groups.values())


def _merged(group: Sequence[WorkSite]) -> WorkSite:
    first = group[0]
    return WorkSite(
        first.line,
        first.unit,
        first.operation,
        first.dtype,
        sum_or_none([site.operations for site in group]),
        sum_or_none([site.flops for site in group]),
        next((site.unknown for site in group if site.unknown is not None), None),
        any(site.sampled for site in group),
    )
