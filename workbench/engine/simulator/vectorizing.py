"""Which serial loops may run as one numpy statement: those whose iterations cannot meet."""

from __future__ import annotations

from typing import Any

from workbench.engine.simulator.tir import arith, call_name, static_int, tirx, visit
from workbench.engine.simulator.translator import Axis, Translator

# Operations for which numpy gives an array's elements the bits that it gives scalars. Elementary
# functions are not among them: vector code rounds differently.
_SAME_BITS = (
    tirx.Add,
    tirx.Sub,
    tirx.Mul,
    tirx.Div,
    tirx.FloorDiv,
    tirx.FloorMod,
    tirx.Max,
    tirx.Min,
    tirx.EQ,
    tirx.NE,
    tirx.LT,
    tirx.LE,
    tirx.GT,
    tirx.GE,
    tirx.And,
    tirx.Or,
    tirx.Not,
    tirx.Select,
    tirx.Cast,
    tirx.BufferLoad,
    tirx.Var,
    tirx.SizeVar,
    tirx.IntImm,
    tirx.FloatImm,
)
_CALLS = ("tirx.if_then_else",)


def is_elementwise(t: Translator, loop: Any) -> bool:
    """Whether running all iterations of a serial loop at once gives the same bits.

    So it is where the body is one store, each iteration has an element of its own, and what is
    read of the stored memory is that element alone.
    """
    store = loop.body
    return (
        not t.axes
        and isinstance(store, tirx.BufferStore)
        and static_int(loop.min) == 0
        and getattr(loop, "step", None) is None
        and _is_injective(store.indices, loop.loop_var)
        and all(_is_same_bits(node) for node in visit(store.value))
        and _reads_own_element_only(store)
    )


def elementwise_loop(t: Translator, loop: Any) -> None:
    """Emit the store with the loop's variable as an axis."""
    extent: int | str | None = static_int(loop.extent)
    if extent is None:
        extent = t.emitter.assign(t.scalar(loop.extent), "extent")
    t.bind_range(loop.loop_var, loop.min, loop.extent)
    t.axes = (Axis(loop.loop_var, extent),)
    t.statement(loop.body)
    t.axes = ()


def _is_injective(indices: Any, variable: Any) -> bool:
    """Whether one index rises linearly with the variable, and the others do not know it."""
    moving = [index for index in indices if _holds(index, variable)]
    if len(moving) != 1:
        return False
    found = arith.detect_linear_equation(moving[0], [variable])
    factor = static_int(found[0]) if len(found) else None
    return factor is not None and factor > 0


def _holds(expression: Any, variable: Any) -> bool:
    return any(isinstance(n, tirx.Var) and n.same_as(variable) for n in visit(expression))


def _is_same_bits(node: Any) -> bool:
    if isinstance(node, tirx.Call):
        return call_name(node) in _CALLS
    return isinstance(node, _SAME_BITS)


def _reads_own_element_only(store: Any) -> bool:
    in_indices = [node for index in store.indices for node in visit(index)]
    if any(_shares_memory(node, store) for node in in_indices):
        return False
    reads = [node for node in visit(store.value) if _shares_memory(node, store)]
    return all(_is_own_element(read, store) for read in reads)


def _shares_memory(node: Any, store: Any) -> bool:
    return isinstance(node, tirx.BufferLoad) and node.buffer.data.same_as(store.buffer.data)


def _is_own_element(load: Any, store: Any) -> bool:
    return bool(load.buffer.same_as(store.buffer)) and all(
        tirx.analysis.expr_deep_equal(own, stored)
        for own, stored in zip(load.indices, store.indices, strict=True)
    )
