"""Paints the chosen instruction now and after a change, with its turns and phases in small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt

from workbench.session.lenses.banks.cards import CardPhase, PunchCard
from workbench.session.lenses.banks.detail import SiteDetail
from workbench.session.lenses.links import Selection
from workbench.ui.lenses.banks.cards import LEFT, TICKS, paint_axes, paint_card
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole

INSET = 16.0
_TITLE, _CAPTION, _GAP = 22.0, 64.0, 30.0
_MOST_SIDE = 300.0
_THUMB, _STRIP_HEAD, _STRIP_TEXT, _STRIP_GAP = 46.0, 20.0, 48.0, 10.0
_WRAP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True)
class Shown:
    """What the stage shows: a step of the site, a phase of it, and the card after a change."""

    detail: SiteDetail
    place: int
    phase: int
    after: PunchCard | None = None
    after_title: str = ""

    @property
    def card(self) -> PunchCard:
        """The card of the step."""
        return self.detail.steps[self.place].card


@dataclass(frozen=True)
class _Thumb:
    """A small card: what choosing it means, the lines under it, and the phase to show."""

    key: tuple[str, int]
    card: PunchCard
    phase: int | None
    lines: tuple[str, ...]
    chosen: bool
    bad: bool


class StagePainting:
    """The picture as a `PictureView` paints it; small cards have keys: ("step" or "phase", n)."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    @property
    def shown(self) -> Shown:
        """What is painted."""
        return self._shown

    def height(self, width: float) -> float:
        """The px that it needs at a width."""
        strips = sum(1 for _ in self._strips())
        each = _STRIP_HEAD + _THUMB + _STRIP_TEXT
        return _TITLE + TICKS + self._side(width) + 16 + _CAPTION + strips * each

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint the cards side by side, and the strips below."""
        shown, side = self._shown, self._side(size.width())
        left = INSET + LEFT
        now = QRectF(left, _TITLE + TICKS, side, side)
        _large(canvas, now, "Now", shown.card, shown.phase, _when(shown))
        line = shown.detail.row.line
        if line is not None:
            head = QRectF(now.left(), 0, side, _TITLE)
            selection = Selection(line=line, buffer=shown.detail.row.buffer)
            canvas.hit(head, f"Go to line {line}", selection)
        if shown.after is not None:
            _arrow(canvas, QPointF(now.right() + 10, now.center().y()))
            then = now.translated(side + _GAP + LEFT, 0)
            phase = shown.phase if shown.after.phase(shown.phase) is not None else None
            note = "the same instruction, warp and turn"
            _large(canvas, then, shown.after_title, shown.after, phase, note)
        top = now.bottom() + 16 + _CAPTION
        for title, thumbs in self._strips():
            _strip(canvas, QPointF(INSET, top), size.width() - 2 * INSET, title, thumbs)
            top += _STRIP_HEAD + _THUMB + _STRIP_TEXT

    def _side(self, width: float) -> float:
        inner = width - 2 * INSET
        each = (inner - 2 * LEFT - _GAP) / 2
        return max(120.0, min(each, _MOST_SIDE))

    def _strips(self) -> Iterator[tuple[str, Sequence[_Thumb]]]:
        shown, detail = self._shown, self._shown.detail
        step = detail.steps[shown.place]
        turns = detail.of_warp(step.warp)
        if len(turns) > 1:
            yield (
                f"Turns of warp {step.warp}",
                [_turn_thumb(detail, place, place == shown.place) for place in turns],
            )
        if len(step.card.phases) > 1:
            yield (
                "Phases",
                [
                    _phase_thumb(step.card, phase, phase.index == shown.phase)
                    for phase in step.card.phases
                ],
            )


def _turn_thumb(detail: SiteDetail, place: int, chosen: bool) -> _Thumb:
    step = detail.steps[place]
    card = step.card
    ways = "unknown" if card.ways is None else f"{card.ways}-way"
    bad = (card.ways or 0) > 1
    lines = (_short(step.turn) or "once", ways, card.where if bad else "")
    return _Thumb(("step", place), card, None, lines, chosen, bad)


def _short(turn: str) -> str:
    """The variables of the two inner loops."""
    return " ".join(part.replace(" ", "") for part in turn.split(", ")[-2:])


def _phase_thumb(card: PunchCard, phase: CardPhase, chosen: bool) -> _Thumb:
    lines = (f"phase {phase.index + 1}", f"{phase.wavefronts}-way", f"{len(phase.lanes)} lanes")
    return _Thumb(("phase", phase.index), card, phase.index, lines, chosen, phase.wavefronts > 1)


def _when(shown: Shown) -> str:
    """Warp, turn and phase in a line."""
    step, card = shown.detail.steps[shown.place], shown.card
    label = f"{step.label[:1].upper()}{step.label[1:]}"
    width = f"{shown.detail.row.width_bytes} B a lane"
    phase = card.phase(shown.phase)
    if phase is None:
        return f"{label} · {width}"
    lanes = f"{len(phase.lanes)} lanes at once"
    return f"{label} · phase {shown.phase + 1} of {len(card.phases)}: {width}, {lanes}"


def _large(
    canvas: Canvas, area: QRectF, title: str, card: PunchCard, phase: int | None, when: str
) -> None:
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    count = "unknown" if card.wavefronts is None else _wavefronts(card.wavefronts)
    bad = (card.ways or 0) > 1
    tone = "fg3" if card.ways is None else "error" if bad else "good"
    head = QRectF(area.left(), area.top() - TICKS - _TITLE, area.width(), _TITLE - 4)
    width = canvas.text_width(count, TextRole.STRONG_LABEL)
    canvas.text(head.adjusted(0, 0, -width - 8, 0), title, TextRole.HEADING, "fg")
    canvas.text(head, count, TextRole.STRONG_LABEL, tone, right)
    paint_axes(canvas, area, card)
    paint_card(canvas, area, card, phase if len(card.phases) > 1 else None, answers=True)
    under = QRectF(area.left(), area.bottom() + 1, area.width(), 14)
    canvas.text(under, "bank", TextRole.NOTE, "fg3", Qt.AlignmentFlag.AlignCenter)
    _rotated(canvas, QPointF(area.left() - LEFT - 2, area.top() + area.height() * 0.37), "lane")
    shown = card.phase(phase) if phase is not None else next(iter(card.phases), None)
    told = card.unknown or (shown.note if shown is not None else "")
    caption = QRectF(area.left() - LEFT + 4, under.bottom() + 2, area.width() + LEFT - 4, _CAPTION)
    canvas.text(caption.adjusted(0, 0, 0, -30), told, TextRole.NOTE, tone, _WRAP, elide=False)
    below = caption.adjusted(0, 31, 0, 0)
    canvas.text(below, when, TextRole.NOTE, "fg3", _WRAP, elide=False)


def _wavefronts(count: int) -> str:
    return "1 wavefront" if count == 1 else f"{count} wavefronts"


def _rotated(canvas: Canvas, place: QPointF, text: str) -> None:
    painter = canvas.painter
    painter.save()
    painter.translate(place)
    painter.rotate(-90)
    area = QRectF(-40, -6, 40, 14)
    canvas.text(area, text, TextRole.NOTE, "fg3", Qt.AlignmentFlag.AlignCenter)
    painter.restore()


def _arrow(canvas: Canvas, middle: QPointF) -> None:
    for way in (-1, 1):
        canvas.line(middle + QPointF(-2.5, way * 5), middle + QPointF(2.5, 0), "fg3", 1.5)


def _strip(
    canvas: Canvas, corner: QPointF, width: float, title: str, thumbs: Sequence[_Thumb]
) -> None:
    canvas.text(QRectF(corner, QSizeF(width, 16)), title, TextRole.STRONG_LABEL, "fg2")
    each = min(_THUMB + 26, (width + _STRIP_GAP) / max(1, len(thumbs)) - _STRIP_GAP)
    top = corner.y() + _STRIP_HEAD
    for place, thumb in enumerate(thumbs):
        left = corner.x() + place * (each + _STRIP_GAP)
        _thumb(canvas, QRectF(left, top, each, _THUMB + _STRIP_TEXT - 4), thumb)


def _thumb(canvas: Canvas, area: QRectF, thumb: _Thumb) -> None:
    size = min(_THUMB, area.width())
    card = QRectF(area.left(), area.top(), size, size)
    paint_card(canvas, card, thumb.card, thumb.phase)
    if thumb.chosen:
        canvas.outline(card.adjusted(-2, -2, 2, 2))
    first = QRectF(area.left(), area.top() + _THUMB + 1, area.width() + 6, 14)
    tones = ["fg" if thumb.chosen else "fg2", "error" if thumb.bad else "fg3", "fg3"]
    for place, line in enumerate(thumb.lines):
        canvas.text(first.translated(0, 13 * place), line, TextRole.NOTE, tones[place])
    canvas.hit(area, f"Show {', '.join(line for line in thumb.lines if line)}", key=thumb.key)
