"""Copies that each thread orders for itself from global to shared memory (`cp.async`)."""

from __future__ import annotations

from typing import Any

from workbench.engine.simulator.memory import shifted
from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.threadwise import element_axis, known, named_element
from workbench.engine.simulator.tir import static_int, tirx
from workbench.engine.simulator.translator import Translator


@operation("tl.ptx_cp_async")
def _async_copy(t: Translator, node: Any) -> None:
    """The arguments are two pointers, the number of elements and, optionally, a condition.

    The copy is done at once: what reads shared memory before it has waited is not found out.
    Threads for which the condition does not hold write zeros (PTX ISA, `cp.async` with a source
    of no bytes).
    """
    target, source = (named_element(t, each) for each in node.args[:2])
    count = static_int(node.args[2])
    if count is None or target.buffer.dtype != source.buffer.dtype:
        raise t.unsupported("an asynchronous copy of a size or type that is not constant")
    condition = known(t, node.args[3]) if len(node.args) > 3 else None
    with element_axis(t, count) as element:
        value = shifted(source, element)
        if condition is not None:
            zero = tirx.const(0, str(source.buffer.dtype))
            value = tirx.if_then_else(condition, value, zero)
        place = shifted(target, element)
        t.statement(tirx.BufferStore(place.buffer, value, place.indices))
