"""The parameters of a kernel and what its body does with them, read without executing it."""

from __future__ import annotations

from typing import Any

from workbench.engine import simulator
from workbench.engine.simulator.tir import call_name, static_int, tirx, visit

_READS, _WRITES = 1, 2
# The masks of tl.region and tvm_access_ptr: 1 reads, 2 writes, 3 both.
_POINTER = "tirx.tvm_access_ptr"  # its buffer is a variable where an intrinsic is given a pointer
_MASK_AT = {"tl.region": 1, "tl.tileop.region": 1, _POINTER: 4}


def parameters_of(func: Any) -> tuple[simulator.Parameter, ...]:
    """The parameters of a PrimFunc in their order; also of one that the simulator cannot run.

    What is passed to an unknown call counts as read and written.
    """
    uses = _uses(func.body)
    return tuple(_parameter(func, each, uses) for each in func.params)


def _parameter(func: Any, variable: Any, uses: dict[Any, int]) -> simulator.Parameter:
    buffer = func.buffer_map.get(variable) if variable in func.buffer_map else None
    if buffer is None:
        return simulator.Parameter(
            str(variable.name), str(variable.dtype), (), False, reads=True, writes=False
        )
    used = uses.get(buffer.data, 0)
    shape = tuple(_size(each) for each in buffer.shape)
    return simulator.Parameter(
        str(buffer.name),
        str(buffer.dtype),
        shape,
        True,
        reads=bool(used & _READS),
        writes=bool(used & _WRITES),
    )


def _size(expression: Any) -> int | str:
    known = static_int(expression)
    return str(expression) if known is None else known


def _uses(body: Any) -> dict[Any, int]:
    """What is done with each buffer's memory, by data variable."""
    found: dict[Any, int] = {}
    nodes = visit(body)
    named: set[Any] = set()  # loads that only name a region

    def note(data: Any, mask: int) -> None:
        found[data] = found.get(data, 0) | mask

    for node in (each for each in nodes if isinstance(each, tirx.Call)):
        at = _MASK_AT.get(call_name(node))
        if at is not None and isinstance(node.args[0], tirx.BufferLoad):
            named.add(node.args[0])
            note(node.args[0].buffer.data, static_int(node.args[at]) or _READS | _WRITES)
            continue
        if call_name(node) == _POINTER and isinstance(node.args[1], tirx.Var):
            note(node.args[1], static_int(node.args[_MASK_AT[_POINTER]]) or _READS | _WRITES)
            continue
        for argument in node.args:
            if isinstance(argument, tirx.BufferRegion):
                note(argument.buffer.data, _READS | _WRITES)
            elif isinstance(argument, tirx.Var):
                note(argument, _READS | _WRITES)
    for node in nodes:
        if isinstance(node, tirx.BufferStore):
            note(node.buffer.data, _WRITES)
        elif isinstance(node, tirx.BufferLoad) and node not in named:
            note(node.buffer.data, _READS)
    return found
