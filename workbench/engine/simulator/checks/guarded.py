"""Visits the parts of an expression under the conditions of the choices around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.tir import call_name, tirx, visit
from workbench.engine.simulator.translator import Translator

Visit = Callable[[Translator, Any], None]
_CHOICES = ("tirx.if_then_else",)
_PURE = ("tirx.", "tl.__", "tl.ieee_", "tl.fast_rcp", "tl.infinity", "tl.clamp", "tl.pow_of_int")


def has_effects(node: Any) -> bool:
    """Whether translating an expression a second time would do something a second time."""
    calls = (each for each in visit(node) if isinstance(each, tirx.Call))
    return any(not call_name(each).startswith(_PURE) for each in calls)


def operands(node: Any) -> list[Any]:
    """Return the expressions that a node's value is computed of, a load's indices among them."""
    if isinstance(node, tirx.Call):
        return [arg for arg in node.args if isinstance(arg, tirx.PrimExpr)]
    if isinstance(node, tirx.BufferLoad):
        return list(node.indices)
    named = (getattr(node, name, None) for name in ("a", "b", "value", "base"))
    return [each for each in named if isinstance(each, tirx.PrimExpr)]


def visit_guarded(t: Translator, node: Any, visit: Visit) -> None:
    """Call `visit` for each part, operands first; what it emits runs only where the part counts."""
    choice = _choice(node)
    if choice is None:
        for each in operands(node):
            visit_guarded(t, each, visit)
        visit(t, node)
        return
    condition, yes, no = choice
    visit_guarded(t, condition, visit)
    chosen = t.expression(condition)
    name = t.emitter.assign(chosen.code, "chosen")
    for branch, negated in ((yes, False), (no, True)):
        if chosen.is_vector:
            with t.under(Value(name, "bool", chosen.rank), negated):
                visit_guarded(t, branch, visit)
        else:
            with t.emitter.suite(f"if {'not ' if negated else ''}{name}:"):
                visit_guarded(t, branch, visit)


def _choice(node: Any) -> tuple[Any, Any, Any] | None:
    if isinstance(node, tirx.Select):
        return node.condition, node.true_value, node.false_value
    if isinstance(node, tirx.Call) and call_name(node) in _CHOICES:
        condition, yes, no = node.args
        return condition, yes, no
    return None
