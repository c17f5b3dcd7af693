"""Reads the configurations of a kernel's `@autotune` decorator off its source."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Kernel
from workbench.core.documents.names import Marker, Names
from workbench.core.documents.syntax import parse, statements
from workbench.core.sweeps.decorated.bounds import UnreadError, items_of
from workbench.core.sweeps.decorated.checking import (
    Configurations,
    ConfigurationsError,
    checked,
    given_to,
)
from workbench.core.sweeps.decorated.expressions import FAULTS, Evaluator
from workbench.core.sweeps.decorated.modules import names_before
from workbench.core.sweeps.decorated.values import Closure


def read_configurations(text: str, kernel: Kernel, args: Mapping[str, Any]) -> Configurations:
    """What the decorator of a document's kernel tries; nothing of the document is run.

    `args` is what a function is given that makes them. Raises ConfigurationsError where there is
    nothing to sweep over, UnreadError where running the document alone tells.
    """
    tree = parse(text)
    names = Names(tree)
    function = _definition(tree, kernel)
    given = _configs(function, names, kernel)
    try:
        evaluator, scope = names_before(tree, _first_line(function))
        found = evaluator.value(given, scope)
        if isinstance(found, Closure):
            found = _made(evaluator, found, kernel, args)
        if not isinstance(found, (list, tuple)):
            found = items_of(found)
    except FAULTS as error:
        raise UnreadError(str(error), function.lineno) from error
    return checked(found, kernel)


def _definition(tree: ast.Module, kernel: Kernel) -> ast.FunctionDef:
    for statement in statements(tree.body):
        if isinstance(statement, ast.FunctionDef) and statement.lineno == kernel.line:
            return statement
    raise ConfigurationsError(f"the document has no function `{kernel.name}`")


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def _configs(function: ast.FunctionDef, names: Names, kernel: Kernel) -> ast.expr:
    """The expression of the decorator's configurations."""
    for decorator in function.decorator_list:
        if names.marker(decorator) is Marker.AUTOTUNE:
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            found = next((each.value for each in keywords if each.arg == "configs"), None)
            if found is None:
                raise UnreadError("its configs are given elsewhere", decorator.lineno)
            return found
    raise ConfigurationsError(_without_decorator(function, names, kernel))


def _without_decorator(function: ast.FunctionDef, names: Names, kernel: Kernel) -> str:
    inside = (node for node in ast.walk(function) if isinstance(node, ast.FunctionDef))
    inner = next((node for node in inside if Marker.AUTOTUNE in names.markers(node)), None)
    if inner is None:
        return f"`{kernel.name}` has no @autotune decorator: name what is varied with --vary"
    return (
        f"the @autotune decorator stands on `{inner.name}` inside `{kernel.name}` (line "
        f"{inner.lineno}), whose arguments a sweep cannot set: define `{inner.name}` at the top "
        "of the file, and what it takes from around it as parameters"
    )


def _made(evaluator: Evaluator, maker: Closure, kernel: Kernel, args: Mapping[str, Any]) -> Any:
    takes = maker.node.args
    every = [each.arg for each in (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)]
    required = [each.name for each in kernel.parameters if not each.has_default]
    by_position, by_name = given_to(every, takes.vararg is not None, required, args)
    return evaluator.apply(maker, by_position, by_name)
