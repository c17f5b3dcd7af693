"""Finds the kernels of a module by its syntax tree; nothing of the document is executed."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core.documents.model import Kernel, KernelStyle, Parameter
from workbench.core.documents.names import Marker, Names
from workbench.core.documents.signature import SignatureReader
from workbench.core.documents.syntax import (
    Source,
    bound_names,
    module_constants,
    own_nodes,
    statements,
)


class _Value(enum.Enum):
    """What an expression is, as far as kernels are concerned."""

    KERNEL = enum.auto()  # a PrimFunc or a compiled kernel
    PRIM_FUNC = enum.auto()  # as KERNEL, by a decorated function
    LAZY = enum.auto()  # calling it gives a KERNEL
    EAGER = enum.auto()  # calling it runs it
    FACTORY = enum.auto()  # a plain function that returns one of the above


_STYLES = {
    _Value.PRIM_FUNC: KernelStyle.PRIM_FUNC,
    _Value.LAZY: KernelStyle.LAZY,
    _Value.EAGER: KernelStyle.EAGER,
    _Value.FACTORY: KernelStyle.FACTORY,
}
# What a function has to return to be a factory. One that returns a factory is a step too far:
# calling it gives nothing that can be built.
_RETURNED = frozenset({_Value.KERNEL, _Value.PRIM_FUNC, _Value.LAZY, _Value.EAGER})
# Methods of a jit function that give a kernel, and of a kernel that give another.
_BUILDING_METHODS = frozenset({"compile", "get_tir", "with_attr", "with_attrs"})
_Scope = dict[str, _Value]


@dataclass(frozen=True)
class Discovery:
    """The kernels of a module in source order, and the names that it binds.

    `names` is None where an `import *` leaves open which they are; `first_line` is that of the
    first statement, 1 where there is none.
    """

    kernels: tuple[Kernel, ...]
    functions: tuple[str, ...]
    names: frozenset[str] | None
    first_line: int = 1


def discover(tree: ast.Module, text: str) -> Discovery:
    """Find the kernels of a module that is the syntax tree of `text`."""
    names = Names(tree)
    reader = SignatureReader(names, Source(text), module_constants(tree))
    functions = [node for node in statements(tree.body) if isinstance(node, ast.FunctionDef)]
    # The last definition of a name is the one that an import finds.
    definitions = {node.name: node for node in functions}
    found = [
        *_decorated_kernels(definitions, _Classifier(names).module(tree), names, reader),
        *_applied_kernels(tree, definitions, names, reader),
    ]
    found.sort(key=lambda kernel: kernel.line)
    first_line = tree.body[0].lineno if tree.body else 1
    return Discovery(tuple(found), tuple(definitions), bound_names(tree), first_line)


def _decorated_kernels(
    definitions: dict[str, ast.FunctionDef], scope: _Scope, names: Names, reader: SignatureReader
) -> Iterable[Kernel]:
    for name, function in definitions.items():
        style = _STYLES.get(scope[name]) if name in scope else None
        if style is not None:
            yield _kernel(name, function, style, names, reader)


def _applied_kernels(
    tree: ast.Module,
    definitions: dict[str, ast.FunctionDef],
    names: Names,
    reader: SignatureReader,
) -> Iterable[Kernel]:
    """Kernels made without decorator syntax: `matmul = tilelang.jit(out_idx=[-1])(build)`."""
    classifier = _Classifier(names)
    for statement in statements(tree.body):
        if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)):
            continue
        target, argument = statement.targets[0], classifier.jit_argument(statement.value)
        function = definitions.get(argument.id) if isinstance(argument, ast.Name) else None
        if function is not None and isinstance(target, ast.Name) and target.id not in definitions:
            style = _STYLES[classifier.jit_style(function)]
            yield _kernel(target.id, function, style, names, reader)


def _kernel(
    name: str,
    function: ast.FunctionDef,
    style: KernelStyle,
    names: Names,
    reader: SignatureReader,
) -> Kernel:
    parameters = reader.parameters(function)
    inputs: tuple[Parameter, ...] = ()
    if style in {KernelStyle.EAGER, KernelStyle.PRIM_FUNC}:
        inputs = reader.run_time(function)
        given = {parameter.name for parameter in inputs}
        arguments = (parameter for parameter in parameters if parameter.name not in given)
        shapes = reader.shapes(function) if style is KernelStyle.EAGER else ()
        parameters = (*shapes, *arguments)
    return Kernel(
        name=name,
        line=function.lineno,
        end_line=function.end_lineno or function.lineno,
        style=style,
        parameters=parameters,
        autotuned=Marker.AUTOTUNE in names.markers(function),
        inputs=inputs,
        accepts_extra=function.args.kwarg is not None,
    )


class _Classifier:
    """Says of functions and expressions whether they are kernels or make them."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def module(self, tree: ast.Module) -> _Scope:
        """The top-level names that are kernels or make them."""
        scope: _Scope = {}
        while True:
            # A function may return what is defined below it, so repeat until nothing is new.
            before = dict(scope)
            self._scan(tree.body, scope, returns=[])
            if scope.keys() == before.keys():
                return scope

    def _scan(self, body: Iterable[ast.stmt], scope: _Scope, returns: list[_Value | None]) -> None:
        """Go through one scope in order, filling `scope` and collecting what it returns."""
        for statement in statements(body):
            if isinstance(statement, ast.FunctionDef):
                _bind(scope, statement.name, self._function(statement, scope))
            elif isinstance(statement, ast.Assign):
                value = self._expression(statement.value, scope)
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        _bind(scope, target.id, value)
            elif isinstance(statement, ast.Return) and not _is_none(statement.value):
                returns.append(self._expression(statement.value, scope))

    def _function(self, function: ast.FunctionDef, outer: _Scope) -> _Value | None:
        markers = self._names.markers(function)
        if Marker.PRIM_FUNC in markers:
            return _Value.PRIM_FUNC
        if Marker.JIT in markers:
            return self.jit_style(function)
        returns: list[_Value | None] = []
        self._scan(function.body, dict(outer), returns)
        # One that sometimes returns tensors runs its kernel, and is no factory.
        return _Value.FACTORY if returns and _RETURNED.issuperset(returns) else None

    def jit_style(self, function: ast.FunctionDef) -> _Value:
        """Lazy or eager, by TileLang's own rule: an inner prim_func makes it lazy."""
        for node in ast.walk(function):
            if isinstance(node, ast.FunctionDef) and Marker.PRIM_FUNC in self._names.markers(node):
                return _Value.LAZY
        eager = any(self._is_eager_syntax(node) for node in own_nodes(function))
        return _Value.EAGER if eager else _Value.LAZY

    def _is_eager_syntax(self, node: ast.AST) -> bool:
        """`T.Kernel(...)`, `T.const(...)` and the like, which only a kernel's own body calls."""
        return isinstance(node, ast.Call) and self._names.last(node.func) in {
            "Kernel",
            "const",
            "empty",
        }

    def _expression(self, node: ast.expr | None, scope: _Scope) -> _Value | None:
        if isinstance(node, ast.Name):
            return scope.get(node.id)
        if isinstance(node, ast.IfExp):
            return self._expression(node.body, scope) or self._expression(node.orelse, scope)
        return self._call(node, scope) if isinstance(node, ast.Call) else None

    def _call(self, node: ast.Call, scope: _Scope) -> _Value | None:
        if self.jit_argument(node) is not None:
            return _Value.LAZY
        if isinstance(node.func, ast.Attribute):
            built = self._expression(node.func.value, scope)
            if built is not None and node.func.attr in _BUILDING_METHODS:
                return _Value.KERNEL
            compiles = self._names.last(node.func) == "compile"
            return _Value.KERNEL if compiles else None
        called = self._expression(node.func, scope)
        return _Value.KERNEL if called in {_Value.LAZY, _Value.FACTORY} else None

    def jit_argument(self, node: ast.Call) -> ast.expr | None:
        """The function that `jit(f)` or `jit(out_idx=[-1])(f)` is applied to."""
        is_jit = self._names.marker(node.func) is Marker.JIT
        return node.args[0] if is_jit and node.args else None


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _bind(scope: _Scope, name: str, value: _Value | None) -> None:
    if value is None:
        scope.pop(name, None)
    else:
        scope[name] = value
