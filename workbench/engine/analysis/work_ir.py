"""What a lowered kernel computes: its operations, counted over threads, blocks and loops."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import tvm

from workbench.core.analysis.work import RoleWork, Work, WorkSite, WorkUnit, merged_sites
from workbench.engine.analysis import reductions
from workbench.engine.analysis.accesses import Walk
from workbench.engine.analysis.expressions import Axis, Const, Node, UnknownValueError, const
from workbench.engine.analysis.roles import Threads, local_bits, role_bits, roles_of, within
from workbench.engine.analysis.space import lane_patterns
from workbench.engine.analysis.translation import class_of, operator

_FLOATS = ("float", "bfloat", "tfloat")
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)|(\d+)x(\d+)x(\d+)")
_TENSOR = re.compile(r"ptx_mma|ptx_wgmma_|ptx_tcgen05_mma_|tvm_mfma")
_GROUPS = {"ptx_mma": 32, "ptx_wgmma": 128, "ptx_tcgen05": 1, "tvm_mfma": 64}  # threads of one
_FORMATS = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "tf32": "tfloat32",
    "fp32": "tfloat32",
    "fp64": "float64",
    "int8": "int8",
    "uint8": "int8",
    "int4": "int4",
    "e4m3": "float8",
    "e5m2": "float8",
    "e2m1": "float4",
    "f16": "float16",
}
_SPECIAL = re.compile(
    r"_*(exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|tanh|sinh|cosh|sin|cos|tan|atan|pow|powf|sigmoid"
    r"|erf|rcp|frcp_rn|fdiv|fdividef|divf|sqrtf|rsqrtf|expf|exp2f|exp10f|logf|log2f|log10f|tanhf"
    r"|sinf|cosf|tanf|ieee_\w+)$"
)
_WAITS = (
    "mbarrier_wait_parity",
    "ptx_wait_group",
    "ptx_wait_barrier",
    "tvm_storage_sync",
    "cp_async_wait",
)


@dataclass(frozen=True)
class _Found:
    """Operations of one execution of a thread with what is around them."""

    line: int | None
    unit: WorkUnit
    operation: str
    dtype: str
    operations: float
    flops: float
    loops: tuple[Axis, ...]
    conditions: tuple[Node, ...]
    place: int
    unknown: str | None = None


class WorkWalk(Walk):
    """A walk that keeps operations beside the accesses.

    `uncounted` is how often a thread compares data or takes integers of it apart, whether or not
    it comes to all of it.
    """

    uncounted = 0

    def work(self, threads: Threads | None = None) -> tuple[WorkSite, ...]:
        """The sites of all that was visited, or of what some threads do of it."""
        times: dict[object, tuple[float, bool] | str] = {}
        held = () if threads is None else (within(self.axes.thread, threads),)
        own = (
            replace(found, conditions=(*found.conditions, *held)) for found in self._operations()
        )
        return merged_sites(self._counted(found, times) for found in own)

    def roles(self) -> tuple[Threads, ...]:
        """The threads of each role that computes, empty where there are no two."""
        own = [found for found in self._operations() if found.unit is not WorkUnit.WAIT]
        tensor = [found.conditions for found in own if found.unit is WorkUnit.TENSOR]
        other = [found.conditions for found in own if found.unit is not WorkUnit.TENSOR]
        return roles_of(self.axes, tensor, other)

    def expression(self, node: Any) -> None:
        """Count an expression and visit what is in it."""
        handler = _KINDS.get(class_of(node))
        if handler is not None:
            handler(self, node)
        if _is_of_data(self, node):
            turns = (axis.extent for axis in self._loops)
            self.uncounted += math.prod(e.value for e in turns if isinstance(e, Const))
        super().expression(node)

    def doubt(self, begin: int, reason: str) -> None:
        """Say of all that was found since `begin` that it is unknown."""
        super().doubt(begin, reason)
        own = self._operations()
        for place, found in enumerate(own):
            if found.place >= begin:
                own[place] = replace(found, unknown=reason)

    def count(
        self, unit: WorkUnit, operation: str, dtype: str, operations: float, flops: float
    ) -> None:
        """Keep operations of each thread that comes here."""
        around = (self._loops, (*self._remaining, *self._conditions), len(self.found))
        found = _Found(self._line, unit, operation, dtype, operations, flops, *around)
        self._operations().append(found)

    def _operations(self) -> list[_Found]:
        own: list[_Found] = self.__dict__.setdefault("_work", [])
        return own

    def _counted(self, found: _Found, times: dict[object, tuple[float, bool] | str]) -> WorkSite:
        key = (found.loops, found.conditions)
        if key not in times:
            times[key] = self._threads(found)
        ran = found.unknown or times[key]
        site = WorkSite(found.line, found.unit, found.operation, found.dtype, None, None)
        if isinstance(ran, str):
            return replace(site, unknown=ran)
        threads, sampled = ran
        operations, flops = threads * found.operations, threads * found.flops
        return replace(site, operations=operations, flops=flops, sampled=sampled)

    def _threads(self, found: _Found) -> tuple[float, bool] | str:
        """How many threads come to a place, over the launch; why that is unknown."""
        try:
            ran = lane_patterns(self.axes, const(0), found.loops, found.conditions)
        except UnknownValueError as error:
            return str(error)
        lanes = ((ran.addresses >= 0).sum(axis=1) * ran.weights).sum().item()
        return lanes, ran.sampled


def work_of(func: Any, document: str, warp: int) -> Work:
    """The operations of a device function. Raises ValueError where its launch is not constant."""
    walk = WorkWalk(func, document, warp, {})
    walk.statement(func.body)
    found = walk.roles()
    held = [local_bits(func.body)] if not found else role_bits(func, document, warp, found)
    roles = [_role(walk, threads, bits) for threads, bits in zip(found, held, strict=False)]
    registers = max(_words(wide + narrow) for wide, narrow in held)
    live = max(_words(max(bits)) for bits in held)
    uncounted = walk.uncounted * walk.axes.launch.threads * walk.axes.launch.blocks
    return Work(walk.work(), registers, live, tuple(roles), uncounted)


def _role(walk: WorkWalk, threads: Threads, bits: tuple[int, int]) -> RoleWork:
    launch, live = walk.axes.launch, _words(max(bits))
    own = Work(walk.work(threads), _words(sum(bits)), live)
    return RoleWork(
        threads=len(threads),
        live_registers=live,
        waits=own.waits(copies=True) / (launch.blocks * len(threads)),
        tensor_flops=own.tensor_formats(),
        float_operations=own.operations(WorkUnit.FLOAT),
        special_operations=own.operations(WorkUnit.SPECIAL),
        conversions=own.operations(WorkUnit.CONVERSION),
        shuffles=own.operations(WorkUnit.SHUFFLE),
        vector_instructions=own.instructions(),
    )


def _words(bits: int) -> int:
    return -(-bits // 32)


def _is_of_data(walk: WorkWalk, node: Any) -> bool:
    """Whether an operation that is no site is on data; of indices the compiler folds most."""
    kind = operator(node) if class_of(node) == "Call" else class_of(node)
    if kind not in _UNCOUNTED or (kind in ("Max", "Min") and _is_float(node.dtype)):
        return False
    return walk.translate(node).unknown is not None


def _is_float(dtype: Any) -> bool:
    return str(dtype).startswith(_FLOATS)


def _lanes(dtype: Any) -> int:
    return int(tvm.DataType(str(dtype)).lanes)


def _element(dtype: Any) -> str:
    return re.sub(r"x\d+$", "", str(dtype))


def _arithmetic(unit: WorkUnit, operation: str) -> Callable[[WorkWalk, Any], None]:
    def handler(walk: WorkWalk, node: Any) -> None:
        if _is_float(node.dtype):
            lanes = _lanes(node.dtype)
            walk.count(unit, operation, _element(node.dtype), lanes, lanes)

    return handler


def _cast(walk: WorkWalk, node: Any) -> None:
    before, after = _element(node.value.dtype), _element(node.dtype)
    if before != after and (_is_float(before) or _is_float(after)):
        walk.count(WorkUnit.CONVERSION, f"{before} to {after}", after, _lanes(node.dtype), 0)


def _call(walk: WorkWalk, node: Any) -> None:
    operation = operator(node)
    if operation in ("call_extern", "call_pure_extern"):
        _extern(walk, node, str(getattr(node.args[0], "value", "")))
    elif _TENSOR.match(operation):
        _tensor(walk, node, operation)
    elif operation in _WAITS:
        walk.count(WorkUnit.WAIT, operation, "", 1, 0)
    elif "shfl" in operation or ("shuffle" in operation and "elect" not in operation):
        walk.count(WorkUnit.SHUFFLE, operation, "", 1, 0)
    elif _SPECIAL.match(operation) and _is_float(node.dtype):
        lanes = _lanes(node.dtype)
        walk.count(WorkUnit.SPECIAL, operation, _element(node.dtype), lanes, lanes)


def _extern(walk: WorkWalk, node: Any, function: str) -> None:
    reduction = reductions.workspace(function)
    if reduction is not None:
        steps = max(0, (reduction.threads // reduction.scale).bit_length() - 1)
        within = sum(reduction.threads >> step + 1 < walk.axes.launch.warp for step in range(steps))
        each = reduction.batch
        walk.count(WorkUnit.SHUFFLE, "AllReduce", "", within * each, 0)
        walk.count(WorkUnit.FLOAT, "AllReduce", "float32", steps * each, steps * each)
        if steps > within:
            walk.count(WorkUnit.WAIT, "AllReduce", "", 2 * (steps - within), 0)
    elif _SPECIAL.match(function) and _is_float(node.dtype):
        lanes = _lanes(node.dtype)
        walk.count(WorkUnit.SPECIAL, function, _element(node.dtype), lanes, lanes)


def _tensor(walk: WorkWalk, node: Any, operation: str) -> None:
    texts = [str(arg.value) for arg in node.args if class_of(arg) == "StringImm"]
    shape = next((m for text in texts if (m := _SHAPE.search(text))), None)
    if shape is None:
        return
    rows, columns, depth = (int(each) for each in shape.groups() if each is not None)
    formats = [_FORMATS[text] for text in texts if text in _FORMATS]
    formats = formats or [_FORMATS[t] for text in texts for t in _FORMATS if text.endswith(t)]
    threads = next(size for name, size in _GROUPS.items() if operation.startswith(name))
    dtype = formats[0] if formats else "unknown"
    if len(formats) > 2 and formats[0] == formats[2] == "float16":
        dtype = "float16->float16"
    flops = 2 * rows * columns * depth / threads
    walk.count(WorkUnit.TENSOR, f"{operation} {shape[0]}", dtype, 1 / threads, flops)


_COMPARED = frozenset(("LT", "LE", "GT", "GE", "EQ", "NE", "Max", "Min"))
_UNCOUNTED = _COMPARED | {"bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"}
_KINDS: dict[str, Callable[[WorkWalk, Any], None]] = {
    "Add": _arithmetic(WorkUnit.FLOAT, "add"),
    "Sub": _arithmetic(WorkUnit.FLOAT, "add"),
    "Mul": _arithmetic(WorkUnit.FLOAT, "multiply"),
    "Max": _arithmetic(WorkUnit.FLOAT, "compare"),
    "Min": _arithmetic(WorkUnit.FLOAT, "compare"),
    "Div": _arithmetic(WorkUnit.SPECIAL, "divide"),
    "Cast": _cast,
    "Call": _call,
}
