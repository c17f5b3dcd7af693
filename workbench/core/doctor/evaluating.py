"""A small partial evaluator: what an expression of a document is, without running the document."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workbench.core.doctor.arithmetic import (
    binary,
    ceildiv,
    compare,
    is_plain,
    next_power_of_two,
    opaque,
    rounded_log2,
)
from workbench.core.doctor.interpreting import UntoldError, bind_target, call_result
from workbench.core.doctor.values import (
    Buffer,
    Form,
    Function,
    Layout,
    Record,
    Region,
    TensorType,
    dtype_named,
)
from workbench.core.documents.names import Names

Environment = Mapping[str, Any]
_DEEPEST_CALL = 6


_MOST_ITEMS = 64
TENSORS = frozenset({"Tensor", "Buffer", "StridedTensor"})
_LAYOUTS = frozenset({"Layout", "Fragment"})


def _numeric(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of numbers, which are given one by one or as one tuple."""

    def evaluate(*values: Any) -> Any:
        parts = values[0] if len(values) == 1 and isinstance(values[0], tuple) else values
        if parts and all(isinstance(part, (int, float)) for part in parts):
            return function(*values)
        return opaque(f"{name}({','.join(map(str, values))})", *parts)

    return evaluate


def _extreme(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def evaluate(*values: Any) -> Any:
        return function(values[0] if len(values) == 1 and isinstance(values[0], tuple) else values)

    return _numeric(evaluate, name)


def _length(value: Any) -> Any:
    return len(value) if isinstance(value, (tuple, str, dict)) else opaque(f"len({value})")


def _range(*values: Any) -> Any:
    whole = range(*values) if all(type(value) is int for value in values) else None
    if whole is None or len(whole) > _MOST_ITEMS:
        return opaque(f"range({','.join(map(str, values))})", *values)
    return tuple(whole)


def _items(value: Any) -> Any:
    return value if isinstance(value, tuple) else opaque(f"tuple({value})", value)


# Functions that sizes are made with, by the last part of their name.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ceildiv": ceildiv,
    "cdiv": ceildiv,
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "int": lambda value: int(value) if isinstance(value, (int, float)) else value,
    "abs": _numeric(abs, "abs"),
    "round": _numeric(round, "round"),
    "ceil": _numeric(math.ceil, "ceil"),
    "floor": _numeric(math.floor, "floor"),
    "sqrt": _numeric(math.sqrt, "sqrt"),
    "gcd": _numeric(math.gcd, "gcd"),
    "lcm": _numeric(math.lcm, "lcm"),
    "prod": _numeric(math.prod, "prod"),
    "sum": _numeric(sum, "sum"),
    "divmod": _numeric(divmod, "divmod"),
    "len": _length,
    "range": _range,
    "tuple": _items,
    "list": _items,
    "next_power_of_2": next_power_of_two,
    "log2": rounded_log2,
    "dtype": lambda value: value,
    "float": lambda value: float(value) if isinstance(value, (int, float)) else value,
    "str": lambda value: value if isinstance(value, str) else opaque(f"str({value})"),
}


