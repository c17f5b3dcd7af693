"""What a block of the grid moves between the levels of a GPU, by the sites of the lowered code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.launch_findings import blocks_of
from workbench.core.analysis.shared_sites import SharedKind, SharedSite
from workbench.core.analysis.tile_regions import TileAccess, TileRegions
from workbench.core.analysis.traffic import BufferFootprint, SiteFootprint
from workbench.core.doctor.values import Scope
from workbench.session.lenses.memory.model import End, Flow, Level
from workbench.session.lenses.memory.source import SourceFacts

_LEVELS = {
    Scope.SHARED: Level.SHARED,
    Scope.FRAGMENT: Level.REGISTERS,
    Scope.LOCAL: Level.REGISTERS,
    Scope.TENSOR: Level.TENSOR,
}
_OUT_OF_SHARED = frozenset({SharedKind.LOAD, SharedKind.LDMATRIX, SharedKind.TENSOR})
_BY_GLOBAL_SITES = frozenset({SharedKind.ASYNC_COPY, SharedKind.BULK_COPY})
_MATRIX_BYTES = 128  # 8 by 8 elements of 16 bits
_SHAPE = re.compile(r"m(\d+)n(\d+)k\d+")
NO_GRID = "the grid is known at the launch only"


def flows_of(kernel: KernelAnalysis, source: SourceFacts, warp: int) -> tuple[Flow, ...]:
    """The ribbons of a kernel; `warp` is the number of lanes of one of its instructions."""
    blocks = blocks_of(kernel)
    found = [
        *_of_memory(kernel, blocks),
        *(_of_l2(kernel, source, blocks) if kernel.global_memory else _of_tiles(kernel, source)),
        *_of_shared(kernel, source, blocks, warp),
    ]
    return merged(found)


def merged(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Ribbons with the same ends as one; what is not known of a part is not known of the whole."""
    groups: dict[tuple[End, End], list[Flow]] = {}
    for flow in flows:
        groups.setdefault((flow.source, flow.target), []).append(flow)
    return tuple(_sum(each) for each in groups.values())


def _sum(flows: Sequence[Flow]) -> Flow:
    known = [flow.moved for flow in flows if flow.moved is not None]
    lines = dict.fromkeys(line for flow in flows for line in flow.lines)
    return Flow(
        flows[0].source,
        flows[0].target,
        sum(known) if len(known) == len(flows) else None,
        tuple(sorted(lines)),
        ", ".join(dict.fromkeys(flow.how for flow in flows if flow.how)),
        next((flow.why for flow in flows if flow.why), ""),
    )


def _share(count: float | None, blocks: int | None, why: str | None) -> tuple[float | None, str]:
    """The part of one block, else why it is not known."""
    if blocks is None:
        return None, NO_GRID
    return (None, why or "it cannot be told") if count is None else (count / blocks, "")


# -- between HBM and L2 ---------------------------------------------------------------------------


def _of_memory(kernel: KernelAnalysis, blocks: int | None) -> Iterator[Flow]:
    report = kernel.global_memory
    for each in report.buffers if report is not None else ():
        if each.buffer is None or report is None:
            continue
        moved, why = _share(_fetched(each, report.traffic.fits_l2), blocks, None)
        how = (
            "each byte once" if report.traffic.fits_l2 or each.stores else "once a window of waves"
        )
        yield _towards(each.stores, End(Level.HBM, each.buffer), End(Level.L2, each.buffer), moved,
                       (), f"{how}, shared among all blocks", why)  # fmt: skip


def _fetched(each: BufferFootprint, fits: bool | None) -> float | None:
    return each.unique_bytes if fits or each.stores else each.window_bytes


def _towards(
    stores: bool,
    far: End,
    near: End,
    moved: float | None,
    lines: tuple[int, ...],
    how: str,
    why: str,
) -> Flow:
    source, target = (near, far) if stores else (far, near)
    return Flow(source, target, moved, lines, how, why)


# -- between L2 and the SM ------------------------------------------------------------------------


def _of_l2(kernel: KernelAnalysis, source: SourceFacts, blocks: int | None) -> Iterator[Flow]:
    report = kernel.global_memory
    for each in report.footprints if report is not None else ():
        site = each.site
        if site.buffer is None:
            continue
        asked = site.distinct_bytes if site.distinct_bytes is not None else site.requested_bytes
        moved, why = _share(asked, blocks, site.unknown)
        near = _near(kernel, source, each)
        lines = (site.line,) if site.line is not None else ()
        yield _towards(
            each.is_store, End(Level.L2, site.buffer), near, moved, lines, site.operation, why
        )


