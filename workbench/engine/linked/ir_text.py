"""Prints IR with the document's line of each row, read off the spans of its statements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tilelang import ir as tile_ir
from tvm import tirx

from workbench.core.linked_code import NO_LINE
from workbench.engine.analysis.copy_lines import Pair
from workbench.engine.analysis.tensor_maps import TensorMap
from workbench.engine.analysis.translation import class_of, operator
from workbench.engine.user_lines import is_document

_MARK = "workbench line"
_ALONE = re.compile(rf"\s*# {_MARK} (\d+)$")
_BEHIND = re.compile(rf"^(.*?)  # {_MARK} (\d+)$")
# The launch's own line stands for what opens the block, not for all that is in it.
_LAUNCH = re.compile(r"thread_binding|T\.sblock\(|launch_thread")
_MADE = re.compile(r"^\s*(\w+) = T\.\w*(?:alloc|decl)_?\w*buffer\(|^\s*(\w+): T\.handle\(")
_ALLOCATED = re.compile(r"^\s*(\w+)\s*=\s*T\.alloc_\w+\(", re.MULTILINE)
_NO_STATEMENT = ("SeqStmt",)


def statement_lines(
    body: Any, document: str, copies: Mapping[Pair, int], maps: Mapping[str, TensorMap]
) -> dict[Any, int]:
    """The document's line of each statement that has one; bulk copies get that of their copy.

    `copies` are the lines of copies by their buffers, `maps` the tensor maps by their parameters.
    """
    found: dict[Any, int] = {}

    def visit(node: Any) -> None:
        if not isinstance(node, tirx.Stmt) or class_of(node) in _NO_STATEMENT:
            return
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        copied = copies.get(_moved(node, maps)) if is_bulk_copy(node) else None
        if copied is not None:
            found[node] = copied
        elif span is not None and is_document(span[0], document):
            found[node] = int(span[1])

    tirx.stmt_functor.post_order_visit(body, visit)
    return found


def is_bulk_copy(node: Any) -> bool:
    """Whether a statement has the tensor memory accelerator copy, which loses its line."""
    is_call = class_of(node) == "Evaluate" and class_of(node.value) == "Call"
    return is_call and re.search(r"tma_(load|store)$", operator(node.value)) is not None


def printed(
    printable: Any, statements: Mapping[Any, int], document_text: str
) -> tuple[str, tuple[int, ...]]:
    """The text of a function or module and the line of each of its rows: `(text, lines)`.

    Rows without a line get that of the loop or branch that they stand in, and allocations that of
    the allocation of that name in `document_text`. All are `NO_LINE` where the notes of lines
    would change the text.
    """
    plain = printable.script()
    notes = {node: f"{_MARK} {line}" for node, line in statements.items()}
    rows, own = _split(printable.script(obj_to_annotate=notes))
    if rows != plain.splitlines():
        return plain, (NO_LINE,) * len(plain.splitlines())
    return plain, tuple(_inherited(rows, own, _allocations(document_text)))


def _moved(node: Any, maps: Mapping[str, TensorMap]) -> Pair:
    """The buffers that a bulk copy moves between."""
    names: set[str] = set()

    def visit(part: Any) -> None:
        if class_of(part) == "Var" and _is_pointer(part):
            known = maps.get(str(part.name))
            names.add(known.buffer if known is not None else str(part.name))

    for each in filter(_is_pointer, node.value.args):
        tirx.stmt_functor.post_order_visit(each, visit)
    return frozenset(names)


def _is_pointer(value: Any) -> bool:
    return str(getattr(value, "dtype", "")) == "handle"


def _split(text: str) -> tuple[list[str], list[int]]:
    """The rows without the notes, and the line that each note gives its row."""
    rows: list[str] = []
    lines: list[int] = []
    pending = NO_LINE
    for row in text.splitlines():
        alone, behind = _ALONE.match(row), _BEHIND.match(row)
        if alone is not None:
            pending = int(alone[1])
            continue
        rows.append(behind[1] if behind is not None else row)
        lines.append(int(behind[2]) if behind is not None else pending)
        pending = NO_LINE
    return rows, lines


def _inherited(rows: list[str], own: list[int], allocated: Mapping[str, int]) -> list[int]:
    found: list[int] = []
    around: list[tuple[int, int]] = []
    for row, line in zip(rows, own, strict=True):
        depth = len(row) - len(row.lstrip())
        while around and around[-1][0] >= depth:
            around.pop()
        made = _MADE.match(row)
        named = allocated.get((made[1] or made[2]), NO_LINE) if made is not None else NO_LINE
        outer = around[-1][1] if around else NO_LINE
        found.append(named or line or outer)
        if row.endswith(":"):
            around.append((depth, NO_LINE if _LAUNCH.search(row) else line or outer))
    return found


def _allocations(text: str) -> dict[str, int]:
    """The line of each allocation whose name is given once in a document."""
    found: dict[str, list[int]] = {}
    for match in _ALLOCATED.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        found.setdefault(match[1], []).append(line)
    return {name: lines[0] for name, lines in found.items() if len(lines) == 1}
