"""Paints occupancy as stairs over one resource: curves, the kernel's place, the next step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPen

from workbench.session.lenses.links import Selection
from workbench.session.lenses.occupancy.bars import percent
from workbench.session.lenses.occupancy.stairs import Curve, Point, Scale, Stair
from workbench.session.lenses.occupancy.words import Note, value_text
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS

_TITLE, _PLOT, _AXIS, _NOTE = 22.0, 116.0, 18.0, 16.0
_LEFT_MARGIN = 42.0
_NOTES_PART = 0.38  # of the width, where notes stand beside the plot
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MARK = 9.0


def stair_height(notes: Sequence[Note], beside: bool) -> float:
    """The px of one plot with its notes, beside it or below."""
    plot = _TITLE + _PLOT + _AXIS
    if beside:
        return max(plot, _TITLE + _NOTE * len(notes) + 4)
    return plot + 6 + _NOTE * len(notes)


def paint_stair(
    canvas: Canvas, area: QRectF, stair: Stair, notes: Sequence[Note], beside: bool
) -> None:
    """Paint one plot; a click on it selects the line that takes most of the resource."""
    selection = Selection(line=stair.line) if stair.line is not None else None
    width = area.width() * (1 - _NOTES_PART) if beside else area.width()
    title = QRectF(area.left(), area.top(), width, _TITLE)
    if canvas.is_lit(selection):
        text = canvas.text_width(stair.title, TextRole.STRONG_LABEL)
        lit = QRectF(title.left() - 6, title.top() + 2, text + 12, _TITLE - 4)
        canvas.box(lit, canvas.colour("accentbg"), radius=4)
    canvas.text(title, stair.title, TextRole.STRONG_LABEL, "fg2")
    room = title.width() - canvas.text_width(stair.title, TextRole.STRONG_LABEL) - 8
    if room >= canvas.text_width("occupancy", TextRole.NOTE):
        canvas.text(title, "occupancy", TextRole.NOTE, "fg3", _RIGHT)
    plot = QRectF(
        area.left() + _LEFT_MARGIN, area.top() + _TITLE + 4, width - _LEFT_MARGIN, _PLOT - 4
    )
    _Plot(canvas, plot, stair, selection).paint()
    left = area.left() + width + 16 if beside else area.left()
    top = plot.top() if beside else plot.bottom() + _AXIS + 4
    _notes(canvas, QRectF(left, top, area.right() - left, _NOTE), notes)


def _notes(canvas: Canvas, line: QRectF, notes: Sequence[Note]) -> None:
    for note in notes:
        role = TextRole.STRONG_LABEL if note.is_strong else TextRole.NOTE
        canvas.text(line, note.text, role, "fg" if note.is_strong else "fg2")
        if canvas.text_width(note.text, role) > line.width():
            canvas.hit(line, note.text)
        line = line.translated(0, _NOTE)


class _Plot:
    """One plot: the axis of values across, the part of the warps upwards."""

    def __init__(
        self, canvas: Canvas, area: QRectF, stair: Stair, selection: Selection | None
    ) -> None:
        self.canvas, self.area, self.stair, self.selection = canvas, area, stair, selection
        self.top = _top(stair)

    def paint(self) -> None:
        """Grid, curves, the kernel's place, and what answers."""
        self._grid()
        self.canvas.hits.append(Hit(self.area, selection=self.selection, resolve=partial(self._at)))
        for curve in self.stair.curves:
            self._curve(curve)
        self._uprights()
        for place, curve in self._spread():
            self._place(place, curve)
        self._ticks()

    def _x(self, value: float) -> float:
        return self.area.left() + min(1.0, value / self.stair.most) * self.area.width()

    def _y(self, fraction: float) -> float:
        return self.area.bottom() - fraction / self.top * self.area.height()

    def _grid(self) -> None:
        step = 0.25 if self.top <= 0.76 else 0.5
        for n in range(round(self.top / step) + 1):
            y = self._y(n * step)
            ends = QPointF(self.area.left(), y), QPointF(self.area.right(), y)
            self.canvas.line(*ends, "line" if n else "line2")
            label = QRectF(self.area.left() - _LEFT_MARGIN, y - 8, _LEFT_MARGIN - 6, 16)
            text = f"{n * step * 100:g} %"
            self.canvas.text(label, text, TextRole.NOTE, "fg3", _RIGHT, elide=False)

    def _curve(self, curve: Curve) -> None:
        path = QPainterPath(QPointF(self.area.left(), self._y(curve.steps[0].fraction)))
        for step, after in zip(curve.steps, (*curve.steps[1:], None), strict=True):
            path.lineTo(self._x(step.value), self._y(step.fraction))
            if after is None or step.value >= self.stair.most:
                path.lineTo(self.area.right(), self._y(step.fraction))
                break
            path.lineTo(self._x(step.value), self._y(after.fraction))
        pen = QPen(self.canvas.target_colour(curve.mark), 1.6)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        dash = TARGET_MARKS[curve.mark % len(TARGET_MARKS)].dash
        if dash:
            pen.setDashPattern(list(dash))
        self.canvas.painter.strokePath(path, pen)

    def _uprights(self) -> None:
        """A dotted line where the kernel stands, once for equal values."""
        for value in self._values():
            x = self._x(value)
            ends = QPointF(x, self.area.top()), QPointF(x, self.area.bottom())
            self.canvas.line(*ends, "fg3", 1.0, Qt.PenStyle.DotLine)

    def _values(self) -> list[int]:
        return sorted({curve.at.value for curve in self.stair.curves if curve.at is not None})

    def _spread(self) -> Iterator[tuple[QPointF, Curve]]:
        """The places of the targets' marks; those that meet stand side by side."""
        taken: dict[tuple[int, int], list[Curve]] = {}
        for curve in self.stair.curves:
            if curve.at is not None:
                key = round(self._x(curve.at.value) / 6), round(self._y(curve.at.fraction) / 6)
                taken.setdefault(key, []).append(curve)
        for curves in taken.values():
            for n, curve in enumerate(curves):
                assert curve.at is not None
                shift = (n - (len(curves) - 1) / 2) * (_MARK + 1)
                place = QPointF(self._x(curve.at.value) + shift, self._y(curve.at.fraction))
                yield place, curve

    def _place(self, place: QPointF, curve: Curve) -> None:
        if curve.before is not None:
            self._ghost(curve, curve.before)
        if curve.better is not None and curve.better.value <= self.stair.most:
            self._ring(curve.better, _tip(self.stair, curve, curve.better, "the next step"))
        self.canvas.mark(place, curve.mark, _MARK)
        assert curve.at is not None
        box = QRectF(place.x() - 6, place.y() - 6, 12, 12)
        self.canvas.hit(box, _tip(self.stair, curve, curve.at, "this kernel"), self.selection)

    def _ring(self, point: Point, tip: str) -> None:
        middle = QPointF(self._x(point.value), self._y(point.fraction))
        self.canvas.painter.setPen(QPen(self.canvas.colour("fg"), 1.6))
        self.canvas.painter.setBrush(self.canvas.colour("bg1"))
        self.canvas.painter.drawEllipse(middle, 4.2, 4.2)
        box = QRectF(middle.x() - 6, middle.y() - 6, 12, 12)
        self.canvas.hit(box, tip, self.selection)

    def _ghost(self, curve: Curve, point: Point) -> None:
        """Where it was with the case's own arguments: hollow, in the target's hue."""
        middle = QPointF(self._x(point.value), self._y(point.fraction))
        pen = QPen(self.canvas.target_colour(curve.mark), 1.4, Qt.PenStyle.DotLine)
        self.canvas.painter.setPen(pen)
        self.canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.canvas.painter.drawEllipse(middle, 4.5, 4.5)
        box = QRectF(middle.x() - 6, middle.y() - 6, 12, 12)
        self.canvas.hit(box, _tip(self.stair, curve, point, "with the case's own arguments"))

    def _ticks(self) -> None:
        """Values under the axis; the kernel's own are strong and push others away."""
        taken: list[tuple[float, float]] = []
        own = [(value, True) for value in self._values()]
        for value, is_own in [*own, *((tick, False) for tick in self.stair.ticks)]:
            role = TextRole.STRONG_LABEL if is_own else TextRole.NOTE
            text = value_text(value, self.stair.scale)
            half = self.canvas.text_width(text, role) / 2 + 1
            middle = min(self._x(value), self.area.right() - half)
            if any(abs(middle - other) < half + width + 5 for other, width in taken):
                continue
            taken.append((middle, half))
            box = QRectF(middle - 24, self.area.bottom() + 2, 48, _AXIS - 2)
            token = "fg" if is_own else "fg3"
            self.canvas.text(box, text, role, token, _CENTRE, elide=False)

    def _at(self, point: QPointF) -> Hit:
        """What lies above a value: the occupancy of each target there."""
        value = (point.x() - self.area.left()) / self.area.width() * self.stair.most
        lines = [_quantity(self.stair, max(1, round(value)))]
        lines += [
            f"{curve.label}: {percent(curve.fraction_at(round(value)))}"
            for curve in self.stair.curves
        ]
        return Hit(self.area, "\n".join(lines), self.selection)


def _top(stair: Stair) -> float:
    """The top of the axis: the next quarter above all curves in sight."""
    seen = [p.fraction for curve in stair.curves for p in curve.steps]
    seen += [curve.before.fraction for curve in stair.curves if curve.before is not None]
    quarters = -(-max(seen) // 0.25)
    return float(max(1, quarters) * 0.25)


def _quantity(stair: Stair, value: int) -> str:
    text = value_text(value, stair.scale)
    unit = " KiB" if stair.scale is Scale.KIB else ""
    return f"{stair.title.removesuffix(', KiB')}: {text}{unit}"


def _tip(stair: Stair, curve: Curve, point: Point, what: str) -> str:
    most = " at most" if curve.at_most else ""
    blocks = f"{point.blocks} block{'s' * (point.blocks != 1)}"
    return (
        f"{curve.label}, {what}\n{_quantity(stair, point.value)}\n"
        f"{blocks}, {percent(point.fraction)} of the warps{most}\npredicted by the published rules"
    )
