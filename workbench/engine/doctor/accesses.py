"""Explains accesses that fragments cannot serve, wrong ranks and nested loops."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.engine.doctor.model import Finding, Translator, Trouble, related, translator
from workbench.engine.doctor.tiles import Access, Operation


def _two_maps(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """One loop reads a fragment by two index maps."""
    name = match["name"]
    found = _first_access(
        trouble, name, lambda op, access: len({a.indices for a in _of(op, name)}) > 1
    )
    line = _last_line(found[0], name) if found else _allocated(trouble, name)
    message = (
        f"One loop uses the fragment {trouble.label(name)} at [{match['one'].strip(', ')}] and at "
        f"[{match['other'].strip(', ')}]: an element of a fragment lives in the registers of one "
        "thread, and these two would have to meet in another."
    )
    help_text = f"Stage the values in shared memory: T.alloc_shared for `{name}`."
    where = related(_allocated(trouble, name), "allocated here as a fragment")
    return Finding("fragment-two-index-maps", message, line, help=help_text, related=where)


def _serial(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A loop of one thread runs over elements that lie in many."""
    name, variable = match["name"], match["variable"]
    found = _first_access(trouble, name, lambda op, access: _runs(access, variable))
    dim = _dimension(found[1], variable) if found else None
    message = (
        f"The serial loop over `{variable}` runs through {trouble.label(name)}, whose elements lie "
        "in the registers of different threads: one thread cannot read those of another."
    )
    reduction = f"T.reduce_sum({name}, ..., dim={dim if dim is not None else '...'})"
    help_text = (
        f"Reduce with {reduction} (or reduce_max, ...), make the loop a T.Parallel, or copy "
        f"`{name}` to shared memory first."
    )
    line = found[1].line if found else _allocated(trouble, name)
    where = related(_allocated(trouble, name), "allocated here as a fragment")
    return Finding("fragment-serial-access", message, line, help=help_text, related=where)


