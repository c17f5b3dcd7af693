"""Explains layouts of fragments that do not exist, do not agree, or do not map one to one."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from workbench.core.analysis.layout_maps import printed_fragment
from workbench.core.plain import to_plain
from workbench.engine.doctor import choices
from workbench.engine.doctor.model import Finding, Translator, Trouble, listed, related, translator
from workbench.engine.doctor.resizing import Alternative, Row, that_lower
from workbench.engine.doctor.tiles import Operation

_NO_OTHER = (
    "No other thread count and no other extent of the rows was seen to lower: stage one of the "
    "tiles in shared memory."
)
_VECTOR_BYTES = 16  # the widest access of a thread


def _conflict(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """Two fragments of one loop are spread over the threads in ways that do not agree."""
    first, second = match["first"], match["second"]
    operation = _last_with(trouble, first, second)
    texts = match["layouts"].strip().splitlines()[:2]
    layouts = [_layout(text) for text in texts]
    threads = trouble.program.threads
    message = (
        f"{trouble.label(first)} and {trouble.label(second)} meet in one operation, but are spread "
        f"over the {threads or ''} threads differently: {_spread(layouts)}. A thread would need "
        "elements that another holds, and registers cannot be read across threads."
    )
    evidence: dict[str, Any] = {
        "buffers": [first, second],
        "layouts": layouts,
        "maps": _maps(texts),
    }
    line = operation.line if operation else None
    return _with_agreement(trouble, message, line, evidence)


def _spread(layouts: list[str]) -> str:
    named = [f"({'ab'[place]}) {text}" for place, text in enumerate(layouts)]
    return " against ".join(named)


def _layout(text: str) -> str:
    """Which thread holds element (i, j), and how often it is held, from a printed fragment."""
    thread = re.search(r"forward_thread[:=] ?(.+?), (?:forward_index|replicate_size)", text)
    copies = re.search(r"replicate(?:_size)?[:=] ?(\d+)", text)
    held = f", {copies[1]} copies" if copies is not None and copies[1] != "1" else ""
    return f"thread {thread[1].replace('_i', 'i').replace('_j', 'j')}{held}" if thread else text


def _maps(texts: list[str]) -> list[dict[str, Any]]:
    """Two printed fragments as plain maps, to draw where they differ; empty where one is none."""
    maps = [printed_fragment(text) for text in texts]
    known = [to_plain(each) for each in maps if each is not None]
    return known if len(known) == len(texts) else []


def _different(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """Two operations ask for different layouts of one buffer."""
    name = match["name"]
    uses = [op for op in trouble.program.operations if name in op.tiles]
    products = [op for op in uses if op.product is not None] or uses
    line = products[-1].line if products else _allocated(trouble, name)
    kinds = listed([f"line {op.line}" for op in products if op.line is not None], "and")
    texts = [match["now"].strip(), match["before"].strip()]
    layouts = [_layout(text) for text in texts]
    message = (
        f"{trouble.label(name)} is used by operations that want it in different layouts "
        f"({kinds or 'see the raw text'}): {_spread(layouts)}. A tile has one layout."
    )
    evidence: dict[str, Any] = {"buffers": [name], "layouts": layouts, "maps": _maps(texts)}
    return _with_agreement(trouble, message, line, evidence)


def _reduction(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The result of a reduction is held by more threads than take part in it."""
    sizes = [int(n) for n in re.findall(r"replicate_size=(\d+)", match[0])]
    reductions = trouble.program.of_kind("reduce")
    operation = _uneven_reduction(trouble) or next(iter(reductions), None)
    names = operation.tiles if operation else ()
    held = (
        f" ({sizes[0]} threads hold the result, {sizes[1]} have values)" if len(sizes) > 1 else ""
    )
    message = (
        f"The reduction of {listed([trouble.label(n) for n in names], 'to')} cannot be spread over "
        f"{trouble.program.threads} threads: the values do not divide evenly among them, so source "
        f"and result are distributed differently{held}."
    )
    evidence = {"buffers": list(names), "replication": sizes}
    return _with_agreement(trouble, message, operation.line if operation else None, evidence)


