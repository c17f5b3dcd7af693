"""What a thread waits for one after the other: loads into registers, and additions on one word."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tvm import tirx

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import DeviceAccesses, Walk
from workbench.engine.analysis.expressions import UnknownValueError
from workbench.engine.analysis.global_footprint import block_values
from workbench.engine.analysis.space import lane_patterns
from workbench.engine.analysis.translation import class_of, operator

_BARRIERS = ("tvm_storage_sync", "mbarrier_wait_parity", "ptx_wait_group", "ptx_wait_barrier")
_REGISTER = 4  # bytes


class LoadRounds(Walk):
    """A walk that counts how often a thread waits for loads from global memory into registers.

    Loads of a straight stretch are under way together, those of its loops too, as far as
    `registers` hold what they bring. A stretch ends at a barrier, at a compare-and-swap loop, and
    with a branch around a load. Source: where nvcc 13.0 puts loads in the machine code of
    `kernels/elementwise_add.py`, `kernels/softmax.py` and of the measured kernels.
    """

    def __init__(self, func: Any, document: str, warp: int, registers: int) -> None:
        super().__init__(func, document, warp, {})
        self.rounds = 0.0
        self._registers = max(1, registers)
        self._times = 1.0  # how often the stretch runs
        self._together = 1.0  # turns of loops within it
        self._held = 0.0  # registers that its loads fill

    def add(self, access: Access) -> None:
        """Count a load with those under way."""
        if access.memory == "global" and access.kind is SharedKind.LOAD:
            before = math.ceil(self._held / self._registers)
            self._held += self._together * access.width_bytes / _REGISTER
            self.rounds += self._times * (math.ceil(self._held / self._registers) - before)
        elif access.kind is SharedKind.FLOAT_ATOMIC and access.memory == "shared":
            self._held = 0.0

    def expression(self, node: Any) -> None:
        """Visit an expression; a barrier in it ends the stretch."""
        super().expression(node)
        if _is_barrier(node):
            self._held = 0.0

    def _visit(self, node: Any) -> None:
        kind = class_of(node)
        if kind == "For":
            self._turns(node)
        elif kind == "IfThenElse" and _loads(node):
            self._held = 0.0
            super()._visit(node)
            self._held = 0.0
        else:
            super()._visit(node)

    def _turns(self, node: Any) -> None:
        times, together, turns = self._times, self._together, self._extent(node)
        if _parted(node.body):
            self._held, self._times = 0.0, times * turns
            super()._visit(node)
            self._held = 0.0
        else:
            self._together = together * turns
            super()._visit(node)
        self._times, self._together = times, together

    def _extent(self, node: Any) -> float:
        """The turns of a loop, the mean over blocks; 1 where data decide."""
        extent = self.translate(node.extent)
        try:
            return float(np.mean(block_values(self.axes, extent)))
        except UnknownValueError:
            return 1.0


def load_rounds(func: Any, document: str, warp: int, registers: int) -> float:
    """How often a thread of a device function waits for its loads, the mean over blocks."""
    walk = LoadRounds(func, document, warp, registers)
    walk.statement(func.body)
    return walk.rounds


def atomic_chain(found: DeviceAccesses) -> float | None:
    """Floating-point additions of a block to the shared word that gets most; None by data.

    They are loops of compare-and-swap, of which one after the other succeeds.
    """
    longest = 0.0
    for access in found.accesses:
        if access.kind is SharedKind.FLOAT_ATOMIC and access.memory == "shared":
            if access.address is None or access.unknown is not None:
                return None
            try:
                around = (access.address, access.loops, access.conditions)
                patterns = lane_patterns(found.axes, *around)
            except UnknownValueError:
                return None
            counts: dict[int, float] = {}
            for lanes, weight in zip(patterns.addresses, patterns.weights, strict=True):
                for address in lanes[lanes >= 0].tolist():
                    counts[address] = counts.get(address, 0.0) + float(weight)
            longest += max(counts.values(), default=0.0) / found.axes.launch.blocks
    return longest


def _is_barrier(node: Any) -> bool:
    if class_of(node) != "Call":
        return False
    name = operator(node)
    if name in ("call_extern", "call_pure_extern"):
        return reductions.workspace(str(getattr(node.args[0], "value", ""))) is not None
    return name in _BARRIERS


def _is_load(node: Any) -> bool:
    return class_of(node) == "BufferLoad" and node.buffer.scope() == "global"


def _loads(node: Any) -> bool:
    return _any(node, _is_load)


def _parted(node: Any) -> bool:
    """Whether a stretch of loads ends within a statement."""
    return _any(node, _parts)


def _parts(node: Any) -> bool:
    branch = class_of(node) == "IfThenElse" and _loads(node)
    return branch or _is_barrier(node) or _is_float_atomic(node)


def _is_float_atomic(node: Any) -> bool:
    if class_of(node) != "Call" or not operator(node).endswith("elem_op"):
        return False
    return len(node.args) > 1 and str(getattr(node.args[1], "dtype", "")).startswith("float")


def _any(node: Any, holds: Any) -> bool:
    found: list[bool] = []

    def visit(each: Any) -> None:
        if not found and holds(each):
            found.append(True)

    tirx.stmt_functor.post_order_visit(node, visit)
    return bool(found)
