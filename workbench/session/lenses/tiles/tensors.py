"""How a tensor is drawn in two dimensions, and which tiles of it a block reads at a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.index_expressions import evaluate, names
from workbench.core.analysis.tile_regions import BLOCK_NAMES, GlobalTensor, TileRegions
from workbench.core.analysis.tile_steps import Box, TileStep

_MOST_TILES = 2048  # whose outlines are kept of a block's walk


@dataclass(frozen=True)
class Patch:
    """A rectangle of a tensor's picture in elements; it may reach beyond the tensor."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class TensorView:
    """The dimensions of a tensor that make up rows and columns of its picture; -1 for none.

    `row_axis` and `column_axis` are the axes of the grid that move a tile along them, -1 for none
    or several. `tile` is what is read at once, `lines` are those of the accesses. `unknown` says
    why no tile can be drawn.
    """

    tensor: GlobalTensor
    row_dimension: int
    column_dimension: int
    row_axis: int
    column_axis: int
    tile: tuple[int, int]
    lines: tuple[int, ...]
    unknown: str | None = None

    @property
    def rows(self) -> int:
        """Rows of the picture."""
        return self._extent(self.row_dimension)

    @property
    def columns(self) -> int:
        """Columns of the picture."""
        return self._extent(self.column_dimension)

    def _extent(self, dimension: int) -> int:
        return (self.tensor.shape[dimension] or 1) if dimension >= 0 else 1

    def patch(self, box: Box) -> Patch:
        """A region as it lies in the picture."""
        top, bottom = _range(box, self.row_dimension)
        left, right = _range(box, self.column_dimension)
        return Patch(top, left, bottom, right)

    def slice_of(self, box: Box) -> tuple[int, ...]:
        """Where a region lies in the dimensions that the picture does not have."""
        shown = (self.row_dimension, self.column_dimension)
        return tuple(a for place, a in enumerate(box.start) if place not in shown)

    def slice_text(self, box: Box) -> str:
        """The part of the tensor that is drawn, as an index: `[3, :, :]`; empty for all of it."""
        shown = (self.row_dimension, self.column_dimension)
        if all(p in shown or n == 1 for p, n in enumerate(self.tensor.shape)):
            return ""
        parts = []
        inside = box.inside(self.tensor.shape)
        for place, (start, stop) in enumerate(zip(inside.start, inside.stop, strict=True)):
            one = str(start) if stop - start == 1 else f"{start}:{stop}"
            parts.append(":" if place in shown else one)
        return f"[{', '.join(parts)}]"


@dataclass(frozen=True)
class TensorAt:
    """One tensor while a block is at a step.

    `now` are read (or, where it is an output, written) at the step, `before` were, `later` will
    be. `part` is the part of the tensor that the picture shows, `lines` do what is done now.
    """

    view: TensorView
    now: tuple[Patch, ...] = ()
    before: tuple[Patch, ...] = ()
    later: tuple[Patch, ...] = ()
    part: str = ""
    bytes_now: int | None = None
    lines: tuple[int, ...] = ()


Touched = Sequence[tuple[TileStep, Sequence[tuple[int, Box]]]]


def views_of(regions: TileRegions, reads: bool = True) -> tuple[TensorView, ...]:
    """The tensors that are read (or written), each once, in the order of the code."""
    own = [a.tensor for a in regions.accesses if (a.reads if reads else a.writes)]
    return tuple(_view(regions, name, reads) for name in dict.fromkeys(own))


def tensor_at(
    regions: TileRegions, view: TensorView, touched: Touched, step: int, reads: bool = True
) -> TensorAt:
    """A tensor at a step of a block, whose steps and regions are `touched`."""
    walks: list[list[Box]] = [[], [], []]
    for number, (_, boxes) in enumerate(touched[: _MOST_TILES * 2]):
        place = 0 if number == step else 1 if number < step else 2
        walks[place] += [box for access, box in boxes if _is_of(regions, access, view, reads)]
    now, before, later = walks
    shown = (now or before[-1:] or later[:1])[:1]
    if not shown:
        return TensorAt(view)
    part = view.slice_of(shown[0])
    drawn = [_merged(view.patch(b) for b in each if view.slice_of(b) == part) for each in walks]
    held = sum(box.inside(view.tensor.shape).elements for box in now)
    size = held * view.tensor.bits // 8 if now else None
    here = touched[step][0].accesses if step < len(touched) else ()
    lines = _lines(regions, [p for p in here if _is_of(regions, p, view, reads)])
    return TensorAt(view, drawn[0], drawn[1], drawn[2], view.slice_text(shown[0]), size, lines)


