"""The occupancy of random blocks against the toolkit's own header, compiled and asked."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Iterator

import occupancy_header
import pytest

from workbench.core.analysis.block_limits import BlockResources, Resource, opts_in
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.targets.model import Architecture

BLOCKS_EACH = 1500
UNLIMITED = 2**31 - 1
ORDER = (
    Resource.REGISTERS,
    Resource.SHARED,
    Resource.WARPS,
    Resource.BLOCKS,
    Resource.BARRIERS,
)

# Reads a device and a block a line, answers with the header's limits and its occupancy.
PROGRAM = r"""
#include <cstdio>
#include <cuda_occupancy.h>

int main() {
  cudaOccDeviceProp p;
  cudaOccFuncAttributes f;
  cudaOccDeviceState state;
  p.numSms = 1;
  int threads, optIn;
  size_t dynamic;
  while (std::scanf("%d %d %d %d %d %d %d %zu %zu %zu %zu %d %d %zu %zu %d %d %d",
                    &p.computeMajor, &p.computeMinor, &p.maxThreadsPerBlock,
                    &p.maxThreadsPerMultiprocessor, &p.regsPerBlock, &p.regsPerMultiprocessor,
                    &p.warpSize, &p.sharedMemPerBlock, &p.sharedMemPerMultiprocessor,
                    &p.sharedMemPerBlockOptin, &p.reservedSharedMemPerBlock, &threads,
                    &f.numRegs, &f.sharedSizeBytes, &dynamic, &f.numBlockBarriers, &optIn,
                    &state.carveoutConfig) == 18) {
    f.maxThreadsPerBlock = p.maxThreadsPerBlock;
    f.shmemLimitConfig = optIn ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    f.maxDynamicSharedSizeBytes = optIn ? dynamic : 0;
    cudaOccResult r;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, threads, dynamic)) return 1;
    std::printf("%d %d %d %d %d %d\n", r.blockLimitRegs, r.blockLimitSharedMem,
                r.blockLimitWarps, r.blockLimitBlocks, r.blockLimitBarriers,
                r.activeBlocksPerMultiprocessor);
  }
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return occupancy_header.compiled(PROGRAM, tmp_path_factory.mktemp("occupancy"))


def random_blocks(arch: Architecture) -> Iterator[tuple[BlockResources, int]]:
    """Blocks, ordinary and at the edges, with a preferred carve-out in percent."""
    source = random.Random(arch.name)
    usual = arch.limits.shared_bytes_per_block or 0
    most = arch.limits.shared_bytes_per_block_opt_in or 0
    for _ in range(BLOCKS_EACH):
        total = source.choice([0, 1024, 48 * 1024, most, source.randint(0, most + 2048)])
        static = source.choice([0, 0, 16, 1024, total, source.randint(0, total)])
        static = min(static, usual)  # what the assembler takes
        block = BlockResources(
            threads=source.choice([32, 64, 128, 256, 384, 1024, source.randint(1, 1100)]),
            registers=source.choice([0, 16, 32, 64, 128, 255, 256, source.randint(1, 260)]),
            static_shared_bytes=min(static, total),
            dynamic_shared_bytes=max(total - static, 0),
            barriers=source.randint(0, 16),
        )
        yield block, source.choice([-1, 0, 50, 100, source.randint(0, 100)])


def carveout(arch: Architecture, percent: int) -> int | None:
    """The configuration that a preference in percent is raised to."""
    if percent < 0:
        return None
    wanted = percent * (arch.limits.shared_bytes_per_sm or 0) // 100
    return next(size for size in arch.limits.shared_carveouts_bytes or () if size >= wanted)


def question(block: BlockResources, percent: int, arch: Architecture) -> str:
    fields = (
        occupancy_header.device(arch),
        block.threads,
        block.registers,
        block.static_shared_bytes,
        block.dynamic_shared_bytes,
        block.barriers,
        int(opts_in(block)),
        percent,
    )
    return " ".join(map(str, fields))


def ours(block: BlockResources, percent: int, arch: Architecture) -> list[int | None]:
    """What the header answers, by our rules."""
    result = occupancy_of(block, arch, carveout(arch, percent))
    assert result is not None
    limits = {limit.resource: limit.blocks for limit in result.limits}
    return [*(limits.get(resource, UNLIMITED) for resource in ORDER), result.blocks]


def as_shown(answer: str, arch: Architecture) -> list[int]:
    """The header's answer; a limit by barriers is shown as no more than all blocks."""
    values = [int(value) for value in answer.split()]
    most = arch.limits.max_blocks_per_sm or 0
    if values[4] != UNLIMITED:
        values[4] = min(values[4], most)
    return values


@pytest.mark.parametrize("arch", occupancy_header.NVIDIA, ids=lambda arch: arch.name)
def test_every_limiter_is_the_headers(program: pathlib.Path, arch: Architecture) -> None:
    blocks = list(random_blocks(arch))
    questions = [question(block, percent, arch) for block, percent in blocks]
    answers = occupancy_header.answers(program, questions)
    assert len(answers) == BLOCKS_EACH
    wrong = [
        (block, percent, answer)
        for (block, percent), answer in zip(blocks, answers, strict=True)
        if ours(block, percent, arch) != as_shown(answer, arch)
    ]
    assert wrong == []