def _of_tiles(kernel: KernelAnalysis, source: SourceFacts) -> Iterator[Flow]:
    """What a block's tiles come to, before the copies of the lowered code are known."""
    regions = kernel.tiles
    for each in regions.accesses if regions is not None else ():
        assert regions is not None
        moved = tile_bytes(regions, each)
        why = "" if moved is not None else each.unknown or "its size changes from turn to turn"
        into = End(Level.SHARED, each.into) if each.into else None
        names = source.read_at(each.line) if each.writes else source.written_at(each.line)
        near = into or _only(names, source) or End(Level.REGISTERS, None)
        lines = (each.line,) if each.line is not None else ()
        far = End(Level.L2, each.tensor)
        yield _towards(each.writes, far, near, moved, lines, "tiles of the source", why)


def tile_bytes(tiles: TileRegions, access: TileAccess) -> float | None:
    """The bytes of all turns of one block; None where a part depends on the turn."""
    extents = [*access.extent, *(tiles.loops[place].extent for place in access.loops)]
    if access.unknown is not None or not all(text.isdigit() for text in extents):
        return None
    return prod(int(text) for text in extents) * tiles.tensor(access.tensor).bits / 8


def _near(kernel: KernelAnalysis, source: SourceFacts, each: SiteFootprint) -> End:
    """The buffer of the SM that a site of global memory fills or empties."""
    line, tensor = each.site.line, each.site.buffer
    tiles = kernel.tiles.accesses if kernel.tiles is not None else ()
    into = {a.into for a in tiles if (a.tensor, a.line) == (tensor, line) and a.into and a.reads}
    if not each.is_store and len(into) == 1:
        return End(Level.SHARED, into.pop())
    names = source.read_at(line) if each.is_store else source.written_at(line)
    return _only(names, source) or End(Level.REGISTERS, None)


def _only(names: Iterable[str], source: SourceFacts) -> End | None:
    """The one buffer of the SM among these; None where there are none or several."""
    ends = []
    for name in names:
        scope = source.scope(name)
        if scope in _LEVELS:
            ends.append(End(_LEVELS[scope], name))
    return ends[0] if len(ends) == 1 else None


# -- between shared memory and registers ----------------------------------------------------------


def _of_shared(
    kernel: KernelAnalysis, source: SourceFacts, blocks: int | None, warp: int
) -> Iterator[Flow]:
    for site in kernel.shared.ir_sites if kernel.shared is not None else ():
        if site.kind in _BY_GLOBAL_SITES or _passes_through(site, source):
            continue
        reads = site.kind in _OUT_OF_SHARED
        names = source.written_at(site.line) if reads else source.read_at(site.line)
        inside = [n for n in names if source.scope(n) is not Scope.SHARED]
        near = _only(inside, source) or End(Level.REGISTERS, None)
        lines = (site.line,) if site.line is not None else ()
        named = replace(site, buffer=_named(site, kernel))
        for name, count in _parts(named, source, warp):
            moved, why = _share(count, blocks, site.unknown)
            end = End(Level.SHARED, name)
            yield _towards(not reads, end, near, moved, lines, site.operation, why)


def _named(site: SharedSite, kernel: KernelAnalysis) -> str | None:
    """The buffer of a site; of several with one name, that which is used at its line."""
    buffers = kernel.lifetimes.buffers if kernel.lifetimes is not None else ()
    twins = [each for each in buffers if each.name.split("#")[0] == site.buffer]
    at = [each.name for each in twins if site.line in (each.first_line, each.last_line)]
    return at[0] if len(twins) > 1 and at else site.buffer


def _passes_through(site: SharedSite, source: SourceFacts) -> bool:
    """Whether a line moves a tile between global and shared memory, by way of registers."""
    reads = site.kind in _OUT_OF_SHARED
    names = source.written_at(site.line) if reads else source.read_at(site.line)
    scopes = {source.scope(name) for name in names if name != site.buffer}
    return scopes == {Scope.GLOBAL}


def _parts(
    site: SharedSite, source: SourceFacts, warp: int
) -> Iterator[tuple[str | None, float | None]]:
    """What a site moves of each buffer: a tensor core's operands in the ratio of m to n."""
    total = _moved(site, warp)
    if site.buffer is not None or site.kind is not SharedKind.TENSOR:
        yield site.buffer, total
        return
    names = [n for n in source.read_at(site.line) if source.scope(n) is Scope.SHARED]
    shape = _SHAPE.search(site.operation)
    if len(names) == 1 or not names:
        yield (names[0] if names else None), total
    elif len(names) == 2 and shape is not None and total is not None:
        m, n = int(shape[1]), int(shape[2])
        yield names[0], total * m / (m + n)
        yield names[1], total * n / (m + n)
    else:
        yield None, total


def _moved(site: SharedSite, warp: int) -> float | None:
    """Bytes over the launch: of all lanes, of whole matrices, of a tensor core's operands."""
    if site.moved_bytes is not None:
        return site.moved_bytes
    if site.instructions is None:
        return None
    if site.kind in (SharedKind.LDMATRIX, SharedKind.STMATRIX):
        return site.instructions * site.matrices * _MATRIX_BYTES if site.matrices else None
    lanes = sum(a >= 0 for a in site.pattern.addresses) if site.pattern is not None else warp
    return site.instructions * lanes * site.width_bytes
