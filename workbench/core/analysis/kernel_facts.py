"""What an estimate of a kernel's run time starts from: its launch, and the totals of one launch."""

from __future__ import annotations

from dataclasses import dataclass, field

Count = int | float


@dataclass(frozen=True)
class KernelFacts:
    """Totals over a whole launch unless named otherwise; None is unknown.

    `registers` are those a thread is given, `estimated_registers` says that no compiler told,
    `most_registers` what a thread can hold where warps hand registers on;
    `fragment_registers` those that its local arrays would fill. `stages` is the depth of the
    software pipeline, 1 where there is none, and `specialized` says that other warps than those
    that compute load the stages. `waits` counts how often a block waits for a copy in the
    background, `barriers` its other barriers. `tensor_flops` is by operand format. Operations of
    threads are counted by thread, memory instructions and wavefronts by warp.
    """

    blocks: int
    threads: int
    shared_bytes: int
    registers: int
    estimated_registers: bool
    most_registers: int
    fragment_registers: int
    specialized: bool
    stages: int
    waits: float
    barriers: float
    tensor_instruction: str | None
    tensor_flops: dict[str, Count] = field(hash=False)
    float_operations: Count | None
    special_operations: Count | None
    conversions: Count | None
    shuffles: Count | None
    shared_wavefronts: Count | None
    memory_instructions: Count | None
    l2_load_bytes: Count | None
    l2_store_bytes: Count | None
    dram_load_bytes: Count | None
    dram_store_bytes: Count | None
    bulk_bytes: Count | None
