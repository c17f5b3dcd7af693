"""The parameters of a kernel function, and what each is: an argument, a tensor or a dimension."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Parameter, ParameterRole
from workbench.core.documents.names import Names
from workbench.core.documents.syntax import Source, own_nodes, try_literal

# `T.Tensor((M, K), dtype)`, `T.StridedTensor[...]`, `T.Buffer`, `T.ptr`, `T.handle`.
_TENSOR = re.compile(r"\w*(Tensor|Buffer)|ptr|handle")
_SCALAR = re.compile(r"u?int\d+|b?float\d+\w*|bool")


class SignatureReader:
    """Reads signatures of one document, whose names and constants it knows."""

    def __init__(self, names: Names, source: Source, constants: Mapping[str, Any]) -> None:
        self._names = names
        self._source = source
        self._constants = constants

    def parameters(self, function: ast.FunctionDef) -> tuple[Parameter, ...]:
        """All parameters of a signature in order, each as a plain argument."""
        return tuple(self._parameter(arg, default) for arg, default in _signature(function.args))

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> Parameter:
        value = try_literal(default, self._constants)[1] if default is not None else None
        return Parameter(
            name=arg.arg,
            default=value,
            has_default=default is not None,
            default_text=self._source.segment(default) if default is not None else None,
            annotation=self._source.segment(arg.annotation) if arg.annotation else None,
            line=arg.lineno,
        )

    def run_time(self, function: ast.FunctionDef) -> tuple[Parameter, ...]:
        """The parameters that an eager or prim_func kernel is run on, by their annotations."""
        annotations = self._annotations(function)
        roles = {name: self._role(node) for name, node in annotations.items()}
        return tuple(
            replace(
                parameter,
                role=roles[parameter.name],
                annotation=self._source.segment(annotations[parameter.name]),
            )
            for parameter in self.parameters(function)
            if roles.get(parameter.name, ParameterRole.ARGUMENT) is not ParameterRole.ARGUMENT
        )

    def _annotations(self, function: ast.FunctionDef) -> dict[str, ast.expr]:
        """Annotations by parameter; one in the body (`A: T.Tensor[[M, K], dtype]`) comes first."""
        args = [arg for arg, _ in _signature(function.args)]
        found = {arg.arg: arg.annotation for arg in args if arg.annotation is not None}
        names = {arg.arg for arg in args}
        for node in own_nodes(function):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name = node.target.id
                found.update({name: node.annotation} if name in names else {})
        return found

    def _role(self, annotation: ast.expr) -> ParameterRole:
        node = annotation
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError):
                return ParameterRole.ARGUMENT
        if isinstance(node, ast.Subscript):
            node = node.value
        word = self._names.last(node) or ""
        if _TENSOR.fullmatch(word):
            return ParameterRole.TENSOR
        return ParameterRole.SCALAR if _SCALAR.fullmatch(word) else ParameterRole.ARGUMENT

    def shapes(self, function: ast.FunctionDef) -> tuple[Parameter, ...]:
        """The dimensions that an eager kernel declares by `T.const("M, N")`."""
        found: dict[str, Parameter] = {}
        for node in own_nodes(function):
            if isinstance(node, ast.Call) and self._names.last(node.func) == "const":
                for name in _const_names(node):
                    shape = Parameter(name, None, False, None, None, node.lineno)
                    found.setdefault(name, replace(shape, role=ParameterRole.SHAPE))
        return tuple(found.values())


def _signature(args: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Every named parameter with its default."""
    positional = [*args.posonlyargs, *args.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    yield from zip(positional, [*missing, *args.defaults], strict=True)
    yield from zip(args.kwonlyargs, args.kw_defaults, strict=True)


def _const_names(call: ast.Call) -> list[str]:
    """The names in `T.const("M, N")` or `T.const("M N")`, which TileLang splits the same way."""
    values = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "name")]
    texts = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
    return [name for text in texts for name in re.split(r"[,\s]+", text) if name]