class Evaluator:
    """Evaluates expressions; what the source does not fix becomes a `Form`."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._depth = 0

    def value(self, node: ast.expr | None, env: Environment) -> Any:
        """The value of an expression."""
        if node is None:
            return None
        handler = _HANDLERS.get(type(node))
        return handler(self, node, env) if handler else self._unknown(node, env)

    def values(self, nodes: Iterable[ast.expr], env: Environment) -> tuple[Any, ...]:
        """The values of the arguments of a call or the items of a tuple; `*shape` is its parts."""
        items: list[Any] = []
        for item in nodes:
            starred = isinstance(item, ast.Starred)
            value = self.value(item.value if isinstance(item, ast.Starred) else item, env)
            items.extend(value if starred and isinstance(value, tuple) else [value])
        return tuple(items)

    def keywords(self, nodes: Iterable[ast.keyword], env: Environment) -> dict[str, Any]:
        """The values of keywords by name; `**options` is what is in it."""
        found: dict[str, Any] = {}
        for keyword in nodes:
            value = self.value(keyword.value, env)
            if keyword.arg is not None:
                found[keyword.arg] = value
            elif isinstance(value, dict):
                found.update({name: known for name, known in value.items() if type(name) is str})
        return found

    def truth(self, node: ast.expr, env: Environment) -> bool | None:
        """Whether a condition holds; None where the source does not tell."""
        value = self.value(node, env)
        return bool(value) if is_plain(value) else None

    def _unknown(self, node: ast.AST, env: Environment) -> Form:
        parts = [self.value(c, env) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        return opaque(f"{type(node).__name__}({','.join(map(str, parts))})", *parts)

    def _constant(self, node: ast.Constant, _env: Environment) -> Any:
        return node.value if is_plain(node.value) else opaque(repr(node.value))

    def _name(self, node: ast.Name, env: Environment) -> Any:
        if node.id in env:
            return env[node.id]
        # `from tilelang.language import float16`, and a plain `float` or `int` as a dtype.
        path = self.names.resolve(node) or ""
        dtype = dtype_named(path.rsplit(".", 1)[-1]) if "." in path else None
        return dtype or opaque(node.id)

    def _attribute(self, node: ast.Attribute, env: Environment) -> Any:
        base = self.value(node.value, env) if isinstance(node.value, ast.Name) else None
        if isinstance(base, Buffer) and node.attr in {"shape", "dtype"}:
            known = base.shape if node.attr == "shape" else base.dtype
            return known or opaque(f"{base.name}.{node.attr}")
        if isinstance(base, Record) and node.attr in base.fields:
            return base.fields[node.attr]
        path = self.names.resolve(node)
        ours = path is not None and path.split(".")[0] in {"tilelang", "torch", "tvm"}
        return (dtype_named(node.attr) if ours else None) or opaque(path or ast.unparse(node))

    def _sequence(self, node: ast.Tuple | ast.List, env: Environment) -> Any:
        return self.values(node.elts, env)

    def _dictionary(self, node: ast.Dict, env: Environment) -> Any:
        result = {}
        for key, value in zip(node.keys, node.values, strict=True):
            known = self.value(key, env)
            if key is not None and not isinstance(known, dict):
                result[known] = self.value(value, env)
        return result

    def _binary(self, node: ast.BinOp, env: Environment) -> Any:
        left, right = self.value(node.left, env), self.value(node.right, env)
        if isinstance(node.op, ast.Mult) and isinstance(left, tuple) and type(right) is int:
            return left * right if len(left) * right <= 16 else opaque("tuple")
        return binary(node.op, left, right)

    def _unary(self, node: ast.UnaryOp, env: Environment) -> Any:
        value = self.value(node.operand, env)
        if isinstance(node.op, ast.Not):
            return not value if is_plain(value) else opaque(f"not {value}", value)
        if isinstance(node.op, ast.USub):
            return binary(ast.Sub(), 0, value)
        return value if isinstance(node.op, ast.UAdd) else opaque(f"~{value}", value)

    def _compare(self, node: ast.Compare, env: Environment) -> Any:
        values = [self.value(side, env) for side in (node.left, *node.comparators)]
        truths = [compare(op, *values[i : i + 2]) for i, op in enumerate(node.ops)]
        if None in truths:
            return self._unknown(node, env)
        return all(truths)

    def _boolean(self, node: ast.BoolOp, env: Environment) -> Any:
        decisive = isinstance(node.op, ast.Or)
        unknown = False
        value: Any = None
        for side in node.values:
            value = self.value(side, env)
            if not is_plain(value):
                unknown = True
            elif bool(value) is decisive:
                return value
        return self._unknown(node, env) if unknown else value

    def _choice(self, node: ast.IfExp, env: Environment) -> Any:
        truth = self.truth(node.test, env)
        if truth is None:
            return self._unknown(node, env)
        return self.value(node.body if truth else node.orelse, env)

    def _subscript(self, node: ast.Subscript, env: Environment) -> Any:
        if isinstance(node.value, ast.Attribute) and self.names.last(node.value) in TENSORS:
            return TensorType(node, env)
        base = self.value(node.value, env)
        if isinstance(base, Buffer):
            return self._region(base, node.slice, env)
        if isinstance(node.slice, ast.Slice) and isinstance(base, tuple):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            bounds = [self.value(part, env) for part in parts]
            if all(bound is None or type(bound) is int for bound in bounds):
                return base[slice(*bounds)] if bounds[2] != 0 else opaque("slice")
        index = self.value(node.slice, env)
        if isinstance(base, tuple) and type(index) is int and -len(base) <= index < len(base):
            return base[index]
        if isinstance(base, dict) and is_plain(index) and index in base:
            return base[index]
        return opaque(f"{base}[{index}]", base, index)

    def _region(self, buffer: Buffer, index: ast.expr, env: Environment) -> Region:
        nodes = index.elts if isinstance(index, ast.Tuple) else [index]
        indices: list[Any] = []
        extents: list[Any] = []
        starts: list[Any] = []
        for place, node in enumerate(nodes):
            whole = buffer.shape[place] if place < len(buffer.shape) else None
            if isinstance(node, ast.Slice):
                first = self.value(node.lower, env) if node.lower else 0
                last = self.value(node.upper, env) if node.upper else whole
                indices.append(None)
                starts.append(first)
                extents.append(binary(ast.Sub(), last, first) if last is not None else None)
            else:
                indices.append(self.value(node, env))
                starts.append(indices[-1])
                extents.append(1)
        return Region(buffer, tuple(indices), tuple(extents), tuple(starts))

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, env: Environment) -> Any:
        loop = node.generators[0]
        items = self.value(loop.iter, env)
        if len(node.generators) > 1 or not isinstance(items, tuple) or len(items) > _MOST_ITEMS:
            return self._unknown(node, env)
        found = []
        for item in items:
            inside = dict(env)
            bind_target(loop.target, item, inside)
            truths = [self.truth(test, inside) for test in loop.ifs]
            if None in truths:
                return self._unknown(node, env)
            if all(truths):
                found.append(self.value(node.elt, inside))
        return tuple(found)

    def _walrus(self, node: ast.NamedExpr, env: Environment) -> Any:
        return self.value(node.value, env)

    def _lambda(self, node: ast.Lambda, env: Environment) -> Any:
        return Function(node, dict(env))

    def _call(self, node: ast.Call, env: Environment) -> Any:
        callee = self.value(node.func, env) if isinstance(node.func, ast.Name) else None
        if isinstance(callee, Function) and not callee.is_macro:
            return self._called(callee, node, env)
        if isinstance(callee, Record):
            return self._object(callee, node, env)
        name = self.names.last(node.func) or ast.unparse(node.func).rsplit(".", 1)[-1]
        made = self._made(name, node, env)
        if made is not None:
            return made
        values = self.values(node.args, env)
        function = _FUNCTIONS.get(name)
        if function is not None and values and not node.keywords:
            try:
                return function(*values)
            except (ArithmeticError, TypeError, ValueError):
                return opaque(name, *values)
        # Each call of a function that is not known may give something else.
        return opaque(f"{name}({','.join(map(str, values))})", *values)

    def _made(self, name: str, node: ast.Call, env: Environment) -> Any:
        """The object that a call makes by its name, None where it makes none that is known."""
        if name in _LAYOUTS:
            return self._layout(node, env)
        if name in TENSORS:
            return TensorType(node, env)
        if name in {"dict", "SimpleNamespace"} and not node.args:
            fields = self.keywords(node.keywords, env)
            return fields if name == "dict" else Record(fields)
        return None

    def _object(self, record: Record, node: ast.Call, env: Environment) -> Any:
        """An object of a class of constants: its fields by order, with those that are given."""
        given = dict(zip(record.fields, self.values(node.args, env), strict=False))
        return Record({**record.fields, **given, **self.keywords(node.keywords, env)})

    def _layout(self, node: ast.Call, env: Environment) -> Any:
        arguments = [*node.args, *(k.value for k in node.keywords if k.arg == "forward_fn")]
        values = [self.value(argument, env) for argument in arguments[:2]]
        replicated = any(k.arg in {"replicate", "forward_thread_fn"} for k in node.keywords)
        if len(values) != 2 or replicated or not isinstance(values[1], Function):
            return opaque("layout")
        shape = values[0] if isinstance(values[0], tuple) else (values[0],)
        return Layout(shape, values[1], node)

    def _called(self, function: Function, node: ast.Call, env: Environment) -> Any:
        """What a small function of the document returns."""
        bound = bind(self, function, node, env) if self._depth < _DEEPEST_CALL else None
        if bound is None:
            return self._unknown(node, env)
        self._depth += 1
        try:
            body = function.node.body
            result = body if isinstance(body, ast.expr) else _only_result(body)
            if result is not None:
                return self.value(result, bound)
            return call_result(self, body, bound) if isinstance(body, list) else None
        except UntoldError:
            return self._unknown(node, env)
        finally:
            self._depth -= 1

    def _text(self, node: ast.JoinedStr, env: Environment) -> Any:
        parts = []
        for part in node.values:
            plain = isinstance(part, ast.FormattedValue) and part.format_spec is None
            inner = part.value if isinstance(part, ast.FormattedValue) and plain else part
            value = self.value(inner, env) if plain or isinstance(part, ast.Constant) else None
            if not isinstance(value, (str, int)):
                return opaque("text")
            parts.append(str(value))
        return "".join(parts)


def _only_result(body: list[ast.stmt]) -> ast.expr | None:
    """The expression that a function returns, where that is all it does."""
    rest = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    only = rest[0] if len(rest) == 1 else None
    return only.value if isinstance(only, ast.Return) else None


def bind(
    evaluator: Evaluator, function: Function, call: ast.Call, env: Environment
) -> dict[str, Any] | None:
    """The names inside a function that is called; None where they cannot be told."""
    arguments = function.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    given = evaluator.values(call.args, env)
    starred = any(isinstance(a, ast.Starred) for a in call.args) and len(given) == len(call.args)
    if starred or arguments.vararg or arguments.kwarg or len(given) > len(names):
        return None
    inside = dict(function.scope)
    defaults = [
        *zip(names[len(names) - len(arguments.defaults) :], arguments.defaults, strict=True)
    ]
    only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    defaults += [(argument.arg, default) for argument, default in only if default is not None]
    inside.update({name: evaluator.value(node, function.scope) for name, node in defaults})
    inside.update(zip(names, given, strict=False))
    options = [k.value for k in call.keywords if k.arg is None]
    if not all(isinstance(evaluator.value(option, env), dict) for option in options):
        return None
    inside.update(evaluator.keywords(call.keywords, env))
    return inside


_HANDLERS: dict[type[ast.expr], Callable[[Evaluator, Any, Environment], Any]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Tuple: Evaluator._sequence,
    ast.List: Evaluator._sequence,
    ast.Dict: Evaluator._dictionary,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.Compare: Evaluator._compare,
    ast.BoolOp: Evaluator._boolean,
    ast.IfExp: Evaluator._choice,
    ast.Subscript: Evaluator._subscript,
    ast.Lambda: Evaluator._lambda,
    ast.ListComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.NamedExpr: Evaluator._walrus,
    ast.Call: Evaluator._call,
    ast.JoinedStr: Evaluator._text,
}
