"""The limits of one multiprocessor that occupancy and resource analyses read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one multiprocessor and one block may use; None is unknown or does not exist there.

    "SM" stands for NVIDIA's streaming multiprocessor, AMD's compute unit and Ascend's AI core;
    "warp" for AMD's wavefront and Apple's SIMD group; "shared" for AMD's LDS and Apple's
    threadgroup memory; "block" for a workgroup. Registers are 32 bits wide and one lane's.
    """

    # Threads and blocks.
    warp_size: int | None = None
    max_threads_per_block: int | None = None
    max_threads_per_sm: int | None = None
    max_warps_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    subpartitions_per_sm: int | None = None  # warp schedulers; AMD's SIMDs
    fp32_fma_per_clock_per_sm: int | None = None  # of the vector units; two FLOP each
    max_cluster_size: int | None = None  # blocks, on every GPU of the architecture
    max_cluster_size_opt_in: int | None = None  # with the non-portable launch attribute

    # Registers. A warp takes a multiple of the unit out of its subpartition's equal share; the
    # check of `registers_per_block` counts a block's warps rounded up to the granularity
    # (cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit).
    registers_per_sm: int | None = None
    registers_per_block: int | None = None
    max_registers_per_thread: int | None = None
    register_allocation_unit: int | None = None  # registers of a whole warp
    warp_allocation_granularity: int | None = None  # warps

    # AMD's registers, per lane. CDNA 2 and newer split one file into VGPRs and AGPRs.
    vgprs_per_simd: int | None = None
    vgpr_allocation_unit: int | None = None
    max_vgprs_per_thread: int | None = None
    max_agprs_per_thread: int | None = None
    sgprs_per_simd: int | None = None
    sgpr_allocation_unit: int | None = None
    max_sgprs_per_warp: int | None = None

    # Shared memory.
    shared_bytes_per_sm: int | None = None
    shared_bytes_per_block: int | None = None  # without opting in
    shared_bytes_per_block_opt_in: int | None = None
    shared_bytes_reserved_per_block: int | None = None  # taken by the driver beside the kernel's
    shared_allocation_unit_bytes: int | None = None
    shared_carveouts_bytes: tuple[int, ...] | None = None  # what the driver can choose, rising
    shared_banks: int | None = None
    shared_bank_bytes: int | None = None
    l1_bytes_per_sm: int | None = None  # where shared memory is carved out of it: both together
    tensor_memory_bytes_per_sm: int | None = None  # tcgen05's

    # Barriers.
    barriers_per_sm: int | None = None  # of all resident blocks; CUDA counts them from sm_90 on
    max_barriers_per_block: int | None = None

    # Memory transactions.
    cache_line_bytes: int | None = None
    sector_bytes: int | None = None

    # Ascend's buffers: the unified buffer is one vector core's, the others one cube core's.
    unified_buffer_bytes: int | None = None
    l1_buffer_bytes: int | None = None
    l0a_buffer_bytes: int | None = None
    l0b_buffer_bytes: int | None = None
    l0c_buffer_bytes: int | None = None
    vector_cores_per_cube_core: int | None = None

    @property
    def most_shared_bytes(self) -> int | None:
        """Bytes of shared memory that a block can have, opting in where that gives more."""
        return self.shared_bytes_per_block_opt_in or self.shared_bytes_per_block
