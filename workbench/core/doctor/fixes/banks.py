"""Fixes of bank conflicts: padded rows, or a swizzled layout, with what either leaves of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import drop_line, entry_dropped, replace_node
from workbench.core.doctor.facts import Access, KernelFacts, LoopKind
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import enclosing, language, lines_after
from workbench.core.doctor.values import Buffer, Form, Scope, bits_of, buffer_of
from workbench.core.targets.model import Feature

_BANKS, _WORD, _LANES = 32, 4, 32
_CHUNK = 16  # bytes that a swizzle moves as a whole, and the widest access of a thread
_ROW = 128  # bytes of all banks
_WAYS = re.compile(r"(\d+)-way")
_COPIES = ("copy", "async_copy")

Address = Callable[[int, int], int]


def padded(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Rows a word longer, so that those below one another begin in different banks."""
    for facts, access in _column_accesses(situation, diagnostic):
        buffer = access.region.buffer
        width = (bits_of(buffer.dtype) or 0) // 8
        sizes = buffer.sizes
        if sizes is None or not width or not is_paddable(facts, buffer):
            continue
        pad = max(1, _WORD // width)
        left = worst_ways(_rows((sizes[-1] + pad) * width, width), width, access)
        edits = padding_edits(situation, facts, buffer, pad)
        title = f"Pad {buffer.name} by {pad}: {_change(diagnostic, left)}"
        if edits:
            yield Fix(title, tuple(edits), True)
            return


def swizzled(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Rows whose pieces of 16 bytes are exchanged, which takes no memory more."""
    for facts, access in _column_accesses(situation, diagnostic):
        buffer = access.region.buffer
        width, sizes = (bits_of(buffer.dtype) or 0) // 8, buffer.sizes
        if sizes is None or len(sizes) != 2 or width not in (1, 2, 4):
            continue
        stride = sizes[1] * width
        if stride % _ROW or sizes[0] % 8 or has_layout(facts, buffer):
            continue
        left, before = worst_ways(_pieces(stride, width), width, access), _ways(diagnostic)
        if left is not None and before is not None and left >= before:
            continue
        yield from _annotated(situation, buffer, _change(diagnostic, left))
        return


def _rows(stride: int, width: int) -> Address:
    """Where elements lie in rows of a stride in bytes."""
    return lambda row, column: row * stride + column * width


def _pieces(stride: int, width: int) -> Address:
    """Where elements lie in rows whose pieces of 16 bytes are exchanged by XOR."""

    def address(row: int, column: int) -> int:
        place = column * width
        return row * stride + (place // _CHUNK ^ row % 8) * _CHUNK + place % _CHUNK

    return address


def own_layout(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Without the layout that the document gives a tile: TileLang swizzles operands of products."""
    line = diagnostic.range.line if diagnostic.range is not None else 0
    for facts in situation.facts_at(line):
        at = [o for o in facts.operations if o.node.lineno <= line <= (o.node.end_lineno or 0)]
        used = {b for o in at for v in o.arguments if (b := buffer_of(v)) is not None}
        used |= {a.region.buffer for a in facts.accesses if a.node.lineno == line}
        for buffer in sorted(used, key=lambda b: b.name):
            edit = _layout_dropped(situation, facts, buffer)
            if edit is not None:
                yield Fix(f"Leave the layout of {buffer.name} to TileLang", (edit,), True)


def _layout_dropped(situation: Situation, facts: KernelFacts, buffer: Buffer) -> Edit | None:
    for operation in facts.named("annotate_layout"):
        table = operation.node.args[0] if operation.node.args else None
        keys = table.keys if isinstance(table, ast.Dict) else []
        names = [key.id if isinstance(key, ast.Name) else "" for key in keys]
        if isinstance(table, ast.Dict) and buffer.name in names:
            if len(names) > 1:
                return entry_dropped(situation.module, table, names.index(buffer.name))
            return drop_line(situation.module, enclosing(situation.module, operation.node)[0])
    return None


def _column_accesses(
    situation: Situation, diagnostic: Diagnostic
) -> Iterator[tuple[KernelFacts, Access]]:
    """Accesses at the line whose lanes go down a column of a shared tile."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        for access in facts.accesses:
            spans = enclosing(situation.module, access.node)
            at = any(not hasattr(s, "body") and s.lineno <= (line or 0) <= (s.end_lineno or 0)
                     for s in spans[:1])  # fmt: skip
            loop = next((x for x in access.loops if x.kind is LoopKind.PARALLEL), None)
            own = loop is not None and loop.node.lineno == line
            if (at or own) and access.region.buffer.scope is Scope.SHARED and _goes_down(access):
                yield facts, access


def _goes_down(access: Access) -> bool:
    """Whether the innermost parallel variable is in the row and not in the column."""
    loop = next((x for x in access.loops[::-1] if x.kind is LoopKind.PARALLEL), None)
    indices = access.region.indices
    if loop is None or not loop.variables or len(indices) < 2:
        return False
    row, column = ({*i.variables} if isinstance(i, Form) else set() for i in indices[-2:])
    return loop.variables[-1] in row and loop.variables[-1] not in column


def worst_ways(address: Address, width: int, access: Access) -> int | None:
    """Words of one bank that a warp asks for at once, at worst, over the widths of its stores.

    Lanes take neighbouring turns of the loop, or runs of as many as 16 bytes hold. None where the
    loop's extents are not known.
    """
    loop = next(x for x in access.loops[::-1] if x.kind is LoopKind.PARALLEL)
    extent = loop.extents[-1] if loop.extents else None
    if type(extent) is not int or extent < 1:
        return None
    runs = [run for run in (1, 2, 4, 8, 16) if run * width <= _CHUNK and extent % run == 0]
    return max(_once(address, extent, run) for run in runs)


def _once(address: Address, extent: int, run: int) -> int:
    banks: dict[int, set[int]] = {}
    for lane in range(_LANES):
        row, column = lane * run % extent, lane * run // extent
        word = address(row, column) // _WORD
        banks.setdefault(word % _BANKS, set()).add(word)
    return max(len(words) for words in banks.values())


def _ways(diagnostic: Diagnostic) -> int | None:
    ways = diagnostic.evidence.get("ways")
    if type(ways) is int:
        return ways
    match = _WAYS.search(diagnostic.message)
    return int(match[1]) if match is not None else None


def _change(diagnostic: Diagnostic, left: int | None) -> str:
    before = _ways(diagnostic)
    now = f"{before}-way conflict" if before is not None else "conflict"
    if left is None:
        return f"rows in different banks (now a {now})"
    return f"{now} → none" if left == 1 else f"{now} → {left}-way"


def is_paddable(facts: KernelFacts, buffer: Buffer) -> bool:
    """Whether copies and single elements alone use it, and it has no layout of its own."""
    operations = [*facts.operations_on(buffer)]
    if buffer in facts.escaped or has_layout(facts, buffer):
        return False
    return all(operation.name in {*_COPIES, "clear", "fill"} for operation in operations)


def has_layout(facts: KernelFacts, buffer: Buffer) -> bool:
    """Whether the document gives a tile a layout of its own."""
    return any(
        isinstance(node, ast.Name) and node.id == buffer.name
        for operation in facts.named("annotate_layout")
        for node in ast.walk(operation.node)
    )


def padding_edits(situation: Situation, facts: KernelFacts, buffer: Buffer, pad: int) -> list[Edit]:
    """The longer rows, and the part of them that copies move."""
    module, shape = situation.module, buffer.shape_node
    if not isinstance(shape, (ast.Tuple, ast.List)) or not shape.elts:
        return []
    last = shape.elts[-1]
    literal = isinstance(last, ast.Constant) and isinstance(last.value, int)
    size = str(last.value + pad) if literal else f"{_factor(last)} + {pad}"  # type: ignore
    edits = [replace_node(module, last, size)]
    ranges = ", ".join(f"0:{text}" for text in buffer.shape_texts)
    for operation in facts.operations_on(buffer):
        if operation.name not in _COPIES:
            continue
        whole = [n for n in operation.node.args
                 if isinstance(n, ast.Name) and n.id == buffer.name]  # fmt: skip
        edits += [replace_node(module, node, f"{buffer.name}[{ranges}]") for node in whole]
        edits += _without_bulk(situation, facts, operation.node)
    return edits


def _factor(node: ast.expr) -> str:
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp, ast.Constant)
    text = ast.unparse(node)
    return text if isinstance(node, simple) else f"({text})"


def _without_bulk(situation: Situation, facts: KernelFacts, call: ast.Call) -> list[Edit]:
    """Bulk copies move whole rows: targets that have them must not use them here."""
    if not any(t.arch.has(Feature.TMA) for t in facts.targets):
        return []
    if any(k.arg == "disable_tma" for k in call.keywords) or not call.args:
        return []
    where = situation.module.range_of([*call.args, *(k.value for k in call.keywords)][-1])
    place = type(where)(where.end_line or where.line, where.end_column or where.column)
    return [Edit(place, ", disable_tma=True")]


def without_bulk(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Copies of a padded tile without the bulk copies of whole rows."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        at = [o for o in facts.named(*_COPIES) if o.node.lineno == line]
        tiles = {b for o in at for v in o.arguments if (b := buffer_of(v)) is not None}
        padded = {b for b in tiles if b.scope is Scope.SHARED}
        copies = [o for b in padded for o in facts.operations_on(b) if o.name in _COPIES]
        edits = [e for o in copies for e in _without_bulk(situation, facts, o.node)]
        if edits:
            names = ", ".join(sorted(b.name for b in padded))
            yield Fix(f"Copy {names} without bulk copies", tuple(dict.fromkeys(edits)), True)
            return


def _annotated(situation: Situation, buffer: Buffer, change: str) -> Iterator[Fix]:
    module = situation.module
    allocation = situation.allocation(buffer)
    if allocation is None:
        return
    prefix = language(module, allocation)
    name, imports = layout_function(situation, "make_swizzled_layout")
    text = f"{prefix}.annotate_layout({{{buffer.name}: {name}({buffer.name})}})"
    edits = [lines_after(module, allocation, [text]), *imports]
    for made in fix(f"Swizzle {buffer.name}: {change}", *edits):
        yield Fix(made.title, made.edits, True)


def layout_function(situation: Situation, wanted: str) -> tuple[str, list[Edit | None]]:
    """What a function of `tilelang.layout` is called in the document, and the import it needs."""
    module = situation.module
    imports = [*module.nodes.get(ast.Import, []), *module.nodes.get(ast.ImportFrom, [])]
    for node in imports:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom) and alias.name == wanted:
                return alias.asname or alias.name, []
            if isinstance(node, ast.Import) and alias.name == "tilelang":
                return f"{alias.asname or 'tilelang'}.layout.{wanted}", []
    first = min((n for n in imports if n in module.tree.body), key=lambda n: n.lineno, default=None)
    line = f"from tilelang.layout import {wanted}"
    return wanted, [lines_after(module, first, [line]) if first else None]
