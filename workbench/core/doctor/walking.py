"""Walks the body of a kernel in order and collects its facts; macros are followed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from workbench.core.doctor.arithmetic import is_plain
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
    dtype_named,
)

_SCOPES = {
    "alloc_shared": Scope.SHARED,
    "alloc_fragment": Scope.FRAGMENT,
    "alloc_local": Scope.LOCAL,
    "alloc_tmem": Scope.TENSOR,
    "alloc_barrier": Scope.BARRIER,
    "alloc_cluster_barrier": Scope.BARRIER,
    "empty": Scope.GLOBAL,
}
_TENSORS = frozenset({"Tensor", "Buffer", "StridedTensor"})
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


def tensor_of(
    name: str, annotation: ast.expr | None, evaluator: Evaluator, env: dict[str, Any]
) -> Buffer | None:
    """The tensor that a parameter or an annotated name is, None where it is none."""
    call = annotation
    if isinstance(call, ast.Call) and evaluator.names.last(call.func) in _TENSORS:
        arguments, keywords = call.args, {k.arg: k.value for k in call.keywords}
    elif isinstance(call, ast.Subscript) and evaluator.names.last(call.value) in _TENSORS:
        inner = call.slice
        arguments, keywords = (inner.elts if isinstance(inner, ast.Tuple) else [inner]), {}
        if len(arguments) != 2 or not isinstance(arguments[0], (ast.Tuple, ast.List)):
            return None
    else:
        return None
    shape = arguments[0] if arguments else keywords.get("shape")
    dtype = arguments[1] if len(arguments) > 1 else keywords.get("dtype")
    assert annotation is not None
    return _buffer(name, Scope.GLOBAL, shape, dtype, annotation, evaluator, env)


def _buffer(
    name: str,
    scope: Scope,
    shape_node: ast.expr | None,
    dtype_node: ast.expr | None,
    node: ast.AST,
    evaluator: Evaluator,
    env: dict[str, Any],
) -> Buffer:
    shape = evaluator.value(shape_node, env)
    # A shape by a name that the source does not tell has no known rank either.
    sizes = shape if isinstance(shape, tuple) else (shape,) if type(shape) is int else ()
    parts = shape_node.elts if isinstance(shape_node, (ast.Tuple, ast.List)) else [shape_node]
    texts = tuple(ast.unparse(part) if part is not None else "" for part in parts)
    dtype = dtype_named(evaluator.value(dtype_node, env))
    return Buffer(name, scope, sizes, texts, dtype, node, shape_node, dtype_node)


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

    def walk(self, body: Iterable[ast.stmt], env: dict[str, Any]) -> None:
        """Collect the facts of statements; `env` is changed by them."""
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement, env)
            else:
                for child in ast.iter_child_nodes(statement):
                    self._scan(child, env)

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
            if made is None:
                self._scan(value, env)
            env[target.id] = made if made is not None else self._value(target.id, value, env)
        elif isinstance(target, ast.Subscript):
            self._scan(value, env)
            self._store(target, value, env)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, env)

    def _value(self, name: str, node: ast.expr, env: dict[str, Any]) -> Any:
        value = self._evaluator.value(node, env)
        # A name bound under a condition or in a loop may be something else the next time.
        changing = isinstance(value, Region) or (self._conditions and name in env)
        return self._unknown(name) if changing else value

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, env: dict[str, Any]) -> None:
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
        if parts is not None and len(parts) == len(target.elts):
            for item, part in zip(target.elts, parts, strict=True):
                self._bind(item, part, env)
            return
        self._scan(value, env)
        known = self._evaluator.value(value, env)
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
        if op not in _SCOPES:
            return None
        keywords = {k.arg: k.value for k in value.keywords}
        shape = value.args[0] if value.args else keywords.get("shape")
        dtype = value.args[1] if len(value.args) > 1 else keywords.get("dtype")
        scope = _SCOPES[op]
        if "scope" in keywords and self._evaluator.value(keywords["scope"], env) == "local":
            scope = Scope.LOCAL
        buffer = _buffer(name, scope, shape, dtype, value, self._evaluator, env)
        (self._facts.results if op == "empty" else self._facts.buffers).append(buffer)
        return buffer

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
            self._access(region, target, True, own)
        else:
            self._facts.complete = False

    def _access(self, region: Region, node: ast.Subscript, write: bool, own: bool = False) -> None:
        access = Access(region, node, self._loops, self._next(), write, own)
        self._facts.accesses.append(access)

    def _augmented(self, node: ast.AugAssign, env: dict[str, Any]) -> None:
        self._scan(node.value, env)
        region = self._evaluator.value(node.target, env)
        if isinstance(node.target, ast.Subscript) and isinstance(region, Region):
            self._access(region, node.target, False)
            self._access(region, node.target, True, True)
        elif isinstance(node.target, ast.Name):
            env[node.target.id] = self._unknown(node.target.id)

    def _expression(self, node: ast.Expr, env: dict[str, Any]) -> None:
        if isinstance(node.value, ast.Call):
            self._call(node.value, env, statement=True)
        else:
            self._scan(node.value, env)

    def _call(self, node: ast.Call, env: dict[str, Any], statement: bool = False) -> None:
        function = env.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(function, Function) and self._inlined(function, node, env):
            return
        op = self._op(node, env)
        if op is not None and (statement or op in _OPERATIONS):
            self._operation(op, node, env)
            return
        if op is None:
            self._foreign(node, env)
        elif op in _POINTERS:
            self._escape(node, env)
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

    def _inlined(self, function: Function, node: ast.Call, env: dict[str, Any]) -> bool:
        if not isinstance(function.node, ast.FunctionDef) or self._macros >= _DEEPEST_MACRO:
            return False
        inside = bind(self._evaluator, function, node, env)
        if inside is None:
            return False
        self._macros += 1
        self.walk(function.node.body, inside)
        self._macros -= 1
        return True

    def _operation(self, op: str, node: ast.Call, env: dict[str, Any]) -> None:
        values = tuple(self._evaluator.value(argument, env) for argument in node.args)
        keywords = {k.arg: self._evaluator.value(k.value, env) for k in node.keywords if k.arg}
        for argument, value in zip(node.args, values, strict=True):
            if isinstance(value, Region) and isinstance(argument, ast.Subscript):
                self._scan_indices(argument, env)
            elif not isinstance(value, Buffer):
                self._scan(argument, env)
        self._record(op, node, values, keywords)
        if op in _MOVING and not all(buffer_of(v) for v in (*values[:2], *keywords.values())):
            self._facts.complete = False
        if op == "annotate_layout" and values and isinstance(values[0], dict):
            self._facts.layouts += [v for v in values[0].values() if isinstance(v, Layout)]

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
        self._inside(Loop(kind, node, tuple(variables), extents, stages), node.body, env)

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
        self._inside(Loop(LoopKind.SERIAL, node, (), ()), node.body, env)

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
        grid = tuple(self._evaluator.value(a, env) for a in call.args)
        self._facts.launches.append(Launch(call, grid, threads, node))

    def _return(self, node: ast.Return, env: dict[str, Any]) -> None:
        """Results that are returned by name are no other names of them."""
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for part in parts:
            if part is not None and not isinstance(part, ast.Name):
                self._scan(part, env)

    def _if(self, node: ast.If, env: dict[str, Any]) -> None:
        truth = self._evaluator.truth(node.test, env)
        if truth is not None:
            self.walk(node.body if truth else node.orelse, env)
            return
        self._scan(node.test, env)
        self._conditions += 1
        self.walk(node.body, env)
        self.walk(node.orelse, env)
        self._conditions -= 1

    def _function(self, node: ast.FunctionDef, env: dict[str, Any]) -> None:
        env[node.name] = Function(node, env, self._is_macro(node))

    def _is_macro(self, node: ast.FunctionDef) -> bool:
        names = self._evaluator.names
        return any(names.last(decorator) == "macro" for decorator in node.decorator_list)


_STATEMENTS: dict[type[ast.stmt], Callable[[Walker, Any, dict[str, Any]], None]] = {
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
