"""The lines of copies whose statements lost them on the way: found again by the pair of buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilelang import ir as tile_ir
from tvm import tirx

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.translation import class_of, operator
from workbench.engine.user_lines import is_document

Pair = frozenset[str]


def copy_lines(func: Any, document: str) -> dict[Pair, int]:
    """Line of the copy between two buffers in a tile-level function, where there is one alone."""
    found: dict[Pair, set[int]] = {}

    def visit(node: Any) -> None:
        if class_of(node) != "Evaluate" or class_of(node.value) != "Call":
            return
        span = tile_ir.span_to_location(tile_ir.get_stmt_span(node))
        if "copy" in operator(node.value) and span is not None and is_document(span[0], document):
            found.setdefault(_buffers(node.value), set()).add(span[1])

    tirx.stmt_functor.post_order_visit(func.body, visit)
    return {pair: min(lines) for pair, lines in found.items() if len(lines) == 1}


def line_of(access: Access, lines: Mapping[Pair, int]) -> int | None:
    """The line of an access, that of its copy where it has lost its own.

    A bulk copy that has lost it may be within a statement that has one, which is not the copy's.
    """
    known = access.line is not None and access.kind is not SharedKind.BULK_COPY
    if known or access.partner_buffer is None:
        return access.line
    return lines.get(frozenset((access.buffer, access.partner_buffer)), access.line)


def _buffers(call: Any) -> Pair:
    names: list[str] = []

    def visit(node: Any) -> None:
        if class_of(node) == "BufferLoad":
            names.append(str(node.buffer.name))

    tirx.stmt_functor.post_order_visit(call, visit)
    return frozenset(names)
