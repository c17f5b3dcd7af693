"""Statements that order others: sequences, bindings, loops, conditions, and leaving early."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.expressions import bind
from workbench.engine.simulator.registry import (
    ATTRIBUTES,
    BINDINGS,
    LOOPS,
    loop_kind,
    operation,
    statement,
)
from workbench.engine.simulator.roles import Members, is_poll
from workbench.engine.simulator.tir import call_name, tirx, visit
from workbench.engine.simulator.translator import Mask, Site, Translator
from workbench.engine.simulator.vectorizing import elementwise_loop, is_elementwise

_BREAKS = ("tl.loop_break", "tirx.break_loop")
_CONTINUES = ("tirx.continue_loop", "tl.loop_continue")
RETURNS = ("tirx.thread_return", "tl.thread_return")


@statement(tirx.SeqStmt)
def _sequence(t: Translator, node: Any) -> None:
    for each in node.seq:
        t.statement(each)


@statement(tirx.AttrStmt)
def _attribute(t: Translator, node: Any) -> None:
    """Most attributes steer the lowering (swizzle, pragmas) and change no value."""
    handler = ATTRIBUTES.get(str(node.attr_key))
    if handler is None:
        t.statement(node.body)
    else:
        handler(t, node)


@statement(tirx.AssertStmt)
def _assertion(t: Translator, node: Any) -> None:
    """Device assertions are not checked."""


@statement(tirx.Bind)
def _bind(t: Translator, node: Any) -> None:
    name = call_name(node.value) if isinstance(node.value, tirx.Call) else ""
    if name in BINDINGS:
        BINDINGS[name](t, node)
        return
    if str(node.var.dtype) == "handle":
        raise t.unsupported(f"pointer variable {node.var.name}")
    if _is_early(t, node.value):
        t.deferred[node.var] = node.value
    else:
        t.checks.binds(t, node.var, node.value)
        bind(t, node.var, node.value)


def _is_early(t: Translator, value: Any) -> bool:
    """Whether a binding names a loop variable before its loop, as T.Persistent's does."""
    return any(
        isinstance(node, tirx.Var)
        and node not in t.values
        and node not in t.vectors
        and node not in t.deferred
        and t.axis_position(node) is None
        for node in visit(value)
        if str(getattr(node, "dtype", "handle")) != "handle"
    )


@statement(tirx.Evaluate)
def _evaluate(t: Translator, node: Any) -> None:
    if isinstance(node.value, tirx.Call):
        t.operation(node.value)


@statement(tirx.For)
def _for(t: Translator, node: Any) -> None:
    LOOPS[tirx.ForKind(node.kind)](t, node)


@loop_kind(tirx.ForKind.SERIAL, tirx.ForKind.UNROLLED, tirx.ForKind.VECTORIZED)
def serial_loop(t: Translator, node: Any) -> None:
    """Emit a loop whose iterations follow each other (unrolled and vectorised ones too)."""
    if is_elementwise(t, node):
        elementwise_loop(t, node)
        return
    t.checks.decides(t, node.extent)
    minimum, extent = t.expression(node.min), t.expression(node.extent)
    t.bind_range(node.loop_var, node.min, node.extent)
    if minimum.is_vector or extent.is_vector:
        _ragged_loop(t, node, minimum, extent)
        return
    name = t.emitter.fresh(node.loop_var.name)
    t.values[node.loop_var] = Value(name, str(node.loop_var.dtype))
    t.loop_names.append((str(node.loop_var.name), name))
    with (
        _leaving(t, node.body) as live,
        t.emitter.suite(_range_header(node, name, minimum, extent)),
    ):
        _iteration(t, node.body)
        _stop_when_all_left(t, live)
    t.loop_names.pop()


def _range_header(node: Any, name: str, minimum: Value, extent: Value) -> str:
    step = "" if getattr(node, "step", None) is None else f", {int(node.step)}"
    if minimum.code == "0" and not step:
        return f"for {name} in range({extent.code}):"
    return f"for {name} in range({minimum.code}, {minimum.code} + {extent.code}{step}):"


def _ragged_loop(t: Translator, node: Any, minimum: Value, extent: Value) -> None:
    """A trip count that differs between lanes: the longest, with the finished lanes masked."""
    count = t.emitter.assign(extent.code, "trips")
    step = t.emitter.fresh("step")
    with (
        _leaving(t, node.body) as live,
        t.emitter.suite(f"for {step} in range(int(np.max({count}))):"),
    ):
        t.bind(node.loop_var, Value(f"{minimum.code} + {step}", "int32", minimum.rank))
        if extent.is_vector:
            with t.under(Value(f"({step} < {count})", "bool", t.rank)):
                _iteration(t, node.body)
        else:
            _iteration(t, node.body)
        _stop_when_all_left(t, live)


class _leaving:  # noqa: N801 - reads as a statement where it is used
    """Gives a loop in which single lanes may break a mask of the lanes still in it."""

    def __init__(self, t: Translator, body: Any) -> None:
        self._t = t
        self._needed = bool(t.axes) and _holds(body, _BREAKS)

    def __enter__(self) -> str | None:
        t = self._t
        t.loops.append(t.mask)
        self._outer = t.mask
        if not self._needed:
            return None
        mask = t.mask_code()
        start = f"np.ones({t.shape_code()}, bool)" if mask is None else f"{mask}.copy()"
        name = t.emitter.assign(start, "live")
        t.mask = Mask(t.mask, name, t.rank, name, t.emitter.block)
        t.loops[-1] = t.mask
        return name

    def __exit__(self, *_: object) -> None:
        self._t.mask = self._outer
        self._t.loops.pop()


