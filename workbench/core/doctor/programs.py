"""Finds the kernel functions that a document's kernel builds for a case, and their facts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.facts import Build, KernelFacts
from workbench.core.doctor.module import Module, assign
from workbench.core.doctor.values import Form, Function
from workbench.core.doctor.walking import Walker
from workbench.core.documents.model import Kernel, KernelStyle
from workbench.core.documents.names import Marker
from workbench.core.targets.model import Target


def facts_of(
    module: Module, kernel: Kernel, args: Mapping[str, Any], targets: tuple[Target, ...]
) -> list[KernelFacts]:
    """The facts of each kernel function that `kernel` may build with `args`."""
    function = next((f for f in module.functions if f.lineno == kernel.line), None)
    if function is None:
        return []
    reader = _Reader(module, kernel, targets)
    env = {**module.constants, **reader.arguments(function, args)}
    build = reader.build_of(function, env)
    if kernel.style in {KernelStyle.PRIM_FUNC, KernelStyle.EAGER}:
        return [reader.kernel(function, env, build)]
    return reader.built(function, env, build)


class _Reader:
    def __init__(self, module: Module, kernel: Kernel, targets: tuple[Target, ...]) -> None:
        self._module = module
        self._kernel = kernel
        self._targets = targets
        self._evaluator = Evaluator(module.names)
        self._found: list[KernelFacts] = []
        self._returned: set[str] = set()
        self._build: Build | None = None

    def arguments(self, function: ast.FunctionDef, args: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a function's parameters: given, else their defaults, else unknown."""
        a = function.args
        positional = [*a.posonlyargs, *a.args]
        defaults = [*[None] * (len(positional) - len(a.defaults)), *a.defaults, *a.kw_defaults]
        values = {}
        for argument, default in zip([*positional, *a.kwonlyargs], defaults, strict=True):
            name = argument.arg
            known = self._evaluator.value(default, self._module.constants) if default else None
            values[name] = known if default is not None else Form.atom(name)
        given = {k: tuple(v) if isinstance(v, list) else v for k, v in args.items()}
        return {**values, **given}

    def build_of(self, function: ast.FunctionDef, env: Mapping[str, Any]) -> Build | None:
        """How the decorator of a function, or the call that stands for one, builds it."""
        names = self._module.names
        for node in function.decorator_list:
            if names.marker(node) is Marker.JIT:
                return self._build_from(node, env)
        for statement in self._module.tree.body:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(value, ast.Call) and names.marker(value.func) is Marker.JIT:
                named = value.args[0] if value.args else None
                if isinstance(named, ast.Name) and named.id == function.name:
                    made = value.func if isinstance(value.func, ast.Call) else value
                    return self._build_from(made, env)
        return None

    def _build_from(self, node: ast.expr, env: Mapping[str, Any]) -> Build:
        keywords = node.keywords if isinstance(node, ast.Call) else []
        out = next((k.value for k in keywords if k.arg == "out_idx"), None)
        return Build(node, out, self._evaluator.value(out, env))

    def kernel(
        self, function: ast.FunctionDef, env: Mapping[str, Any], build: Build | None
    ) -> KernelFacts:
        """The facts of a function whose own body is the kernel."""
        facts = KernelFacts(self._kernel, function, self._module.names, self._targets, build=build)
        facts.used_names = _names_read(self._module, function)
        walker = Walker(facts, self._evaluator, self._module.nodes.get(ast.AugAssign, []))
        inside = dict(env)
        walker.parameters(function, inside)
        walker.walk(function.body, inside)
        return facts

    def built(
        self, function: ast.FunctionDef, env: dict[str, Any], build: Build | None
    ) -> list[KernelFacts]:
        """The facts of the kernels inside a function that returns one."""
        self._build = build
        self._host(function.body, dict(env))
        chosen = [f for f in self._found if f.function.name in self._returned]
        found = chosen or self._found
        for facts in found:
            facts.build = self._build
        return found

    def _host(self, body: Iterable[ast.stmt], env: dict[str, Any]) -> bool:
        """Go through the code around a kernel; says whether it has returned for sure."""
        for statement in body:
            if isinstance(statement, ast.Return):
                self._result(statement.value, env)
                return True
            if isinstance(statement, ast.If):
                if self._choice(statement, env):
                    return True
            elif isinstance(statement, ast.FunctionDef):
                self._inner(statement, env)
            elif isinstance(statement, ast.Assign):
                assign(statement, self._evaluator, env)
            elif isinstance(statement, (ast.With, ast.For, ast.Try)):
                self._host(statement.body, env)
        return False

    def _choice(self, node: ast.If, env: dict[str, Any]) -> bool:
        truth = self._evaluator.truth(node.test, env)
        if truth is not None:
            return self._host(node.body if truth else node.orelse, env)
        first = self._host(node.body, env)
        return self._host(node.orelse, env) and first

    def _inner(self, function: ast.FunctionDef, env: dict[str, Any]) -> None:
        names = self._module.names
        markers = names.markers(function)
        if Marker.PRIM_FUNC in markers:
            self._found.append(self.kernel(function, env, None))
        elif Marker.JIT in markers:
            inside = {**env, **self.arguments(function, {})}
            self._build = self.build_of(function, env)
            self._host(function.body, inside)
            self._returned.add(function.name)
        else:
            is_macro = any(names.last(node) == "macro" for node in function.decorator_list)
            env[function.name] = Function(function, env, is_macro)

    def _result(self, node: ast.expr | None, env: Mapping[str, Any]) -> None:
        if isinstance(node, ast.Call):
            compiled = self._module.names.last(node.func) == "compile"
            if compiled and self._build is None:
                self._build = self._build_from(node, env)
            node = node.args[0] if compiled and node.args else node.func
        if isinstance(node, ast.Name):
            self._returned.add(node.id)


def _names_read(module: Module, function: ast.FunctionDef) -> frozenset[str]:
    """The names that the body of a function reads."""
    first, last = function.body[0].lineno, function.end_lineno or 0
    return frozenset(
        node.id
        for node in module.nodes.get(ast.Name, [])
        if first <= node.lineno <= last and isinstance(node.ctx, ast.Load)
    )
