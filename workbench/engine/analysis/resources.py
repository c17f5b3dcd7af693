"""What a block of a lowered kernel needs of a multiprocessor, by the machine code or the IR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.register_budget import RegisterBudget, WarpGroup, register_budget
from workbench.core.jobs import Resources
from workbench.core.targets.model import Feature, Target, Vendor
from workbench.engine.analysis.instructions import DeviceCode
from workbench.engine.analysis.translation import class_of, operator

_LOCAL = "local"
_BARRIERS = "shared.barrier"
_REGISTER_BYTES = 4


def block_resources(func: Any, threads: int, resources: Resources) -> BlockResources:
    """What a block needs; without machine code the registers are unknown.

    A kernel without a barrier counts as having one, as Nsight Compute counts it.
    """
    return BlockResources(
        threads=threads,
        registers=resources.registers,
        static_shared_bytes=resources.shared_static_bytes or 0,
        dynamic_shared_bytes=resources.shared_dynamic_bytes or 0,
        barriers=max(1, resources.barriers or 1),
        cluster_size=cluster_size(func),
    )


def ir_resources(code: DeviceCode, dynamic_bytes: int | None, why: str) -> Resources:
    """The resources that the lowered IR alone tells; `why` says what is missing for the rest."""
    static = sum(b.size_bytes or 0 for b in code.buffers if b.scope == _BARRIERS)
    return Resources(
        shared_static_bytes=static,
        shared_dynamic_bytes=dynamic_bytes,
        source=f"lowered IR ({why})",
    )


def fragment_registers(code: DeviceCode) -> int:
    """32-bit registers of a thread that the local buffers of the code would fill."""
    local = [b.size_bytes or 0 for b in code.buffers if b.scope == _LOCAL]
    return sum(-(-size // _REGISTER_BYTES) for size in local)


def bytes_by_scope(code: DeviceCode) -> dict[str, int]:
    """Bytes of the code's buffers by their scope."""
    found: dict[str, int] = {}
    for buffer in code.buffers:
        found[buffer.scope] = found.get(buffer.scope, 0) + (buffer.size_bytes or 0)
    return found


def cluster_size(func: Any) -> int:
    """Blocks of a cluster, 1 where the launch has none."""
    sizes = func.attrs.get("cluster_dims") if func.attrs else None
    return math.prod(int(each) for each in sizes) if sizes else 1


def no_registers(target: Target) -> str:
    """Why the registers of a target's machine code are unknown."""
    compiler = {
        Vendor.AMD: "no compiler for AMD's machine code is used here: VGPRs and AGPRs are unknown",
        Vendor.HUAWEI: "an Ascend core has buffers instead of registers of threads",
    }
    other = f"no compiler here makes machine code for {target.name}"
    return compiler.get(target.arch.vendor, other)


def budget_of(
    func: Any, threads: int, registers: int | None, target: Target
) -> RegisterBudget | None:
    """The registers that warps hand to each other; None where they do not or it is unknown."""
    groups = warp_groups(func, threads)
    asks = any(group.registers is not None for group in groups)
    if not asks or registers is None or not target.arch.has(Feature.SETMAXNREG):
        return None
    return register_budget(registers, groups, target.arch.limits)


def warp_groups(func: Any, threads: int) -> tuple[WarpGroup, ...]:
    """The branches of a block by its first thread index, with what each asks for."""
    walk = _Groups()
    walk.statement(func.body, range(threads))
    asked = [(len(part) // 32, registers) for part, registers in walk.found]
    rest = threads // 32 - sum(warps for warps, _ in asked)
    groups = [WarpGroup(warps, registers) for warps, registers in asked]
    return tuple([*groups, WarpGroup(rest)] if rest > 0 else groups)


class _Groups:
    """Finds set_max_nreg and the threads that come to it."""

    def __init__(self) -> None:
        self.found: list[tuple[range, int]] = []

    def statement(self, node: Any, threads: range) -> None:
        """Visit a statement that `threads` come to."""
        kind = class_of(node)
        if kind == "SeqStmt":
            for child in node.seq:
                self.statement(child, threads)
        elif kind == "IfThenElse":
            self._branch(node, threads)
        elif kind == "Evaluate":
            self._call(node.value, threads)
        elif getattr(node, "body", None) is not None:
            self.statement(node.body, threads)

    def _branch(self, node: Any, threads: range) -> None:
        split = _split(node.condition, threads)
        then, rest = split if split is not None else (threads, threads)
        self.statement(node.then_case, then)
        if node.else_case is not None:
            self.statement(node.else_case, rest)

    def _call(self, call: Any, threads: range) -> None:
        if class_of(call) != "Call" or operator(call) != "set_max_nreg":
            return
        self.found.append((threads, int(call.args[0])))


def _split(condition: Any, threads: range) -> tuple[range, range] | None:
    """The threads for which a bound on their number holds, and the others."""
    kind = class_of(condition)
    sides: Sequence[Any] = [getattr(condition, side, None) for side in ("a", "b")]
    if kind not in ("LT", "LE", "GE", "GT") or class_of(sides[0]) != "Var":
        return None
    if class_of(sides[1]) != "IntImm":
        return None
    at = int(sides[1]) + (kind in ("LE", "GT"))
    at = min(max(at, threads.start), threads.stop)
    below, above = range(threads.start, at), range(at, threads.stop)
    return (below, above) if kind in ("LT", "LE") else (above, below)
