"""Explains pipelines that share tiles, and copies that a target cannot make."""

from __future__ import annotations

import re

from workbench.core.targets.model import Feature
from workbench.engine.doctor.model import Finding, Translator, Trouble, listed, related, translator
from workbench.engine.doctor.tiles import Operation


def _sibling_pipelines(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A tile of one loop is wanted in another number of copies by the next."""
    found = _shared_by_pipelines(trouble)
    if found is None:
        return None
    name, first, second = found
    message = (
        f"Two pipelined loops of different depth use {trouble.label(name)}: {first.stages} stages "
        f"at line {first.pipeline_line} and {second.stages} here. Each stage needs a copy of the "
        "tile, and a tile has one number of copies."
    )
    help_text = (
        f"Give both loops num_stages={first.stages} (or {second.stages}), or each its own tile."
    )
    where = related(first.pipeline_line, f"the other loop, with {first.stages} stages")
    line = second.pipeline_line
    return Finding("sibling-pipelines-mismatch", message, line, help=help_text, related=where)


def _shared_by_pipelines(trouble: Trouble) -> tuple[str, Operation, Operation] | None:
    """The first tile in loops of different depths, with an operation of each loop."""
    users: dict[str, Operation] = {}
    for operation in trouble.program.operations:
        if operation.stages is None:
            continue
        for name in operation.tiles:
            tile = trouble.tile(name)
            known = users.setdefault(name, operation)
            if tile is not None and "shared" in tile.scope and known.stages != operation.stages:
                return name, known, operation
    return None


def _bulk_copy(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """An explicit bulk copy on a target without them, or of a pattern that they cannot make."""
    source, destination = match["source"], match["destination"].strip(" .\n")
    operation = _copy_between(trouble, source, destination)
    line = operation.line if operation else trouble.user_line()
    pair = f"{trouble.label(source)} -> {trouble.label(destination)}"
    where = related(_allocated(trouble, destination), "the destination")
    subject = trouble.subject
    if subject is not None and not subject.target.arch.has(Feature.TMA):
        message = (
            f"T.tma_copy {pair} needs the tensor memory accelerator, which NVIDIA GPUs have from "
            f"sm_90 on: {trouble.target_name} has none."
        )
        help_text = "Use T.copy, which takes what the target has, or select sm_90a or later."
        return Finding("target-unsupported", message, line, help=help_text, related=where)
    message = (
        f"T.tma_copy {pair} cannot be one bulk copy: it moves a contiguous or rectangular box "
        "between global and shared memory, with rows of a multiple of 16 bytes."
    )
    return Finding("bulk-copy-illegal", message, line, help="Use T.copy here.", related=where)


def _copy_between(trouble: Trouble, source: str, destination: str) -> Operation | None:
    copies = trouble.program.of_kind("copy")
    exact = [op for op in copies if op.tiles == (source, destination)]
    return next(iter(exact or copies), None)


def _no_barrier(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A bulk copy has nothing that tells when it is done."""
    operation = next(iter(trouble.program.of_kind("copy")), None)
    message = (
        "T.tma_copy runs beside the threads and needs a barrier that tells when the bytes are "
        "there; none is given."
    )
    help_text = "Pass barrier= one of T.alloc_barrier and wait for it, or use T.copy."
    line = operation.line if operation else trouble.user_line()
    return Finding("bulk-copy-illegal", message, line, help=help_text)


def _extents(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """The two sides of a copy have different extents."""
    source, destination = match["source"], match["destination"].strip(" .\n")
    operation = _copy_between(trouble, source, destination)
    shapes = [str(shape) for shape in operation.shapes] if operation else []
    message = (
        f"The copy of {trouble.label(source)} to {trouble.label(destination)} moves regions of "
        f"different extents{f' ({listed(shapes, chr(38))})' if shapes else ''}: the destination is "
        "smaller along one dimension."
    )
    line = operation.line if operation else trouble.user_line()
    return Finding("copy-shape-mismatch", message, line, help="Give both sides the same extents.")


def _shapes(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """T.copy of two whole buffers of unlike shapes: the text tells the shapes alone."""
    for _, _, values in trouble.frames():
        source, destination = values.get("src"), values.get("dst")
        if hasattr(source, "shape") and hasattr(destination, "shape"):
            break
    else:
        return None
    names = [str(getattr(side, "name", "a region")) for side in (source, destination)]
    shapes = [
        ", ".join(str(n) for n in getattr(side, "shape", ())) for side in (source, destination)
    ]
    message = (
        f"T.copy of `{names[0]}` ({shapes[0]}) to `{names[1]}` ({shapes[1]}): whole buffers are "
        "copied only to buffers of their shape."
    )
    help_text = (
        f"Name the part that is copied by where it begins, as in {names[0]}[...], or make both "
        "buffers one shape."
    )
    return Finding("copy-shape-mismatch", message, trouble.user_line(), help=help_text)


def _symbolic_tile(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A tile in shared memory whose extent is known at launch only."""
    name = match["name"]
    message = (
        f"`{name}` in shared memory has an extent that is known at launch only: a layout needs "
        "extents that are known when the kernel is compiled."
    )
    help_text = "Allocate it with the arguments of the kernel's factory instead of a dynamic size."
    return Finding("symbolic-tile", message, _allocated(trouble, name), help=help_text)


def _allocated(trouble: Trouble, name: str) -> int | None:
    tile = trouble.tile(name)
    return tile.line if tile is not None else None


INSTRUCTIONS: tuple[Translator, ...] = (
    translator(r"rescale_num.*?InputShape\(\)", _sibling_pipelines),
    translator(
        r"(?:T\.tma_copy\(\)|TMA|kBulkLoad).*?src=(?P<source>\w+), dst=(?P<destination>\w+)",
        _bulk_copy,
    ),
    translator(r"T\.tma_copy\(\) requires a barrier argument", _no_barrier),
    translator(
        r"smaller than original src range.*?for src=(?P<source>\w+), dst=(?P<destination>\w+)",
        _extents,
    ),
    translator(r"^StructuralEqual check failed, caused by lhs at <root>", _shapes),
    translator(r"[Ss]hared buffer `(?P<name>\w+)` has symbolic", _symbolic_tile),
)
