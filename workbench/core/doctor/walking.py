"""Walks the body of a kernel in order and collects its facts; macros are followed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from typing import Any

from workbench.core.doctor.arithmetic import is_plain
from workbench.core.doctor.declaring import SCOPES, buffer_made, shape_and_dtype, tensor_of
from workbench.core.doctor.evaluating import Evaluator, bind
from workbench.core.doctor.facts import Access, KernelFacts, Launch, Loop, LoopKind, Operation
from workbench.core.doctor.values import (
    Buffer,
    Form,
    Function,
    Layout,
    Region,
    Scope,
    buffer_of,
)

_LOOPS = {
    "Parallel": LoopKind.PARALLEL,
    "Pipelined": LoopKind.PIPELINED,
    "Persistent": LoopKind.PERSISTENT,
    "serial": LoopKind.SERIAL,
    "range": LoopKind.SERIAL,
    "Serial": LoopKind.SERIAL,
    "unroll": LoopKind.UNROLLED,
    "Unroll": LoopKind.UNROLLED,
    "vectorized": LoopKind.VECTORIZED,
    "Vectorized": LoopKind.VECTORIZED,
}
# Calls that take buffers and are no functions of elements.
_OPERATIONS = frozenset({"gemm", "copy", "clear", "fill", "atomic_add", "tma_copy", "async_copy"})
_INERT = (ast.Constant, ast.operator, ast.expr_context, ast.unaryop, ast.cmpop)
_MOVING = frozenset({"copy", "async_copy", "tma_copy", "atomic_add"})
_POINTERS = frozenset({"address_of", "access_ptr", "tvm_access_ptr"})
_PROPERTIES = frozenset({"shape", "dtype", "ndim", "scope"})
_DEFAULT_THREADS = 128
_DEEPEST_MACRO = 8


class Walker:
    """Goes through a kernel's statements with the names known at each."""

    def __init__(
        self, facts: KernelFacts, evaluator: Evaluator, augmented: Iterable[ast.AugAssign] = ()
    ) -> None:
        self._facts = facts
        self._evaluator = evaluator
        self._augmented_names = [
            (node.lineno, node.target.id) for node in augmented if isinstance(node.target, ast.Name)
        ]
        self._loops: tuple[Loop, ...] = ()
        self._conditions = 0
        self._order = 0
        self._fresh = 0
        self._macros = 0
        self._returned: list[Any] = []
        self._certain = 0
        self._statement = 0

    def walk(self, body: Iterable[ast.stmt], env: dict[str, Any]) -> bool:
        """Collect the facts of statements; `env` is changed by them.

        Says whether they end in a return for sure: what follows is never reached.
        """
        for statement in body:
            self._statement += 1
            handler = _STATEMENTS.get(type(statement))
            if handler is None:
                for child in ast.iter_child_nodes(statement):
                    self._scan(child, env)
            elif handler(self, statement, env):
                return True
        return False

    def parameters(self, function: ast.FunctionDef, env: dict[str, Any]) -> None:
        """Take the parameters of a kernel function."""
        for argument in (*function.args.posonlyargs, *function.args.args):
            tensor = tensor_of(argument.arg, argument.annotation, self._evaluator, env)
            known = argument.arg in env and tensor is None
            if not known:
                env[argument.arg] = tensor or Form.atom(argument.arg)
            self._facts.parameters.append(tensor or argument.arg)

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _unknown(self, name: str) -> Form:
        self._fresh += 1
        return Form.atom(f"{name}#{self._fresh}")

    def _assign(self, node: ast.Assign, env: dict[str, Any]) -> None:
        for target in node.targets:
            self._bind(target, node.value, env)

    def _annotated(self, node: ast.AnnAssign, env: dict[str, Any]) -> None:
        name = node.target.id if isinstance(node.target, ast.Name) else None
        tensor = tensor_of(name or "", node.annotation, self._evaluator, env)
        if name is not None and tensor is not None and node.value is None:
            env[name] = tensor
            given = self._facts.parameters
            given[:] = [tensor if parameter == name else parameter for parameter in given]
        elif node.value is not None:
            self._bind(node.target, node.value, env)

    def _bind(self, target: ast.expr, value: ast.expr, env: dict[str, Any]) -> None:
        if isinstance(target, ast.Name):
            made = self._allocated(target.id, value, env)
            env[target.id] = made if made is not None else self._named(target.id, value, env)
        elif isinstance(target, ast.Subscript):
            self._scan(value, env)
            self._store(target, value, env)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, env)

    def _named(self, name: str, node: ast.expr, env: dict[str, Any]) -> Any:
        """What a name is bound to; another name of a buffer is that buffer."""
        value = self._known(node, env)
        # A name bound under a condition or in a loop may be something else the next time.
        changing = isinstance(value, Region) or (self._conditions and name in env)
        if changing and isinstance(value, Buffer):
            self._facts.escaped.add(value)
        return self._unknown(name) if changing else value

    def _known(self, node: ast.expr, env: dict[str, Any]) -> Any:
        """The value of an expression, whose accesses and calls are collected."""
        if isinstance(node, ast.Call):
            function = env.get(node.func.id) if isinstance(node.func, ast.Name) else None
            found = self._inlined(function, node, env) if isinstance(function, Function) else None
            if found is not None:
                return found[0]
        if not isinstance(node, ast.Name):
            self._scan(node, env)
        return self._evaluator.value(node, env)

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, env: dict[str, Any]) -> None:
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
        if parts is not None and len(parts) == len(target.elts):
            for item, part in zip(target.elts, parts, strict=True):
                self._bind(item, part, env)
            return
        known = self._known(value, env)
        fits = isinstance(known, tuple) and len(known) == len(target.elts)
        for place, item in enumerate(target.elts):
            if isinstance(item, ast.Name):
                env[item.id] = known[place] if fits else self._shape_name(item.id, value, env)

    def _shape_name(self, name: str, value: ast.expr, env: dict[str, Any]) -> Any:
        """A name of `T.const("M, N")` keeps the value that the case gives it."""
        constant = isinstance(value, ast.Call) and self._op(value, env) == "const"
        return env[name] if constant and name in env else self._unknown(name)

    def _allocated(self, name: str, value: ast.expr, env: dict[str, Any]) -> Any:
        if not isinstance(value, ast.Call):
            return None
        op = self._op(value, env)
        if op in {"const", "dynamic", "symbolic"}:
            return env.get(name, Form.atom(name))
        if op not in SCOPES:
            return None
        given = shape_and_dtype(value, 1 if op == "match_buffer" else 0)
        buffer = buffer_made(name, self._scope(op, value, env), given, value, self._evaluator, env)
        if op == "match_buffer":
            self._match(value.args[0] if value.args else None, buffer)
        else:
            (self._facts.results if op == "empty" else self._facts.buffers).append(buffer)
        return buffer

    def _scope(self, op: str, call: ast.Call, env: dict[str, Any]) -> Scope:
        given = next((k.value for k in call.keywords if k.arg == "scope"), None)
        return Scope.LOCAL if self._evaluator.value(given, env) == "local" else SCOPES[op]

    def _match(self, handle: ast.expr | None, buffer: Buffer) -> None:
        """A parameter that is a pointer is the tensor that it is matched with."""
        name = handle.id if isinstance(handle, ast.Name) else None
        given = self._facts.parameters
        given[:] = [buffer if parameter == name else parameter for parameter in given]

    def _op(self, node: ast.Call, env: dict[str, Any]) -> str | None:
        """The name of a TileLang function that is called."""
        if isinstance(node.func, ast.Name) and isinstance(env.get(node.func.id), Function):
            return None
        return self._evaluator.names.last(node.func)

    def _store(self, target: ast.Subscript, value: ast.expr, env: dict[str, Any]) -> None:
        region = self._evaluator.value(target, env)
        self._scan_indices(target, env)
        if isinstance(region, Region):
            # Its dtype or shape may be named without its elements being read.
            own = any(
                isinstance(node, ast.Subscript)
                and isinstance(node.value, ast.Name)
                and env.get(node.value.id) is region.buffer
                for node in ast.walk(value)
            )
            self._access(region, target, True, own, own and self._is_sum(region, value, env))
        else:
            self._facts.complete = False

    def _is_sum(self, region: Region, value: ast.expr, env: dict[str, Any]) -> bool:
        """Whether a value is an element with a term added or taken away."""
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, (ast.Add, ast.Sub)):
            return False
        return any(
            isinstance(side, ast.Subscript) and self._evaluator.value(side, env) == region
            for side in (value.left, value.right)
        )

    def _access(
        self,
        region: Region,
        node: ast.Subscript,
        write: bool,
        own: bool = False,
        adds: bool = False,
    ) -> None:
        access = Access(region, node, self._loops, self._next(), write, own, adds, self._statement)
        self._facts.accesses.append(access)

    def _augmented(self, node: ast.AugAssign, env: dict[str, Any]) -> None:
        self._scan(node.value, env)
        region = self._evaluator.value(node.target, env)
        if isinstance(node.target, ast.Subscript) and isinstance(region, Region):
            self._access(region, node.target, False)
            adds = isinstance(node.op, (ast.Add, ast.Sub))
            self._access(region, node.target, True, True, adds)
        elif isinstance(node.target, ast.Name):
            env[node.target.id] = self._unknown(node.target.id)

    def _expression(self, node: ast.Expr, env: dict[str, Any]) -> None:
        if isinstance(node.value, ast.Call):
            self._call(node.value, env, statement=True)
        else:
            self._scan(node.value, env)

    def _call(self, node: ast.Call, env: dict[str, Any], statement: bool = False) -> None:
        function = env.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(function, Function) and self._inlined(function, node, env) is not None:
            return
        op = self._op(node, env)
        if op is not None and (statement or op in _OPERATIONS):
            self._operation(op, node, env)
            return
        if op is None:
            self._foreign(node, env)
        elif op in _POINTERS:
            self._escape(node, env)
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name):
            self._scan(node.func.value, env)  # `A[i].astype("float32")` reads A
        for child in (*node.args, *(k.value for k in node.keywords)):
            if op is not None or not isinstance(child, ast.Name):
                self._scan(child, env)

    def _foreign(self, node: ast.Call, env: dict[str, Any]) -> None:
        """A call of what the source does not show: it may do anything with its buffers."""
        values = [self._evaluator.value(a, env) for a in node.args]
        keywords = {k.arg: self._evaluator.value(k.value, env) for k in node.keywords if k.arg}
        if any(isinstance(v, (Buffer, Region)) for v in (*values, *keywords.values())):
            self._record("", node, tuple(values), keywords)

    def _escape(self, node: ast.Call, env: dict[str, Any]) -> None:
        """A pointer is made of a buffer: what is done by it is not seen."""
        for argument in node.args:
            buffer = buffer_of(self._evaluator.value(argument, env))
            if buffer is not None:
                self._facts.escaped.add(buffer)

    def _inlined(self, function: Function, node: ast.Call, env: dict[str, Any]) -> list[Any] | None:
        """Walk a function that is called; its one result in a list, None where it is not walked."""
        if not isinstance(function.node, ast.FunctionDef) or self._macros >= _DEEPEST_MACRO:
            return None
        inside = bind(self._evaluator, function, node, env)
        if inside is None:
            return None
        self._scan_given(function, node, env)
        outer = self._returned, self._certain
        self._returned, self._certain = [], self._conditions
        self._macros += 1
        self.walk(function.node.body, inside)
        self._macros -= 1
        found = self._returned
        self._returned, self._certain = outer
        return [self._one_of(found)]

    def _scan_given(self, function: Function, node: ast.Call, env: dict[str, Any]) -> None:
        """The accesses in what a function is given; a macro may take parts of buffers as such."""
        for argument in (*node.args, *(k.value for k in node.keywords)):
            value = self._evaluator.value(argument, env)
            if isinstance(value, Region) and function.is_macro:
                if isinstance(argument, ast.Subscript):
                    self._scan_indices(argument, env)
            elif not isinstance(value, (Buffer, tuple)):
                self._scan(argument, env)

    def _one_of(self, values: list[Any]) -> Any:
        """What a call gives; where it may give several things, their buffers have another name."""
        if len(values) < 2:
            return values[0] if values else None
        for value in values:
            parts = value if isinstance(value, tuple) else (value,)
            self._facts.escaped.update(b for part in parts if (b := buffer_of(part)) is not None)
        return self._unknown("result")

    def _operation(self, op: str, node: ast.Call, env: dict[str, Any]) -> None:
        values = self._evaluator.values(node.args, env)
        keywords = self._evaluator.keywords(node.keywords, env)
        if not op.startswith("annotate_"):  # which says something of buffers and uses none
            self._scan_arguments(node, env)
        self._record(op, node, values, keywords)
        if op in _MOVING and not all(buffer_of(v) for v in (*values[:2], *keywords.values())):
            self._facts.complete = False
        if op == "annotate_layout" and values and isinstance(values[0], dict):
            self._facts.layouts += [v for v in values[0].values() if isinstance(v, Layout)]

    def _scan_arguments(self, node: ast.Call, env: dict[str, Any]) -> None:
        for argument in (*node.args, *(k.value for k in node.keywords)):
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            value = self._evaluator.value(inner, env)
            if isinstance(value, Region) and isinstance(inner, ast.Subscript):
                self._scan_indices(inner, env)
            elif not isinstance(value, Buffer) and not _is_buffers(value):
                self._scan(inner, env)

    def _record(
        self, op: str, node: ast.Call, values: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
        operation = Operation(
            op, node, values, keywords, self._loops, self._next(), self._conditions > 0
        )
        self._facts.operations.append(operation)

    def _scan(self, node: ast.AST, env: dict[str, Any]) -> None:
        """Collect the accesses and calls inside an expression."""
        if isinstance(node, _INERT):
            return
        if isinstance(node, ast.Call):
            self._call(node, env)
        elif isinstance(node, ast.Subscript):
            region = self._evaluator.value(node, env)
            self._scan_indices(node, env)
            if isinstance(region, Region):
                self._access(region, node, False)
            else:
                self._scan(node.value, env)
        elif isinstance(node, ast.Name):
            value = env.get(node.id)
            if isinstance(value, Buffer):
                self._facts.escaped.add(value)
        elif isinstance(node, ast.Attribute) and node.attr in _PROPERTIES:
            return
        elif not isinstance(node, ast.Lambda):
            for child in ast.iter_child_nodes(node):
                self._scan(child, env)

    def _scan_indices(self, node: ast.Subscript, env: dict[str, Any]) -> None:
        self._scan(node.slice, env)

    def _for(self, node: ast.For, env: dict[str, Any]) -> None:
        self._scan(node.iter, env)
        kind, extents, stages = self._header(node.iter, env)
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        variables = []
        for target in targets:
            if isinstance(target, ast.Name):
                self._fresh += 1
                variable = f"{target.id}@{self._fresh}"
                variables.append(variable)
                env[target.id] = Form.atom(variable, frozenset({variable}))
        under = self._conditions > 0
        self._inside(Loop(kind, node, tuple(variables), extents, stages, under), node.body, env)

    def _header(self, node: ast.expr, env: dict[str, Any]) -> tuple[LoopKind, tuple[Any, ...], Any]:
        if not isinstance(node, ast.Call):
            return LoopKind.SERIAL, (), None
        plain = node.func.id if isinstance(node.func, ast.Name) else None
        kind = _LOOPS.get(self._op(node, env) or plain or "", LoopKind.SERIAL)
        values = tuple(self._evaluator.value(argument, env) for argument in node.args)
        keywords = {k.arg: self._evaluator.value(k.value, env) for k in node.keywords}
        if kind is LoopKind.PIPELINED:
            stages = values[2] if len(values) > 2 else keywords.get("num_stages")
            return kind, values if len(values) == 1 else (), 0 if stages is None else stages
        if kind is LoopKind.PERSISTENT and values and isinstance(values[0], tuple):
            return kind, values[0], None
        # With more than one argument the others are where it begins, ends and how it steps.
        whole = kind is LoopKind.PARALLEL or len(values) == 1
        return kind, values if whole else (), None

    def _while(self, node: ast.While, env: dict[str, Any]) -> None:
        self._scan(node.test, env)
        under = self._conditions > 0
        self._inside(Loop(LoopKind.SERIAL, node, (), (), conditional=under), node.body, env)

    def _inside(self, loop: Loop, body: list[ast.stmt], env: dict[str, Any]) -> None:
        self._facts.loops.append(loop)
        outer, self._loops = self._loops, (*self._loops, loop)
        # What the body changes is not known while it runs.
        for name in self._rebound(loop.node):
            if is_plain(env.get(name, ())):
                env[name] = self._unknown(name)
        self.walk(body, env)
        self._loops = outer

    def _rebound(self, loop: ast.For | ast.While) -> set[str]:
        """The names that a loop changes by what they were."""
        last = loop.end_lineno or loop.lineno
        return {name for line, name in self._augmented_names if loop.lineno <= line <= last}

    def _with(self, node: ast.With, env: dict[str, Any]) -> None:
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and self._op(call, env) == "Kernel":
                self._launch(call, env)
            variables = item.optional_vars
            nodes = variables.elts if isinstance(variables, ast.Tuple) else [variables]
            for variable in nodes:
                if isinstance(variable, ast.Name):
                    env[variable.id] = Form.atom(variable.id)
        self.walk(node.body, env)

    def _launch(self, call: ast.Call, env: dict[str, Any]) -> None:
        node = next((k.value for k in call.keywords if k.arg == "threads"), None)
        threads = self._evaluator.value(node, env) if node is not None else _DEFAULT_THREADS
        if isinstance(threads, tuple) and threads and all(type(n) is int for n in threads):
            threads = math.prod(threads)
        threads = _DEFAULT_THREADS if threads is None else threads
        grid = self._evaluator.values(call.args, env)
        self._facts.launches.append(Launch(call, grid, threads, node))

    def _return(self, node: ast.Return, env: dict[str, Any]) -> bool:
        """Results that are returned by name are no other names of them."""
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            if part is not None and not isinstance(part, ast.Name):
                self._scan(part, env)
        self._returned.append(self._evaluator.value(node.value, env))
        return self._conditions == self._certain

    def _if(self, node: ast.If, env: dict[str, Any]) -> bool:
        truth = self._evaluator.truth(node.test, env)
        if truth is not None:
            return self.walk(node.body if truth else node.orelse, env)
        self._scan(node.test, env)
        self._conditions += 1
        self.walk(node.body, env)
        self.walk(node.orelse, env)
        self._conditions -= 1
        return False

    def _function(self, node: ast.FunctionDef, env: dict[str, Any]) -> None:
        env[node.name] = Function(node, env, self._is_macro(node))

    def _is_macro(self, node: ast.FunctionDef) -> bool:
        names = self._evaluator.names
        return any(names.last(decorator) == "macro" for decorator in node.decorator_list)


def _is_buffers(value: object) -> bool:
    """Whether a value is a tuple of buffers alone, as in `T.gemm(*tiles)`."""
    return isinstance(value, tuple) and bool(value) and all(isinstance(v, Buffer) for v in value)


_STATEMENTS: dict[type[ast.stmt], Callable[[Walker, Any, dict[str, Any]], bool | None]] = {
    ast.Assign: Walker._assign,
    ast.AnnAssign: Walker._annotated,
    ast.AugAssign: Walker._augmented,
    ast.Expr: Walker._expression,
    ast.For: Walker._for,
    ast.While: Walker._while,
    ast.With: Walker._with,
    ast.If: Walker._if,
    ast.Return: Walker._return,
    ast.FunctionDef: Walker._function,
}
