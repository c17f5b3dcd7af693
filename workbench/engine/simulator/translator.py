"""The state of one translation: what each variable and buffer became, the axes, masks and line."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.call_lines import line_of_call
from workbench.engine.simulator.emitter import Emitter, Value
from workbench.engine.simulator.instrumentation import Instrumentation
from workbench.engine.simulator.model import Unsupported
from workbench.engine.simulator.registry import CALLS, EXPRESSIONS, OPERATIONS, STATEMENTS
from workbench.engine.simulator.roles import Apart, Members, Roles, Way
from workbench.engine.simulator.tir import (
    arith,
    call_name,
    ir,
    statement_line,
    static_int,
    tirx,
    visit,
)


@dataclass(frozen=True, eq=False)
class Axis:
    """A dimension along which statements are vectorised: a T.Parallel variable, or the threads.

    Two axes are equal only where they are one object.

    `variable` is None for the threads of a block with more than one thread dimension; `extent` is
    an int, or the name of a variable of the program.
    """

    variable: Any
    extent: int | str


@dataclass(frozen=True)
class Place:
    """Where a buffer lives: `name` in the program, `label` for the person.

    `leading` are axes for which each lane or iteration has its own copy, in front of `shape`.
    """

    name: str
    label: str
    shape: tuple[Any, ...]
    dtype: str
    is_global: bool
    data: Any
    leading: tuple[Axis, ...] = ()


@dataclass(frozen=True)
class Site:
    """A place in the user's file that can give findings.

    `loops` are the loops around it, by the user's name and the program's; `axes` the variables of
    T.Parallel. `role` is what the statement does with the buffer, where that matters. Where only a
    part of T.Parallel runs, `part` is the loop that is divided, the program's name for which part
    it is, and how many iterations that has.
    """

    line: int | None
    buffer: str
    is_global: bool
    role: str = ""
    loops: tuple[tuple[str, str], ...] = ()
    axes: tuple[str, ...] = ()
    part: tuple[str, str, int] | None = None


@dataclass
class Mask:
    """The lanes or iterations for which a statement runs: `parent` and `condition`.

    The array is computed only where something asks for it, because most accesses are proven to be
    in bounds; `name` is valid inside the suite `block` alone.
    """

    parent: Mask | None
    condition: str
    rank: int
    name: str | None = None
    block: int = -1


@dataclass
class Touches:
    """Which buffers the body reads and writes, by their data variable."""

    reads: set[Any] = field(default_factory=set)
    writes: set[Any] = field(default_factory=set)


class Translator:
    """Walks a PrimFunc through the handler tables and emits the program."""

    def __init__(self, func: Any, checks: Instrumentation | None = None) -> None:
        self.func = func
        self.file = None if func.span is None else str(func.span.source_name.name)
        self.checks = checks or Instrumentation()
        self.emitter = Emitter()
        self.analyzer = arith.Analyzer()
        self.values: dict[Any, Value] = {}
        self.places: dict[Any, Place] = {}
        self.aliases: dict[Any, list[Any]] = {}  # buffers that share a data variable
        self.deferred: dict[Any, Any] = {}  # bindings of what their loop makes known only later
        self.parameters: dict[Any, int] = {}  # the number of the parameter behind a data variable
        self.safe_values: dict[Any, Any] = {}
        self.overhangs: dict[Any, Any] = {}  # fragments larger than their shape, by data variable
        self.touches = Touches()
        self.sites: list[Site] = []
        self.axes: tuple[Axis, ...] = ()
        self.mask: Mask | None = None
        self.loop_names: list[tuple[str, str]] = []  # the user's and the program's, outermost first
        self.loops: list[Mask | None] = []  # the masks of the lanes that are in each loop
        self.iterations: list[Mask | None] = []  # and of those still in its current round
        self.lanes: int | None = None  # threads of a block, where the kernel tells them apart
        self.threads: tuple[int, int, int] = (1, 1, 1)
        self.returning: Mask | None = None  # the threads that have not returned
        self.roles: Roles | None = None  # where threads wait for each other: who goes which way
        self.members: Members = frozenset()  # the roles that may reach the statement
        self.part: tuple[str, str, int] | None = None  # of T.Parallel, as a site has it
        self.barriers: dict[Any, str] = {}  # the program's names of barriers, by data variable
        self.barriers_elsewhere: dict[Any, str] = {}  # the same of another block of the cluster
        self.barrier_counts: dict[Any, list[int]] = {}
        self.memory_slots: dict[str, int] = {}  # by name in the program
        self.vectors: dict[Any, list[Value]] = {}  # elements of vector variables
        self.vector_calls: dict[int, list[Any]] = {}  # of calls that may be made once, by hash
        self.flat: dict[Any, Any] = {}  # buffers of vectors, as buffers of their elements
        self.thread_dimensions: dict[Any, int] = {}  # which of x, y, z a thread index is
        self.combiner: Any = None  # how an allreduce here combines
        self.random_states: str | None = None  # the program's name of the threads' generators
        self.reducers: dict[Any, str] = {}  # the operation of a reducer, by data variable
        self.line: int | None = None
        self.last_line: int | None = None  # of the statement before
        self.launch_line: int | None = None
        self.allocation_lines: dict[str, int] = {}  # by name in the program
        self.slots = itertools.count()

    @property
    def rank(self) -> int:
        """How many axes vector values have here."""
        return len(self.axes)

    @property
    def in_parallel(self) -> bool:
        """Whether the statement stands in T.Parallel."""
        return bool(self.axes) and self.axes != self.lane_axes

    @property
    def lane_axes(self) -> tuple[Axis, ...]:
        """The axes of statements outside T.Parallel."""
        return self._lane_axes

    _lane_axes: tuple[Axis, ...] = ()

    def set_lanes(self, axis: Axis | None, count: int | None) -> None:
        """Vectorise what follows over the threads of a block (or stop to, with None)."""
        self._lane_axes = () if axis is None else (axis,)
        self.axes = self._lane_axes
        self.lanes = count

    def unsupported(self, message: str) -> Unsupported:
        """Return the exception that names an operation and the user's line."""
        return Unsupported(message, self.line)

    def statement(self, node: Any) -> None:
        """Translate a statement."""
        own = statement_line(node, self.file) or line_of_call(node, self.file, self.last_line)
        outer, self.line = self.line, own or self.line
        self.last_line = own or self.last_line
        handler = STATEMENTS.get(type(node))
        if handler is None:
            raise self.unsupported(f"statement {type(node).__name__}")
        if self.roles is None or self.in_parallel or not self.roles.is_collective(node):
            handler(self, node)
        else:
            self._on_tiles(self.roles, node, handler)
        self.line = outer

    def _on_tiles(self, roles: Roles, node: Any, handler: Callable[[Any, Any], None]) -> None:
        """Where several roles do something together, the last to come does it, or each its part."""
        apart = roles.apart.get(node)
        if len(self.members) < 2 or (apart is not None and apart.place is None):
            handler(self, node)
        elif apart is None:
            with self.emitter.suite(f"if {self.meet()}:"):
                handler(self, node)
        elif apart.may_meet:
            way = self.emitter.assign(self.meet(divisible=True), "way")
            whole, part = (self.emitter.constant(each, each) for each in (Way.TOGETHER, Way.APART))
            with self.emitter.suite(f"if {way} is {whole}:"):
                handler(self, node)
            with self.emitter.suite(f"elif {way} is {part}:"):
                self._part(apart, handler)
        else:
            self._part(apart, handler)

    def _part(self, apart: Apart, handler: Callable[[Any, Any], None]) -> None:
        """Emit what one of the roles does of a statement that they divide among themselves."""
        place = self.expression(apart.place).code
        self.part = (apart.loop, place, apart.size) if apart.loop else None
        everyone = self.members == frozenset(apart.owners)
        with nullcontext() if everyone else self.emitter.suite(f"if {place} >= 0:"):
            handler(self, apart.statement)
        self.part = None

    def meet(self, divisible: bool = False) -> str:
        """Return code that waits for the other roles that may be here; true in one of them.

        With `divisible` it gives the way in which the role does the statement.
        """
        members = self.emitter.constant(self.members, ("members", self.members))
        site = self.numbered(Site(self.line, "", False))
        name = "come" if divisible else "meet"
        return f"(yield from role.{name}({next(self.slots)}, {members}, {site}))"

    @contextmanager
    def among(self, members: Members) -> Iterator[None]:
        """Emit what only these roles may reach."""
        outer, self.members = self.members, members
        yield
        self.members = outer

    def expression(self, node: Any) -> Value:
        """Translate an expression to code of the rank of the current axes."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            raise self.unsupported(f"expression {type(node).__name__}")
        return handler(self, node)

    def call(self, node: Any) -> Value:
        """Translate a call that gives a value."""
        handler = CALLS.get(call_name(node))
        if handler is None:
            raise self.unsupported(_describe_call(node))
        return handler(self, node)

    def operation(self, node: Any) -> None:
        """Translate a call that stands as a statement."""
        handler = OPERATIONS.get(call_name(node))
        if handler is None:
            raise self.unsupported(_describe_call(node))
        with self.checks.operation(self, node):
            handler(self, node)

    def scalar(self, node: Any) -> str:
        """Translate an expression that must be the same for all lanes and iterations.

        What a thread holds in a variable of its own has to be the same in all threads that reach
        an operation on tiles; the first of them tells.
        """
        value = self.expression(node)
        if value.is_vector and not self.in_parallel and not self.names_thread(node):
            return f"uniform({value.code}, {self.mask_code()})"
        if value.is_vector:
            raise self.unsupported(f"a value that differs between threads or iterations: {node}")
        return value.code

    def names_thread(self, node: Any) -> bool:
        """Whether an expression is made of a thread index (a variable's value may still differ)."""
        return any(each in self.thread_dimensions for each in visit(node))

    def text(self, node: Any) -> str:
        """Return an expression as the person wrote it, be it in a part of T.Parallel."""
        if self.part is None:
            return str(node)
        loop, _, size = self.part
        return str(node).replace(f"{loop} + place * {size}", loop).replace(f"({loop})", loop)

    def dtype(self, name: str) -> str:
        """Return the program's name for a numpy dtype."""
        return self.emitter.constant(self.numpy_dtype(name), ("dtype", name))

    def numpy_dtype(self, name: str) -> np.dtype[Any]:
        """Return numpy's dtype; Unsupported with the line for the rest."""
        try:
            return dtypes.numpy_dtype(name)
        except Unsupported as error:
            raise self.unsupported(error.message) from None

    def cast(self, value: Value, dtype: str) -> Value:
        """Return the value converted as the GPU does."""
        if value.dtype == dtype:
            return replace(value, ufunc=None)
        self.numpy_dtype(dtype)
        code = self.checks.conversion(self, value, dtype) or dtypes.conversion(value.dtype, dtype)(
            value.code, self.dtype(dtype)
        )
        return Value(code, dtype, value.rank)

    def place(self, buffer: Any) -> Place:
        """Return where a buffer lives."""
        found = self.places.get(buffer)
        if found is None:
            raise self.unsupported(f"buffer {buffer.name} (scope {buffer.scope()}) without storage")
        return found

    def site(self, place: Place, role: str = "") -> int:
        """Return the number under which findings of this line and buffer are reported."""
        return self.numbered(Site(self.line, place.label, place.is_global, role))

    def numbered(self, site: Site) -> int:
        """Return the number of a site, which gets the loops around the statement."""
        axes = tuple(str(axis.variable.name) for axis in self.axes if axis.variable is not None)
        axes = axes if self.in_parallel else ()
        site = replace(site, loops=tuple(self.loop_names), axes=axes, part=self.part)
        if site not in self.sites:
            self.sites.append(site)
        return self.sites.index(site)

    def record(self, place: Place, helper: str, codes: Callable[[], str]) -> None:
        """Emit what notes a write of a parameter, where a run asks for that.

        `codes` are the helper's arguments after the array.
        """
        number = self.parameters.get(place.data)
        if number is None:
            return
        with self.emitter.suite("if rt.recorder is not None:"):
            self.emitter.line(f"{helper}(rt, {number}, {place.name}, {codes()})")

    def fill_argument(self, place: Place) -> str:
        """Return what follows a read's arguments where the kernel names a value for outside."""
        value = self.safe_values.get(place.data) if place.is_global else None
        if value is None:
            return ""
        return f", {value!r}" if isinstance(value, (int, float)) else f", {self.scalar(value)}"

    def bind(self, variable: Any, value: Value) -> None:
        """Emit an assignment of a value to a TIR variable."""
        name = self.emitter.assign(value.code, variable.name)
        per_thread = value.is_vector and not self.in_parallel
        self.values[variable] = Value(name, value.dtype, value.rank, per_thread=per_thread)

    def bind_range(self, variable: Any, minimum: Any, extent: Any) -> None:
        """Tell the analyzer a loop variable's range, for proofs that an access is in bounds."""
        if static_int(extent) != 0:
            self.analyzer.bind(variable, ir.Range.from_min_extent(minimum, extent))

    def bounds(self, index: Any) -> tuple[int, int] | None:
        """Return the least and greatest value of an index where both are known."""
        bound = self.analyzer.const_int_bound(index)
        low, high = int(bound.min_value), int(bound.max_value)
        return (low, high) if abs(low) < 2**62 and abs(high) < 2**62 else None

    def axis_index(self, position: int) -> Value:
        """Return the index array of an axis, shaped to broadcast against the others."""
        extent = self.axes[position].extent
        shape = tuple(-1 if at == position else 1 for at in range(self.rank))
        if isinstance(extent, str):
            return Value(
                f"np.arange({extent}, dtype=np.int32).reshape({shape})", "int32", self.rank
            )
        array = np.arange(extent, dtype=np.int32).reshape(shape)
        name = self.emitter.constant(array, ("axis", extent, position, self.rank))
        return Value(name, "int32", self.rank)

    def axis_position(self, variable: Any) -> int | None:
        """Return which axis a variable is, None where it is none."""
        for position, axis in enumerate(self.axes):
            if axis.variable is not None and axis.variable.same_as(variable):
                return position
        return None

    def aligned(self, value: Value) -> Value:
        """Return a vector value of outer axes with a dimension for each axis since."""
        if not value.is_vector or value.rank == self.rank:
            return value
        return Value(f"{value.code}[{_expansion(self.rank - value.rank)}]", value.dtype, self.rank)

    def shape_code(self) -> str:
        """Return the shape of a full vector value."""
        return "(" + "".join(f"{axis.extent}, " for axis in self.axes) + ")"

    @contextmanager
    def under(self, condition: Value, negated: bool = False) -> Iterator[Mask]:
        """Restrict what is emitted inside to the lanes for which a vector condition holds."""
        code = f"~{condition.code}" if negated else condition.code
        outer, self.mask = self.mask, Mask(self.mask, code, self.rank)
        yield self.mask
        self.mask = outer

    def mask_code(self) -> str | None:
        """Return the name of the current mask's array (emitting it where needed), or None."""
        return None if self.mask is None else self._materialize(self.mask)

    def _materialize(self, mask: Mask) -> str:
        if mask.name is None or not self.emitter.in_scope(mask.block):
            own = self.aligned(Value(mask.condition, "bool", mask.rank)).code
            if mask.parent is not None:
                own = f"{self._materialize(mask.parent)} & {own}"
            mask.name, mask.block, mask.rank = (
                self.emitter.assign(own, "mask"),
                self.emitter.block,
                self.rank,
            )
            return mask.name
        return self.aligned(Value(mask.name, "bool", mask.rank)).code


def _expansion(count: int) -> str:
    return ", ".join(["...", *["None"] * count])


def _describe_call(node: Any) -> str:
    name = call_name(node)
    texts = [str(arg.value) for arg in node.args if isinstance(arg, tirx.StringImm)]
    return f"operation {name}" + (f" ({texts[0]})" if texts and "extern" in name else "")
