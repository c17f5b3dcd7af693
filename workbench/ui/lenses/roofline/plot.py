"""The frame of a roofline's plot, log-log: its grid, its places, and what a place means."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt

from workbench.core.analysis.roofline import MemoryLevel
from workbench.session.lenses.roofline.picture import RooflinePicture
from workbench.session.lenses.roofline.series import Series
from workbench.session.lenses.roofline.words import three
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.theme.fonts import TextRole

_LEFT, _TOP, _BOTTOM = 46.0, 22.0, 34.0
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Frame:
    """The plot in `plot`, in px of the canvas; `focus` is the series with all its ceilings."""

    canvas: Canvas
    plot: QRectF
    picture: RooflinePicture
    focus: Series

    def x(self, intensity: float) -> float:
        """The px across of operations a byte."""
        return self.plot.left() + self.picture.x.part(intensity) * self.plot.width()

    def y(self, tflops: float) -> float:
        """The px down of a rate."""
        return self.plot.bottom() - self.picture.y.part(tflops) * self.plot.height()

    def clear(self, box: QRectF) -> None:
        """Lift what is written there off the lines below it."""
        self.canvas.painter.fillRect(box, self.canvas.colour("bg1", 0.85))

    def grid(self) -> None:
        """Paint powers of ten, their labels, and what the axes are."""
        self.canvas.hits.append(Hit(self.plot, resolve=self._at))
        canvas, plot = self.canvas, self.plot
        head = QRectF(plot.left() - _LEFT, plot.top() - _TOP, 200, _TOP - 4)
        canvas.text(head, "TFLOP/s", TextRole.NOTE, "fg3")
        legend = QRectF(plot.left() + 40, head.top(), plot.width() - 40, head.height())
        has_twin = any(each.measured is not None for each in self.picture.series)
        marks = "solid: measured, hollow: predicted" if has_twin else "hollow: predicted"
        method = f"{marks} · all ceilings of {self.focus.label}"
        canvas.text(legend, method, TextRole.NOTE, "fg3", _RIGHT)
        for tick in self.picture.y.ticks:
            y = self.y(tick)
            canvas.line(QPointF(plot.left(), y), QPointF(plot.right(), y), "line")
            box = QRectF(plot.left() - _LEFT, y - 8, _LEFT - 6, 16)
            canvas.text(box, f"{tick:,g}", TextRole.NOTE, "fg3", _RIGHT, elide=False)
        for tick in self.picture.x.ticks:
            x = self.x(tick)
            canvas.line(QPointF(x, plot.top()), QPointF(x, plot.bottom()), "line")
            box = QRectF(x - 30, plot.bottom() + 2, 60, 15)
            canvas.text(box, f"{tick:,g}", TextRole.NOTE, "fg3", _CENTRE, elide=False)
        canvas.line(plot.bottomLeft(), plot.bottomRight(), "line2")
        below = QRectF(plot.left(), plot.bottom() + 16, plot.width(), 16)
        canvas.text(below, "operations a byte, flop/B", TextRole.NOTE, "fg3", _RIGHT)

    def _at(self, point: QPointF) -> Hit:
        """What DRAM and the peak in use allow at the pointer's intensity."""
        part = (point.x() - self.plot.left()) / self.plot.width()
        intensity = self.picture.x.value(part)
        lines = [f"At {three(intensity)} flop a byte of DRAM"]
        for series in self.picture.series:
            bandwidth = series.bandwidth(MemoryLevel.DRAM).gb_s
            if bandwidth is not None and series.peak is not None:
                rate = min(series.peak, intensity * bandwidth / 1e3)
                lines.append(f"{series.label}: up to {three(rate)} TFLOP/s")
        return Hit(self.plot, "\n".join(lines))


def frame_in(canvas: Canvas, area: QRectF, picture: RooflinePicture, focus: Series) -> Frame:
    """A frame whose labels have room within `area`."""
    return Frame(canvas, area.adjusted(_LEFT, _TOP, 0, -_BOTTOM), picture, focus)
