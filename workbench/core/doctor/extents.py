"""Gives the rows of a fragment another extent, where a name or a literal says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Edit, Fix
from workbench.core.doctor.edits import replace_node, set_values
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.module import Module


@dataclass(frozen=True)
class Resized:
    """A change to an extent: `name` is what gives it, None where it is written as a number."""

    fix: Fix
    name: str | None
    extent: int


def resized(
    module: Module, kernels: Iterable[KernelFacts], tile: str, old: int, new: int
) -> Resized | None:
    """The last extent of a fragment as another number; None where it is made in another way."""
    for facts in kernels:
        node = _last_extent(facts, tile, old)
        if isinstance(node, ast.Name):
            edits = set_values(module, node, old, str(new))
            title = f"Use {node.id}={new} in place of {old}"
            return Resized(Fix(title, edits), node.id, new) if edits else None
        if isinstance(node, ast.Constant):
            edits = tuple(_literals(module, facts, old, new))
            title = f"Use {new} in place of every {old} of the kernel"
            return Resized(Fix(title, edits), None, new) if edits else None
    return None


def _last_extent(facts: KernelFacts, tile: str, old: int) -> ast.expr | None:
    for buffer in facts.buffers:
        shape = buffer.shape_node
        if buffer.name == tile and buffer.shape and buffer.shape[-1] == old:
            nodes = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else [shape]
            return nodes[-1] if nodes else None
    return None


def _literals(module: Module, facts: KernelFacts, old: int, new: int) -> Iterator[Edit]:
    """Every place of a number in a kernel: tiles, tensors and loops of one row go together."""
    for node in ast.walk(facts.function):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == old:
            yield replace_node(module, node, str(new))
