"""What the intrinsics of the lowered IR do to shared and global memory, one handler each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.expressions import apply, const
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.tensor_maps import TensorMap
from workbench.engine.analysis.translation import class_of, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.accesses import _Walk

Descriptors = Mapping[str, TensorMap]

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_WIDE = re.compile(r"(lds|sts|ldg|stg)(\d+)$")
_ATOMIC = re.compile(r"atomic_([a-z]+)(x2|x4)?(_ret)?_elem_op$")
_OPERAND_BITS = {
    "fp16": 16,
    "bf16": 16,
    "tf32": 32,
    "fp32": 32,
    "int8": 8,
    "uint8": 8,
    "e4m3": 8,
    "e5m2": 8,
    "e2m1": 4,
    "int4": 4,
}


def visit(walk: _Walk, call: Any) -> None:
    """Keep the accesses of a call, and visit its arguments for those in them."""
    operation = operator(call)
    for pattern, handler in _HANDLERS:
        if re.match(pattern, operation):
            handler(walk, call, operation)
            return
    for argument in call.args:
        walk.expression(argument)


def _conditional(walk: _Walk, call: Any, operation: str) -> None:
    condition, then, otherwise = call.args
    walk.expression(condition)
    node = walk.translate(condition)
    with walk.under(node):
        walk.expression(then)
    with walk.under(apply("not", node)):
        walk.expression(otherwise)


def _async_copy(walk: _Walk, call: Any, operation: str) -> None:
    inside, outside = (walk.pointers.target(each) for each in call.args[:2])
    if inside is None or outside is None or class_of(call.args[2]) != "IntImm":
        return
    width = int(int(call.args[2]) * inside.element_bytes)
    access = _at(SharedKind.ASYNC_COPY, inside, width, operation)
    access = replace(access, partner=outside.address, partner_buffer=outside.place.name)
    if len(call.args) > 3:
        access = replace(access, conditions=(walk.translate(call.args[3]),))
    walk.add(access)


def _matrices(kind: SharedKind) -> Callable[[_Walk, Any, str], None]:
    def handler(walk: _Walk, call: Any, operation: str) -> None:
        target = walk.pointers.target(call.args[2])
        if target is not None:
            access = _at(kind, target, 16, operation)
            walk.add(replace(access, matrices=int(call.args[1])))
        for argument in call.args[3:]:
            if kind is SharedKind.STMATRIX:
                walk.expression(argument)

    return handler


def _wide(walk: _Walk, call: Any, operation: str) -> None:
    match = _WIDE.match(operation)
    target = walk.pointers.target(call.args[0])
    if match is None or target is None:
        return
    kind = SharedKind.LOAD if match[1].startswith("ld") else SharedKind.STORE
    total = int(match[2]) // 8
    for offset in range(0, total, 16):
        moved = replace(target, address=apply("add", target.address, const(offset)))
        access = _at(kind, moved, min(16, total - offset), operation)
        walk.add(replace(access, conditions=_predicate(walk, call)))
    for argument in call.args[1:]:
        walk.expression(argument)


def _predicate(walk: _Walk, call: Any) -> tuple[Any, ...]:
    """The last argument of a load or store of a fixed width where it is a condition."""
    last = call.args[-1]
    is_condition = len(call.args) > 1 and str(getattr(last, "dtype", "")) == "bool"
    return (walk.translate(last),) if is_condition else ()


def _atomic(walk: _Walk, call: Any, operation: str) -> None:
    target = walk.pointers.target(call.args[0])
    match = _ATOMIC.match(operation)
    for argument in call.args[1:]:
        walk.expression(argument)
    if target is None or match is None:
        return
    values = {"x2": 2, "x4": 4}.get(match[2] or "", 1)
    width = int(target.element_bytes * values)
    plain = {"load": SharedKind.LOAD, "store": SharedKind.STORE}.get(match[1])
    floating = "float" in target.dtype
    kind = SharedKind.FLOAT_ATOMIC if floating else SharedKind.INTEGER_ATOMIC
    walk.add(_at(plain or kind, target, width, operation))


def _tensor(walk: _Walk, call: Any, operation: str) -> None:
    """A matrix instruction whose operands the tensor core reads from shared memory itself."""
    texts = [str(arg.value) for arg in call.args if class_of(arg) == "StringImm"]
    shape = next((m for text in texts if (m := _SHAPE.search(text))), None)
    bits = next((_OPERAND_BITS[t] for t in texts if t in _OPERAND_BITS), None)
    if shape is None or bits is None:
        return
    rows, columns, depth = (int(each) for each in shape.groups())
    first = 0 if operation.endswith(("rs", "ts")) else rows * depth
    from_shared = columns * depth + (first // 2 if "_sp_" in operation else first)
    access = _described(walk, SharedKind.TENSOR, f"{operation} {shape[0]}", from_shared * bits // 8)
    walk.add(replace(access, dtype=texts[1] if len(texts) > 1 else ""))


def _bulk(walk: _Walk, call: Any, operation: str) -> None:
    """A copy by the tensor memory accelerator, in boxes or in a row."""
    first = call.args[0]
    targets = [t for arg in call.args if (t := walk.pointers.target(arg)) is not None]
    inside = next((t for t in targets if t.memory == "shared"), None)
    buffer = inside.place.name if inside else "?"
    tensor_map = walk.descriptors.get(str(getattr(first, "name", "")))
    outside = tensor_map.buffer if tensor_map else None
    size = tensor_map.box_bytes if tensor_map else _row_bytes(call, targets)
    if outside is None:
        outside = next((t.place.name for t in targets if t.memory == "global"), None)
    access = _described(walk, SharedKind.BULK_COPY, operation, size)
    dtype = inside.dtype if inside else ""
    walk.add(replace(access, buffer=buffer, partner_buffer=outside, dtype=dtype))


def _row_bytes(call: Any, targets: list[Target]) -> int:
    """The size argument of a copy of a row; it follows the pointers."""
    if len(targets) < 2:
        return 0
    sizes = [int(arg) for arg in call.args if class_of(arg) == "IntImm"]
    return sizes[0] if sizes else 0


def _extern(walk: _Walk, call: Any, operation: str) -> None:
    function = str(getattr(call.args[0], "value", ""))
    for argument in call.args[1:]:
        walk.expression(argument)
    workspace = reductions.workspace(function)
    targets = [t for arg in call.args[1:] if (t := walk.pointers.target(arg)) is not None]
    shared = [target for target in targets if target.memory == "shared"]
    if workspace is not None:
        for target in shared:
            _workspace(walk, workspace, target)
        return
    for target in shared:
        access = _at(SharedKind.LOAD, target, int(target.element_bytes) or 1, function)
        walk.add(replace(access, unknown=f"{function} is told by the machine code alone"))


def _workspace(walk: _Walk, workspace: reductions.Workspace, target: Target) -> None:
    width = max(1, int(target.element_bytes))
    thread = walk.translate.thread_index("x")
    for kind, index in reductions.accesses(workspace, thread, walk.axes.launch.warp):
        address = apply("add", target.address, apply("mul", index, const(width)))
        walk.add(_at(kind, replace(target, address=address), width, "AllReduce"))


def _leave(walk: _Walk, call: Any, operation: str) -> None:
    walk.leave(operation)


def _at(kind: SharedKind, target: Target, width: int, operation: str) -> Access:
    place = target.place
    return Access(kind, place.memory, place.name, target.dtype, width, operation, target.address)


def _described(walk: _Walk, kind: SharedKind, operation: str, size: int) -> Access:
    return Access(kind, "shared", "", "", 16, operation, None, size_bytes=size)


_HANDLERS: tuple[tuple[str, Callable[[_Walk, Any, str], None]], ...] = (
    (r"if_then_else$", _conditional),
    (r"ptx_cp_async$", _async_copy),
    (r"ptx_ldmatrix$", _matrices(SharedKind.LDMATRIX)),
    (r"ptx_stmatrix$", _matrices(SharedKind.STMATRIX)),
    (r"(lds|sts|ldg|stg)\d+$", _wide),
    (r"atomic_", _atomic),
    (r"ptx_wgmma_|ptx_tcgen05_mma_", _tensor),
    (r"tma_(load|store)($|_multicast|_im2col|_cluster|_gather4|_scatter4)", _bulk),
    (r"call_(pure_)?extern$", _extern),
    (r"(continue_loop|break_loop|loop_break|thread_return)$", _leave),
    (r"(tvm_access_ptr|address_of)$", lambda walk, call, operation: None),
)
