"""Paints samples in the order in which they were taken, so that a drift can be seen."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPolygonF

from workbench.session.profile.samples import Order, ticks
from workbench.session.profile.words import signed_percent, three, time_text
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole
from workbench.ui.widgets.painting import with_alpha

_TITLE, _AXIS, _LEFT = 18.0, 19.0, 44.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_DOT, _DENSE = 2.2, 1.4
_STEADY = 0.005  # of the first third's median: what is less is no trend


def paint_order(canvas: Canvas, area: QRectF, order: Order, mark: int) -> None:
    """Dots from left to right over the band from p10 to p90, with the median's line."""
    _head(canvas, QRectF(area.left(), area.top(), area.width(), _TITLE), order)
    plot = area.adjusted(_LEFT, _TITLE + 4, -4, -_AXIS)
    span = order.high_us - order.low_us

    def y(time_us: float) -> float:
        return plot.bottom() - (time_us - order.low_us) / span * plot.height()

    known = ticks(order.low_us, order.high_us, 3)
    for tick in known:
        canvas.line(QPointF(plot.left(), y(tick)), QPointF(plot.right(), y(tick)), "line")
        box = QRectF(area.left() - 4, y(tick) - 8, _LEFT - 2, 16)
        text = three(tick) if tick < 1000 else f"{tick:,.0f}"
        canvas.text(box, text, TextRole.NOTE, "fg3", _RIGHT)
    hue = canvas.target_colour(mark)
    band = QRectF(plot.left(), y(order.p90_us), plot.width(), y(order.p10_us) - y(order.p90_us))
    canvas.painter.fillRect(band, with_alpha(hue, 0.14))
    middle = y(order.median_us)
    canvas.line(QPointF(plot.left(), middle), QPointF(plot.right(), middle), "fg3", 1.0)
    _dots(canvas, plot, order, mark, y)
    foot = QRectF(plot.left(), plot.bottom() + 3, plot.width(), 16)
    canvas.text(foot, "first", TextRole.NOTE, "fg3")
    canvas.text(foot, f"sample {len(order.samples_us):,}", TextRole.NOTE, "fg3", _RIGHT)
    canvas.hit(area, _tip(order))


def _head(canvas: Canvas, row: QRectF, order: Order) -> None:
    text, token = _drift_words(order)
    room = canvas.text_width(text, TextRole.NOTE) + 6
    title = "In the order taken, µs"
    canvas.text(row.adjusted(0, 0, -room, 0), title, TextRole.STRONG_LABEL, "fg2")
    canvas.text(row.adjusted(0, 0, -4, 0), text, TextRole.NOTE, token, _RIGHT)


def _dots(canvas: Canvas, plot: QRectF, order: Order, mark: int, y) -> None:  # type: ignore[no-untyped-def]
    painter, hue = canvas.painter, canvas.target_colour(mark)
    count = len(order.samples_us)
    radius = _DOT if count * 2 * _DOT < plot.width() * 2 else _DENSE
    painter.setPen(Qt.PenStyle.NoPen)
    for place, sample in enumerate(order.samples_us):
        x = plot.left() + (place + 0.5) / count * plot.width()
        if not order.low_us <= sample <= order.high_us:
            painter.setBrush(canvas.colour("warn"))
            end, back = (plot.top() - 3, 5) if sample > order.high_us else (plot.bottom() + 2, -5)
            tip = [QPointF(x, end), QPointF(x - 3, end + back), QPointF(x + 3, end + back)]
            painter.drawPolygon(QPolygonF(tip))
            continue
        painter.setBrush(hue)
        painter.drawEllipse(QPointF(x, y(sample)), radius, radius)


def _drift_words(order: Order) -> tuple[str, str]:
    if order.drift is None:
        return "", "fg3"
    if abs(order.drift) < _STEADY:
        return "steady", "fg3"
    way = "rose" if order.drift > 0 else "fell"
    share = signed_percent(abs(order.drift)).lstrip("+")
    return f"{way} by {share}", "warn" if order.drifts else "fg3"


def _tip(order: Order) -> str:
    lines = [f"{len(order.samples_us):,} samples in the order taken; the band is p10 to p90"]
    if order.drift is not None:
        lines.append(f"last third against the first: {signed_percent(order.drift)}")
    beyond = [each for each in order.samples_us if not order.low_us <= each <= order.high_us]
    if beyond:
        ends = f"{time_text(min(beyond))} to {time_text(max(beyond))}"
        lines.append(f"{len(beyond)} beyond the axis: {ends}")
    return "\n".join(lines)
