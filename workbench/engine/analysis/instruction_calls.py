"""What the intrinsics of the lowered IR are as instructions, one handler for each kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.engine.analysis import reductions
from workbench.engine.analysis.tensor_maps import TensorMap
from workbench.engine.analysis.translation import class_of, dtype_bits, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.instructions import _Walk


@dataclass(frozen=True)
class Place:
    """A buffer and the memory that it is in: "global", "shared", "local" or another scope."""

    name: str
    memory: str


@dataclass(frozen=True)
class Found:
    """An instruction: `form` is its kind, `text` its name for a person.

    `width_bytes` is what one moves, of a lane's or of a whole box; None for what moves none.
    `linear` says that it moves one run of bytes, whatever the rows on either side; `policy` is what
    it asks of L2, None where that is nothing.
    """

    form: str
    text: str
    width_bytes: int | None = None
    places: tuple[Place, ...] = ()
    note: str | None = None
    linear: bool = False
    policy: str | None = None


_ATOMIC = re.compile(r"atomic_([a-z]+?)(x2|x4)?(_ret)?_elem_op$")
_WIDE = re.compile(r"(lds|sts|ldg|stg)(\d+)$")
_SHAPE = re.compile(r"m\d+n\d+k\d+$")
_DTYPES = re.compile(r"(fp|bf|tf|int|uint|e\dm\d|b)\w*$")
_WARP = 32
# Of L2, by their numbers. Source: TileLang 0.1.15, tilelang/language/copy_op.py.
_POLICIES = (None, "evict_first", "evict_last")


def visit(walk: _Walk, call: Any) -> None:
    """Keep a call's instruction, and visit its arguments where they may hold others."""
    name = operator(call)
    for pattern, handler in _HANDLERS:
        if re.match(pattern, name):
            handler(walk, call, name)
            return
    for argument in call.args:
        walk.expression(argument)


def scope_of(variable: Any) -> str:
    """The memory scope of a pointer variable."""
    kind = getattr(variable, "ty", None) or getattr(variable, "type_annotation", None)
    scope = str(getattr(kind, "storage_scope", ""))
    return {"": "global", "shared.dyn": "shared"}.get(scope, scope)


def _nothing(walk: _Walk, call: Any, name: str) -> None:
    """An address is no access."""


def _pointers(walk: _Walk, call: Any) -> list[tuple[Place, Any]]:
    """The buffers that the arguments of a call point into, with the type of their elements."""
    found = []
    for argument in call.args:
        kind = class_of(argument)
        if kind == "Call" and operator(argument) == "tvm_access_ptr":
            found.append((walk.place(argument.args[1]), argument.args[0].dtype))
        elif kind == "Call" and operator(argument) == "address_of":
            buffer = argument.args[0].buffer
            found.append((walk.place(buffer.data), buffer.dtype))
        elif kind == "Var" and str(argument.dtype) == "handle":
            found.append((walk.place(argument), "uint8"))
    return found


def _places(walk: _Walk, call: Any) -> tuple[Place, ...]:
    return tuple(place for place, _ in _pointers(walk, call))


def _async_copy(walk: _Walk, call: Any, name: str) -> None:
    pointers = _pointers(walk, call)
    width = int(call.args[2]) * dtype_bits(pointers[0][1]) // 8 if pointers else None
    walk.add(Found("cp.async", "cp.async", width, _places(walk, call)))


def _ldmatrix(walk: _Walk, call: Any, name: str) -> None:
    transposed = ".trans" if bool(int(call.args[0])) else ""
    text = f"ldmatrix.x{int(call.args[1])}{transposed}"
    walk.add(Found("ldmatrix", text, 16, _places(walk, call)))


def _stmatrix(walk: _Walk, call: Any, name: str) -> None:
    for argument in call.args[3:]:
        walk.expression(argument)
    transposed = ".trans" if bool(int(call.args[0])) else ""
    text = f"stmatrix.x{int(call.args[1])}{transposed}"
    walk.add(Found("stmatrix", text, 16, _places(walk, call)))


def _matrix(text: str) -> Callable[[_Walk, Any, str], None]:
    """A handler of a matrix instruction: its shape and the types of A, B and the accumulator."""

    def handler(walk: _Walk, call: Any, name: str) -> None:
        words = [str(a.value) for a in call.args if class_of(a) == "StringImm"]
        shape = next((word for word in words if _SHAPE.match(word)), "")
        dtypes = [word for word in words if _DTYPES.match(word) and word != shape]
        of = f"{', '.join(dtypes[-3:-1])} -> {dtypes[-1]}" if len(dtypes) >= 3 else ""
        parts = (text, shape, of)
        walk.add(
            Found("mma", " ".join(p for p in parts if p), None, _places(walk, call), _feed(name))
        )

    return handler


def _feed(name: str) -> str | None:
    """Where a matrix instruction of a warp group takes its operands from."""
    feeds = {
        "ss": "A and B from shared memory",
        "rs": "A from registers, B from shared memory",
        "ts": "A from tensor memory, B from shared memory",
    }
    return next((text for end, text in feeds.items() if name.endswith(f"_{end}")), None)


def _mfma(walk: _Walk, call: Any, name: str) -> None:
    text = f"v_mfma_{call.args[0].value}"
    walk.add(Found("mma", text, None, _places(walk, call)))


