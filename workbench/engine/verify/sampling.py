"""Verifying some blocks of a launch: whether that says anything, and which elements were theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from workbench.core.jobs import BlockSample, Failure, OutputBlocks
from workbench.engine import blame
from workbench.engine.simulator import Parameter, SimulationReport
from workbench.engine.simulator.roles import grids_wait
from workbench.engine.simulator.tir import tirx, visit
from workbench.engine.verify import details


class NoSampleError(blame.StepError):
    """Some of the blocks alone say nothing of the kernel; `failure` says why."""

    def __init__(self, why: str, kind: str = "environment") -> None:
        message = f"a sample of blocks says nothing here: {why}; verify all of its blocks"
        super().__init__(Failure(kind, message))


def check_sample(on: str, func: Any, parameters: Sequence[Parameter]) -> None:
    """Raise NoSampleError where a sample cannot be run, or its blocks depend on others."""
    if on != "simulator":
        raise NoSampleError(f"on {on} all of them run")
    _check_blocks_are_independent(func, parameters)


def _check_blocks_are_independent(func: Any, parameters: Sequence[Parameter]) -> None:
    """A parameter that is read and written counts too, and an atomic operation does both."""
    nodes = visit(func.body)
    launches = sum(_begins_launch(node) for node in nodes)
    if launches > 1:
        raise NoSampleError(f"the kernel has {launches} launches, each of which needs all before")
    if grids_wait(nodes):
        raise NoSampleError("the kernel's blocks wait for one another")
    for node in nodes:
        for buffer in node.alloc_buffers if isinstance(node, tirx.SBlock) else ():
            if buffer.scope() == "global":
                raise NoSampleError(f"its blocks share {buffer.name}, which the kernel allocates")
    shared = [p.name for p in parameters if p.is_buffer and p.reads and p.writes]
    if shared:
        why = f"the kernel reads and writes {' and '.join(shared)}, so blocks may depend on others"
        raise NoSampleError(why)


def _begins_launch(node: Any) -> bool:
    binding = getattr(node, "thread_binding", None)
    return binding is not None and str(binding.thread_tag) == "blockIdx.x"


def sample_of(report: SimulationReport | None) -> BlockSample | None:
    """How many blocks ran; None where all did, or it is not known."""
    if report is None or not is_sampled(report):
        return None
    return BlockSample(report.blocks_run, report.blocks_total)


def is_sampled(report: SimulationReport | None) -> bool:
    """Whether some blocks were left out."""
    return report is not None and report.blocks_run < report.blocks_total


def compared_elements(
    report: SimulationReport, index: int, name: str, shape: tuple[int, ...]
) -> tuple[torch.Tensor, OutputBlocks]:
    """The elements of an output that are the sampled blocks', as bool in its shape, and the tiles.

    A block answers for all of its tile. Raises NoSampleError where blocks have no tiles of their
    own, or none wrote anything.
    """
    writes = (report.writes or {}).get(index)
    if writes is None:
        why = f"none of the {report.blocks_run:,} blocks that ran wrote any of {name}"
        raise NoSampleError(why, "kernel")
    found = details.share_of_blocks(writes, report.grids[int(writes.launches[0])], shape)
    if found is None or (found[1] == details.SEVERAL).any():
        raise NoSampleError(f"its blocks do not each write a tile of {name} of their own")
    blocks, owners = found
    mask = owners != details.NOBODY
    for axis, (length, size) in enumerate(zip(blocks.tile, shape, strict=True)):
        mask = np.repeat(mask, length, axis=axis)
        mask = np.take(mask, np.arange(size), axis=axis)
    return torch.from_numpy(np.ascontiguousarray(mask)), blocks