def _serial_store(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A serial loop runs over a fragment's elements, in a store or around parallel loops.

    The text names neither the fragment nor the loop.
    """
    found = _serial_access(trouble, "element") or _serial_access(trouble, "parallel")
    if found is None:
        return None
    access, variable = found
    message = (
        f"The serial loop over `{variable}` runs through the fragment "
        f"{trouble.label(access.tile)}, whose elements lie in the registers of "
        "different threads: one thread cannot reach those of another."
    )
    dim = _dimension(access, variable)
    help_text = (
        f"Make the loop over `{variable}` a T.Parallel, or reduce `{access.tile}` along dimension "
        f"{dim} with T.reduce_sum, T.reduce_max, ..."
    )
    return Finding("fragment-serial-access", message, access.line, help=help_text)


def _serial_access(trouble: Trouble, kind: str) -> tuple[Access, str] | None:
    for op in trouble.program.of_kind(kind):
        for access in op.accesses:
            variable = next((name for name in access.serial if _runs(access, name)), None)
            if variable is not None and trouble.program.is_fragment(access.tile):
                return access, variable
    return None


def _runs(access: Access, variable: str) -> bool:
    return variable in access.serial and any(variable in each for each in access.variables)


def _dimension(access: Access, variable: str) -> int | None:
    return next((i for i, names in enumerate(access.variables) if variable in names), None)


def _constant(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A fragment is read at a fixed element in a parallel loop."""
    index = match["index"]
    found = next(
        (
            (op, access)
            for op in trouble.program.of_kind("parallel")
            for access in op.accesses
            if trouble.program.is_fragment(access.tile) and index in access.indices
        ),
        None,
    )
    if found is None:
        return None
    name = found[1].tile
    message = (
        f"A parallel loop reads element {index} of the fragment {trouble.label(name)}: it lies in "
        "the registers of one thread, and every thread would need it."
    )
    help_text = f"Keep `{name}` in shared memory, where all threads read it."
    return Finding("fragment-two-index-maps", message, found[1].line, help=help_text)


def _inner_rank(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A layout of one rank is asked for an element of another: a reduction kept its dimension."""
    found = next((op for op in trouble.program.of_kind("reduce") if _keeps_rank(trouble, op)), None)
    if found is None:
        return None
    source, result = found.tiles[0], found.tiles[-1]
    return _rank_finding(trouble, found, source, result)


def _rank_finding(trouble: Trouble, op: Operation, source: str, result: str) -> Finding:
    tile = trouble.tile(source)
    shape = tile.shape if tile is not None else ()
    dim = (op.dim or 0) % len(shape) if shape else 0
    right = ", ".join(str(n) for n in (*shape[:dim], *shape[dim + 1 :]))
    right = f"({right},)" if len(shape) == 2 else f"({right})"
    message = (
        f"{trouble.label(result)} has the rank of {trouble.label(source)}: the result of a "
        f"reduction along dimension {dim} has one dimension less, and layouts are inferred for "
        "that."
    )
    return Finding(
        "rank-mismatch",
        message,
        _allocated(trouble, result) or op.line,
        help=f"Allocate `{result}` with shape {right}.",
        related=related(op.line, "reduced here"),
        evidence={"shape": right},
    )


def _keeps_rank(trouble: Trouble, op: Operation) -> bool:
    tiles = [trouble.tile(name) for name in op.tiles]
    if len(tiles) < 2 or tiles[0] is None or tiles[-1] is None:
        return False
    return len(tiles[-1].shape) >= len(tiles[0].shape) > 1


def _output_shape(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """T.reduce compares shapes while the kernel is built."""
    message = (
        f"The result of this reduction has shape {match['got']}; reducing {match['source']} along "
        f"dimension {match['dim']} gives {match['right']}."
    )
    return Finding("rank-mismatch", message, trouble.user_line())


def _index_count(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A buffer is indexed with more or fewer numbers than it has dimensions."""
    name, given, has = match["name"], int(match["given"]), int(match["has"])
    more = match.groupdict()
    shape = f" ({more['shape']})" if more.get("shape") else ""
    indices = f": [{more['indices'].strip('()[] ,')}]" if more.get("indices") else ""
    message = (
        f"`{name}`{shape} has {has} dimension{'s' if has != 1 else ''} and is given "
        f"{given} {'index' if given == 1 else 'indices'}{indices}."
    )
    help_text = f"Give {has} {'index' if has == 1 else 'indices'}, one for each dimension."
    return Finding("rank-mismatch", message, trouble.user_line(), help=help_text)


def _nested(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A loop or tile operation stands where only element-wise statements may."""
    operation = next(iter(trouble.program.of_kind("parallel")), None)
    message = (
        "A T.Parallel loop may hold element-wise statements alone: its iterations are spread over "
        "the threads, and what is nested in it would need all threads again."
    )
    help_text = "Merge nested loops into one T.Parallel(a, b), and move tile operations out of it."
    line = operation.line if operation else trouble.user_line()
    return Finding("nested-parallel", message, line, help=help_text)


def _local(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A buffer of one thread is indexed by what is spread over threads."""
    name, variable = match["name"], match["variable"]
    found = _first_access(
        trouble, name, lambda op, access: any(variable in each for each in access.variables)
    )
    message = (
        f"`{name}` is private to each thread, and `{variable}` of T.Parallel is spread over the "
        "threads: no thread has the elements that the loop names."
    )
    help_text = f"Allocate `{name}` with T.alloc_fragment, or run the loop with T.serial."
    line = found[1].line if found else _allocated(trouble, name)
    return Finding("local-parallel-index", message, line, help=help_text)


def _first_access(
    trouble: Trouble, name: str, suits: Callable[[Operation, Access], bool]
) -> tuple[Operation, Access] | None:
    for op in trouble.program.of_kind("parallel"):
        for access in _of(op, name):
            if suits(op, access):
                return op, access
    return None


def _of(op: Operation, name: str) -> list[Access]:
    return [access for access in op.accesses if access.tile == name]


def _last_line(op: Operation, name: str) -> int | None:
    """The line that brings the second index map; else that of the loop."""
    seen = set()
    for access in _of(op, name):
        seen.add(access.indices)
        if len(seen) > 1:
            return access.line
    return op.line


def _allocated(trouble: Trouble, name: str) -> int | None:
    tile = trouble.tile(name)
    return tile.line if tile is not None else None


ACCESSES: tuple[Translator, ...] = (
    translator(
        r"StructuralEqual\(\).*?indices.*?is false: (?P<name>\w+): \((?P<one>.*?)\) and "
        r"\((?P<other>[^\n]*)\)",
        _two_maps,
    ),
    translator(
        r"thread-distributed fragment `(?P<name>\w+)`.*?loop variable `(?P<variable>\w+)`", _serial
    ),
    translator(r"abs\(source->scale\), 1", _serial_store),
    translator(r"Fragment buffer access with non-zero index \[(?P<index>\d+)\]", _constant),
    translator(r"InputDim\(\) \(\d+ vs\. \d+\)|Reduce dimension mismatch", _inner_rank),
    translator(
        r"Invalid reduce output shape, buffer shape is (?P<source>.*?), dim is (?P<dim>-?\d+), "
        r"output shape is (?P<got>.*?), expected shapes are (?P<right>.*)",
        _output_shape,
    ),
    translator(
        r"Buffer (?P<name>\w+) is (?P<has>\d+)-dimensional \(shape=\(?(?P<shape>[^)]*?),?\)\), but "
        r"(?P<given>\d+) index\(es\) were provided: (?P<indices>.*?)\. ",
        _index_count,
    ),
    translator(
        r"Buffer (?P<name>\w+) is (?P<has>\d+)-dimensional, cannot be indexed with the "
        r"(?P<given>\d+)-dimensional indices",
        _index_count,
    ),
    translator(
        r"Nested parallel loops are not allowed|cannot be nested inside a parallel loop"
        r"|Only elementwise operations are allowed inside a parallel",
        _nested,
    ),
    translator(r"Local buffer `(?P<name>\w+)` is indexed by .*?`(?P<variable>\w+)`", _local),
)