def _lines(regions: TileRegions, places: Iterable[int]) -> tuple[int, ...]:
    found = [regions.accesses[p].line for p in places]
    return tuple(dict.fromkeys(line for line in found if line is not None))


def _is_of(regions: TileRegions, place: int, view: TensorView, reads: bool) -> bool:
    access = regions.accesses[place]
    return access.tensor == view.tensor.name and (access.reads if reads else access.writes)


def _view(regions: TileRegions, name: str, reads: bool) -> TensorView:
    tensor = regions.tensor(name)
    every = enumerate(regions.accesses)
    places = [p for p, a in every if a.tensor == name and (a.reads if reads else a.writes)]
    own = [regions.accesses[p] for p in places]
    known = [access for access in own if access.unknown is None]
    lines = _lines(regions, places)
    if None in tensor.shape:
        return TensorView(
            tensor, -1, -1, -1, -1, (1, 1), lines, "its shape is known at the launch only"
        )
    rank = len(tensor.shape)
    if not known:
        row, column = (rank - 2, rank - 1) if rank > 1 else (-1, rank - 1)
        return TensorView(tensor, row, column, -1, -1, (1, 1), lines, own[0].unknown)
    access = known[0]
    values = _origin(regions)
    extent = [int(evaluate(text, values)) for text in access.extent]
    used = [names(text) for text in access.offset]
    row, column = _dimensions(tensor, extent, used)
    tile = (extent[row] if row >= 0 else 1, extent[column] if column >= 0 else 1)
    axes = [_axis(used[d]) if d >= 0 else -1 for d in (row, column)]
    return TensorView(tensor, row, column, axes[0], axes[1], tile, lines)


def _dimensions(
    tensor: GlobalTensor, extent: Sequence[int], used: Sequence[frozenset[str]]
) -> tuple[int, int]:
    """The two dimensions that tell most: in which tiles extend, loops move, then blocks."""

    def rank(place: int) -> tuple[bool, bool, bool, int]:
        moved = used[place] - set(BLOCK_NAMES)
        several = (tensor.shape[place] or 1) > 1
        return several, extent[place] > 1 or bool(moved), bool(used[place]), place

    chosen = sorted(sorted(range(len(extent)), key=rank)[-2:])
    return (chosen[0], chosen[1]) if len(chosen) > 1 else (-1, chosen[0])


def _axis(used: frozenset[str]) -> int:
    own = [place for place, name in enumerate(BLOCK_NAMES) if name in used]
    return own[0] if len(own) == 1 else -1


def _origin(regions: TileRegions) -> dict[str, int]:
    """The first block at the first turn of all loops."""
    values = dict.fromkeys(BLOCK_NAMES, 0)
    for loop in regions.loops:
        values[loop.name] = 0
    for loop in regions.loops:
        values[loop.name] = int(evaluate(loop.start, values))
    return values


def _range(box: Box, dimension: int) -> tuple[int, int]:
    return (box.start[dimension], box.stop[dimension]) if dimension >= 0 else (0, 1)


def _merged(patches: Iterable[Patch]) -> tuple[Patch, ...]:
    """The same area in few rectangles: neighbours of a row joined, then those of a column."""
    kept = list(dict.fromkeys(patches))
    kept.sort(key=lambda p: (p.top, p.bottom, p.left))
    joined: list[Patch] = []
    for each in kept:
        last = joined[-1] if joined else None
        if last and (last.top, last.bottom) == (each.top, each.bottom) and each.left <= last.right:
            joined[-1] = Patch(last.top, last.left, last.bottom, max(last.right, each.right))
        else:
            joined.append(each)
    joined.sort(key=lambda p: (p.left, p.right, p.top))
    result: list[Patch] = []
    for each in joined:
        last = result[-1] if result else None
        if last and (last.left, last.right) == (each.left, each.right) and each.top <= last.bottom:
            result[-1] = Patch(last.top, last.left, max(last.bottom, each.bottom), last.right)
        else:
            result.append(each)
    return tuple(result)
