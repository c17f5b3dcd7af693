"""Paints the memory picture: lanes and blocks, then ribbons, bars and the strip of lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt

from workbench.core.figures import number
from workbench.session.lenses.links import Selection
from workbench.session.lenses.memory.model import Lane, Level, MemoryBlock, MemoryPicture
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.memory.bars import paint_fills
from workbench.ui.lenses.memory.layout import (
    BLOCK,
    INSET,
    NARROW,
    Layout,
    PlacedBlock,
    PlacedLane,
    layout_of,
)
from workbench.ui.lenses.memory.looks import HUES
from workbench.ui.lenses.memory.ribbons import LABEL_VEIL, is_lit, paint_ribbons
from workbench.ui.lenses.memory.strip import paint_strip
from workbench.ui.theme.fonts import TextRole

_TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_STACK = 3.0  # px from one copy to the next
_MOST_COPIES = 4
_LINE = 15.0
_WIDE = 40.0


class MemoryPainting:
    """One memory picture, at any width."""

    def __init__(self, picture: MemoryPicture) -> None:
        self._picture = picture

    def height(self, width: float) -> float:
        """The px that it needs."""
        return layout_of(self._picture, width).height + 6

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Everything, from the back to the front."""
        layout = layout_of(self._picture, size.width())
        touched = _touched(canvas, self._picture)
        _paint_head(canvas, self._picture, layout)
        for placed in layout.lanes:
            over = self._picture.is_over(placed.lane)
            _paint_label(canvas, placed, layout.labels_width, over)
            for each in placed.blocks:
                _paint_block(canvas, placed.lane, each, touched)
            if over:
                _paint_over(canvas, placed)
        paint_ribbons(canvas, self._picture.flows, layout)
        for placed in layout.lanes:
            _paint_small(canvas, placed)
        paint_fills(canvas, layout)
        paint_strip(canvas, self._picture, layout)


def _touched(canvas: Canvas, picture: MemoryPicture) -> frozenset[str]:
    """The buffers that the selected line moves."""
    if canvas.lit is None or canvas.lit.buffer is not None:
        return frozenset()
    ends = [end for f in picture.flows if is_lit(canvas, f) for end in (f.source, f.target)]
    return frozenset(end.buffer for end in ends if end.buffer is not None)


def _paint_head(canvas: Canvas, picture: MemoryPicture, layout: Layout) -> None:
    left = INSET
    text = "ribbons: bytes a block moves · areas: bytes, each lane to its own scale"
    for shorter in (text, "area: bytes, each lane to its own scale", "areas are bytes"):
        if canvas.text_width(shorter, TextRole.NOTE) < layout.bars - left - 12:
            place = QRectF(left, 0, layout.bars - left - 8, 16)
            canvas.text(place, shorter, TextRole.NOTE, "fg3")
            break
    place = QRectF(layout.bars, 0, layout.bars_width, 16)
    canvas.text(place, "Capacity used", TextRole.NOTE, "fg2")


def _paint_label(canvas: Canvas, placed: PlacedLane, width: float, over: bool) -> None:
    lane, top = placed.lane, placed.area.top()
    square = QRectF(INSET, top + 3, 9, 9)
    canvas.painter.fillRect(square, canvas.colour(HUES[lane.level]))
    place = QRectF(INSET + 14, top - 1, width - 14, 17)
    canvas.text(place, lane.title, TextRole.STRONG_LABEL, "fg")
    notes = [(note, "fg3") for note in lane.notes]
    if lane.gap:
        notes.append(("+ unknown" if lane.blocks else "unknown", "warn"))
    if over:
        notes.append(("does not fit", "error"))
    for place_of, (note, token) in enumerate(notes):
        below = QRectF(INSET, top + 17 + place_of * 14, width, 14)
        canvas.text(below, note, TextRole.NOTE, token)
    tip = "\n".join((lane.title, *lane.notes, lane.gap)).strip()
    canvas.hit(QRectF(INSET, top - 1, width, BLOCK), tip)


def _paint_block(canvas: Canvas, lane: Lane, placed: PlacedBlock, touched: frozenset[str]) -> None:
    block, hue = placed.block, HUES[lane.level]
    behind = min(block.copies, _MOST_COPIES) - 1
    shift = _STACK * behind
    front = placed.area.adjusted(0, shift, -shift, 0)
    ground = canvas.colour("bg1")
    for copy in range(behind, 0, -1):
        move = _STACK * copy
        canvas.box(front.translated(move, -move), ground, canvas.colour(hue, 0.55))
    plain = not block.buffers
    canvas.box(front, ground)
    if block.weight is None:
        canvas.box(front, None, canvas.colour("line2"))
        canvas.hatch(front, canvas.colour("line2"))
    else:
        canvas.box(front, canvas.colour(hue, 0.10 if plain else 0.20), canvas.colour(hue, 0.75))
    if any(canvas.is_lit(each) for each in _selections(block)) or touched & set(block.buffers):
        canvas.outline(front)
    if not placed.small:
        _paint_names(canvas, block, front)
    selections = _selections(block)
    canvas.hit(placed.area, tip_of(block, lane.level), selections[0] if selections else None)


