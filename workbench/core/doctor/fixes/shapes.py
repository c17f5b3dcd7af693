"""Fixes of tiles of the wrong shape, layout or scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import drop_line, entry_dropped, replace_node, set_values
from workbench.core.doctor.facts import REDUCTIONS, KernelFacts, Operation
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    enclosing,
    first_indices,
    language,
    replaced,
    text_of,
)
from workbench.core.doctor.values import Buffer, Region, Scope, buffer_of


def without_dimension(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The result of a reduction without the dimension that is reduced, in its uses too."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        for operation in facts.named(*sorted(REDUCTIONS)):
            source = buffer_of(operation.operand(0, "buffer"))
            result = buffer_of(operation.operand(1, "out"))
            if source is None or result is None or not _is_at(result, operation, line):
                continue
            rank, given = len(source.shape), len(result.shape)
            dim = _dim(operation, rank)
            if dim is None or rank < 2 or given != rank:
                continue
            edits = _shortened(situation, facts, source, result, dim)
            shape = _reduced(source, dim)
            title = f"Allocate {result.name} as {shape}"
            for made in fix(title, *edits):
                yield Fix(made.title, made.edits, True)
            return


def _is_at(result: Buffer, operation: Operation, line: int | None) -> bool:
    return line in (None, getattr(result.node, "lineno", None), operation.node.lineno)


def _dim(operation: Operation, rank: int) -> int | None:
    dim = operation.operand(2, "dim")
    dim = -1 if dim is None else dim
    return dim % rank if type(dim) is int and -rank <= dim < rank else None


def _shortened(
    situation: Situation, facts: KernelFacts, source: Buffer, result: Buffer, dim: int
) -> list[Edit | None]:
    module = situation.module
    if result.shape_node is None:
        return [None]
    shape = _reduced(source, dim)
    edits: list[Edit | None] = [replace_node(module, result.shape_node, shape)]
    for access in facts.accesses:
        if access.region.buffer is result:
            edits.append(_index(situation, access.node, dim))
    for operation in facts.operations_on(result):
        if operation.name in {*REDUCTIONS, "clear", "fill"}:
            if any(isinstance(v, Region) and v.buffer is result for v in operation.arguments):
                return [None]
        elif operation.name == "copy":
            edits.append(_elements(situation, operation, result, dim))
        else:
            return [None]
    return list(dict.fromkeys(edits))


def _reduced(source: Buffer, dim: int) -> str:
    """The shape, as it would be written, that a reduction over a dimension leaves."""
    texts = [text for place, text in enumerate(source.shape_texts) if place != dim]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _index(situation: Situation, node: ast.Subscript, dim: int) -> Edit | None:
    """`r[i, 0]` as `r[i]`."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    if dim >= len(parts) or ast.unparse(parts[dim]) != "0":
        return None
    kept = [text_of(situation.module, p) for place, p in enumerate(parts) if place != dim]
    return replace_node(situation.module, node.slice, ", ".join(kept))


def _elements(situation: Situation, operation: Operation, result: Buffer, dim: int) -> Edit | None:
    """A copy to a tensor that keeps the dimension, element by element."""
    module, call = situation.module, operation.node
    target = buffer_of(operation.operand(1, "dst"))
    statement = enclosing(module, call)[0]
    if operation.operand(0, "src") is not result or target is None or len(call.args) < 2:
        return None
    if len(target.shape) != len(result.shape_texts) or target.scope is not Scope.GLOBAL:
        return None
    extents = [text for place, text in enumerate(result.shape_texts) if place != dim]
    names = [n for n in "ijkl" if n not in _names(situation)][: len(extents)]
    starts = first_indices(module, call.args[1]) or [""] * len(target.shape)
    if len(names) < len(extents) or len(starts) != len(target.shape):
        return None
    spread = [*names[:dim], "", *names[dim:]]
    indices = [" + ".join(filter(None, pair)) or "0" for pair in zip(starts, spread, strict=True)]
    head = (
        f"for {', '.join(names)} in {language(module, statement)}.Parallel({', '.join(extents)}):"
    )
    body = f"    {target.name}[{', '.join(indices)}] = {result.name}[{', '.join(names)}]"
    return replaced(module, statement, [head, body])


def _names(situation: Situation) -> set[str]:
    """The names that the document reads or has as parameters."""
    module = situation.module
    parameters = {node.arg for node in module.nodes.get(ast.arg, [])}
    return parameters | {
        n.id for n in module.nodes.get(ast.Name, []) if isinstance(n.ctx, ast.Load)
    }


def without_layout(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Leave the layout of a tile to TileLang."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        for operation in facts.named("annotate_layout"):
            node = operation.node
            if line is not None and node.lineno <= line <= (node.end_lineno or node.lineno):
                edit = _undone(situation, node, line)
                for made in fix("Leave the layout to TileLang", edit):
                    yield Fix(made.title, made.edits, True)
                return


def _undone(situation: Situation, call: ast.Call, line: int | None) -> Edit | None:
    """Take out the entry at a line, or the statement where it is the only one."""
    table = call.args[0] if call.args and isinstance(call.args[0], ast.Dict) else None
    keys = table.keys if table is not None else []
    places = [
        place
        for place, (key, value) in enumerate(zip(keys, table.values if table else [], strict=True))
        if key is not None and key.lineno <= (line or 0) <= (value.end_lineno or 0)
    ]
    if table is not None and len(keys) > 1 and len(places) == 1:
        return entry_dropped(situation.module, table, places[0])
    return drop_line(situation.module, enclosing(situation.module, call)[0])


def from_global(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Read the tensor that a small fragment is a copy of, where it is read only in that loop."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    module = situation.module
    for facts in situation.facts_at(line):
        for buffer in facts.buffers:
            if getattr(buffer.node, "lineno", None) != line:
                continue
            copies = [*facts.operations_on(buffer)]
            whole = [o.operand(0, "src") for o in copies if o.name == "copy"]
            source = whole[0] if len(copies) == 1 == len(whole) else None
            if not isinstance(source, Buffer) or source.scope is not Scope.GLOBAL:
                continue
            reads = [a.node.value for a in facts.accesses if a.region.buffer is buffer]
            allocation = situation.allocation(buffer)
            if any(a.is_write and a.region.buffer is buffer for a in facts.accesses):
                continue
            edits = [replace_node(module, node, source.name) for node in reads]
            lines = [allocation, enclosing(module, copies[0].node)[0]]
            dropped = [drop_line(module, s) for s in lines if s is not None]
            for made in fix(f"Read {source.name} itself", *edits, *dropped):
                yield Fix(made.title, made.edits, True)


def one_row(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """One row a block, where an argument says how many there are."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        for buffer in facts.buffers:
            shape = buffer.shape_node
            nodes = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
            if getattr(buffer.node, "lineno", None) != line or len(nodes) != 2:
                continue
            if isinstance(nodes[0], ast.Name) and type(buffer.shape[0]) is int:
                edits = set_values(situation.module, nodes[0], buffer.shape[0], "1")
                yield from fix(f"Take one row a block ({nodes[0].id}=1)", *edits)
        return
