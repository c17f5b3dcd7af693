"""Paints rates as bars of what the same device was measured to reach."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from workbench.session.profile.rates import Share
from workbench.session.profile.words import percent, three
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

TITLE, ROW = 18.0, 38.0
_TEXT, _TRACK = 17.0, 8.0
_TWO, _GAP = 560.0, 28.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HUES = {"GB/s": "hbm", "TFLOP/s": "registers"}


def shares_height(shares: Sequence[Share], width: float) -> float:
    """The px that the bars need at a width."""
    rows = -(-len(shares) // _columns(width))
    return TITLE + ROW * max(1, rows)


def _columns(width: float) -> int:
    """How many bars stand side by side."""
    return 2 if width >= _TWO else 1


def paint_shares(canvas: Canvas, area: QRectF, shares: Sequence[Share]) -> None:
    """One bar a rate, solid as it was measured; without a ceiling there is a gap with the word."""
    head = QRectF(area.left(), area.top(), area.width(), TITLE)
    canvas.text(head, "Of what this device was measured to reach", TextRole.STRONG_LABEL, "fg2")
    if not shares:
        row = QRectF(area.left(), area.top() + TITLE, area.width(), _TEXT)
        text = "unknown: neither operations nor bytes are counted"
        canvas.text(row, text, TextRole.LABEL, "fg3")
    columns = min(_columns(area.width()), max(1, len(shares)))
    width = (area.width() - _GAP * (columns - 1)) / columns
    for place, share in enumerate(shares):
        down, across = divmod(place, columns)
        left, top = area.left() + across * (width + _GAP), area.top() + TITLE + down * ROW
        _row(canvas, QRectF(left, top, width, ROW), share)


def _row(canvas: Canvas, area: QRectF, share: Share) -> None:
    text = QRectF(area.left(), area.top() + 2, area.width(), _TEXT)
    figure = percent(share.share) if share.share is not None else "unknown"
    rates = _rates(share)
    room = canvas.text_width(figure, TextRole.HEADING) + 8
    token = "fg" if share.share is not None else "fg3"
    canvas.text(text, figure, TextRole.HEADING, token, _RIGHT, elide=False)
    middle = text.adjusted(0, 0, -room, 0)
    canvas.text(middle, rates, TextRole.NOTE, "fg3", _RIGHT)
    name_room = middle.width() - canvas.text_width(rates, TextRole.NOTE) - 8
    canvas.text(QRectF(text.left(), text.top(), max(0.0, name_room), _TEXT), share.name)
    track = QRectF(area.left(), text.bottom() + 2, area.width(), _TRACK)
    if share.share is None:
        canvas.painter.setPen(QPen(canvas.colour("fg4"), 1, Qt.PenStyle.DashLine))
        middle_y = track.center().y()
        canvas.painter.drawLine(QPointF(track.left(), middle_y), QPointF(track.right(), middle_y))
    else:
        canvas.box(track, canvas.colour("bg4"), radius=2)
        filled = QRectF(track.topLeft(), track.size())
        filled.setWidth(max(2.0, track.width() * min(share.share, 1.0)))
        canvas.block(filled, canvas.colour(_HUES[share.unit]), predicted=False)
    tip = f"{share.name}: {rates}\n{share.tip}"
    canvas.hit(area, f"{tip}\n{share.unknown}" if share.unknown else tip)


def _rates(share: Share) -> str:
    if share.reached is None:
        return share.unknown
    if share.ceiling is None:
        return f"{three(share.reached)} {share.unit}"
    return f"{three(share.reached)} of {three(share.ceiling)} {share.unit}"