def _iteration(t: Translator, body: Any) -> None:
    """Emit one round of a loop, out of which single lanes may skip the rest."""
    outer = t.mask
    if t.axes and _holds(body, _CONTINUES):
        mask = t.mask_code()
        start = f"np.ones({t.shape_code()}, bool)" if mask is None else f"{mask}.copy()"
        name = t.emitter.assign(start, "going")
        t.mask = Mask(outer, name, t.rank, name, t.emitter.block)
    t.iterations.append(t.mask)
    t.statement(body)
    t.iterations.pop()
    t.mask = outer


def _stop_when_all_left(t: Translator, live: str | None) -> None:
    if live is not None:
        with t.emitter.suite(f"if not {live}.any():"):
            t.emitter.line("break")


def _holds(body: Any, names: tuple[str, ...]) -> bool:
    return any(isinstance(node, tirx.Call) and call_name(node) in names for node in visit(body))


@statement(tirx.While)
def _while(t: Translator, node: Any) -> None:
    start = t.emitter.position
    with t.emitter.suite("while True:"):
        t.checks.decides(t, node.condition)
        condition = t.expression(node.condition)
        if not condition.is_vector:
            with t.emitter.suite(f"if not {condition.code}:"):
                t.emitter.line("break")
            emit_poll(t, node)
            t.loops.append(t.mask)
            _iteration(t, node.body)
            t.loops.pop()
            return
    t.emitter.rewind(start)
    _divergent_while(t, node)


def _divergent_while(t: Translator, node: Any) -> None:
    mask = t.mask_code()
    start = f"np.ones({t.shape_code()}, bool)" if mask is None else f"{mask}.copy()"
    live = t.emitter.assign(start, "live")
    outer, t.mask = t.mask, Mask(t.mask, live, t.rank, live, t.emitter.block)
    t.loops.append(t.mask)
    with t.emitter.suite("while True:"):
        t.checks.decides(t, node.condition)
        t.emitter.line(f"{live} &= {t.expression(node.condition).code}")
        _stop_when_all_left(t, live)
        emit_poll(t, node)
        _iteration(t, node.body)
    t.loops.pop()
    t.mask = outer


def emit_poll(t: Translator, loop: Any) -> None:
    """Let other threads run before a loop looks again at memory that they may write."""
    if t.roles is not None and is_poll(loop):
        t.emitter.line(f"yield poll({t.numbered(Site(t.line, '', False))})")


@statement(tirx.IfThenElse)
def _if(t: Translator, node: Any) -> None:
    t.checks.decides(t, node.condition)
    condition = t.expression(node.condition)
    if condition.is_vector:
        chosen = Value(t.emitter.assign(condition.code, "chosen"), "bool", condition.rank)
        for body, members, negated in _cases(t, node):
            with t.among(members):
                _branch(t, chosen, body, negated)
        return
    for body, members, negated in _cases(t, node):
        scope = nullcontext() if negated else t.analyzer.constraint_scope(node.condition)
        with (
            scope,
            t.among(members),
            t.emitter.suite("else:" if negated else f"if {condition.code}:"),
        ):
            t.statement(body)


def _cases(t: Translator, node: Any) -> list[tuple[Any, Members, bool]]:
    """Return the branches, the roles that may take them, and which is the else branch."""
    yes, no = (
        (t.members, t.members) if t.roles is None else t.roles.split(node.condition, t.members)
    )
    cases = [(node.then_case, yes, False), (node.else_case, no, True)]
    return [case for case in cases if case[0] is not None]


def _branch(t: Translator, chosen: Value, body: Any, negated: bool) -> None:
    """Threads skip a branch that none takes; a tile operation in it runs once if any takes it."""
    with t.under(chosen, negated):
        if t.in_parallel:
            t.statement(body)
            return
        mask = t.mask_code()
        with t.emitter.suite(f"if {mask}.any():"):
            t.statement(body)


@operation(*_BREAKS)
def _break(t: Translator, node: Any) -> None:
    if not t.loops:
        raise t.unsupported("break outside a loop")
    _leave(t, t.loops[-1], "break")


@operation(*_CONTINUES)
def _continue(t: Translator, node: Any) -> None:
    if not t.iterations:
        raise t.unsupported("continue outside a loop")
    _leave(t, t.iterations[-1], "continue")


@operation(*RETURNS)
def _return(t: Translator, node: Any) -> None:
    if t.in_parallel:
        raise t.unsupported("return inside T.Parallel")
    _leave(t, t.returning, "return")


def _leave(t: Translator, until: Mask | None, keyword: str) -> None:
    """Leave with all lanes, or take those of the current mask out of every mask up to `until`."""
    if t.mask is None or t.mask is until:
        t.emitter.line(keyword)
        return
    leaving = t.emitter.assign(f"~{t.mask_code()}", "staying")
    mask: Mask | None = t.mask
    while mask is not None:
        if mask.name is not None and t.emitter.in_scope(mask.block):
            t.emitter.line(f"{mask.name} &= {leaving}")
        if mask is until:
            return
        mask = mask.parent
