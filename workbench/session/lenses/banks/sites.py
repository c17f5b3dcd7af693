"""The access sites of shared memory as rows, those with most excess wavefronts first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import Count, SharedKind, SharedSite, sum_or_none
from workbench.core.analysis.shared_tiles import SharedTiles, TileSite

_NAMES = {
    SharedKind.LOAD: "load",
    SharedKind.STORE: "store",
    SharedKind.LDMATRIX: "ldmatrix",
    SharedKind.STMATRIX: "stmatrix",
    SharedKind.ASYNC_COPY: "async copy",
    SharedKind.INTEGER_ATOMIC: "atomic",
    SharedKind.FLOAT_ATOMIC: "atomic",
    SharedKind.TENSOR: "tensor operand",
}


@dataclass(frozen=True)
class SiteRow:
    """The sites of a line that do the same to a buffer, over the whole launch.

    `names` are the buffers that it may be. `share` is the part of all known wavefronts that are in
    excess here. Counts are None where `unknown` says why. `sites` are their places among the sites
    of the lowered IR, and `worst` the worst instruction of the machine code where they are none of
    those. `measured` are the wavefronts that were counted for the whole line.
    """

    line: int | None
    kind: SharedKind
    buffer: str | None
    names: tuple[str, ...]
    width_bytes: int
    access: str
    executions: Count | None
    wavefronts: Count | None
    ideal: Count | None
    excess: Count | None
    share: float | None
    ways: int | None
    unknown: str | None
    sites: tuple[int, ...]
    worst: SharedSite | None = None
    measured: float | None = None

    @property
    def key(self) -> tuple[int | None, str, str | None, int]:
        """What tells it from the others, also after another analysis."""
        return self.line, self.kind.value, self.buffer, self.width_bytes


def site_rows(kernel: KernelAnalysis) -> tuple[SiteRow, ...]:
    """The rows of a kernel; bulk copies have no wavefronts and are left out."""
    report, tiles = kernel.shared, kernel.shared_tiles
    if report is None:
        return ()
    groups: dict[tuple[object, ...], list[SharedSite]] = {}
    for site in report.sites:
        if site.kind is not SharedKind.BULK_COPY:
            key = (site.line, site.kind, site.buffer, site.width_bytes)
            groups.setdefault(key, []).append(site)
    total = sum(site.wavefronts or 0 for site in report.sites)
    rows = [_row(kernel, group, tiles, total) for group in groups.values()]
    return tuple(sorted(rows, key=_rank))


def _rank(row: SiteRow) -> tuple[int, float]:
    """Conflicts by their excess, then what is unknown, then the others by their wavefronts."""
    if row.excess:
        return 0, -row.excess
    return (1, 0) if row.unknown is not None else (2, -(row.wavefronts or 0))


def _row(
    kernel: KernelAnalysis, group: Sequence[SharedSite], tiles: SharedTiles | None, total: Count
) -> SiteRow:
    first = group[0]
    places = tuple(_places(first, tiles.sites)) if tiles is not None else ()
    excess = sum_or_none([site.conflicts for site in group])
    worst = max(group, key=lambda site: (site.ways or 0, site.wavefronts or 0))
    return SiteRow(
        first.line,
        first.kind,
        first.buffer,
        _names(first, tiles, places) or _operands(kernel, first),
        first.width_bytes,
        _access(first, tiles, places),
        sum_or_none([site.instructions for site in group]),
        sum_or_none([site.wavefronts for site in group]),
        sum_or_none([site.ideal for site in group]),
        excess,
        excess / total if excess is not None and total else None,
        max((site.ways for site in group if site.ways is not None), default=None),
        next((site.unknown for site in group if site.unknown is not None), None),
        places,
        worst,
    )


def _places(site: SharedSite, known: Sequence[TileSite]) -> Iterable[int]:
    """The sites of the lowered IR that a row is about."""
    return [
        place
        for place, each in enumerate(known)
        if (each.line, each.kind, each.width_bytes) == (site.line, site.kind, site.width_bytes)
        and site.buffer in (None, each.buffer)
    ]


def _names(site: SharedSite, tiles: SharedTiles | None, places: Sequence[int]) -> tuple[str, ...]:
    found = [tiles.sites[place].buffer for place in places] if tiles is not None else []
    names = [site.buffer] if site.buffer is not None else found
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _operands(kernel: KernelAnalysis, site: SharedSite) -> tuple[str, ...]:
    """What a matrix product of the line reads, as far as it lies in shared memory."""
    if site.kind is not SharedKind.TENSOR or kernel.lifetimes is None:
        return ()
    shared = {each.name for each in kernel.lifetimes.buffers}
    read = [b for each in kernel.operations or () if each.line == site.line for b in each.buffers]
    return tuple(dict.fromkeys(name for name in read if name in shared))


def _access(site: SharedSite, tiles: SharedTiles | None, places: Sequence[int]) -> str:
    name = _NAMES[site.kind]
    if site.kind is SharedKind.TENSOR:
        return name
    if site.kind in (SharedKind.LDMATRIX, SharedKind.STMATRIX):
        return f"{name}.x{site.matrices}" if site.matrices else name
    direction = _direction(tiles, places[0]) if tiles is not None and places else ""
    return f"{name} {site.width_bytes} B{direction}"


def _direction(tiles: SharedTiles, place: int) -> str:
    """Where a lane's neighbour is: along the row or down the column."""
    site = tiles.sites[place]
    tile = tiles.tile(site.buffer)
    step = site.steps[0] if site.steps else None
    if tile is None or step is None or tile.rows < 2 or tile.swizzle_bytes:
        return ""
    known = step.elements or tuple(
        -1 if address < 0 else address // tile.element_bytes for address in step.addresses
    )
    if known[0] < 0 or known[1] < 0:
        return ""
    apart = known[1] - known[0]
    if apart == 0:
        return ", same element"
    if abs(apart) % tile.columns == 0:
        return ", column"
    return ", row" if apart * tile.element_bytes == site.width_bytes else ""
