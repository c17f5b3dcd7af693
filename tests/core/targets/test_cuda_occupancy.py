"""The NVIDIA limits against the toolkit's own occupancy header, compiled and asked."""

from __future__ import annotations

import json
from typing import Any

import occupancy_header
import pytest

from workbench.core.targets.table import TargetTable

NVIDIA = [arch.name for arch in occupancy_header.NVIDIA]

# Reads one line of limits an architecture, answers with one line of the header's view.
PROGRAM = r"""
#include <cstdio>
#include <cuda_occupancy.h>

static int occupancy(const cudaOccDeviceProp &p, int threads, int regs, size_t shared,
                     int barriers, cudaOccResult *out) {
  cudaOccFuncAttributes f;
  cudaOccDeviceState state;
  f.maxThreadsPerBlock = p.maxThreadsPerBlock;
  f.numRegs = regs;
  f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  f.maxDynamicSharedSizeBytes = shared;
  f.numBlockBarriers = barriers;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(out, &p, &f, &state, threads, shared)) return -1;
  return out->activeBlocksPerMultiprocessor;
}

int main() {
  cudaOccDeviceProp p;
  p.numSms = 1;
  while (std::scanf("%d %d %d %d %d %d %d %zu %zu %zu %zu", &p.computeMajor, &p.computeMinor,
                    &p.maxThreadsPerBlock, &p.maxThreadsPerMultiprocessor, &p.regsPerBlock,
                    &p.regsPerMultiprocessor, &p.warpSize, &p.sharedMemPerBlock,
                    &p.sharedMemPerMultiprocessor, &p.sharedMemPerBlockOptin,
                    &p.reservedSharedMemPerBlock) == 11) {
    int sharedUnit = 0, regsPerThread = 0, regUnit = 0, parts = 0, blocks = 0, barriers = 0;
    cudaOccSMemAllocationGranularity(&sharedUnit, &p);
    cudaOccRegAllocationMaxPerThread(&regsPerThread, &p);
    cudaOccRegAllocationGranularity(&regUnit, &p);
    cudaOccSubPartitionsPerMultiprocessor(&parts, &p);
    cudaOccMaxBlocksPerMultiprocessor(&blocks, &p);
    cudaOccFuncAttributes one;
    one.numBlockBarriers = 1;
    cudaOccMaxBlocksPerSMBlockBarrierLimit(&barriers, blocks, &p, &one);
    std::printf("{\"shared_unit\":%d,\"regs_per_thread\":%d,\"reg_unit\":%d,\"parts\":%d,"
                "\"blocks\":%d,\"barriers\":%d,\"carveouts\":[",
                sharedUnit, regsPerThread, regUnit, parts, blocks, barriers);
    size_t last = (size_t)-1;
    for (size_t want = 0;; want += 1024) {
      size_t size = want;
      if (cudaOccAlignUpShmemSizeVoltaPlus(&size, &p)) break;
      if (size != last) std::printf("%s%zu", last == (size_t)-1 ? "" : ",", size);
      last = size;
    }
    cudaOccResult r;
    size_t most = p.sharedMemPerBlockOptin;
    std::printf("],\"most\":%d", occupancy(p, 128, 32, most, 1, &r));
    std::printf(",\"more\":%d", occupancy(p, 128, 32, most + 1, 1, &r));
    occupancy(p, p.warpSize, 8, 1, 1, &r);
    std::printf(",\"one_warp_registers\":%d,\"one_byte_shared\":%zu",
                r.allocatedRegistersPerBlock, r.allocatedSharedMemPerBlock);
    int warps = 1;
    while (occupancy(p, 32 * (warps + 1), 192, 0, 0, &r) > 0) warps++;
    std::printf(",\"most_warps\":%d", warps);
    std::printf(",\"warps_limit\":%d}\n", (occupancy(p, 32, 8, 0, 0, &r), r.blockLimitWarps));
  }
}
"""


@pytest.fixture(scope="module")
def header(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The header's answers by architecture."""
    program = occupancy_header.compiled(PROGRAM, tmp_path_factory.mktemp("occupancy"))
    devices = map(occupancy_header.device, occupancy_header.NVIDIA)
    found = [json.loads(line) for line in occupancy_header.answers(program, devices)]
    return dict(zip(NVIDIA, found, strict=True))


@pytest.mark.parametrize("name", NVIDIA)
def test_the_header_knows_the_same_constants(
    table: TargetTable, header: dict[str, dict[str, Any]], name: str
) -> None:
    limits, answer = table.architecture(name).limits, header[name]
    assert limits.shared_allocation_unit_bytes == answer["shared_unit"]
    assert limits.register_allocation_unit == answer["reg_unit"]
    assert limits.subpartitions_per_sm == answer["parts"]
    assert limits.max_blocks_per_sm == answer["blocks"]
    assert limits.barriers_per_sm == answer["barriers"]
    assert limits.max_warps_per_sm == answer["warps_limit"]
    assert list(limits.shared_carveouts_bytes or ()) == answer["carveouts"]


@pytest.mark.parametrize("name", NVIDIA)
def test_the_largest_block_is_the_largest_that_the_header_lets_run(
    header: dict[str, dict[str, Any]], name: str
) -> None:
    assert (header[name]["most"], header[name]["more"]) == (1, 0)


@pytest.mark.parametrize("name", NVIDIA)
def test_a_warp_takes_a_whole_allocation_unit(
    table: TargetTable, header: dict[str, dict[str, Any]], name: str
) -> None:
    unit = table.architecture(name).limits.register_allocation_unit
    assert header[name]["one_warp_registers"] == unit


@pytest.mark.parametrize("name", NVIDIA)
def test_registers_are_split_between_the_subpartitions(
    table: TargetTable, header: dict[str, dict[str, Any]], name: str
) -> None:
    """Ten warps of 192 registers are in one file of 65536, but each quarter of it holds two."""
    limits = table.architecture(name).limits
    assert limits.registers_per_sm is not None
    assert limits.subpartitions_per_sm is not None
    assert limits.warp_size is not None
    quarter = limits.registers_per_sm // limits.subpartitions_per_sm
    warps = quarter // (192 * limits.warp_size) * limits.subpartitions_per_sm
    assert header[name]["most_warps"] == warps
    assert limits.warp_allocation_granularity == header[name]["parts"]


@pytest.mark.parametrize("name", NVIDIA)
def test_shared_memory_is_allocated_in_units_beside_the_reserve(
    table: TargetTable, header: dict[str, dict[str, Any]], name: str
) -> None:
    limits = table.architecture(name).limits
    assert limits.shared_bytes_reserved_per_block is not None
    assert limits.shared_allocation_unit_bytes is not None
    least = limits.shared_bytes_reserved_per_block + limits.shared_allocation_unit_bytes
    assert header[name]["one_byte_shared"] == least


@pytest.mark.parametrize("name", NVIDIA)
def test_registers_of_a_thread_round_up_to_the_headers_limit(
    table: TargetTable, header: dict[str, dict[str, Any]], name: str
) -> None:
    """The instruction encoding leaves 255 registers; the header rounds them to its unit."""
    limits = table.architecture(name).limits
    assert limits.max_registers_per_thread is not None
    assert limits.register_allocation_unit is not None
    assert limits.warp_size is not None
    unit = limits.register_allocation_unit // limits.warp_size
    rounded = -(-limits.max_registers_per_thread // unit) * unit
    assert rounded == header[name]["regs_per_thread"]