def _bulk(walk: _Walk, call: Any, name: str) -> None:
    """A copy by the tensor memory accelerator; the tensor map tells its box."""
    tensor_map = walk.maps.get(str(getattr(call.args[0], "name", "")))
    places = tuple(p for p in _places(walk, call) if p.name not in walk.maps)
    outside = (Place(tensor_map.buffer, "global"),) if tensor_map else ()
    load = name.startswith("tma_load")
    text = "TMA load" if load else "TMA store"
    width = tensor_map.box_bytes if tensor_map else _row_bytes(call)
    detail = _box(tensor_map) if tensor_map else "a row (cp.async.bulk)"
    both = (*outside, *places) if load else (*places, *outside)
    linear = class_of(call.args[0]) == "Call"  # an address; a tensor map is a variable
    policy = _policy(call) if re.match(r"tma_(load|store)$", name) else None
    walk.add(Found("tma", f"{text}, {detail}", width, both, linear=linear, policy=policy))


def _policy(call: Any) -> str | None:
    """What a bulk copy asks of L2: its last argument."""
    last = call.args[-1]
    number = int(last) if class_of(last) == "IntImm" else 0
    return _POLICIES[number] if 0 <= number < len(_POLICIES) else None


def _box(tensor_map: TensorMap) -> str:
    """A box with its outermost extent first, as shapes are written."""
    box = "x".join(str(extent) for extent in reversed(tensor_map.box))
    swizzle = tensor_map.swizzle_bytes
    how = f"swizzle {swizzle} B" if swizzle else "no swizzle"
    return f"box {box} of {tensor_map.element_bits} bits, {how} (cp.async.bulk.tensor)"


def _row_bytes(call: Any) -> int | None:
    sizes = [int(arg) for arg in call.args if class_of(arg) == "IntImm"]
    return sizes[0] if sizes else None


def _wide(walk: _Walk, call: Any, name: str) -> None:
    match = _WIDE.match(name)
    assert match is not None
    for argument in call.args[1:]:
        walk.expression(argument)
    form = "load" if match[1].startswith("ld") else "store"
    walk.add(Found(form, form, int(match[2]) // 8, _places(walk, call)[:1]))


def _atomic(walk: _Walk, call: Any, name: str) -> None:
    match = _ATOMIC.match(name)
    for argument in call.args[1:]:
        walk.expression(argument)
    if match is None or not (pointers := _pointers(walk, call)):
        return
    place, dtype = pointers[0]
    values = {"x2": 2, "x4": 4}.get(match[2] or "", 1)
    text = f"atomic {match[1]} of {values} {dtype}" if values > 1 else f"atomic {match[1]} {dtype}"
    walk.add(Found("atomic", text, values * dtype_bits(dtype) // 8, (place,)))


def _extern(walk: _Walk, call: Any, name: str) -> None:
    function = str(getattr(call.args[0], "value", ""))
    for argument in call.args[1:]:
        walk.expression(argument)
    reduction = reductions.workspace(function)
    if reduction is not None:
        walk.add(Found("reduce", _exchange(reduction), None, _places(walk, call)))
    elif "gemm" in function or "mma" in function:
        walk.add(Found("mma", function, None, _places(walk, call)))
    else:
        walk.add(Found("extern", function, None, _places(walk, call)))


def _exchange(reduction: reductions.Workspace) -> str:
    """Source: TileLang 0.1.15, tl_templates/cuda/reduce.h: partners in a warp shuffle."""
    members = reduction.threads // reduction.scale
    if reduction.threads <= _WARP:
        return f"shuffles among {members} threads"
    if reduction.scale >= _WARP:
        return f"shared memory among {members} threads of different warps"
    return f"shuffles within warps and shared memory between them, {members} threads"


def _shuffle(walk: _Walk, call: Any, name: str) -> None:
    for argument in call.args:
        walk.expression(argument)
    walk.add(Found("reduce", "shuffles", None))


def _other(form: str, text: str | None = None) -> Callable[[_Walk, Any, str], None]:
    """A handler that keeps the operator's own name where `text` gives none."""

    def handler(walk: _Walk, call: Any, name: str) -> None:
        walk.add(Found(form, text or name, None, _places(walk, call)))

    return handler


_HANDLERS: tuple[tuple[str, Callable[[_Walk, Any, str], None]], ...] = (
    (r"ptx_cp_async$", _async_copy),
    (r"ptx_ldmatrix$", _ldmatrix),
    (r"ptx_stmatrix$", _stmatrix),
    (r"ptx_mma_sp$", _matrix("mma.sp.sync")),
    (r"ptx_mma", _matrix("mma.sync")),
    (r"ptx_wgmma", _matrix("wgmma")),
    (r"ptx_tcgen05_mma", _matrix("tcgen05.mma")),
    (r"tvm_mfma", _mfma),
    (r"simdgroup_multiply_accumulate", _other("mma", "simdgroup_multiply_accumulate 8x8x8")),
    (r"simdgroup_(load|store)", _other("matrix move")),
    (r"tma_(load|store)($|_multicast|_im2col|_cluster|_gather4|_scatter4)", _bulk),
    (r"(lds|sts|ldg|stg)\d+$", _wide),
    (r"atomic_", _atomic),
    (r"(tvm_warp_shuffle|shfl|tl_shfl)", _shuffle),
    (r"call_(pure_)?extern$", _extern),
    (r"tcgen05_(ld|st|cp)|ptx_tcgen05_(ld|st|cp)", _other("tensor memory")),
    (r"ascend_mad|ascend_mmad", _other("mma")),
    (r"ascend_(copy|load|fix)", _other("ascend copy")),
    (r"initialize_\w*descriptor$", _other("descriptor")),
    (r"(tvm_access_ptr|address_of|handle_add_byte_offset)$", _nothing),
)
