"""Tile movement: copy in all its forms, fill, and transpose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.regions import (
    Tile,
    emit_store,
    in_block,
    loaded,
    region_of,
    squeezed_tile,
)
from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.tile_arguments import Region
from workbench.engine.simulator.tir import static_int, tirx
from workbench.engine.simulator.translator import Site, Translator

_SCOPE_LEVELS = {"local.fragment": 2, "local": 2, "shared": 1, "shared.dyn": 1, "shared.tmem": 1}
_HALF_AND_FLOAT = {"float16", "float32"}


@operation("tl.tileop.copy", "tl.tileop.async_copy", "tl.tileop.tma_copy")
def _copy(t: Translator, node: Any) -> None:
    annotations = dict(node.annotations or {})
    if "dst_block" in annotations:
        raise t.unsupported("a copy to another block of the cluster")
    source, target = region_of(t, node.args[0]), region_of(t, node.args[1])
    mask = int(annotations.get("cluster_mask", 0))
    if mask and t.roles is not None:
        _multicast(t, source, target, mask)
    else:
        copy_regions(t, source, target)


def _multicast(t: Translator, source: Region, target: Region, mask: int) -> None:
    """The first block in the mask copies what it names for all of them; others copy their own."""
    key, site = next(t.slots), t.numbered(Site(t.line, target.buffer.name, False))
    with t.emitter.suite(f"if not {mask} >> role.team.rank & 1:"):
        copy_regions(t, source, target)
    with t.emitter.suite(f"elif (yield from role.receive({key}, {mask}, {site})):"):
        paired = _paired(t, source, target)
        given = squeezed_tile(t, paired[0], reads=True)
        taken = squeezed_tile(t, paired[1], writes=True)
        for rank in range(mask.bit_length()):
            if mask >> rank & 1:
                emit_copy(t, given, in_block(t, taken, rank))
        t.emitter.line(f"role.sent({key})")


def copy_regions(t: Translator, source: Region, target: Region) -> None:
    """Emit a copy of one region to another; what each thread copies for itself is a loop."""
    source, target = _paired(t, source, target)
    if is_per_thread(t, source) or is_per_thread(t, target):
        _copy_elements(t, source, target)
        return
    emit_copy(
        t,
        squeezed_tile(t, source, reads=True),
        squeezed_tile(t, target, writes=True),
    )


def emit_copy(t: Translator, source: Tile, target: Tile) -> None:
    """Emit a conversion of one tile into another of the same shape."""
    kinds = {source.place.dtype, target.place.dtype}
    is_plain = not source.checks and not target.checks and target.shape != "()"
    if kinds == _HALF_AND_FLOAT and is_plain:
        t.emitter.line(f"assign_half_float({target.code}, {source.code})")
        return
    value = t.cast(Value(loaded(t, source), source.place.dtype, 1), target.place.dtype)
    emit_store(t, target, value.code)


def _paired(t: Translator, source: Region, target: Region) -> tuple[Region, Region]:
    """Give both regions the extents of the one in the nearer memory, as tilelang's copy does."""
    sizes = [_inner_extents(region) for region in (source, target)]
    if [static_int(size) for size in sizes[0]] == [static_int(size) for size in sizes[1]]:
        return source, target
    if len(sizes[0]) != len(sizes[1]):
        raise t.unsupported(f"copy of {source.extents} to {target.extents}")
    base = sizes[0] if _level(source) >= _level(target) else sizes[1]
    return _with_extents(source, base), _with_extents(target, base)


def _inner_extents(region: Region) -> list[Any]:
    return [size for size in region.extents if static_int(size) != 1]


def _with_extents(region: Region, sizes: list[Any]) -> Region:
    rest = iter(sizes)
    extents = tuple(size if static_int(size) == 1 else next(rest) for size in region.extents)
    return replace(region, extents=extents)


def _level(region: Region) -> int:
    return _SCOPE_LEVELS.get(region.buffer.scope(), 0)


def is_per_thread(t: Translator, region: Region) -> bool:
    """Whether a region differs between threads, or between the iterations of T.Parallel."""
    if not t.axes:
        return False
    return bool(t.place(region.buffer).leading) or any(
        t.expression(start).is_vector and (t.in_parallel or t.names_thread(start))
        for start in region.starts
        if not isinstance(start, int)
    )


def _copy_elements(t: Translator, source: Region, target: Region) -> None:
    """A copy that each thread does for itself: the loop over elements that it lowers to."""
    variables = [tirx.Var("element", "int32") for _ in _inner_extents(source)]
    value = tirx.BufferLoad(source.buffer, _element(source, variables))
    if source.buffer.dtype != target.buffer.dtype:
        value = tirx.Cast(target.buffer.dtype, value)
    store = tirx.BufferStore(target.buffer, value, _element(target, variables))
    t.statement(_loops(store, variables, _inner_extents(source)))


def _element(region: Region, variables: list[Any]) -> list[Any]:
    rest = iter(variables)
    return [
        start if static_int(size) == 1 else start + next(rest)
        for start, size in zip(region.starts, region.extents, strict=True)
    ]


def _loops(body: Any, variables: list[Any], extents: list[Any]) -> Any:
    for variable, extent in zip(reversed(variables), reversed(extents), strict=True):
        body = tirx.For(variable, 0, extent, tirx.ForKind.SERIAL, body)
    return body


@operation("tl.tileop.fill")
def _fill(t: Translator, node: Any) -> None:
    region = region_of(t, node.args[0])
    if is_per_thread(t, region):
        variables = [tirx.Var("element", "int32") for _ in _inner_extents(region)]
        value = tirx.Cast(region.buffer.dtype, node.args[1])
        store = tirx.BufferStore(region.buffer, value, _element(region, variables))
        t.statement(_loops(store, variables, _inner_extents(region)))
        return
    target = squeezed_tile(t, region, writes=True)
    value = t.expression(node.args[1])
    exact = dtypes.is_native(target.place.dtype) and dtypes.is_float(target.place.dtype)
    emit_store(t, target, value.code if exact else t.cast(value, target.place.dtype).code)


@operation("tl.tileop.transpose")
def _transpose(t: Translator, node: Any) -> None:
    source = squeezed_tile(t, region_of(t, node.args[0]), reads=True)
    target = squeezed_tile(t, region_of(t, node.args[1]), writes=True)
    value = Value(f"np.swapaxes({loaded(t, source)}, -1, -2)", source.place.dtype, 1)
    emit_store(t, target, t.cast(value, target.place.dtype).code)
