"""Fragments that loops index beyond their shape, and what the lowered code makes of that.

Where a fragment is accessed in T.Parallel loops of the same extents alone, each time with just the
loops' variables as indices, TileLang gives it the layout of those loops whatever its shape says
(`ParallelOpNode::CompleteBufferFragment`, src/op/parallel.cc): each iteration has an element of its
own. So it is executed, with a warning. Any other access beyond a fragment is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime
from workbench.engine.simulator.tir import statement_line, static_int, tirx, visit
from workbench.engine.simulator.translator import Place, Site, Translator

Extents = tuple[int, ...]


@dataclass
class _Uses:
    """The accesses to one fragment by loops: their extents (None where any is of another kind)."""

    buffer: Any
    extents: set[Extents | None] = field(default_factory=set)
    lines: set[int | None] = field(default_factory=set)
    nodes: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Overhang:
    """A fragment that has the extents of the loops over it, and where they go beyond its shape."""

    extents: Extents
    lines: tuple[int | None, ...]


def find_overhangs(body: Any) -> dict[Any, Overhang]:
    """Return the fragments that loops give a layout larger than their shape, by data variable."""
    nodes = visit(body)
    uses: dict[Any, _Uses] = {}
    for loop in nodes:
        if _is_parallel(loop):
            _collect(loop, uses)
    return {
        data: Overhang(extents, tuple(sorted(found.lines, key=lambda line: line or 0)))
        for data, found in uses.items()
        if (extents := _larger_extents(found)) and _has_all(found, nodes)
    }


def _is_parallel(node: Any) -> bool:
    return isinstance(node, tirx.For) and tirx.ForKind(node.kind) == tirx.ForKind.PARALLEL


def _collect(loop: Any, uses: dict[Any, _Uses]) -> None:
    """Note the accesses of a nest's statements; inner loops of a nest give other extents."""
    variables, extents = [], []
    while _is_parallel(loop):
        variables.append(loop.loop_var)
        extents.append(static_int(loop.extent) if static_int(loop.min) == 0 else None)
        loop = loop.body
    for store in visit(loop):
        if not isinstance(store, tirx.BufferStore):
            continue
        for access in _fragment_accesses(store):
            found = uses.setdefault(access.buffer.data, _Uses(access.buffer))
            found.extents.add(_own_extents(access, variables, extents))
            found.lines.add(statement_line(store))
            found.nodes.append(access)


def _fragment_accesses(store: Any) -> Iterator[Any]:
    for node in (store, *visit(store)):
        is_access = isinstance(node, (tirx.BufferLoad, tirx.BufferStore))
        if is_access and node.buffer.scope() == "local.fragment":
            yield node


def _own_extents(access: Any, variables: list[Any], extents: list[int | None]) -> Extents | None:
    """Return the loops' extents where the indices are just their variables."""
    if len(access.indices) != len(variables) or None in extents:
        return None
    same = all(at.same_as(own) for at, own in zip(access.indices, variables, strict=True))
    return tuple(each for each in extents if each is not None) if same else None


def _larger_extents(found: _Uses) -> Extents | None:
    if len(found.extents) != 1:
        return None
    (extents,) = found.extents
    sizes = [static_int(size) for size in found.buffer.shape]
    if extents is None or None in sizes:
        return None
    beyond = any(one > size for one, size in zip(extents, sizes, strict=True) if size is not None)
    return extents if beyond else None


def _has_all(found: _Uses, nodes: list[Any]) -> bool:
    """Whether there is no other access than those that were collected."""
    return all(
        any(node.same_as(known) for known in found.nodes)
        for node in nodes
        if isinstance(node, (tirx.BufferLoad, tirx.BufferStore))
        and node.buffer.data.same_as(found.buffer.data)
    )


def laid_out(t: Translator, place: Place) -> Place:
    """Return where a buffer lives, with the shape that it has in the lowered code."""
    found = t.overhangs.get(place.data)
    if found is None:
        return place
    shape = tuple(static_int(size) for size in place.shape)
    for line in found.lines:
        site = t.numbered(Site(line, place.label, False))
        t.emitter.line(f"note_overhang(rt, {site}, {shape}, {found.extents})")
    return replace(place, shape=tuple(tirx.IntImm("int32", size) for size in found.extents))


@helper
def note_overhang(rt: Runtime, site: int, shape: Extents, extents: Extents) -> None:
    """Note that a loop goes beyond a fragment."""
    last = ", ".join(str(each - 1) for each in extents)
    rt.note(
        "index-beyond-fragment",
        "warning",
        site,
        lambda: (
            f"a fragment of the shape {shape} is indexed up to [{last}]; the lowered code gives it"
            " the layout of this loop, where each iteration has an element of its own, and that"
            f" was executed; its shape should be {extents}"
        ),
    )
