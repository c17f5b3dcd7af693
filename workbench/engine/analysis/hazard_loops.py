"""Which turns of a loop have to be walked: the first, one round of its stages, and the last."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from workbench.engine.analysis.expressions import Axis, Const, Name, Node, Op, terms
from workbench.engine.analysis.hazard_program import (
    Assign,
    Branch,
    Leave,
    Loop,
    Order,
    Program,
    Step,
    Touch,
)

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_SHORT = 8  # turns of a loop that is walked in full anyway
_LONGEST = 64  # turns of a round that are worth leaving others out

Shape = tuple[int, tuple[int, ...]]


class Plan:
    """Which turns of each loop are walked.

    A round is after how many turns everything in a body that tells addresses, barriers and
    conditions repeats; whole rounds in the middle are left out. Where several parties meet in
    their loops, all leave out the same turns, or none does.
    """

    def __init__(self, steps: Sequence[Step], parties: int) -> None:
        loops = list(_loops(steps))
        self._shapes: dict[Loop, Shape | None] = {loop: _shape(loop) for loop in loops}
        if parties > 1:
            self._agree(loops)

    def _agree(self, loops: Sequence[Loop]) -> None:
        long = [loop for loop in loops if (_constant(loop.axis.extent) or _SHORT + 1) > _SHORT]
        counts = {_constant(loop.axis.extent) for loop in long}
        known = [shape for loop in long if (shape := self._shapes[loop]) is not None]
        self._shapes = dict.fromkeys(loops)
        if len(counts) != 1 or None in counts or len(known) < len(long):
            return
        round_ = math.lcm(*(shape[0] for shape in known))
        edges = tuple(edge for shape in known for edge in shape[1])
        self._shapes.update(dict.fromkeys(long, (round_, edges)))

    def turns(self, loop: Loop, count: int) -> list[int]:
        """The turns to walk, of `count`."""
        shape = self._shapes[loop]
        if shape is None or shape[0] > _LONGEST:
            return list(range(count))
        round_, edges = shape
        side = max(round_, 2)
        first = max([0, *(edge for edge in edges if edge * 2 < count)]) + side
        last = max([0, *(count - edge for edge in edges if edge * 2 >= count)]) + side
        left_out = max(0, count - first - last) // round_ * round_
        return [*range(min(first, count)), *range(first + left_out, count)]


def _loops(steps: Sequence[Step]) -> Iterator[Loop]:
    for step in steps:
        if isinstance(step, Loop):
            yield step
            yield from _loops(step.body)
        elif isinstance(step, Branch):
            yield from _loops((*step.then, *step.otherwise))


def _constant(node: Node) -> int | None:
    return node.value if isinstance(node, Const) else None


def _shape(loop: Loop) -> Shape | None:
    """The round of a loop and the turns near which comparisons change; None for no round."""
    round_, edges = 1, list[int]()
    for node in _nodes(loop.body):
        own = None if node is None else period(node, loop.axis)
        if node is None or own is None:
            return None
        round_ = math.lcm(round_, own)
        edges.extend(_edges(node, loop.axis))
    return round_, tuple(edges)


def expressions(program: Program) -> Iterator[Node]:
    """The expressions that tell addresses, conditions and barriers."""
    return (node for node in _nodes(program.steps, carried=True) if node is not None)


def period(node: Node, axis: Axis) -> int | None:
    """After how many turns the expression repeats, but for comparisons; None if it does not."""
    if axis not in node.axes:
        return 1
    if not isinstance(node, Op):
        return None
    if node.symbol in _COMPARISONS and None not in [slope(each, axis) for each in node.inputs]:
        return 1 if node.axes == {axis} else None
    if node.symbol in ("floormod", "mod") and isinstance(node.inputs[1], Const):
        found = _cycle(node.inputs[0], axis, node.inputs[1].value)
        if found is not None:
            return found
    return _lcm([period(each, axis) for each in node.inputs])


def _cycle(node: Node, axis: Axis, modulus: int) -> int | None:
    """After how many turns a sum repeats modulo a number."""
    return _lcm([_term_cycle(part, axis, modulus) for _, part in terms(node)])


def _term_cycle(part: Node, axis: Axis, modulus: int) -> int | None:
    rate = slope(part, axis)
    if rate is not None:
        return modulus // math.gcd(modulus, rate) if rate else 1
    if isinstance(part, Op) and isinstance(part.inputs[-1], Const):
        inner, number = part.inputs[0], part.inputs[-1].value
        if part.symbol in ("floordiv", "div") and slope(inner, axis) is not None:
            whole = modulus * number
            return whole // math.gcd(whole, slope(inner, axis) or whole)
        if part.symbol == "mul":
            return _cycle(inner, axis, modulus)
    return period(part, axis)


def slope(node: Node, axis: Axis) -> int | None:
    """How much a linear expression grows with each turn; None for one that is not linear."""
    if axis not in node.axes:
        return 0
    if isinstance(node, Name):
        return 1
    if not isinstance(node, Op):
        return None
    if node.symbol == "mul" and isinstance(node.inputs[1], Const):
        inner = slope(node.inputs[0], axis)
        return None if inner is None else inner * node.inputs[1].value
    if node.symbol not in ("add", "sub"):
        return None
    left, right = (slope(each, axis) for each in node.inputs)
    if left is None or right is None:
        return None
    return left + right if node.symbol == "add" else left - right


def _lcm(periods: Sequence[int | None]) -> int | None:
    known = [each for each in periods if each is not None]
    return math.lcm(*known) if len(known) == len(periods) else None


def _edges(node: Node, axis: Axis) -> Iterator[int]:
    """The turns at which comparisons of the loop variable with a number may change."""
    if not isinstance(node, Op) or axis not in node.axes:
        return
    rate = slope(node, axis) if node.symbol not in _COMPARISONS else None
    if rate is not None:
        return
    if node.symbol in _COMPARISONS:
        yield from _crossing(node, axis)
    for each in node.inputs:
        yield from _edges(each, axis)


def _crossing(node: Op, axis: Axis) -> Iterator[int]:
    left, right = node.inputs
    rate = (slope(left, axis) or 0) - (slope(right, axis) or 0)
    offset = sum(
        sign * part.value * side
        for side, tree in ((1, left), (-1, right))
        for sign, part in terms(tree)
        if isinstance(part, Const)
    )
    if rate:
        yield from (max(0, -offset // rate + beside) for beside in (-1, 2))


def _nodes(steps: Sequence[Step], *, carried: bool = False) -> Iterator[Node | None]:
    """All expressions among steps that may tell turns apart; None where they carry a state on.

    With `carried` what counters are given is told as well.
    """
    for step in steps:
        if isinstance(step, (Assign, Leave)):
            yield step.value if carried and isinstance(step, Assign) else None
        elif isinstance(step, Loop):
            yield step.axis.extent
            yield from _nodes(step.body, carried=carried)
        elif isinstance(step, Branch):
            yield step.condition
            yield from _nodes((*step.then, *step.otherwise), carried=carried)
        else:
            yield from _own(step)


def _own(step: Touch | Order) -> Iterator[Node]:
    if step.slot is not None:
        yield step.slot.index
    if isinstance(step, Order):
        yield from step.values
        return
    yield from (step.address, *step.conditions)
    yield from (axis.extent for axis in step.loops)
