"""The cells about what a block takes of a multiprocessor: shared memory and registers."""

from __future__ import annotations

import math

from workbench.core.figures import size
from workbench.core.jobs import Resources
from workbench.core.portability.code_cells import waiting
from workbench.core.portability.facts import TargetFacts
from workbench.core.portability.model import Cell, CellState, Column
from workbench.core.targets.limits import Limits


def shared_memory(facts: TargetFacts) -> Cell:
    """What a block takes of shared memory, of what the target gives one.

    The limit is that of a block that opts in, as TileLang's launches do.
    """
    column, limits = Column.SHARED, facts.target.arch.limits
    limit = limits.most_shared_bytes
    used = _shared_bytes(facts)
    if facts.analysis is None:
        return waiting(column)
    if limit is None:
        return Cell(column, CellState.NONE, "", f"{facts.label} has no shared memory of this kind.")
    if used is None:
        why = "it is known at the launch only" if facts.lowered else "the kernel does not lower"
        return Cell(column, CellState.UNKNOWN, "unknown", f"How much a block takes: {why}.")
    name = next(
        n for n in ("shared_bytes_per_block_opt_in", "shared_bytes_per_block") if getattr(limits, n)
    )
    source = facts.target.arch.sources.get(name)
    text = f"{_kib(used)} of {_kib(limit)} KiB"
    if used <= limit:
        reason = f"A block takes {size(used)} and can have {size(limit)}."
        return Cell(column, CellState.GOOD, text, reason, source=source)
    clause = f"{size(used)} of shared memory are over the limit of {size(limit)}"
    found = facts.found("shared-memory-over-limit", "shared-memory-limit")
    reason = f"A block takes {size(used)}, {size(used - limit)} more than the {size(limit)} it " \
             "can have: smaller tiles or fewer stages fit."  # fmt: skip
    return Cell(column, CellState.BAD, text, reason, clause, source, found)


def _shared_bytes(facts: TargetFacts) -> int | None:
    if not facts.lowered or facts.analysis is None:
        return None
    dynamic = [kernel.shared_dynamic_bytes for kernel in facts.analysis.kernels]
    if None in dynamic:
        return None
    static = _resources(facts).shared_static_bytes or 0
    return max(each or 0 for each in dynamic) + static


def _resources(facts: TargetFacts) -> Resources:
    """What the assembler said, else what the IR tells."""
    compiled = facts.code.resources if facts.code is not None else None
    if compiled is not None and compiled.registers is not None:
        return compiled
    analyzed = facts.analysis.resources if facts.analysis is not None else None
    return analyzed or Resources()


def threads_of(facts: TargetFacts) -> int | None:
    """Threads of a block: the lowered code's, which may add some that only copy."""
    kernels = facts.analysis.kernels if facts.analysis is not None else ()
    for kernel in kernels:
        known = [each for each in kernel.block if each is not None]
        if len(known) == len(kernel.block):
            return math.prod(known)
    return facts.asks.threads


def registers(facts: TargetFacts) -> Cell:
    """Registers of a thread, against what a thread and a block can have."""
    column, threads, limits = Column.REGISTERS, threads_of(facts), facts.target.arch.limits
    if facts.analysis is None:
        return waiting(column)
    if limits.registers_per_sm is None:
        return Cell(column, CellState.NONE, "", f"{facts.label} tells no registers of a thread.")
    used, by = _resources(facts), "the lowered code"
    if used.registers is None or threads is None:
        return _unknown_registers(facts, threads)
    by = used.source or by
    source = facts.target.arch.sources.get("registers_per_block")
    needed = block_registers(used.registers, threads, limits)
    text = f"{used.registers} × {threads}"
    if limits.registers_per_block is not None and needed > limits.registers_per_block:
        most = limits.registers_per_block
        clause = f"{needed:,} registers of a block are over the limit of {most:,}"
        found = facts.found("registers-over-limit")
        return Cell(column, CellState.BAD, text, f"By {by}: {clause}.", clause, source, found)
    if used.spill_bytes:
        reason = f"{used.spill_bytes:,} B of a thread's registers spill to memory (by {by})."
        return Cell(column, CellState.CAUTION, f"{text}, spills", reason, source=source,
                    diagnostic=facts.found("register-spill"))  # fmt: skip
    reason = f"{used.registers} registers in each of {threads} threads, by {by}."
    return Cell(column, CellState.GOOD, text, reason, source=source)


def block_registers(registers: int, threads: int, limits: Limits) -> int:
    """Registers that a block is given.

    A warp's are rounded up to the allocation unit, and warps to the granularity (cuda_occupancy.h,
    cudaOccMaxBlocksPerSMRegsLimit).
    """
    lanes = limits.warp_size or 32
    unit, group = limits.register_allocation_unit or 1, limits.warp_allocation_granularity or 1
    of_warp = -(-registers * lanes // unit) * unit
    warps = -(-threads // lanes)
    return of_warp * (-(-warps // group) * group)


def _unknown_registers(facts: TargetFacts, threads: int | None) -> Cell:
    known = dict(facts.analysis.missing) if facts.analysis is not None else {}
    why = known.get("registers") or known.get("machine code") or "they are not known"
    if facts.code is not None and facts.code.missing:
        why = next(iter(facts.code.missing.values()))
    text = f"? × {threads}" if threads is not None else "unknown"
    if not facts.lowered:
        text, why = "unknown", "the kernel does not lower"
    if facts.pending:
        return waiting(Column.REGISTERS)
    return Cell(Column.REGISTERS, CellState.UNKNOWN, text, f"Registers of a thread: {why}.")


def _kib(size_bytes: int) -> str:
    return f"{size_bytes / 1024:.4g}"
