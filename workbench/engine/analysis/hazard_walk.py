"""Makes a hazard program of the lowered statements of a kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from workbench.core.analysis.hazards import Agent, Mode
from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import calls, hazard_calls
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import Walk
from workbench.engine.analysis.expressions import Axis, Node, apply, const, name
from workbench.engine.analysis.hazard_program import (
    Assign,
    Branch,
    Leave,
    Loop,
    Order,
    Ordering,
    Program,
    Step,
    Touch,
    is_plain,
)
from workbench.engine.analysis.hazard_space import Regions, Registers
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.translation import class_of, dtype_bits, operator

_MODES = {
    SharedKind.LOAD: Mode.READ,
    SharedKind.LDMATRIX: Mode.READ,
    SharedKind.STORE: Mode.WRITE,
    SharedKind.STMATRIX: Mode.WRITE,
    SharedKind.ASYNC_COPY: Mode.WRITE,
    SharedKind.INTEGER_ATOMIC: Mode.ATOMIC,
    SharedKind.FLOAT_ATOMIC: Mode.ATOMIC,
}
_MATRIX_ROWS = 8


class HazardWalk(Walk):
    """Visits the statements of a device function and keeps what matters to order."""

    def __init__(
        self,
        func: Any,
        document: str,
        warp: int,
        descriptors: calls.Descriptors,
        block: tuple[int, int, int] | None,
    ) -> None:
        super().__init__(func, document, warp, descriptors)
        self._block = dict(zip("xyz", block, strict=True)) if block else {}
        self.translate: Registers = Registers(self.axes)
        self.pointers: Regions = Regions(self.translate)
        self.tensor_operands: dict[Any, Target] = {}
        self.untold = 0
        self._steps: list[Step] = []

    def program(self, body: Any) -> Program:
        """The program of a function's body."""
        self.statement(body)
        return Program(tuple(self._steps), self.pointers.end, self.untold)

    # -- what handlers use ------------------------------------------------------------------

    @property
    def line(self) -> int | None:
        """The document's line of the statement."""
        return self._line

    def emit(self, step: Step) -> None:
        """Add a step."""
        self._steps.append(step)

    def order(self, kind: Ordering, *values: Node, **more: Any) -> None:
        """Add an operation that orders threads."""
        self.emit(Order(kind, self._line, values=values, **more))

    def touch(self, touch: Touch) -> None:
        """Add an access, if all of it can be told."""
        touch = replace(
            touch,
            conditions=(*self._conditions, *touch.conditions),
            start_bytes=self.pointers.starts.get(touch.buffer, 0),
        )
        if any(node.unknown for node in (touch.address, *touch.conditions)):
            self.untold += 1
            if touch.slot is not None:
                self.order(Ordering.OPAQUE, reason="where a counted copy goes is not known")
        else:
            self.emit(touch)

    def add(self, access: Access) -> None:
        """Add an access that the walk of the base has found."""
        if access.memory != "shared":
            return
        mode = _MODES.get(access.kind)
        if access.unknown is not None or access.address is None or mode is None:
            self.untold += 1
            return
        agent, conditions = Agent.THREAD, access.conditions
        if access.kind is SharedKind.ASYNC_COPY:
            agent = Agent.COPY
        if access.kind in (SharedKind.LDMATRIX, SharedKind.STMATRIX):
            self.order(Ordering.CONVERGE)
            conditions = (*conditions, self._first_lanes(access.matrices * _MATRIX_ROWS))
        self.touch(
            Touch(
                mode,
                agent,
                access.buffer,
                access.address,
                access.width_bytes,
                self._line,
                max(1, dtype_bits(access.dtype) // 8) if access.dtype else 1,
                conditions=conditions,
                partner=access.partner_buffer,
            )
        )

    def _first_lanes(self, lanes: int) -> Node:
        lane = apply("floormod", name(self.axes.thread), const(self.axes.launch.warp))
        return apply("lt", lane, const(lanes))

    def leave(self, operation: str) -> None:
        """The kernel or a loop ends here for the threads that come here."""
        if operation == "thread_return":
            self.emit(Leave())
        else:
            self.order(Ordering.OPAQUE, reason="a loop may be left early")

    def expression(self, node: Any) -> None:
        """As the base; calls that order threads become steps."""
        handler = hazard_calls.handler(operator(node)) if class_of(node) == "Call" else None
        if handler is not None:
            handler(self, node)
        else:
            super().expression(node)

    # -- statements -------------------------------------------------------------------------

    def _visit(self, node: Any) -> None:
        own = _STATEMENTS.get(class_of(node))
        if own is None:
            super()._visit(node)
        else:
            own(self, node)

    @contextmanager
    def _nested(self) -> Iterator[list[Step]]:
        outer, self._steps = self._steps, []
        try:
            yield self._steps
        finally:
            self._steps = outer

    def _bind_index(self, variable: Any, tag: str) -> None:
        kind, _, dimension = tag.partition(".")
        if kind == "blockIdx" and self._block:
            self.translate.bind_node(variable, const(self._block[dimension]))
        else:
            super()._bind_index(variable, tag)

    def _turns(self, node: Any) -> None:
        self.expression(node.min)
        self.expression(node.extent)
        first = self.translate(node.min)
        axis = Axis(node.loop_var.name, self.translate(node.extent))
        self.translate.bind_node(node.loop_var, apply("add", first, name(axis)))
        with self._nested() as body:
            self.statement(node.body)
        if axis.extent.unknown and body:
            self._unknown_turns(tuple(body))
        elif is_plain(tuple(body)):
            self._steps.extend(_widened(tuple(body), axis))
        else:
            self.emit(Loop(axis, tuple(body)))

    def _unknown_turns(self, body: tuple[Step, ...]) -> None:
        if is_plain(body):
            self.untold += len(body)
        else:
            self.order(Ordering.OPAQUE, reason="a loop's number of turns is not known")

    def _repeated(self, node: Any) -> None:
        with self._nested() as body:
            self.expression(node.condition)
            self.statement(node.body)
        if body:
            self._unknown_turns(tuple(body))

    def _conditional(self, node: Any) -> None:
        self.expression(node.condition)
        condition = self.translate(node.condition)
        cases: list[tuple[Step, ...]] = []
        for case in (node.then_case, node.else_case):
            with self._nested() as steps:
                if case is not None:
                    self.statement(case)
            cases.append(tuple(steps))
        then, otherwise = cases
        if is_plain((*then, *otherwise)):
            self._held(then, condition)
            self._held(otherwise, apply("not", condition))
        else:
            self.emit(Branch(condition, then, otherwise, self._line))

    def _held(self, steps: tuple[Step, ...], condition: Node) -> None:
        for step in steps:
            if isinstance(step, Order):
                self.emit(step)
            elif condition.unknown is None:
                assert isinstance(step, Touch)
                self.emit(replace(step, conditions=(condition, *step.conditions)))
            else:
                self.untold += 1

    def _stored(self, node: Any) -> None:
        axis = self.translate.counter(node.buffer)
        if axis is None:
            self._store(node)
            return
        self.expression(node.value)
        self.emit(Assign(axis, self.translate(node.value)))

    def _allocated(self, node: Any) -> None:
        buffer = node.buffer
        if str(buffer.scope()) in ("shared", "shared.dyn"):
            try:
                elements = math.prod(int(extent) for extent in buffer.shape)
            except (TypeError, ValueError):
                return
            self.pointers.allocate(buffer.data, elements * dtype_bits(buffer.dtype) // 8)
        self._others(node)


def _widened(body: tuple[Step, ...], axis: Axis) -> Iterator[Step]:
    """The steps of a loop that orders nothing, each for all its turns."""
    for step in body:
        if isinstance(step, Touch):
            step = replace(step, loops=(axis, *step.loops))
        yield step


_STATEMENTS: dict[str, Callable[[HazardWalk, Any], None]] = {
    "For": HazardWalk._turns,
    "While": HazardWalk._repeated,
    "IfThenElse": HazardWalk._conditional,
    "BufferStore": HazardWalk._stored,
    "AllocBuffer": HazardWalk._allocated,
}
