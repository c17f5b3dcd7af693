"""What the intrinsics of the lowered IR do to shared and global memory, one handler each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.expressions import Node, apply, const
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.tensor_maps import TensorMap
from workbench.engine.analysis.translation import class_of, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.accesses import Walk

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


def visit(walk: Walk, call: Any) -> None:
    """Keep the accesses of a call, and visit its arguments for those in them."""
    operation = operator(call)
    for pattern, handler in _HANDLERS:
        if re.match(pattern, operation):
            handler(walk, call, operation)
            return
    for argument in call.args:
        walk.expression(argument)


def _conditional(walk: Walk, call: Any, operation: str) -> None:
    condition, then, otherwise = call.args
    walk.expression(condition)
    node = walk.translate(condition)
    with walk.under(node):
        walk.expression(then)
    with walk.under(apply("not", node)):
        walk.expression(otherwise)


def _async_copy(walk: Walk, call: Any, operation: str) -> None:
    inside, outside = (walk.pointers.target(each) for each in call.args[:2])
    if inside is None or outside is None or class_of(call.args[2]) != "IntImm":
        return
    width = int(int(call.args[2]) * inside.element_bytes)
    for pointer in call.args[:2]:
        walk.expression(pointer)
    access = _at(SharedKind.ASYNC_COPY, inside, width, operation)
    access = replace(access, partner=outside.address, partner_buffer=outside.place.name)
    if len(call.args) > 3:
        access = replace(access, filled=(walk.translate(call.args[3]),))
    walk.add(access)


def _matrices(kind: SharedKind) -> Callable[[Walk, Any, str], None]:
    def handler(walk: Walk, call: Any, operation: str) -> None:
        target = walk.pointers.target(call.args[2])
        if target is not None:
            access = _at(kind, target, 16, operation)
            walk.add(replace(access, matrices=int(call.args[1])))
        for argument in call.args[3:]:
            if kind is SharedKind.STMATRIX:
                walk.expression(argument)

    return handler


def _wide(walk: Walk, call: Any, operation: str) -> None:
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


def _predicate(walk: Walk, call: Any) -> tuple[Any, ...]:
    """The last argument of a load or store of a fixed width where it is a condition."""
    last = call.args[-1]
    is_condition = len(call.args) > 1 and str(getattr(last, "dtype", "")) == "bool"
    return (walk.translate(last),) if is_condition else ()


def _atomic(walk: Walk, call: Any, operation: str) -> None:
    target = walk.pointers.target(call.args[0])
    match = _ATOMIC.match(operation)
    for argument in call.args:
        walk.expression(argument)
    if target is None or match is None:
        return
    values = {"x2": 2, "x4": 4}.get(match[2] or "", 1)
    width = int(target.element_bytes * values)
    plain = {"load": SharedKind.LOAD, "store": SharedKind.STORE}.get(match[1])
    floating = "float" in target.dtype
    kind = SharedKind.FLOAT_ATOMIC if floating else SharedKind.INTEGER_ATOMIC
    access = _at(plain or kind, target, width, operation)
    walk.add(replace(access, counts=match[1] == "add" and not match[3] and _is_one(call.args[1])))


def _is_one(value: Any) -> bool:
    return class_of(value) == "IntImm" and int(value) == 1


def _tensor(walk: Walk, call: Any, operation: str) -> None:
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


def _bulk(walk: Walk, call: Any, operation: str) -> None:
    """A copy by the tensor memory accelerator, in boxes or in a row."""
    first = call.args[0]
    targets = [t for arg in call.args if (t := walk.pointers.target(arg)) is not None]
    inside = next((t for t in targets if t.memory == "shared"), None)
    buffer = inside.place.name if inside else "?"
    tensor_map = walk.descriptors.get(str(getattr(first, "name", "")))
    outside = tensor_map.buffer if tensor_map else None
    size = tensor_map.box_bytes if tensor_map else _row_bytes(call, targets)
    row = next((t for t in targets if t.memory == "global"), None)
    if outside is None and row is not None:
        outside = row.place.name
    access = _described(walk, SharedKind.BULK_COPY, operation, size)
    dtype = inside.dtype if inside else ""
    access = replace(access, buffer=buffer, partner_buffer=outside, dtype=dtype)
    if tensor_map is not None:
        access = replace(access, coordinates=_coordinates(walk, call, len(tensor_map.box)))
    elif row is not None:
        access = replace(access, partner=row.address)
    walk.add(access)


def _coordinates(walk: Walk, call: Any, rank: int) -> tuple[Node, ...]:
    """Where a box begins: the arguments behind the pointer to shared memory."""
    targets = [walk.pointers.target(each) for each in call.args]
    inside = [place for place, t in enumerate(targets) if t is not None and t.memory == "shared"]
    begin = inside[0] + 1 if inside else len(targets)
    return tuple(walk.translate(each) for each in call.args[begin : begin + rank])


def _row_bytes(call: Any, targets: list[Target]) -> int:
    """The size argument of a copy of a row; it follows the pointers."""
    if len(targets) < 2:
        return 0
    sizes = [int(arg) for arg in call.args if class_of(arg) == "IntImm"]
    return sizes[0] if sizes else 0


def _extern(walk: Walk, call: Any, operation: str) -> None:
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


def _workspace(walk: Walk, workspace: reductions.Workspace, target: Target) -> None:
    width = max(1, int(target.element_bytes))
    thread = walk.translate.thread_index("x")
    for kind, index in reductions.accesses(workspace, thread, walk.axes.launch.warp):
        address = apply("add", target.address, apply("mul", index, const(width)))
        walk.add(_at(kind, replace(target, address=address), width, "AllReduce"))


def _pointed(walk: Walk, load: Any) -> None:
    """What is pointed at is not loaded, but the indices may be."""
    for index in getattr(load, "indices", ()):
        walk.expression(index)


def _leave(walk: Walk, call: Any, operation: str) -> None:
    walk.leave(operation)


def _at(kind: SharedKind, target: Target, width: int, operation: str) -> Access:
    place = target.place
    return Access(kind, place.memory, place.name, target.dtype, width, operation, target.address)


def _described(walk: Walk, kind: SharedKind, operation: str, size: int) -> Access:
    return Access(kind, "shared", "", "", 16, operation, None, size_bytes=size)


_HANDLERS: tuple[tuple[str, Callable[[Walk, Any, str], None]], ...] = (
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
    (r"tvm_access_ptr$", lambda walk, call, operation: walk.expression(call.args[2])),
    (r"address_of$", lambda walk, call, operation: _pointed(walk, call.args[0])),
)
