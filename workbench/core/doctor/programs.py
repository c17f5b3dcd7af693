"""Finds the kernel functions that a document's kernel builds for a case, and their facts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.doctor.arithmetic import binary, opaque
from workbench.core.doctor.evaluating import Evaluator, bind
from workbench.core.doctor.facts import Build, KernelFacts
from workbench.core.doctor.interpreting import assign, bind_target, merged
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Form, Function
from workbench.core.doctor.walking import Walker
from workbench.core.documents.model import Kernel, KernelStyle
from workbench.core.documents.names import Marker
from workbench.core.documents.syntax import own_nodes
from workbench.core.targets.model import Target

_DEEPEST_CALL = 6
_MOST_TURNS = 64


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
        return [reader.kernel(_Program(function, env, build))]
    return reader.built(function, env, build)


@dataclass(frozen=True, eq=False)
class _Program:
    """A function whose own body is a kernel, with the names around it and how it is built."""

    function: ast.FunctionDef
    env: Mapping[str, Any]
    build: Build | None = None


class _Programs(tuple[_Program, ...]):
    """The kernels that an expression gives: several where it gives one or the other."""

    __slots__ = ()


class _Reader:
    """Goes through the code around kernels as it would run, as far as the source tells."""

    def __init__(self, module: Module, kernel: Kernel, targets: tuple[Target, ...]) -> None:
        self._module = module
        self._kernel = kernel
        self._targets = targets
        self._evaluator = Evaluator(module.names)
        self._defined: list[_Program] = []
        self._depth = 0

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
        out = out_idx_node(node, self._module) if isinstance(node, ast.Call) else None
        return Build(node, out, self._evaluator.value(out, env))

    def kernel(self, program: _Program) -> KernelFacts:
        """The facts of a kernel function."""
        function, module = program.function, self._module
        facts = KernelFacts(self._kernel, function, module.names, self._targets, program.build)
        facts.used_names = _names_read(module, function)
        walker = Walker(facts, self._evaluator, module.nodes.get(ast.AugAssign, []))
        inside = dict(program.env)
        walker.parameters(function, inside)
        walker.walk(function.body, inside)
        return facts

    def built(
        self, function: ast.FunctionDef, env: dict[str, Any], build: Build | None
    ) -> list[KernelFacts]:
        """The facts of the kernels that a function returns; else of those defined in it."""
        returned: list[_Program] = []
        self._host(function.body, dict(env), returned)
        found = {
            (program.function, id(program.env)): _built_by(program, build)
            for program in returned or self._defined
        }
        return [self.kernel(program) for program in found.values()]

    def _host(
        self, body: Iterable[ast.stmt], env: dict[str, Any], returned: list[_Program]
    ) -> bool:
        """Go through the code around a kernel; says whether it has returned for sure."""
        for statement in body:
            if isinstance(statement, ast.Return):
                returned += self._programs(statement.value, env)
                return True
            if isinstance(statement, ast.If):
                if self._choice(statement, env, returned):
                    return True
            elif isinstance(statement, (ast.With, ast.For, ast.Try)):
                self._host(statement.body, env, returned)
            elif isinstance(statement, ast.While):
                self._repeat(statement, env, returned)
            else:
                self._bind(statement, env)
        return False

    def _bind(self, statement: ast.stmt, env: dict[str, Any]) -> None:
        if isinstance(statement, ast.FunctionDef):
            self._inner(statement, env)
        elif isinstance(statement, ast.Assign):
            made = self._programs(statement.value, env)
            if not made:
                assign(statement, self._evaluator, env)
            for target in statement.targets if made else []:
                bind_target(target, made, env)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            bind_target(statement.target, self._evaluator.value(statement.value, env), env)
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            value = self._evaluator.value(statement.value, env)
            name = statement.target.id
            env[name] = binary(statement.op, env.get(name, opaque(name)), value)

    def _choice(self, node: ast.If, env: dict[str, Any], returned: list[_Program]) -> bool:
        truth = self._evaluator.truth(node.test, env)
        if truth is not None:
            return self._host(node.body if truth else node.orelse, env, returned)
        first, second = dict(env), dict(env)
        ends = [
            self._host(node.body, first, returned),
            self._host(node.orelse, second, returned),
        ]
        env.update(second if ends[0] else first if ends[1] else merged(first, second))
        return all(ends)

    def _repeat(self, node: ast.While, env: dict[str, Any], returned: list[_Program]) -> None:
        for _ in range(_MOST_TURNS):
            if not self._evaluator.truth(node.test, env):
                return
            self._host(node.body, env, returned)

    def _inner(self, function: ast.FunctionDef, env: dict[str, Any]) -> None:
        names = self._module.names
        markers = names.markers(function)
        if Marker.PRIM_FUNC in markers:
            program = _Program(function, dict(env))
        elif Marker.JIT in markers and self._is_eager(function):
            inside = {**env, **self.arguments(function, {})}
            program = _Program(function, inside, self.build_of(function, env))
        else:
            is_macro = any(names.last(node) == "macro" for node in function.decorator_list)
            env[function.name] = Function(function, env, is_macro)
            return
        self._defined.append(program)
        env[function.name] = _Programs([program])

    def _is_eager(self, function: ast.FunctionDef) -> bool:
        calls = (node for node in own_nodes(function) if isinstance(node, ast.Call))
        return any(self._module.names.last(call.func) == "Kernel" for call in calls)

    def _programs(self, node: ast.expr | None, env: Mapping[str, Any]) -> _Programs:
        """The kernels that an expression gives, compiled or not; none where it gives no kernel."""
        if isinstance(node, ast.Name):
            value = env.get(node.id)
            if isinstance(value, Function) and self._is_jit(value):
                return self._followed(value, None, env)
            return value if isinstance(value, _Programs) else _Programs()
        if isinstance(node, ast.IfExp):
            truth = self._evaluator.truth(node.test, env)
            sides = [node.body] * (truth is not False) + [node.orelse] * (truth is not True)
            return _Programs(p for side in sides for p in self._programs(side, env))
        return self._called(node, env) if isinstance(node, ast.Call) else _Programs()

    def _called(self, node: ast.Call, env: Mapping[str, Any]) -> _Programs:
        callee = env.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(callee, Function):
            return _Programs() if callee.is_macro else self._followed(callee, node, env)
        names = self._module.names
        builds = names.marker(node.func) is Marker.JIT or names.last(node.func) == "compile"
        if builds:
            maker = node.func if isinstance(node.func, ast.Call) else node
            build = self._build_from(maker, env)
            given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "func")]
            made = (self._programs(each, env) for each in given)
            return _Programs(_built_by(p, build) for programs in made for p in programs)
        # As in `main.with_attr(...)`.
        method = node.func if isinstance(node.func, ast.Attribute) else None
        return self._programs(method.value, env) if method is not None else _Programs()

    def _is_jit(self, function: Function) -> bool:
        node = function.node
        names = self._module.names
        return isinstance(node, ast.FunctionDef) and Marker.JIT in names.markers(node)

    def _followed(
        self, function: Function, call: ast.Call | None, env: Mapping[str, Any]
    ) -> _Programs:
        """What a function of the document returns, if that is kernels."""
        node = function.node
        if not isinstance(node, ast.FunctionDef) or self._depth >= _DEEPEST_CALL:
            return _Programs()
        bound = bind(self._evaluator, function, call, env) if call is not None else None
        inside = {**function.scope, **self.arguments(node, {}), **(bound or {})}
        returned: list[_Program] = []
        self._depth += 1
        self._host(node.body, inside, returned)
        self._depth -= 1
        build = self.build_of(node, inside)
        return _Programs(_built_by(program, build) for program in returned)


def _built_by(program: _Program, build: Build | None) -> _Program:
    """The program with how it is built, which what is nearer to it has said first."""
    return program if program.build is not None else replace(program, build=build)


def out_idx_node(call: ast.Call, module: Module) -> ast.expr | None:
    """The expression that a call of `jit` or `compile` gives for `out_idx`."""
    named = next((k.value for k in call.keywords if k.arg == "out_idx"), None)
    positional = call.args[1:2] if module.names.last(call.func) == "compile" else []
    return named if named is not None else next(iter(positional), None)


def _names_read(module: Module, function: ast.FunctionDef) -> frozenset[str]:
    """The names that the body of a function reads."""
    first, last = function.body[0].lineno, function.end_lineno or 0
    return frozenset(
        node.id
        for node in module.nodes.get(ast.Name, [])
        if first <= node.lineno <= last and isinstance(node.ctx, ast.Load)
    )
