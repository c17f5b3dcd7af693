"""The lifetimes of shared buffers in lowered code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tvm
from tvm import tirx

from workbench.core.analysis.lifetimes import Allocation, Lifetimes, Touch, lifetimes_of
from workbench.engine.analysis.copy_lines import Pair
from workbench.engine.analysis.instructions import DeviceCode, Instruction, bytes_of
from workbench.engine.analysis.translation import class_of

_MERGING = "tl.MergeSharedMemoryAllocations"
_SHARED = ("shared", "shared.dyn")
_BESIDE = "shared.barrier"  # static, beside what is merged


@tvm.instrument.pass_instrument
class SharedBuffers:
    """Watches a lowering and keeps the buffers as they are before they are merged into one.

    `buffers` maps the pointer of each to its buffer: merging keeps the pointers.
    """

    def __init__(self) -> None:
        self.buffers: dict[Any, Any] = {}

    def run_before_pass(self, module: Any, info: Any) -> None:
        """Keep the buffers that the merging pass is given."""
        if info.name != _MERGING:
            return
        for func in module.functions.values():
            tirx.stmt_functor.post_order_visit(func.body, self._visit)

    def _visit(self, node: Any) -> None:
        if class_of(node) == "AllocBuffer":
            self.buffers[node.buffer.data] = node.buffer


def shared_lifetimes(
    code: DeviceCode,
    unmerged: Mapping[Any, Any],
    copies: Mapping[Pair, int],
    allocated_bytes: int | None,
) -> Lifetimes:
    """The lifetimes of a device function's shared buffers.

    `unmerged` are the buffers of `SharedBuffers`; `copies` the lines of copies that lost theirs.
    """
    allocations = (*_merged(code, unmerged), *_alone(code))
    touches = [
        Touch(each.position, place.name, line_of(each, copies))
        for each in code.instructions
        for place in each.places
    ]
    return lifetimes_of(allocations, touches, code.loops, allocated_bytes)


def line_of(instruction: Instruction, copies: Mapping[Pair, int]) -> int | None:
    """The line of an instruction, that of its copy where it has lost its own.

    A bulk copy that has lost it may be within a statement that has one, which is not the copy's.
    """
    pair = frozenset(place.name.split("#")[0] for place in instruction.places)
    known = instruction.line is not None and instruction.found.form != "tma"
    return instruction.line if known else copies.get(pair, instruction.line)


def _merged(code: DeviceCode, unmerged: Mapping[Any, Any]) -> list[Allocation]:
    """Buffers that lie in the memory of all; those of unknown size are left out."""
    found = []
    for name, offset in code.offsets.items():
        buffer = unmerged.get(code.variables[name])
        size = None if buffer is None else bytes_of(buffer)
        if buffer is not None and size is not None:
            found.append(Allocation(name, str(buffer.dtype), size, offset))
    return found


def _alone(code: DeviceCode) -> list[Allocation]:
    """Buffers that were not merged: the one there is, and barriers beside it."""
    whole = [each for each in code.buffers if each.scope in _SHARED and not code.offsets]
    beside = [each for each in code.buffers if each.scope == _BESIDE]
    return [
        Allocation(each.name, each.dtype, each.size_bytes, None if each in beside else 0)
        for each in (*whole, *beside)
        if each.size_bytes is not None
    ]
