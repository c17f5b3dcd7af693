"""Reads off the lowered device code in which order each warp copies, waits and computes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.index_expressions import FUNCTIONS
from workbench.core.analysis.pipeline import (
    Pipeline,
    PipelineLoop,
    PipelineStep,
    Slot,
    SlotArrivals,
    StepKind,
)
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.analysis.tile_regions import BLOCK_NAMES
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import Walk
from workbench.engine.analysis.copy_lines import Pair
from workbench.engine.analysis.expressions import (
    Axis,
    Const,
    Node,
    UnknownValueError,
    apply,
    evaluate,
    name,
)
from workbench.engine.analysis.index_text import index_text
from workbench.engine.analysis.pipeline_calls import CALLS, ORDERING, Call
from workbench.engine.analysis.pipeline_counters import Counters
from workbench.engine.analysis.pipeline_merging import merged, needed, roles_of
from workbench.engine.analysis.pointers import Pointers
from workbench.engine.analysis.shared_memory import LoweredKernel
from workbench.engine.analysis.tensor_maps import tensor_maps
from workbench.engine.analysis.translation import class_of, operator
from workbench.engine.analysis.work_facts import pipeline_stages

Mask = npt.NDArray[np.bool_]
_LINE = 128
_STAGES = ("tl_pipelined_num_stages", "num_stages")


def pipeline(kernel: LoweredKernel, copies: Mapping[Pair, int]) -> Pipeline:
    """The steps of a device function; `copies` are the lines of copies by their buffers.

    Raises ValueError where the launch is not constant, or where data decide how often the steps of
    a loop are done.
    """
    warp = kernel.target.arch.limits.warp_size or 32
    walk = PipelineWalk(kernel, warp, copies)
    walk.statement(kernel.func.body)
    steps = merged(needed(walk.steps, walk.loops))
    last = -(-walk.axes.launch.threads // warp) - 1
    stages = max(pipeline_stages(kernel.tile_func), *(loop.stages for loop in walk.loops), 0)
    waits = any(step.kind is StepKind.COPY for step in steps)
    return Pipeline(
        walk.axes.launch.threads,
        warp,
        roles_of(steps, last),
        tuple(walk.loops),
        steps,
        tuple(walk.arrivals),
        stages if waits else 0,
    )


class PipelineWalk(Walk):
    """Visits the statements of a device function and keeps its steps."""

    def __init__(self, kernel: LoweredKernel, warp: int, copies: Mapping[Pair, int]) -> None:
        maps = tensor_maps(kernel.host_module)
        super().__init__(kernel.func, kernel.document, warp, maps)
        self._names: set[str] = {*FUNCTIONS, *BLOCK_NAMES, "and", "or", "not", "thread"}
        self.translate: Counters = Counters(self.axes, self._name_for)
        self.pointers = Pointers(self.translate)
        self.steps: list[PipelineStep] = []
        self.loops: list[PipelineLoop] = []
        self.arrivals: list[SlotArrivals] = []
        self._copies = copies
        self._warp = warp
        self._mask: Mask = np.ones(self.axes.launch.threads, dtype=np.bool_)
        self._guards: tuple[str, ...] = ()
        self._guarded = False
        self._slot: Slot | None = None
        self._row = _LINE

    # -- what handlers of calls use ---------------------------------------------------------

    def keep(self, kind: StepKind, text: str, **more: Any) -> None:
        """Keep a step at the present place."""
        warps = np.flatnonzero(self._mask) // self._warp
        if not len(warps):
            return
        step = PipelineStep(
            kind,
            more.pop("line", self._line),
            text,
            (int(warps[0]), int(warps[-1])),
            int(self._mask.sum()),
            guards=self._guards,
            guarded=self._guarded,
            **more,
        )
        self.steps.append(step)

    def slot(self, argument: Any) -> Slot | None:
        """The mbarrier that an argument names; None where that cannot be told."""
        if class_of(argument) != "BufferLoad" or len(argument.indices) != 1:
            return None
        try:
            index = index_text(self.translate(argument.indices[0]))
        except ValueError:
            return None  # the index depends on data
        return Slot(str(argument.buffer.data.name), index)

    def text(self, expression: Any) -> str | None:
        """A number of a call as an expression; None where it depends on data."""
        try:
            return index_text(self.translate(expression))
        except ValueError:
            return None

    def initialise(self, argument: Any, count: Any) -> None:
        """An mbarrier is made for so many arrivals."""
        slot, number = self.slot(argument), self.translate(count)
        if slot is not None and slot.index.isdigit() and isinstance(number, Const):
            self.arrivals.append(SlotArrivals(slot.buffer, int(slot.index), number.value))

    # -- accesses and calls -----------------------------------------------------------------

    def add(self, access: Access) -> None:
        """Keep an access that the walk of the base has found."""
        if access.kind is SharedKind.BULK_COPY:
            stores = "store" in access.operation or "reduce" in access.operation
            text = "TMA store" if stores else "TMA load"
            self.copied(text, access.buffer, access.partner_buffer or "", access.size_bytes)
        elif access.memory == "global":
            kind = StepKind.LOAD if access.kind is SharedKind.LOAD else StepKind.STORE
            self.keep(kind, kind.value)
        elif access.memory == "shared" and access.kind is not SharedKind.TENSOR:
            self.keep(StepKind.MOVE, access.kind.value, buffers=(access.buffer,))

    def copied(self, text: str, inside: str, outside: str, size: int) -> None:
        """Keep a copy in the background: `size` bytes of each execution of a thread."""
        by_box = text != "cp.async"
        line = self._line
        if by_box or line is None:
            line = self._copies.get(frozenset((inside, outside)), line)
        kind = StepKind.STORE if "store" in text else StepKind.COPY
        total = size if by_box else size * int(self._mask.sum())
        lines = size // self._row if by_box and kind is StepKind.COPY else 0
        more = {"slot": self._slot, "bytes": total, "lines": lines}
        self.keep(kind, text, line=line, buffers=(inside,), **more)

    def expression(self, node: Any) -> None:
        """As the base; calls that matter to order become steps."""
        found = _call(operator(node)) if class_of(node) == "Call" else None
        if found is not None:
            found(self, node)
            return
        if class_of(node) == "BufferLoad":
            self._touched(SharedKind.LOAD, node.buffer)
        elif class_of(node) == "Call":
            self._plain_call(node)
        else:
            super().expression(node)

    def _plain_call(self, call: Any) -> None:
        """A call of the base, which may be a copy that an mbarrier counts."""
        barriers = [argument for argument in call.args if _is_barrier(argument)]
        found = self.descriptors.get(str(getattr(call.args[0], "name", ""))) if call.args else None
        outer = self._slot, self._row
        self._slot = self.slot(barriers[0]) if len(barriers) == 1 else None
        row = found.box[0] * found.element_bits // 8 if found is not None else _LINE
        self._row = max(1, min(row, _LINE))
        super().expression(call)
        self._slot, self._row = outer

    def _touched(self, kind: SharedKind, buffer: Any) -> None:
        """An element of a buffer, wherever it lies."""
        place = self.pointers.of(buffer.data)
        if place.memory in ("shared", "global"):
            self.add(Access(kind, place.memory, place.name, "", 0, "", None))

    # -- statements -------------------------------------------------------------------------

    def _visit(self, node: Any) -> None:
        own = _STATEMENTS.get(class_of(node))
        if own is None:
            super()._visit(node)
        else:
            own(self, node)

    def _bind_index(self, variable: Any, tag: str) -> None:
        kind, _, dimension = tag.partition(".")
        if kind == "blockIdx":
            axis = Axis(BLOCK_NAMES["xyz".index(dimension)], self.axes.grid[dimension].extent)
            self.translate.bind_node(variable, name(axis))
        else:
            super()._bind_index(variable, tag)

    def _turns(self, node: Any) -> None:
        start, extent = self.translate(node.min), self.translate(node.extent)
        axis = Axis(self._name_for(str(node.loop_var.name)), extent)
        self.translate.bind_node(node.loop_var, apply("add", start, name(axis)))
        outer, self.steps = self.steps, []
        self.statement(node.body)
        body, self.steps = self.steps, outer
        if any(step.kind in ORDERING for step in body):
            place = self._kept_loop(node, axis)
            body = [replace(step, loops=(place, *step.loops)) for step in body]
        elif isinstance(extent, Const):
            body = [_times(step, extent.value) for step in body]
        self.steps += body

    def _kept_loop(self, node: Any, axis: Axis) -> int:
        notes = dict(node.annotations or {})
        stages = next((int(notes[key]) for key in _STAGES if key in notes), 0)
        label, extent = str(node.loop_var.name), _text(axis.extent)
        self.loops.append(PipelineLoop(axis.name, label, extent, self._line, stages))
        return len(self.loops) - 1

    def _name_for(self, label: str) -> str:
        base = re.sub(r"\W", "_", label)
        free = (f"{base}_{n}" if n else base for n in range(len(self._names) + 1))
        found = next(each for each in free if each not in self._names)
        self._names.add(found)
        return found

    def _repeated(self, node: Any) -> None:
        self.expression(node.condition)
        before = len(self.steps)
        self.statement(node.body)
        if any(step.kind in ORDERING for step in self.steps[before:]):
            raise ValueError("a while loop decides how often its steps are done")

    def _conditional(self, node: Any) -> None:
        self.expression(node.condition)
        condition = self.translate(node.condition)
        for case, held in ((node.then_case, condition), (node.else_case, apply("not", condition))):
            if case is not None:
                with self._under(held):
                    self.statement(case)

    @contextmanager
    def _under(self, condition: Node) -> Iterator[None]:
        outer = self._mask, self._guards, self._guarded
        if condition.axes == frozenset((self.axes.thread,)):
            self._mask = self._mask & _threads(condition, self.axes.thread, len(self._mask))
        elif self.axes.thread in condition.axes or condition.unknown is not None:
            self._guarded = True
        else:
            text = _text(condition)
            self._guards += (text,) if text is not None else ()
            self._guarded = self._guarded or text is None
        yield
        self._mask, self._guards, self._guarded = outer

    def _stored(self, node: Any) -> None:
        counter = self.translate.counter(node.buffer)
        if counter is not None:
            self.expression(node.value)
            self.keep(StepKind.COUNT, counter.name, value=self.text(node.value))
            return
        before = len(self.steps)
        self.expression(node.value)
        self._touched(SharedKind.STORE, node.buffer)
        if len(self.steps) == before and str(node.buffer.scope()).startswith("local"):
            self.keep(StepKind.VECTOR, "registers")


def _call(operation: str) -> Call | None:
    return next((found for form, found in CALLS if re.match(form, operation)), None)


def _is_barrier(argument: Any) -> bool:
    return class_of(argument) == "BufferLoad" and "barrier" in str(argument.buffer.scope())


def _times(step: PipelineStep, turns: int) -> PipelineStep:
    """A copy that a loop repeats is one copy of as much more."""
    return replace(step, bytes=step.bytes * turns, lines=step.lines * turns)


def _text(node: Node) -> str | None:
    try:
        return index_text(node)
    except ValueError:
        return None  # the launch or data decide it


def _threads(condition: Node, thread: Axis, count: int) -> Mask:
    try:
        values = evaluate(condition, {thread: np.arange(count)}, {})
    except UnknownValueError:
        return np.ones(count, dtype=np.bool_)
    return np.broadcast_to(np.asarray(values) != 0, (count,))


_STATEMENTS: dict[str, Callable[[PipelineWalk, Any], None]] = {
    "For": PipelineWalk._turns,
    "While": PipelineWalk._repeated,
    "IfThenElse": PipelineWalk._conditional,
    "BufferStore": PipelineWalk._stored,
}
