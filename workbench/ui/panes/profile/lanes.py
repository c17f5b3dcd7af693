"""Paints how samples are spread: a row for the kernel and one for its baseline, over one axis."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from workbench.session.profile.samples import BINS, Lane, SamplesPicture
from workbench.session.profile.words import three, time_text
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.tokens import TARGET_MARKS
from workbench.ui.widgets.painting import mark_path, with_alpha

TITLE, AXIS = 18.0, 19.0
_TEXT, _BARS, _BOX, _BETWEEN = 17.0, 22.0, 11.0, 6.0
_ROW = 13.0  # of the predicted time, above the kernel's bars
LANE = _TEXT + _BARS + _BOX + _BETWEEN
_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MARK = 9.0
_TICK_ROOM = 56.0


def lanes_height(picture: SamplesPicture) -> float:
    """The px that the lanes need."""
    return TITLE + LANE * len(picture.lanes) + _predicted_row(picture) + AXIS


def _predicted_row(picture: SamplesPicture) -> float:
    return _ROW if picture.predicted_us is not None else 0.0


class Lanes:
    """The lanes in an area of the canvas; `mark` is the target's, `name` the kernel's."""

    def __init__(
        self, canvas: Canvas, area: QRectF, picture: SamplesPicture, mark: int, name: str
    ) -> None:
        self._canvas, self._area, self._picture = canvas, area, picture
        self._mark, self._name = mark, name

    def paint(self) -> None:
        """Title, grid, lanes, and the predicted time across the kernel's lane."""
        canvas, area = self._canvas, self._area
        head = QRectF(area.left(), area.top(), area.width(), TITLE)
        canvas.text(head, "Time of a launch", TextRole.STRONG_LABEL, "fg2")
        self._axis()
        row, top = _predicted_row(self._picture), area.top() + TITLE
        for lane in self._picture.lanes:
            own = row if lane.is_kernel else 0.0
            self._lane(lane, QRectF(area.left(), top, area.width(), LANE + own), own)
            top += LANE + own
        self._predicted()

    def _x(self, time_us: float) -> float:
        part = min(max(self._picture.part(time_us), 0.0), 1.0)
        return self._area.left() + part * self._area.width()

    def _axis(self) -> None:
        canvas, area, picture = self._canvas, self._area, self._picture
        base = area.top() + lanes_height(picture) - AXIS - _BETWEEN / 2
        ticks = picture.ticks_us
        every = max(1, round(_TICK_ROOM * len(ticks) / area.width() + 0.49))
        for place, tick in enumerate(ticks):
            x = self._x(tick)
            canvas.line(QPointF(x, area.top() + TITLE + _TEXT), QPointF(x, base), "line")
            box = QRectF(x - 40, base + 2, 80, 16)
            if place % every == 0 and box.center().x() < area.right() - 10:
                canvas.text(box, _tick_text(tick, ticks), TextRole.NOTE, "fg3", _CENTRE)
        canvas.line(QPointF(area.left(), base), QPointF(area.right(), base), "line2")

    def _lane(self, lane: Lane, area: QRectF, above: float) -> None:
        self._text(lane, QRectF(area.left(), area.top(), area.width(), _TEXT))
        hue = self._hue(lane)
        top = area.top() + _TEXT + above
        self._bars(lane, QRectF(area.left(), top, area.width(), _BARS), hue)
        self._box(lane, top + _BARS + _BOX / 2, hue)
        self._canvas.hit(area, _tip(lane, self._shown_name(lane)))

    def _text(self, lane: Lane, row: QRectF) -> None:
        canvas, name = self._canvas, self._shown_name(lane)
        time = time_text(lane.median_us)
        spread = f"p10 {_bare(lane.p10_us)} · p90 {time_text(lane.p90_us)}"
        beyond = f" · {lane.beyond} beyond" if lane.beyond else ""
        right = canvas.text_width(spread + beyond, TextRole.NOTE) + 4
        time_room = canvas.text_width(time, TextRole.HEADING) + 10
        name_room = min(canvas.text_width(name) + 8, max(30.0, row.width() - right - time_room))
        canvas.text(QRectF(row.left(), row.top(), name_room, row.height()), name, token="fg2")
        box = QRectF(row.left() + name_room, row.top(), time_room, row.height())
        canvas.text(box, time, TextRole.HEADING, "fg", elide=False)
        rest = row.adjusted(name_room + time_room, 0, 0, 0)
        canvas.text(rest, spread + beyond, TextRole.NOTE, "fg3", _RIGHT)

    def _bars(self, lane: Lane, area: QRectF, hue: QColor) -> None:
        width = area.width() / BINS
        for place, share in enumerate(lane.bins):
            if share:
                high = max(2.0, share * (area.height() - 2))
                left = area.left() + place * width
                bar = QRectF(left + 0.5, area.bottom() - high, max(1.0, width - 1), high)
                self._canvas.painter.fillRect(bar, with_alpha(hue, 0.85))

    def _box(self, lane: Lane, middle: float, hue: QColor) -> None:
        """From p10 to p90 with the median across."""
        painter = self._canvas.painter
        left, right, median = self._x(lane.p10_us), self._x(lane.p90_us), self._x(lane.median_us)
        painter.setPen(QPen(hue, 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(left, middle), QPointF(max(right, left + 0.1), middle))
        self._canvas.line(QPointF(median, middle - 5), QPointF(median, middle + 5), "fg", 2.0)

    def _predicted(self) -> None:
        time = self._picture.predicted_us
        if time is None:
            return
        part = self._picture.part(time)
        top = self._area.top() + TITLE + _TEXT
        if not 0 <= part <= 1:
            self._outside(time, part > 1, top)
            return
        x = self._x(time)
        bottom = top + _ROW + _BARS + _BOX
        colour = self._canvas.target_colour(self._mark)
        painter = self._canvas.painter
        painter.setPen(QPen(colour, 1.4, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, top + _MARK), QPointF(x, bottom))
        box = QRectF(x - _MARK / 2, top, _MARK, _MARK)
        path = mark_path(TARGET_MARKS[self._mark % len(TARGET_MARKS)].shape, box)
        painter.fillPath(path, self._canvas.colour("bg1"))
        painter.strokePath(path, QPen(colour, 1.6))
        text = f"predicted {time_text(time)}"
        self._beside(x, top, text)
        self._canvas.hit(box.adjusted(-4, -4, 4, 4), f"{text}\nby the estimate of the analysis")

    def _beside(self, x: float, top: float, text: str) -> None:
        canvas = self._canvas
        width = canvas.text_width(text, TextRole.NOTE) + 4
        left = x + _MARK if x + _MARK + width < self._area.right() else x - _MARK - width
        box = QRectF(left, top - 2, width, 13)
        canvas.text(box, text, TextRole.NOTE, "fg3", elide=False)

    def _outside(self, time: float, is_right: bool, top: float) -> None:
        """A predicted time far off the axis has an arrow at its end."""
        text = f"predicted {time_text(time)} {'→' if is_right else ''}"
        text = text.strip() if is_right else f"← {text.strip()}"
        row = QRectF(self._area.left(), top, self._area.width(), 13)
        align = _RIGHT if is_right else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        self._canvas.text(row, text, TextRole.NOTE, "fg3", align)

    def _hue(self, lane: Lane) -> QColor:
        canvas = self._canvas
        return canvas.target_colour(self._mark) if lane.is_kernel else canvas.colour("fg3")

    def _shown_name(self, lane: Lane) -> str:
        return self._name if lane.is_kernel else lane.name


def _bare(time_us: float) -> str:
    """The number of a time without its unit, which the next one has."""
    return time_text(time_us)


def _tick_text(tick: float, ticks: tuple[float, ...]) -> str:
    unit = " µs" if tick == ticks[0] else ""
    return f"{three(tick) if tick < 1000 else f'{tick:,.0f}'}{unit}"


def _tip(lane: Lane, name: str) -> str:
    lines = [
        f"{name}: median {time_text(lane.median_us)}",
        f"p10 {time_text(lane.p10_us)}, p90 {time_text(lane.p90_us)}, {lane.count:,} samples",
    ]
    if lane.beyond:
        lines.append(f"{lane.beyond} beyond the axis, the longest {time_text(lane.most_us)}")
    return "\n".join([*lines, "measured"])
