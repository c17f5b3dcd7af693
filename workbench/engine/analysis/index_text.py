"""Writes trees of index expressions as the text that `core.analysis.index_expressions` reads."""

from __future__ import annotations

from workbench.engine.analysis.expressions import Const, Name, Node, Op

_LOOSE, _SUM, _PRODUCT, _TIGHT = range(4)
# The form of each symbol, how tightly it binds, and how tightly its inputs have to.
_INFIX: dict[str, tuple[str, int, tuple[int, int]]] = {
    "add": ("{} + {}", _SUM, (_SUM, _SUM)),
    "sub": ("{} - {}", _SUM, (_SUM, _PRODUCT)),
    "mul": ("{} * {}", _PRODUCT, (_PRODUCT, _TIGHT)),
    "floordiv": ("{} // {}", _PRODUCT, (_PRODUCT, _TIGHT)),
    "floormod": ("{} % {}", _PRODUCT, (_PRODUCT, _TIGHT)),
    "eq": ("{} == {}", _LOOSE, (_SUM, _SUM)),
    "ne": ("{} != {}", _LOOSE, (_SUM, _SUM)),
    "lt": ("{} < {}", _LOOSE, (_SUM, _SUM)),
    "le": ("{} <= {}", _LOOSE, (_SUM, _SUM)),
    "gt": ("{} > {}", _LOOSE, (_SUM, _SUM)),
    "ge": ("{} >= {}", _LOOSE, (_SUM, _SUM)),
    "and": ("{} and {}", _LOOSE, (_TIGHT, _TIGHT)),
    "or": ("{} or {}", _LOOSE, (_TIGHT, _TIGHT)),
}
_CALLS = frozenset(
    ("min", "max", "select", "div", "mod", "bitand", "bitor", "bitxor", "shl", "shr")
)


def index_text(node: Node) -> str:
    """The text of an expression of named axes. Raises ValueError for one that has no value."""
    return _text(node, _LOOSE)


def _text(node: Node, needed: int) -> str:
    if isinstance(node, Const):
        return str(node.value) if node.value >= 0 else f"({node.value})"
    if isinstance(node, Name):
        return node.axis.name
    if not isinstance(node, Op):
        raise ValueError(node.unknown or "an index has no value")
    if node.symbol in _INFIX:
        form, tightness, inputs = _INFIX[node.symbol]
        parts = [_text(each, need) for each, need in zip(node.inputs, inputs, strict=True)]
        text = form.format(*parts)
        return text if tightness >= needed else f"({text})"
    if node.symbol == "not":
        return f"(not {_text(node.inputs[0], _TIGHT)})"
    if node.symbol not in _CALLS:
        raise ValueError(f"{node.symbol} is not understood in an index")
    return f"{node.symbol}({', '.join(_text(each, _LOOSE) for each in node.inputs)})"
