"""Fixes that give the rows of a fragment another extent, which the threads can share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node, set_values
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.fixes.situation import Situation


@dataclass(frozen=True)
class Resized:
    """A change to an extent: `name` is what gives it, None where it is written as a number."""

    fix: Fix
    name: str | None
    extent: int


def other_extents(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The extents that a finding names, with each of which the kernel was seen to lower."""
    evidence = diagnostic.evidence
    tile, old, extents = (evidence.get(key) for key in ("tile", "extent", "extents"))
    if not isinstance(tile, str) or type(old) is not int or not isinstance(extents, (list, tuple)):
        return
    line = diagnostic.range.line if diagnostic.range is not None else None
    for new in [n for n in extents if type(n) is int]:
        made = resized(situation, line, tile, old, new)
        if made is not None:
            yield made.fix


def resized(
    situation: Situation, line: int | None, tile: str, old: int, new: int
) -> Resized | None:
    """The last extent of a fragment as another number, where a name or a literal gives it.

    `line` is one of the kernel's. None where the extent is made in another way.
    """
    for facts in situation.facts_at(line):
        node = _last_extent(facts, tile, old)
        if isinstance(node, ast.Name):
            edits = set_values(situation.module, node, old, str(new))
            title = f"Use {node.id}={new} in place of {old}"
            return Resized(Fix(title, edits), node.id, new) if edits else None
        if isinstance(node, ast.Constant):
            edits = tuple(_literals(situation, facts, old, new))
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


def _literals(situation: Situation, facts: KernelFacts, old: int, new: int) -> Iterator[Edit]:
    """Every place of a number in a kernel: tiles, tensors and loops of one row go together."""
    for node in ast.walk(facts.function):
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value == old:
            yield replace_node(situation.module, node, str(new))
