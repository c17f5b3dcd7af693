"""The tables through which operations are found: a new operation registers itself in its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.engine.simulator.emitter import Value

if TYPE_CHECKING:
    from workbench.engine.simulator.translator import Translator

ExpressionHandler = Callable[["Translator", Any], Value]
StatementHandler = Callable[["Translator", Any], None]
_Function = TypeVar("_Function", bound=Callable[..., Any])

EXPRESSIONS: dict[type, ExpressionHandler] = {}  # by class of node
STATEMENTS: dict[type, StatementHandler] = {}  # by class of node
CALLS: dict[str, ExpressionHandler] = {}  # calls that give a value, by name of operation
OPERATIONS: dict[str, StatementHandler] = {}  # calls for their effect, by name of operation
LOOPS: dict[Any, StatementHandler] = {}  # by kind of loop
ATTRIBUTES: dict[str, StatementHandler] = {}  # attributes that mean something, by key
BINDINGS: dict[str, StatementHandler] = {}  # bindings of a call's value, by name of operation
HELPERS: dict[str, Callable[..., Any]] = {}  # functions that generated code calls, by name


def expression(*classes: type) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Register a handler for expression nodes of these classes."""

    def register(handler: ExpressionHandler) -> ExpressionHandler:
        EXPRESSIONS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def statement(*classes: type) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for statement nodes of these classes."""

    def register(handler: StatementHandler) -> StatementHandler:
        STATEMENTS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def call(*names: str) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Register a handler for calls that give a value."""

    def register(handler: ExpressionHandler) -> ExpressionHandler:
        CALLS.update(dict.fromkeys(names, handler))
        return handler

    return register


def operation(*names: str) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for calls that stand as statements."""

    def register(handler: StatementHandler) -> StatementHandler:
        OPERATIONS.update(dict.fromkeys(names, handler))
        return handler

    return register


def loop_kind(*kinds: Any) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for loops of these kinds."""

    def register(handler: StatementHandler) -> StatementHandler:
        LOOPS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def attribute(*keys: str) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for attribute statements with one of these keys."""

    def register(handler: StatementHandler) -> StatementHandler:
        ATTRIBUTES.update(dict.fromkeys(keys, handler))
        return handler

    return register


def binding(*names: str) -> Callable[[StatementHandler], StatementHandler]:
    """Register a handler for statements that bind a variable to one of these calls."""

    def register(handler: StatementHandler) -> StatementHandler:
        BINDINGS.update(dict.fromkeys(names, handler))
        return handler

    return register


def helper(function: _Function) -> _Function:
    """Make a function callable from generated code, under its own name."""
    HELPERS[function.__name__] = function
    return function
