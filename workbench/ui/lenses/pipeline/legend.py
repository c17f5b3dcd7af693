"""What the looks of blocks mean, drawn as they are, and how the times were made."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainterPath, QPen

from workbench.session.lenses.pipeline.model import Look, PipelinePicture
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.pipeline.geometry import INSET
from workbench.ui.lenses.pipeline.painting import COLOURS
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import with_alpha

_ROW, _GAP, _BETWEEN = 18.0, 8.0, 14.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
_SWATCH = QSizeF(18, 10)
_WORDS = {
    Look.COPY: "copy in flight",
    Look.WAIT: "wait for a copy, hand-over",
    Look.ROOM: "wait until a stage is free",
    Look.TENSOR: "tensor cores",
    Look.VECTOR: "vector work",
    Look.SHARED: "shared memory",
    Look.MEMORY: "load or store",
    Look.BARRIER: "barrier",
}
_DASHED = (Look.WAIT, Look.ROOM)


class Legend:
    """Swatches with their words, and below them how the times were made."""

    def __init__(self, picture: PipelinePicture, note: str, theme: Theme) -> None:
        seen = {block.look for block in picture.blocks}
        self._looks = [look for look in _WORDS if look in seen]
        self._is_timed, self._note = picture.is_timed, note
        self._metrics = QFontMetricsF(theme.fonts.role(TextRole.NOTE))

    def height(self, width: float) -> float:
        """The px of all of it."""
        rows = [place for _, place in self._places(width)]
        return (rows[-1].bottom() if rows else 0.0) + _GAP + self._note_area(width).height()

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint it."""
        for look, place in self._places(size.width()):
            self._swatch(canvas, QRectF(place.topLeft() + QPointF(0, 4), _SWATCH), look)
            words = place.adjusted(_SWATCH.width() + 6, 0, 0, 0)
            canvas.text(words, _WORDS[look], TextRole.NOTE, "fg2", elide=False)
        area = self._note_area(size.width())
        area.moveTop(self.height(size.width()) - area.height())
        canvas.text(area, self._note, TextRole.NOTE, "fg3", _WRAPPED, elide=False)

    def _places(self, width: float) -> list[tuple[Look, QRectF]]:
        x, y, found = INSET, 0.0, []
        for look in self._looks:
            need = _SWATCH.width() + 8 + self._metrics.horizontalAdvance(_WORDS[look])
            if x + need > width - INSET and x > INSET:
                x, y = INSET, y + _ROW
            found.append((look, QRectF(x, y, need, _ROW)))
            x += need + _BETWEEN
        return found

    def _note_area(self, width: float) -> QRectF:
        room = QRectF(INSET, 0, max(60.0, width - 2 * INSET), 1e4)
        needed = self._metrics.boundingRect(room, int(_WRAPPED), self._note)
        return QRectF(INSET, 0, room.width(), needed.height() + 4)

    def _swatch(self, canvas: Canvas, area: QRectF, look: Look) -> None:
        colour = canvas.colour(COLOURS[look])
        if look in _DASHED:
            path = QPainterPath()
            path.addRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            canvas.painter.strokePath(path, QPen(colour, 1, Qt.PenStyle.DashLine))
        elif self._is_timed:
            canvas.block(area, with_alpha(colour, 0.8))
        else:
            canvas.box(area, with_alpha(colour, 0.22), colour)
