"""The values that are none of Python's own while a decorator is read: functions and objects."""

from __future__ import annotations

import ast
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any

Scope = MutableMapping[str, Any]


@dataclass(frozen=True, eq=False)
class Closure:
    """A function of the document with the names around its definition; `owner` is its `self`."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope = field(repr=False)
    owner: Instance | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A class of the document: its methods, properties and constants.

    `fields` are the annotated ones in order, which a dataclass takes.
    """

    name: str
    members: dict[str, Any] = field(repr=False)
    fields: tuple[str, ...]
    properties: frozenset[str]
    is_dataclass: bool


@dataclass(frozen=True, eq=False)
class Instance:
    """An object of such a class."""

    blueprint: Blueprint
    attributes: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Unknown:
    """What a name is bound to where the source does not tell."""

    reason: str
    line: int | None


#: What code that is not understood may have changed behind a name.
MUTABLE = (list, dict, set, Instance)
