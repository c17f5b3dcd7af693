"""What range an index runs over while the threads and parallel loops of a block run through theirs.

An axis with `thread` set is one of those that run at once; all others (blocks, serial loops) stay
as names in what comes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.engine.analysis.expressions import (
    Axis,
    Const,
    Name,
    Node,
    Op,
    apply,
    const,
    evaluate,
    terms,
    total,
)

_MOST_POINTS = 1 << 20


class SpanError(ValueError):
    """The range of an index cannot be told; the message says why."""


@dataclass(frozen=True)
class Span:
    """All whole numbers from `low` to `low + extra`."""

    low: Node
    extra: Node

    @property
    def high(self) -> Node:
        """The largest."""
        return apply("add", self.low, self.extra)


def span_of(node: Node, conditions: Sequence[Node]) -> Span:
    """The range of an index where `conditions`, which depend on parallel axes alone, hold.

    Raises SpanError for an index that is no sum of simple terms, or is of no value at all.
    """
    if node.unknown is not None:
        raise SpanError(node.unknown)
    if not _runs(node):
        return Span(node, const(0))
    if _is_own(node):
        return _measured(node, conditions)
    if isinstance(node, Op) and node.symbol in ("add", "sub"):
        return _sum(node, conditions)
    form = _FORMS.get(node.symbol) if isinstance(node, Op) else None
    if form is None or not isinstance(node, Op):
        raise SpanError("an index mixes threads with blocks in a way that is not understood")
    return form([span_of(each, conditions) for each in node.inputs])


def is_own(node: Node) -> bool:
    """Whether a node depends on parallel axes, and on nothing else."""
    return _runs(node) and _is_own(node)


def _runs(node: Node) -> bool:
    return any(axis.thread for axis in node.axes)


def _points(axes: Iterable[Axis]) -> int | None:
    extents = [axis.extent for axis in axes]
    known = [extent.value for extent in extents if isinstance(extent, Const)]
    return math.prod(known) if len(known) == len(extents) else None


def _is_own(node: Node) -> bool:
    return all(axis.thread for axis in node.axes)


def _measured(node: Node, conditions: Sequence[Node]) -> Span:
    """The range of what parallel axes alone decide, all their turns looked at."""
    held = [each for each in conditions if each.axes & node.axes]
    axes = sorted(node.axes.union(*(each.axes for each in held)), key=lambda axis: axis.number)
    count = _points(axes)
    if count is None and isinstance(node, Name):
        return Span(const(0), apply("sub", node.axis.extent, const(1)))
    if count is None or count > _MOST_POINTS:
        raise SpanError("an index runs over more threads and turns than are looked at")
    sizes = [axis.extent.value for axis in axes if isinstance(axis.extent, Const)]
    values = {
        axis: np.arange(size).reshape([-1 if p == place else 1 for p in range(len(axes))])
        for place, (axis, size) in enumerate(zip(axes, sizes, strict=True))
    }
    found = np.broadcast_to(np.asarray(evaluate(node, values, {})), sizes)
    mask = np.ones(sizes, bool)
    for each in held:
        mask = mask & (np.asarray(evaluate(each, values, {})) != 0)
    if not mask.any():
        raise SpanError("no thread takes part in it")
    low, high = int(found[mask].min()), int(found[mask].max())
    return Span(const(low), const(high - low))


def _sum(node: Node, conditions: Sequence[Node]) -> Span:
    parts = terms(node)
    own = [(s, p) for s, p in parts if _runs(p) and _is_own(p)]
    same = [(s, p) for s, p in parts if not _runs(p)]
    mixed = [(s, p) for s, p in parts if _runs(p) and not _is_own(p)]
    result = Span(total(same), const(0))
    if own:
        result = _added(result, _measured(total(own), conditions), 1)
    for sign, part in mixed:
        result = _added(result, span_of(part, conditions), sign)
    return result


def _added(a: Span, b: Span, sign: int) -> Span:
    extra = apply("add", a.extra, b.extra)
    if sign > 0:
        return Span(apply("add", a.low, b.low), extra)
    return Span(apply("sub", a.low, b.high), extra)


def _product(inputs: Sequence[Span]) -> Span:
    span, factor = inputs
    if not isinstance(factor.low, Const):
        span, factor = factor, span
    if not isinstance(factor.low, Const) or not _is_zero(factor.extra):
        raise SpanError("an index multiplies two things that both vary")
    ends = [apply("mul", each, factor.low) for each in (span.low, span.high)]
    low = ends[0] if factor.low.value >= 0 else ends[1]
    return Span(low, apply("mul", span.extra, const(abs(factor.low.value))))


def _quotient(inputs: Sequence[Span]) -> Span:
    span, divisor = inputs[0], _divisor(inputs[1])
    low = apply("floordiv", span.low, const(divisor))
    grain = _grain(span.low, divisor)
    if grain == divisor:
        return Span(low, apply("floordiv", span.extra, const(divisor)))
    if isinstance(span.extra, Const) and span.extra.value < grain:
        return Span(low, const(0))
    return Span(low, apply("sub", apply("floordiv", span.high, const(divisor)), low))


def _remainder(inputs: Sequence[Span]) -> Span:
    span, divisor = inputs[0], _divisor(inputs[1])
    if isinstance(span.extra, Const) and span.extra.value < _grain(span.low, divisor):
        return Span(apply("floormod", span.low, const(divisor)), span.extra)
    return Span(const(0), const(divisor - 1))


def _grain(node: Node, divisor: int) -> int:
    """The largest divisor of a number that also divides every value of an expression, as far as
    can be seen: a range of less than so many from such a value on does not cross a multiple."""
    return math.gcd(divisor, *(_multiple(part) for _, part in terms(node)))


def _multiple(node: Node) -> int:
    """A number of which an expression is a multiple; 0 for 0."""
    if isinstance(node, Const):
        return abs(node.value)
    if isinstance(node, Op) and node.symbol == "mul":
        return math.prod(_multiple(each) for each in node.inputs)
    if isinstance(node, Op) and node.symbol in ("add", "sub", "floormod", "mod"):
        return math.gcd(*(_multiple(each) for each in node.inputs))
    return 1


def _least_or_most(symbol: str) -> Callable[[Sequence[Span]], Span]:
    def span(inputs: Sequence[Span]) -> Span:
        low = apply(symbol, *(each.low for each in inputs))
        high = apply(symbol, *(each.high for each in inputs))
        return Span(low, apply("sub", high, low))

    return span


def _divisor(span: Span) -> int:
    if not isinstance(span.low, Const) or not _is_zero(span.extra) or span.low.value < 1:
        raise SpanError("an index divides by something that varies")
    return span.low.value


def _is_zero(node: Node) -> bool:
    return isinstance(node, Const) and node.value == 0


_FORMS: dict[str, Callable[[Sequence[Span]], Span]] = {
    "mul": _product,
    "floordiv": _quotient,
    "div": _quotient,
    "floormod": _remainder,
    "mod": _remainder,
    "min": _least_or_most("min"),
    "max": _least_or_most("max"),
}
