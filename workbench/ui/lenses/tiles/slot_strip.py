"""The copies of the shared buffers of a pipeline at a step: which tile is in use, which arrive."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.session.lenses.tiles.slots import Slot, Slots, SlotState
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

_HEIGHT = 26
_GAP = 8.0
_WIDEST = 150.0
_HEAD = 112.0
_TOKENS = {SlotState.IN_USE: "shared", SlotState.ARRIVING: "l2", SlotState.FREE: "fg3"}


class SlotStrip(QWidget):
    """A box a copy; it is empty, and says so, outside of a pipelined loop."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._slots: Slots | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def slots(self) -> Slots | None:
        """What is shown."""
        return self._slots

    def set_slots(self, slots: Slots | None) -> None:
        """Show the copies at another step."""
        self._slots = slots
        words = "; ".join(_words(slots, slot) for slot in slots.slots) if slots else "none"
        self.setAccessibleName(f"Shared memory now: {words}")
        names = ", ".join(slots.buffers) if slots else ""
        self.setToolTip(f"The copies of {names}, a tile each" if slots else "")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(400, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            canvas = Canvas(painter, self._theme, QRectF(self.rect()))
            head = QRectF(0, 0, _HEAD, _HEIGHT)
            canvas.text(head, "Shared memory", TextRole.STRONG_LABEL, "fg")
            room = QRectF(_HEAD, 0, self.width() - _HEAD, _HEIGHT)
            if self._slots is None:
                canvas.text(room, "no pipelined loop at this step", token="fg3", elide=True)
                return
            slots = self._slots.slots
            width = min(_WIDEST, (room.width() - _GAP * (len(slots) - 1)) / len(slots))
            for slot in slots:
                left = room.left() + slot.number * (width + _GAP)
                _paint(canvas, QRectF(left, 0, width, _HEIGHT), self._slots, slot)


def _paint(canvas: Canvas, area: QRectF, slots: Slots, slot: Slot) -> None:
    token = _TOKENS[slot.state]
    is_free = slot.state is SlotState.FREE
    fill = None if is_free else canvas.colour(token, 0.16)
    canvas.box(area, fill, canvas.colour("line2" if is_free else token), 4)
    inner = area.adjusted(8, 0, -8, 0)
    turn = "" if slot.turn is None else f"{slots.label} {slot.turn}"
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    width = canvas.text_width(turn, TextRole.STRONG_LABEL)
    canvas.text(inner, turn, TextRole.STRONG_LABEL, "fg", elide=True)
    state = slot.state.value
    if inner.width() >= width + 8 + canvas.text_width(state, TextRole.NOTE):
        canvas.text(inner, state, TextRole.NOTE, "fg2", right)
    elif slot.state is SlotState.IN_USE:
        canvas.text(inner, "●", TextRole.NOTE, "fg2", right)


def _words(slots: Slots, slot: Slot) -> str:
    turn = "" if slot.turn is None else f" {slots.label} {slot.turn}"
    return f"slot {slot.number}{turn} {slot.state.value}"
