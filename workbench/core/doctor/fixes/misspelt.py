"""Fixes of names and keywords that the installed TileLang lacks and nearly has."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix, TextRange
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.module import Module

_SAFE = 0.9
"""How like two names are, from 0 to 1, of which one is surely a slip of the other: a letter of
seven or more, or their case."""


def nearest_name(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Write the nearest known name, where the other stands in the line just once."""
    name, nearest = diagnostic.evidence.get("name"), diagnostic.evidence.get("nearest")
    if not isinstance(name, str) or not isinstance(nearest, str) or diagnostic.range is None:
        return
    first, last = _lines(situation.module, diagnostic.range.line)
    places = [
        place
        for place in _places(situation.module, name)
        if first <= place.line <= last and place.line == place.end_line
    ]
    if len(places) == 1:
        likeness = difflib.SequenceMatcher(None, name.casefold(), nearest.casefold()).ratio()
        yield Fix(f"Write {nearest}", (Edit(places[0], nearest),), likeness >= _SAFE)


def _lines(module: Module, line: int) -> tuple[int, int]:
    """The lines of the call or the statement that begins in a line: Python names that alone."""
    ends = [
        node.end_lineno or line
        for kind in (ast.Call, ast.Import, ast.ImportFrom)
        for node in module.nodes.get(kind, [])
        if node.lineno == line
    ]
    return line, max(ends, default=line)


def _places(module: Module, name: str) -> Iterator[TextRange]:
    """Where a name is written as an attribute, a keyword or in an import, without what it is of."""
    for node in module.nodes.get(ast.Attribute, []):
        if node.attr == name:
            yield _last(module.range_of(node), name)
    for alias in (a for n in module.nodes.get(ast.ImportFrom, []) for a in n.names):
        if alias.name == name:
            yield _first(module.range_of(alias), name)
    for keyword in (k for call in module.calls for k in call.keywords):
        if keyword.arg == name:
            yield _first(module.range_of(keyword), name)


def _last(whole: TextRange, name: str) -> TextRange:
    line, end = whole.end_line or whole.line, whole.end_column or 0
    return TextRange(line, end - len(name), line, end)


def _first(whole: TextRange, name: str) -> TextRange:
    return TextRange(whole.line, whole.column, whole.line, whole.column + len(name))
