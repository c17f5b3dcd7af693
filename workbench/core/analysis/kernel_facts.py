"""What an estimate of a kernel's run time starts from: its launch, and the totals of one launch."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.core.analysis.work import RoleWork

Count = int | float


@dataclass(frozen=True)
class KernelFacts:
    """Totals over a whole launch unless named otherwise; None is unknown.

    `registers` are those a thread is given, `estimated_registers` says that no compiler told, and
    `most_registers` is what a thread can hold where warps hand registers on. `fragment_registers`
    are those that its local arrays would fill, `live_registers` without narrow copies of others.

    `stages` is the software pipeline that the document asks for, 1 without one, and `depth` how
    many copies in the background can be under way at once. `specialized` says that other warps
    than those that compute start them. `waits` counts how often a block waits for such a copy,
    `barriers` its other barriers.

    `tensor_flops` is by operand format. Operations of threads are counted by thread, memory
    instructions and wavefronts by warp; `tensor_wavefronts` are those of operands that tensor
    cores read, `shared_wavefronts` all others. `bulk_lines` are the rows of boxes, in pieces of
    128 bytes, that the tensor memory accelerator copies. `longest_block` is how many times the mean
    the block takes that has most to do.

    `load_rounds` counts how often a thread waits for loads into registers, those under way
    together once. `vector_instructions` are what operations of threads take to issue, by thread.
    `atomic_chain` are the floating-point additions of a block to the shared word that gets most,
    one after the other. Facts recorded before these were counted have None.

    `roles` are those of warps that compute something else than others do beside them, empty where
    all that compute do the same. `uncounted` are about how many operations of threads on data are
    in none of the counts.
    """

    blocks: int
    threads: int
    shared_bytes: int
    registers: int
    estimated_registers: bool
    most_registers: int
    fragment_registers: int
    live_registers: int
    specialized: bool
    stages: int
    depth: int
    waits: float
    barriers: float
    tensor_instruction: str | None
    tensor_flops: dict[str, Count] = field(hash=False)
    float_operations: Count | None
    special_operations: Count | None
    conversions: Count | None
    shuffles: Count | None
    shared_wavefronts: Count | None
    tensor_wavefronts: Count | None
    memory_instructions: Count | None
    l2_load_bytes: Count | None
    l2_store_bytes: Count | None
    dram_load_bytes: Count | None
    dram_store_bytes: Count | None
    bulk_bytes: Count | None
    bulk_lines: Count
    longest_block: float = 1.0
    load_rounds: float | None = None
    vector_instructions: Count | None = None
    atomic_chain: float | None = None
    roles: tuple[RoleWork, ...] = ()
    uncounted: Count = 0