def _reduced(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The result of a reduction is wanted elsewhere than where the reduction leaves it."""
    source, result = match["source"], match["result"]
    operation = next(
        (op for op in trouble.program.of_kind("reduce") if {source, result} <= set(op.tiles)), None
    )
    message = (
        f"The reduction of {trouble.label(source)} leaves {trouble.label(result)} with the threads "
        "that hold its rows, and another statement reads it where those threads are not."
    )
    evidence: dict[str, Any] = {"buffers": [source, result]}
    line = reduction_line(trouble.source, source, result) or (operation.line if operation else None)
    found = _with_agreement(trouble, message, line, evidence)
    help_text = f"Copy `{result}` to shared memory, and read it there. {found.help or ''}".strip()
    return replace(found, help=help_text)


def _without_use(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """Nothing that a fragment is used by says how it is spread over the threads."""
    name = match["name"]
    uses = [op for op in trouble.program.operations if name in op.tiles]
    line = _allocated(trouble, name) or (uses[0].line if uses else None)
    message = (
        f"{trouble.label(name)} is a fragment that no copy, product, reduction or parallel loop "
        "uses, so nothing says which thread holds which element: it is only cleared or filled."
    )
    help_text = f"Use `{name}`, or delete it with the statements that set it."
    where = related(uses[0].line if uses else None, "set here")
    return Finding("layout-not-found", message, line, help=help_text, related=where)


def _uneven_reduction(trouble: Trouble) -> Operation | None:
    """The first reduction whose rows leave threads without values."""
    threads = trouble.program.threads
    for operation in trouble.program.of_kind("reduce"):
        shape = operation.shapes[0] if operation.shapes else ()
        row = shape[operation.dim] if operation.dim is not None and shape else None
        if threads and row and row % threads and threads % row:
            return operation
    return None


def _with_agreement(
    trouble: Trouble, message: str, line: int | None, evidence: dict[str, Any]
) -> Finding:
    """The finding of a conflict with the choices that were seen to lower."""
    found = [str(choice) for choice in choices.agreeing(trouble)]
    help_text = (
        f"Lowers with {listed(found)}."
        if found
        else "No other policy or thread count lowers: stage one of the tiles in shared memory."
    )
    return Finding(
        "layout-conflict", message, line, help=help_text, evidence={**evidence, "agree": found}
    )


def _not_found(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """No distribution of the loops over fragments was found."""
    operation = _undistributed(trouble)
    threads = trouble.program.threads
    warp = trouble.warp_size
    row = _row(trouble, operation)
    extents = _other_extents(trouble, row)
    other = choices.that_lower(trouble, choices.thread_counts(threads, warp))
    options = [*map(str, extents), *(f"threads={count}" for count in other)]
    elements = operation.elements if operation is not None else None
    reason = "no even distribution of the fragments over the threads exists"
    if elements is not None and threads and elements > threads and elements % threads:
        reason = f"{elements} elements are more than {threads} threads and no multiple of them"
    elif operation is not None and threads:
        reason = _row_reason(trouble, operation, threads) or reason
    names = [trouble.label(n) for n in _fragments(trouble, operation)]
    message = f"No layout for {listed(names, 'and') or 'the fragments'}: {reason}."
    help_text = f"Nearest that were seen to lower: {listed(options)}." if options else _NO_OTHER
    line = operation.line if operation else None
    evidence: dict[str, Any] = {"threads": list(other), "elements": elements}
    if row is not None:
        found = [each.extent for each in extents]
        evidence |= {"tile": row.tile, "extent": row.extent, "extents": found}
    return Finding("layout-not-found", message, line, help=help_text, evidence=evidence)


def _incomplete(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A copy whose elements leave threads without one has a layout with holes."""
    operation, threads = _undistributed(trouble), trouble.program.threads
    elements = operation.elements if operation is not None else None
    if not elements or not threads or elements % threads == 0:
        return None
    return _not_found(trouble, match)


def _row(trouble: Trouble, operation: Operation | None) -> Row | None:
    """The rows of the first fragment of an operation."""
    for name in _fragments(trouble, operation):
        tile = trouble.tile(name)
        if operation is not None and tile is not None and tile.shape and tile.shape[-1]:
            return Row(name, tile.shape[-1], _vector(trouble, operation))
    return None


def _other_extents(trouble: Trouble, row: Row | None) -> tuple[Alternative, ...]:
    subject, threads = trouble.subject, trouble.program.threads
    if subject is None or subject.source is None or subject.choice is None:
        return ()
    if row is None or not threads:
        return ()
    origin = subject.source, subject.choice, subject.target
    return that_lower(*origin, row, threads)


def _row_reason(trouble: Trouble, operation: Operation, threads: int) -> str | None:
    shape = operation.shapes[0]
    row, width = shape[-1], _vector(trouble, operation)
    if row is None or not _breaks_rows(row, width, threads):
        return None
    return (
        f"with {width} values a thread at once, a row of {row} takes {row // width or 1} of "
        f"{threads} threads, so rows begin at different threads and have no common layout"
    )


def _undistributed(trouble: Trouble) -> Operation | None:
    """The first operation on fragments whose elements do not divide among the threads."""
    spread = [
        op
        for op in trouble.program.of_kind("parallel", "copy")
        if _fragments(trouble, op) and op.elements
    ]
    threads = trouble.program.threads or 1
    uneven = [op for op in spread if (op.elements or 0) > threads and (op.elements or 0) % threads]
    ragged = [op for op in spread if _ragged(trouble, op, threads)]
    return next(iter(uneven or ragged or spread), None)


def _ragged(trouble: Trouble, operation: Operation, threads: int) -> bool:
    shape = operation.shapes[0]
    row = shape[-1] if len(shape) > 1 else None
    return row is not None and _breaks_rows(row, _vector(trouble, operation), threads)


def _breaks_rows(row: int, width: int, threads: int) -> bool:
    taken = row // width if row % width == 0 else row
    return bool(taken % threads and threads % taken)


def _vector(trouble: Trouble, operation: Operation) -> int:
    """Values of the narrowest type that a thread takes at once."""
    tiles = [trouble.tile(name) for name in operation.tiles]
    sizes = [int(size) // 8 for t in tiles if t for size in re.findall(r"\d+", t.dtype)[:1]]
    return _VECTOR_BYTES // max(1, min(sizes, default=4))


def _fragments(trouble: Trouble, operation: Operation | None) -> tuple[str, ...]:
    names = operation.tiles if operation is not None else ()
    return tuple(name for name in names if trouble.program.is_fragment(name))


def _not_injective(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """An annotated layout puts two elements at one place."""
    name = match["name"]
    twins = re.search(
        r"logical coordinates (\[.*?\]) and (\[.*?\]).*?coordinates (\[.*?\])", match[0]
    )
    which = f"elements {twins[1]} and {twins[2]} both lie at {twins[3]}" if twins else "two collide"
    shape = re.search(r"Layout\((\(.*?\)) -> (\(.*?\)), transform: (.*?)\)\. ", match[0] + " ")
    given = f" by {shape[3]}" if shape else ""
    message = (
        f"The layout of {trouble.label(name)} is not one to one{given}: {which}, and the later "
        "write would destroy the earlier value."
    )
    return Finding(
        "layout-not-injective",
        message,
        annotation_line(trouble.source, name) or _allocated(trouble, name),
        help="Give each element an address of its own: the identity, padding, or an XOR swizzle "
        "such as (i, j ^ (i % 8)).",
        related=related(_allocated(trouble, name), "allocated here"),
    )


def reduction_line(source: str, reduced: str, result: str) -> int | None:
    """The line of the reduction that names two buffers."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if node.func.attr.startswith("reduce") and {reduced, result} <= names:
                return node.lineno
    return None


def annotation_line(source: str, name: str) -> int | None:
    """The line of the T.annotate_layout that names a tile."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        if node.func.attr == "annotate_layout" and name in names:
            return node.lineno
    return None


def _allocated(trouble: Trouble, name: str) -> int | None:
    tile = trouble.tile(name)
    return tile.line if tile is not None else None


def _last_with(trouble: Trouble, first: str, second: str) -> Operation | None:
    both = [op for op in trouble.program.operations if {first, second} <= set(op.tiles)]
    loops = [op for op in both if op.kind in ("copy", "parallel")]
    return next(iter(loops or both), None)


LAYOUTS: tuple[Translator, ...] = (
    translator(
        r"Layout infer conflict between (?P<first>\S+) and (?P<second>\S+) in T\.Parallel loop:"
        r"(?P<layouts>.*)",
        _conflict,
    ),
    translator(
        r"Get different layout for (?P<name>\w+).*?current layout: (?P<now>.*?)"
        r"previous layout: (?P<before>[^\n]*)",
        _different,
    ),
    translator(r"Inconsistent layouts between src and dst in ReduceOp.*", _reduction),
    translator(
        r"Layout may conflict with ReduceOp for buffer (?P<result>\w+) vs\. (?P<source>\w+)",
        _reduced,
    ),
    translator(r"layout for fragment (?P<name>\w+) can not be inferred", _without_use),
    translator(r"AllReduce threads \(\d+\) must be divisible by scale.*", _reduction),
    translator(r"no available layout found|Loop layout is not injective", _not_found),
    translator(r"The iterations do not traverse full iter space", _incomplete),
    translator(
        r"Invalid layout for (?:shared buffer|reducer) `(?P<name>\w+)`.*must be injective.*",
        _not_injective,
    ),
)
