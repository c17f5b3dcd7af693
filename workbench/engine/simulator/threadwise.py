"""Operations in which a thread handles several elements that follow each other, as one axis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from workbench.engine.simulator.memory import pointee, shifted
from workbench.engine.simulator.tir import tirx
from workbench.engine.simulator.translator import Axis, Translator
from workbench.engine.simulator.vectors import named


@contextmanager
def element_axis(t: Translator, count: int) -> Iterator[Any]:
    """Add an axis of so many elements to those of the statement; gives its TIR variable."""
    outer, variable = t.axes, tirx.Var("element", "int32")
    t.bind_range(variable, 0, tirx.IntImm("int32", count))
    t.axes = (*outer, Axis(variable, count))
    yield variable
    t.axes = outer


def known(t: Translator, node: Any) -> Any:
    """Return a variable for what an expression is for each thread, usable under a further axis."""
    value = t.expression(node)
    # A thread's own variable keeps its value for each thread: the further axis is no T.Parallel.
    return named(t, replace(value, per_thread=False)) if value.is_vector else node


def named_element(t: Translator, node: Any) -> Any:
    """Return the element that a pointer names, with indices that are usable under another axis."""
    element = pointee(t, node)
    return tirx.BufferLoad(element.buffer, [known(t, index) for index in element.indices])


def registers(t: Translator, first: Any, count: int) -> str:
    """Return an array of what each thread has in `count` elements: a row for each thread."""
    with element_axis(t, count) as element:
        code = t.expression(shifted(first, element)).code
        return f"np.broadcast_to({code}, {t.shape_code()})"


def count_threads(t: Translator, what: str) -> str:
    """Return how many threads there are, where the kernel tells them apart."""
    if t.lanes is None or t.in_parallel:
        raise t.unsupported(f"{what} outside a kernel with thread indices")
    return str(t.axes[0].extent)
