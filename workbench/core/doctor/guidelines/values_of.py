"""What the buffers of a kernel are made of: a search backwards through its assignments."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from workbench.core.doctor.facts import REDUCTIONS, KernelFacts
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Region, Scope, buffer_of


@dataclass
class Origins:
    """By name: the expressions that are written to it, and the operations that fill it."""

    expressions: dict[str, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    operations: dict[str, list[tuple[str, str | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The names of operations, each with the name of the buffer that it reads."""

    def behind(self, name: str) -> Iterator[str]:
        """A name and all that what is in it was made of."""
        pending, known = [name], set()
        while pending:
            current = pending.pop()
            if current in known:
                continue
            known.add(current)
            yield current
            pending += [other for e in self.expressions[current] for other in names_in(e)]
            pending += [source for _, source in self.operations[current] if source is not None]

    def is_known(self, name: str) -> bool:
        """Whether anything is written to a name here."""
        return bool(self.expressions.get(name) or self.operations.get(name))


def names_in(expression: ast.expr) -> set[str]:
    """The names that an expression reads."""
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def called_in(expression: ast.AST) -> set[str]:
    """The last names of the functions that are called in it."""
    found = set()
    for node in ast.walk(expression):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute):
                found.add(function.attr)
            elif isinstance(function, ast.Name):
                found.add(function.id)
    return found


def origins_of(facts: KernelFacts, module: Module) -> Origins:
    """The origins of what a kernel's names hold; macros are not followed."""
    found = Origins()
    for node in ast.walk(facts.function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        for target in targets:
            name = _target(target)
            if name is not None and isinstance(node, (ast.Assign, ast.AugAssign)):
                found.expressions[name].append(node.value)
    for operation in facts.operations:
        source = buffer_of(operation.operand(0, "src"))
        made = buffer_of(operation.operand(1, "dst"))
        if operation.name in {"fill", "clear"} and source is not None:
            found.operations[source.name].append((operation.name, None))
        elif operation.name in REDUCTIONS | {"copy"} and source is not None and made is not None:
            found.operations[made.name].append((operation.name, source.name))
    return found


def _target(target: ast.expr) -> str | None:
    value = target.value if isinstance(target, ast.Subscript) else target
    return value.id if isinstance(value, ast.Name) else None


def filled_past_the_end(facts: KernelFacts) -> Iterator[tuple[str, int, int]]:
    """Tiles that copies from a tensor fill past the end of its rows, with the row and the width."""
    for operation in facts.named("copy"):
        source, tile = operation.operand(0, "src"), buffer_of(operation.operand(1, "dst"))
        tensor = buffer_of(source)
        if tensor is None or tensor.scope is not Scope.GLOBAL or tile is None:
            continue
        if tile.scope not in {Scope.SHARED, Scope.FRAGMENT} or operation.conditional:
            continue
        row = tensor.sizes[-1] if tensor.sizes else None
        width = tile.sizes[-1] if tile.sizes else None
        extent = source.extents[-1] if isinstance(source, Region) and source.extents else None
        whole = extent is None or extent in (1, width)
        if row is not None and width is not None and width > 0 and row % width and whole:
            yield tile.name, row, width
