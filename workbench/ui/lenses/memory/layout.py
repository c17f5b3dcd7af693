"""Where the parts of the memory picture lie at a width, in px."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from workbench.session.lenses.memory.model import Fill, Lane, Level, MemoryBlock, MemoryPicture

INSET = 16.0
# The columns of the lanes' names and of the fill bars, with room and without.
_LABELS, _BARS = (87.0, 72.0), (136.0, 104.0)
_NARROW = 460.0
HEAD = 22.0
BLOCK = 41.0  # height of a block
_BETWEEN = 46.0  # lanes, for the ribbons
_SMALL_LABEL = 18.0
_APART = 3.0
TRACK = 11.0  # of a ribbon that passes a lane by
FILL = 26.0
FILL_NOTE = 14.0
ROW = 17.0
STRIP_HEAD, STRIP_FOOT = 30.0, 22.0
CHARACTER = 7.3  # of code at 12 px
_LEAST = 2.5
_UNKNOWN_WIDTH = 64.0
_ENOUGH = 50.0  # for a longer name, of which the rest is in the tip
NARROW = 2.0  # beside the name, in a narrow block


@dataclass(frozen=True)
class PlacedBlock:
    """A block and its place; a small one has its name under the lane."""

    block: MemoryBlock
    area: QRectF
    small: bool = False


@dataclass(frozen=True)
class PlacedLane:
    """A lane with its blocks and the top of each of its bars."""

    lane: Lane
    area: QRectF
    blocks: tuple[PlacedBlock, ...]
    fills: tuple[tuple[Fill, float], ...]

    @property
    def bottom(self) -> float:
        """Where what belongs to the blocks ends: their names too."""
        small = any(each.small for each in self.blocks)
        return self.area.bottom() + (_SMALL_LABEL if small else 0)

    def place(self, buffer: str | None) -> QRectF:
        """Where a buffer lies; the whole lane for none in particular."""
        found = (each.area for each in self.blocks if buffer in each.block.buffers)
        return next(found, self.area)


@dataclass(frozen=True)
class Layout:
    """All places; `left` and `bars` are the left edges of the blocks and of the fill bars.

    `strip` is the top of the strip.
    """

    width: float
    left: float
    lanes: tuple[PlacedLane, ...]
    bars: float
    strip: float
    height: float

    @property
    def labels_width(self) -> float:
        """The room of a lane's name and notes."""
        return self.left - INSET - 2

    @property
    def bars_width(self) -> float:
        """The room of a fill bar and its texts."""
        return self.width - INSET - self.bars

    def lane(self, level: Level) -> PlacedLane:
        """A lane by its level. Raises KeyError."""
        return {each.lane.level: each for each in self.lanes}[level]

    def index(self, level: Level) -> int:
        """The place of a lane from the top."""
        return [each.lane.level for each in self.lanes].index(level)


def passing(picture: MemoryPicture) -> int:
    """The ribbons that pass a lane by."""
    order = {lane.level: n for n, lane in enumerate(picture.lanes)}
    steps = [abs(order[f.source.level] - order[f.target.level]) for f in picture.flows]
    return sum(step > 1 for step in steps)


def layout_of(picture: MemoryPicture, width: float) -> Layout:
    """The places of a picture's parts."""
    narrow = width < _NARROW
    bars = width - INSET - _BARS[narrow]
    tracks = min(passing(picture), 4) * TRACK
    left, right = INSET + _LABELS[narrow], bars - 16 - tracks
    top, lanes = HEAD, []
    for lane in picture.lanes:
        placed = _lane(lane, QRectF(left, top, max(80.0, right - left), BLOCK))
        lanes.append(placed)
        top = max(placed.bottom + _BETWEEN, top + _fills_height(lane) + 10)
    end = max(lanes[-1].bottom, lanes[-1].area.top() + _fills_height(lanes[-1].lane)) + 10
    return Layout(width, left, tuple(lanes), bars, end, end + _strip_height(picture))


def fill_height(fill: Fill) -> float:
    """The height of a bar with its texts."""
    return FILL + (FILL_NOTE if fill.step_text or fill.severity else 0)


def _fills_height(lane: Lane) -> float:
    return sum(fill_height(fill) for fill in lane.fills)


def _strip_height(picture: MemoryPicture) -> float:
    if picture.strip is None:
        return STRIP_HEAD + FILL_NOTE
    return STRIP_HEAD + ROW * len(picture.strip.offsets) + STRIP_FOOT


def _lane(lane: Lane, area: QRectF) -> PlacedLane:
    fills, top = [], area.top()
    for fill in lane.fills:
        fills.append((fill, top))
        top += fill_height(fill)
    return PlacedLane(lane, area, tuple(_blocks(lane.blocks, area)), tuple(fills))


def _blocks(blocks: Sequence[MemoryBlock], area: QRectF) -> Iterator[PlacedBlock]:
    """Blocks from left to right, the small ones after those with room for their names."""
    if not blocks:
        return
    widths = _widths(blocks, area.width())
    small = {id(b) for b, w in zip(blocks, widths, strict=True) if w < _needed(b)}
    rank = {id(b): (id(b) in small) + 2 * (not b.buffers) for b in blocks}
    ordered = sorted(zip(blocks, widths, strict=True), key=lambda each: rank[id(each[0])])
    left = area.left()
    for block, width in ordered:
        place = QRectF(left, area.top(), width, area.height())
        yield PlacedBlock(block, place, id(block) in small)
        left += width + _APART


def _widths(blocks: Sequence[MemoryBlock], width: float) -> list[float]:
    """Widths in proportion to the weights, none so thin that it is not seen."""
    unknown = sum(block.weight is None for block in blocks)
    room = width - _APART * (len(blocks) - 1) - unknown * _UNKNOWN_WIDTH
    total = sum(block.weight or 0 for block in blocks)
    raw = [
        _UNKNOWN_WIDTH if b.weight is None else max(_LEAST, room * b.weight / (total or 1))
        for b in blocks
    ]
    excess = sum(raw) - (width - _APART * (len(blocks) - 1))
    if excess > 0:
        widest = max(range(len(raw)), key=lambda n: raw[n])
        raw[widest] = max(_LEAST, raw[widest] - excess)
    return raw


def _needed(block: MemoryBlock) -> float:
    """The width that a block needs for its name, or for enough of it."""
    names = block.buffers if block.is_merged else (block.name,)
    longest = max(len(name) for name in names)
    return min(_ENOUGH, longest * CHARACTER + 2 * NARROW)
