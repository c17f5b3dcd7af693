"""Paints punch cards: lanes down, banks across, and lines through the lanes that collide."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QPen

from workbench.session.lenses.banks.cards import Punch, PunchCard, bank_words
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

TICKS = 15.0  # px above and left of a card that its numbers take
LEFT = 24.0
_GROUP = 8
_FINE = 6.0  # px of a cell from which on each has its line
_FAINT = 0.28  # what belongs to another phase


def paint_axes(canvas: Canvas, area: QRectF, card: PunchCard) -> None:
    """The numbers of banks above a card and of lanes left of it."""
    for bank in _marks(card.banks):
        middle = area.left() + (bank + 0.5) * area.width() / card.banks
        place = QRectF(middle - 15, area.top() - TICKS, 30, TICKS - 2)
        canvas.text(place, str(bank), TextRole.NOTE, "fg3", Qt.AlignmentFlag.AlignCenter)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for lane in _marks(card.lanes):
        middle = area.top() + (lane + 0.5) * area.height() / card.lanes
        place = QRectF(area.left() - LEFT, middle - 8, LEFT - 5, 16)
        canvas.text(place, str(lane), TextRole.NOTE, "fg3", right)


def paint_card(
    canvas: Canvas, area: QRectF, card: PunchCard, phase: int | None = None, answers: bool = False
) -> None:
    """A card; what is not of `phase` is faint. With `answers` each lane tells its own."""
    canvas.box(area, canvas.colour("bg2"), canvas.colour("line2"), radius=2)
    _grid(canvas, area, card)
    own = [each for each in card.punches if phase in (None, each.phase)]
    others = [each for each in card.punches if phase not in (None, each.phase)]
    _punches(canvas, area, card, others, _FAINT)
    _joints(canvas, area, card, own)
    _punches(canvas, area, card, own, 1.0)
    if answers:
        for each in card.punches:
            row = QSizeF(area.width(), area.height() / card.lanes)
            corner = QPointF(area.left(), area.top() + each.lane * row.height())
            canvas.hit(QRectF(corner, row), _tip(each, card))


def _marks(count: int) -> list[int]:
    step = _GROUP if count <= 32 else 2 * _GROUP
    return [*range(0, count - 1, step), count - 1]


def _grid(canvas: Canvas, area: QRectF, card: PunchCard) -> None:
    for count, across in ((card.banks, True), (card.lanes, False)):
        size = (area.width() if across else area.height()) / count
        for place in range(1, count):
            coarse = place % _GROUP == 0
            if not coarse and size < _FINE:
                continue
            at = round((area.left() if across else area.top()) + place * size) + 0.5
            start = QPointF(at, area.top() + 1) if across else QPointF(area.left() + 1, at)
            end = QPointF(at, area.bottom() - 1) if across else QPointF(area.right() - 1, at)
            canvas.line(start, end, "line2" if coarse else "line", 1.0)


def _cell(area: QRectF, card: PunchCard, punch: Punch) -> QRectF:
    width, height = area.width() / card.banks, area.height() / card.lanes
    left = area.left() + punch.bank * width
    return QRectF(left, area.top() + punch.lane * height, punch.banks * width, height)


def _punches(
    canvas: Canvas, area: QRectF, card: PunchCard, punches: Iterable[Punch], alpha: float
) -> None:
    """Round where the lane waits or is waited for, square where it does not; open if unknown."""
    painter = canvas.painter
    for each in punches:
        cell = _cell(area, card, each)
        grow = max(0.0, (3.0 - cell.height()) / 2)
        inner = cell.adjusted(0.5, 0.4 - grow, -0.5, grow - 0.4)
        tone = "fg3" if card.unknown else "error" if each.collides else "good"
        colour = canvas.colour(tone, alpha)
        painter.setPen(QPen(colour, 1) if card.unknown else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if card.unknown else colour)
        radius = inner.height() / 2 if each.collides else 0.5
        painter.drawRoundedRect(inner, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _joints(canvas: Canvas, area: QRectF, card: PunchCard, punches: Iterable[Punch]) -> None:
    groups: dict[tuple[int, int], list[Punch]] = {}
    for each in punches:
        if each.collides:
            groups.setdefault((each.phase, each.bank), []).append(each)
    for group in groups.values():
        if len(group) > 1:
            middles = [_cell(area, card, each).center() for each in (group[0], group[-1])]
            canvas.line(middles[0], middles[1], "error", 1.5)


def _tip(punch: Punch, card: PunchCard) -> str:
    where = bank_words(punch.bank, punch.banks)
    text = f"Lane {punch.lane}: {where}, address {punch.address}"
    phase = card.phase(punch.phase)
    if phase is None:
        return f"{text}\n{card.unknown}" if card.unknown else text
    of = f", phase {punch.phase + 1}" if len(card.phases) > 1 else ""
    if punch.collides:
        return f"{text}{of}\nserved in one of {phase.wavefronts} wavefronts"
    return f"{text}{of}"