def _paint_over(canvas: Canvas, placed: PlacedLane) -> None:
    """A frame and a hatch in the colour of errors around a level that is over its limit."""
    frame = placed.area.adjusted(-4, -4, 4, 4)
    for each in placed.blocks:
        low = QRectF(each.area)
        low.setTop(low.bottom() - 9)
        canvas.hatch(low.adjusted(1, 0, -1, -1), canvas.colour("error", 0.75))
    canvas.outline(frame, "error", 1.6)


def _paint_names(canvas: Canvas, block: MemoryBlock, area: QRectF) -> None:
    """The name, under it the size; what is merged has a name a line, as far as there is room."""
    beside = 6.0 if area.width() > _WIDE else NARROW
    inner = area.adjusted(beside, 2, 1 - NARROW, -1)
    token = "fg2" if not block.buffers else "fg"
    joined = " ".join(block.buffers) or block.name
    canvas.text(inner, joined, TextRole.LABEL, token, _TOP, is_code=bool(block.buffers))
    if block.weight is None:
        canvas.text(inner.translated(0, _LINE), "unknown", TextRole.NOTE, "fg3", _TOP)
        return
    text = f"{block.size} merged" if block.is_merged else block.size
    if block.is_merged and canvas.text_width(text, TextRole.NOTE) > inner.width():
        text = block.size
    if canvas.text_width(text, TextRole.NOTE) <= inner.width() + 3:
        canvas.text(inner.translated(0, _LINE), text, TextRole.NOTE, "fg2", _TOP, elide=False)


def _paint_small(canvas: Canvas, placed: PlacedLane) -> None:
    """The names of small blocks under their lane, each group with one leader."""
    small = [each for each in placed.blocks if each.small]
    if not small:
        return
    groups = [[b for b in small if b.block.buffers], [b for b in small if not b.block.buffers]]
    taken: list[QRectF] = []
    for group in groups:
        if group:
            share = 1.0 if not all(groups) else 0.62 if taken else 0.72
            taken.append(_paint_group(canvas, placed, group, taken, share))


def _paint_group(
    canvas: Canvas,
    placed: PlacedLane,
    group: Sequence[PlacedBlock],
    taken: Sequence[QRectF],
    share: float,
) -> QRectF:
    """Write a group's names in a share of the lane's width; `taken` are those of other groups."""
    span = QRectF(group[0].area).united(group[-1].area)
    room = placed.area.width() * share
    text = _group_text(canvas, [each.block for each in group], room)
    width = canvas.text_width(text, TextRole.NOTE) + 4
    left = min(max(placed.area.left(), span.center().x() - width / 2), placed.area.right() - width)
    place = QRectF(left, placed.area.bottom() + 4, width, 14)
    for other in taken:
        if place.intersects(other):
            place.moveLeft(max(INSET, other.left() - width - 8))
    start = QPointF(span.center().x(), placed.area.bottom() + 1)
    canvas.line(start, QPointF(start.x(), place.top() + 1), "fg3")
    names = [name for each in group for name in each.block.buffers]
    lit = canvas.lit is not None and canvas.lit.buffer in names
    canvas.box(place.adjusted(-2, 0, 2, 0), canvas.colour("bg1", LABEL_VEIL))
    canvas.text(place, text, TextRole.NOTE, "accent" if lit else "fg2", elide=False)
    tips = "\n".join(tip_of(each.block, placed.lane.level) for each in group)
    selections = [s for each in group for s in _selections(each.block)]
    canvas.hit(place, tips, selections[0] if selections else None)
    return place


def _group_text(canvas: Canvas, blocks: Sequence[MemoryBlock], room: float) -> str:
    """`mx, mp, sc · 2 each`, or with the size of each; else how many there are."""
    sizes = {block.size for block in blocks}
    names = ", ".join(block.name for block in blocks)
    alike = f"{names} · {blocks[0].size} each" if len(sizes) == 1 and len(blocks) > 1 else ""
    each = ", ".join(f"{block.name} {block.size}" for block in blocks)
    for text in (alike or each, names):
        if canvas.text_width(text, TextRole.NOTE) <= room:
            return text
    largest = sorted(blocks, key=lambda block: -(block.weight or 0))
    for count in range(min(len(blocks) - 1, 4), 0, -1):
        some = ", ".join(f"{block.name} {block.size}" for block in largest[:count])
        text = f"{some}, {number(len(blocks) - count)} more"
        if canvas.text_width(text, TextRole.NOTE) <= room:
            return text
    return f"+{number(len(blocks))} small"


def tip_of(block: MemoryBlock, level: Level) -> str:
    """A block in words."""
    unit = " registers a thread" if level is Level.REGISTERS and block.size else ""
    parts = [f"{' and '.join(block.buffers) or block.name}"]
    if block.weight is None:
        parts[0] += f": unknown, {block.why}"
    else:
        parts[0] += f": {block.size}{unit}" + (f", {block.dtype}" if block.dtype else "")
    if block.is_merged:
        parts.append("merged: they are never needed at the same time")
    if block.copies > 1:
        parts.append(f"{block.copies} stages of the pipeline")
    return "\n".join([*parts, *([block.note] if block.note else [])])


def _selections(block: MemoryBlock) -> list[Selection]:
    lines = dict(block.lines)
    return [Selection(line=lines.get(name), buffer=name) for name in block.buffers]
