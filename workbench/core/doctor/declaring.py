"""Reads what a kernel declares: tensors by their annotations, and allocations."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from workbench.core.doctor.evaluating import TENSORS, Evaluator
from workbench.core.doctor.values import Buffer, Scope, TensorType, dtype_named

SCOPES = {
    "alloc_shared": Scope.SHARED,
    "alloc_fragment": Scope.FRAGMENT,
    "alloc_local": Scope.LOCAL,
    "alloc_tmem": Scope.TENSOR,
    "alloc_barrier": Scope.BARRIER,
    "alloc_cluster_barrier": Scope.BARRIER,
    "alloc_l1": Scope.L1,
    "alloc_l0a": Scope.L0A,
    "alloc_l0b": Scope.L0B,
    "alloc_l0c": Scope.L0C,
    "empty": Scope.GLOBAL,
    "match_buffer": Scope.GLOBAL,
}
"""Where what a call makes lies, by the call's name."""


def tensor_of(
    name: str, annotation: ast.expr | None, evaluator: Evaluator, env: Mapping[str, Any]
) -> Buffer | None:
    """The tensor that a parameter or an annotated name is, None where it is none."""
    if annotation is None:
        return None
    made, scope = annotation, env
    known = env.get(annotation.id) if isinstance(annotation, ast.Name) else None
    if isinstance(known, TensorType):
        made, scope = known.node, known.scope
    given = _given(made, evaluator)
    if given is None:
        return None
    return buffer_made(name, Scope.GLOBAL, given, annotation, evaluator, scope)


def _given(node: ast.expr, evaluator: Evaluator) -> tuple[ast.expr | None, ast.expr | None] | None:
    """Shape and dtype of `T.Tensor(shape, dtype)` or `T.Tensor[shape, dtype]`."""
    if isinstance(node, ast.Call) and evaluator.names.last(node.func) in TENSORS:
        return shape_and_dtype(node)
    if isinstance(node, ast.Subscript) and evaluator.names.last(node.value) in TENSORS:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        if len(parts) == 2 and isinstance(parts[0], (ast.Tuple, ast.List, ast.Name)):
            return parts[0], parts[1]
    return None


def shape_and_dtype(call: ast.Call, first: int = 0) -> tuple[ast.expr | None, ast.expr | None]:
    """The arguments of a declaration that say its shape, at place `first`, and its dtype."""
    keywords = {k.arg: k.value for k in call.keywords}
    shape, dtype = (
        call.args[place] if place < len(call.args) else keywords.get(name)
        for place, name in ((first, "shape"), (first + 1, "dtype"))
    )
    return shape, dtype


def buffer_made(
    name: str,
    scope: Scope,
    given: tuple[ast.expr | None, ast.expr | None],
    node: ast.AST,
    evaluator: Evaluator,
    env: Mapping[str, Any],
) -> Buffer:
    """The buffer of a shape and a dtype as they are written."""
    shape_node, dtype_node = given
    shape = evaluator.value(shape_node, env)
    # A shape by a name that the source does not tell has no known rank either.
    sizes = shape if isinstance(shape, tuple) else (shape,) if type(shape) is int else ()
    parts = shape_node.elts if isinstance(shape_node, (ast.Tuple, ast.List)) else [shape_node]
    texts = tuple(ast.unparse(part) if part is not None else "" for part in parts)
    if len(texts) != len(sizes):
        texts = tuple(str(size) for size in sizes)
    dtype = dtype_named(evaluator.value(dtype_node, env))
    return Buffer(name, scope, sizes, texts, dtype, node, shape_node, dtype_node)
