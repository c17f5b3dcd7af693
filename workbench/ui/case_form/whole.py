"""Reads whole numbers as people and Python write them; what cannot be read is refused."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

INT_MOST = 2**31 - 1
"""The largest 32-bit number: TileLang's indices and sizes have 32 bits unless it is told else."""

_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
_MOST_BITS = 128  # `9**9**9` must not be computed to be refused
_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


def parse_whole(text: str, least: int, most: int) -> int:
    """The number that a text stands for: 1024, 1,024, 1_024, 1e3, 0x400, 2**10, 8 * 128.

    Raises ValueError with a sentence that says what is wrong and which numbers are legal.
    """
    legal = f"Legal is {least:,} to {most:,}."
    word = text.strip()
    if not word:
        raise ValueError(f"A value is needed. {legal}")
    try:
        value = _read(word)
    except (ValueError, SyntaxError, TypeError, ArithmeticError, RecursionError, MemoryError):
        raise ValueError(f"“{word}” is no whole number. {legal}") from None
    if not least <= value <= most:
        said = f"{value:,}" if abs(value) < 10**15 else word
        size = "small" if value < least else "large"
        raise ValueError(f"{said.replace('-', '−')} is too {size}. {legal}")
    return value


def _read(word: str) -> int:
    if _GROUPED.fullmatch(word):
        return int(word.replace(",", ""))
    return _value(ast.parse(word, mode="eval").body)


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant):
        return _whole(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left), _value(node.right)
        _require_small(node.op, left, right)
        return _OPERATIONS[type(node.op)](left, right)
    raise ValueError(node)


def _whole(value: object) -> int:
    """1e3 is whole, 1.5 and True are not."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or value != int(value):  # type: ignore[call-overload]
        raise ValueError(value)
    return int(value)  # type: ignore[call-overload, no-any-return]


def _require_small(op: ast.operator, left: int, right: int) -> None:
    bits = max(1, left.bit_length())
    grown = {ast.Pow: bits * right, ast.LShift: bits + right}.get(type(op), bits)
    negative = right < 0 and isinstance(op, (ast.Pow, ast.LShift))
    if negative or grown > _MOST_BITS:
        raise ValueError(op)
