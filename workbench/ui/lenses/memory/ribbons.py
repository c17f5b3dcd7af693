"""Paints what moves between the lanes: ribbons as wide as the bytes that a block moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from workbench.core.figures import size
from workbench.session.lenses.links import Selection
from workbench.session.lenses.memory.model import End, Flow, Level
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.memory.layout import INSET, TRACK, Layout
from workbench.ui.lenses.memory.looks import HUES
from workbench.ui.theme.fonts import TextRole

_MOST, _LEAST = 24.0, 1.6
_THIN = 6.0  # a line rather than a band, which would vanish where it runs level
_ARROW = 5.0
_BAND, _LIT_BAND = 0.42, 0.6
LABEL_VEIL = 0.72  # behind a label, so that ribbons do not cross it
_LABEL = 13.0
_SIDES = tuple((side, part) for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8) for side in (1, -1))


@dataclass(frozen=True)
class Ribbon:
    """A flow with where it begins and ends, how wide it is, and the track that it takes past."""

    flow: Flow
    start: QPointF
    end: QPointF
    width: float
    track: float | None = None


def paint_ribbons(canvas: Canvas, flows: Iterable[Flow], layout: Layout) -> None:
    """The ribbons, then their labels, none over another."""
    ribbons = list(_ribbons(tuple(flows), layout))
    for ribbon in sorted(ribbons, key=lambda each: -each.width):
        _paint(canvas, ribbon)
    taken = [each.area.united(QRectF(each.area.left(), each.bottom, 1, 0)) for each in layout.lanes]
    for ribbon in sorted(ribbons, key=lambda each: (each.track is None, -each.width)):
        _paint_label(canvas, ribbon, layout, taken)


def is_lit(canvas: Canvas, flow: Flow) -> bool:
    """Whether a ribbon belongs to what is selected."""
    lit = canvas.lit
    if lit is None:
        return False
    if lit.buffer is not None:
        return lit.buffer in (flow.source.buffer, flow.target.buffer)
    return lit.line in flow.lines


def tip_of(flow: Flow) -> str:
    """A ribbon in words."""
    ends = " → ".join(_name(end) for end in (flow.source, flow.target))
    moved = f"{size(flow.moved)} a block" if flow.moved is not None else f"unknown: {flow.why}"
    lines = ", ".join(map(str, flow.lines))
    where = f"line{'s' * (len(flow.lines) != 1)} {lines}" if lines else ""
    return "\n".join(text for text in (f"{ends}: {moved}", flow.how, where) if text)


def _name(end: End) -> str:
    where = end.level.value if end.level in (Level.HBM, Level.L2) else end.level.value.lower()
    return f"{end.buffer} in {where}" if end.buffer is not None else where


def _ribbons(flows: tuple[Flow, ...], layout: Layout) -> Iterator[Ribbon]:
    most = max((f.moved for f in flows if f.moved is not None), default=0) or 1
    slots = _slots(flows, layout)
    track = 0
    for number, flow in enumerate(flows):
        width = _LEAST if flow.moved is None else max(_LEAST, _MOST * flow.moved / most)
        start, end = slots[number, True], slots[number, False]
        far = abs(layout.index(flow.source.level) - layout.index(flow.target.level)) > 1
        place = None
        if far:
            place = layout.bars - 16 - TRACK * (track % 4) - TRACK / 2
            track += 1
            width = min(width, TRACK - 3)
        yield Ribbon(flow, start, end, width, place)


def _slots(flows: tuple[Flow, ...], layout: Layout) -> dict[tuple[int, bool], QPointF]:
    """Where ribbons touch their blocks: side by side, in the order of where they come from."""
    edges: dict[tuple[Level, float, float], list[tuple[float, int, bool]]] = {}
    for number, flow in enumerate(flows):
        for end, other, starts in (
            (flow.source, flow.target, True),
            (flow.target, flow.source, False),
        ):
            lane = layout.lane(end.level)
            area = lane.place(end.buffer)
            below = layout.index(other.level) > layout.index(end.level)
            y = area.bottom() if below else area.top()
            far = layout.lane(other.level).place(other.buffer).center().x()
            edges.setdefault((end.level, area.left(), y), []).append((far, number, starts))
    found = {}
    for (level, left, y), touching in edges.items():
        lane = layout.lane(level)
        area = next((b.area for b in lane.blocks if b.area.left() == left), lane.area)
        for place, (_, number, starts) in enumerate(sorted(touching)):
            x = area.left() + area.width() * (place + 1) / (len(touching) + 1)
            found[number, starts] = QPointF(x, y)
    return found


def _path(ribbon: Ribbon, start: QPointF, end: QPointF) -> QPainterPath:
    """The middle of a ribbon."""
    path = QPainterPath(start)
    if ribbon.track is None:
        half = (end.y() - start.y()) / 2
        path.cubicTo(start + QPointF(0, half), end - QPointF(0, half), end)
        return path
    down = 1 if end.y() > start.y() else -1
    near, far = start.y() + 22 * down, end.y() - 22 * down
    side = ribbon.track
    path.cubicTo(QPointF(start.x(), near), QPointF(side, start.y()), QPointF(side, near))
    path.lineTo(side, far)
    path.cubicTo(QPointF(side, end.y()), QPointF(end.x(), far), end)
    return path


def _band(ribbon: Ribbon, end: QPointF) -> QPainterPath:
    """A ribbon of one width from side to side, whose ends lie flat on the blocks."""
    side, start = QPointF(ribbon.width / 2, 0), ribbon.start
    half = QPointF(0, (end.y() - start.y()) / 2)
    path = QPainterPath(start - side)
    path.cubicTo(start - side + half, end - side - half, end - side)
    path.lineTo(end + side)
    path.cubicTo(end + side - half, start + side + half, start + side)
    path.closeSubpath()
    return path


def _paint(canvas: Canvas, ribbon: Ribbon) -> None:
    flow, painter = ribbon.flow, canvas.painter
    lit = is_lit(canvas, flow)
    hue = canvas.colour("accent" if lit else HUES[flow.source.level])
    down = 1 if ribbon.end.y() > ribbon.start.y() else -1
    tip = ribbon.end - QPointF(0, 1.0 * down)
    path = _path(ribbon, ribbon.start, tip - QPointF(0, _ARROW * down))
    if flow.moved is None:
        painter.strokePath(path, QPen(canvas.colour("fg3"), 1.4, Qt.PenStyle.DashLine))
        hue = canvas.colour("fg3")
    else:
        thin = ribbon.width < _THIN
        band = QColor(hue)
        band.setAlphaF(0.8 if thin else _LIT_BAND if lit else _BAND)
        if ribbon.track is None and not thin:
            painter.fillPath(_band(ribbon, tip - QPointF(0, _ARROW * down)), band)
        else:
            pen = QPen(band, ribbon.width)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.strokePath(path, pen)
    half = max(3.5, ribbon.width / 2)
    head = [tip, tip + QPointF(-half, -_ARROW * down), tip + QPointF(half, -_ARROW * down)]
    arrow = QPainterPath()
    arrow.addPolygon(QPolygonF(head))
    arrow.closeSubpath()
    painter.fillPath(arrow, hue)


def _paint_label(canvas: Canvas, ribbon: Ribbon, layout: Layout, taken: list[QRectF]) -> None:
    """The bytes beside the ribbon, where no other label stands; the ribbon answers in any case."""
    flow = ribbon.flow
    text = str(size(flow.moved)) if flow.moved is not None else "unknown"
    path = _path(ribbon, ribbon.start, ribbon.end)
    width = canvas.text_width(text, TextRole.NOTE) + 2
    selection = Selection(
        line=flow.lines[0] if flow.lines else None,
        buffer=flow.target.buffer or flow.source.buffer,
    )
    for part in (0.25, 0.5, 0.75):
        middle = path.pointAtPercent(part)
        across = max(12.0, ribbon.width)
        area = QRectF(middle.x() - across / 2, middle.y() - 7, across, 14)
        canvas.hit(area, tip_of(flow), selection)
    for side, part in _SIDES:
        at = path.pointAtPercent(part)
        gap = ribbon.width / 2 + 4
        left = at.x() + gap if side > 0 else at.x() - gap - width
        place = QRectF(left, at.y() - _LABEL / 2, width, _LABEL)
        if _is_free(place, layout, taken):
            taken.append(place)
            lit = is_lit(canvas, flow)
            canvas.box(place.adjusted(-2, 0, 2, 0), canvas.colour("bg1", LABEL_VEIL))
            canvas.text(place, text, TextRole.NOTE, "accent" if lit else "fg2", elide=False)
            canvas.hit(place, tip_of(flow), selection)
            return


def _is_free(place: QRectF, layout: Layout, taken: list[QRectF]) -> bool:
    if place.left() < INSET or place.right() > layout.bars - 2:
        return False
    return not any(place.adjusted(-2, -1, 2, 1).intersects(other) for other in taken)
