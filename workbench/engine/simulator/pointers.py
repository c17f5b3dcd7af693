"""Tensors that a kernel makes from addresses (`T.make_tensor`): the memory of live tensors.

Tensors of a script lie in this process's memory, so that an address that it put into a table means
what it means on a GPU. An address is followed only into a tensor that is alive.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensor

from workbench.engine.simulator.expressions import bind
from workbench.engine.simulator.memory import shape_code
from workbench.engine.simulator.model import ArgumentError
from workbench.engine.simulator.registry import binding, helper
from workbench.engine.simulator.runtime import Runtime
from workbench.engine.simulator.tir import static_int
from workbench.engine.simulator.translator import Place, Translator

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
# What each run has found behind the addresses that it followed.
_FOLLOWED: weakref.WeakKeyDictionary[Runtime, dict[Any, Array]] = weakref.WeakKeyDictionary()


def follows_pointers(source: str) -> bool:
    """Whether a program reads or writes memory that is not among its arguments."""
    return "memory_at(" in source


@binding("tirx.reinterpret")
def _pointer(t: Translator, node: Any) -> None:
    """A pointer variable is an address as a number, and the buffers that are said to lie there."""
    if str(node.var.dtype) != "handle":
        bind(t, node.var, node.value)
        return
    address = t.emitter.assign(f"int({t.scalar(node.value.args[0])})", "address")
    for buffer in t.aliases.get(node.var, []):
        _lay(t, buffer, address)


def _lay(t: Translator, buffer: Any, address: str) -> None:
    if static_int(buffer.elem_offset) != 0 or len(buffer.strides):
        raise t.unsupported(f"{buffer.name}, made from a pointer with strides or an offset")
    name, dtype = t.emitter.fresh(buffer.name), str(buffer.dtype)
    place = Place(name, str(buffer.name), tuple(buffer.shape), dtype, True, buffer.data)
    given = f"{address}, {shape_code(t, place)}, {t.dtype(dtype)}, {place.label!r}"
    t.emitter.line(f"{name} = memory_at(rt, {given})")
    t.places[buffer] = place


@helper
def memory_at(rt: Runtime, address: int, shape: Shape, dtype: np.dtype[Any], label: str) -> Array:
    """Return the memory at an address as an array.

    Raises ArgumentError where no live tensor has so many bytes there.
    """
    known = _FOLLOWED.setdefault(rt, {})
    key = (address, shape, dtype)
    if key not in known:
        size = int(np.prod(shape)) * dtype.itemsize
        known[key] = _bytes_at(address, size, label).view(dtype).reshape(shape)
    return known[key]


def _bytes_at(address: int, size: int, label: str) -> Array:
    short: int | None = None
    for tensor in _live_tensors():
        storage = tensor.untyped_storage()
        offset = address - storage.data_ptr()
        if offset >= 0 and offset + size <= storage.nbytes():
            whole = torch.empty(0, dtype=torch.uint8).set_(storage)
            return np.asarray(whole.numpy()[offset : offset + size])
        if 0 <= offset < storage.nbytes():
            short = storage.nbytes() - offset
    if short is not None:
        raise ArgumentError(f"{label} takes {size} bytes, but its tensor has {short} from there on")
    raise ArgumentError(f"{label}: the address {address:#x} is that of no tensor")


def _live_tensors() -> list[torch.Tensor]:
    return [
        each
        for each in gc.get_objects()
        if issubclass(type(each), torch.Tensor)
        and not issubclass(type(each), FakeTensor)
        and each.device.type == "cpu"
        and each.layout == torch.strided
    ]
