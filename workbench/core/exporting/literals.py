"""Writes plain values as Python's literals, for the files that an export holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

WIDTH = 100


def literal(value: Any, indent: int = 0, rows: bool = False) -> str:
    """The text of a plain value: in rows where it must be or does not fit, else on one line.

    Numbers that have no literal are calls of float.
    """
    line = _line(value)
    if not isinstance(value, (Mapping, list, tuple)) or not value:
        return line
    if not rows and len(line) + indent <= WIDTH:
        return line
    deeper, blanks = indent + 4, " " * indent
    if isinstance(value, Mapping):
        items = [f"{_line(key)}: {_within(each, deeper, key)}" for key, each in value.items()]
        opening, closing = "{", "}"
    else:
        items = [_within(each, deeper) for each in value]
        opening, closing = "[]" if isinstance(value, list) else "()"
    inner = "".join(f"{blanks}    {item},\n" for item in items)
    return f"{opening}\n{inner}{blanks}{closing}"


def _within(value: Any, indent: int, key: Any = None) -> str:
    """A value in a row of its own, behind its key and before a comma."""
    taken = indent + 1 + (len(_line(key)) + 2 if key is not None else 0)
    line = _line(value)
    return line if len(line) + taken <= WIDTH else literal(value, indent, rows=True)


def _line(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_line(k)}: {_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_line, value)) + "]"
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return "(" + ", ".join(map(_line, value)) + comma + ")"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, str):
        # As a formatter writes it, which saves the reader of the file a difference.
        plain = value.isprintable() and not set(value) & set('"\\')
        return f'"{value}"' if plain else repr(value)
    return repr(value)
