"""The occupancy lens: what limits the blocks of a core, and what would let in more."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSizeF

from workbench.session.lenses.occupancy.picture import OccupancyPicture, occupancy_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.lens import NoPicture
from workbench.ui.lenses.occupancy.limits import limits_height, paint_limits
from workbench.ui.lenses.occupancy.stairs import paint_stair, stair_height
from workbench.ui.lenses.picture_lens import PictureLens

ANALYZE = "analyze"  # the key of what asks for an analysis
_INSET = 16.0
_GAP = 24.0
_WIDE = 700.0  # from here on the stairs stand side by side


class OccupancyLens(PictureLens):
    """All targets at once; a click leads to the line that takes most of the resource."""

    key = "occupancy"
    title = "Occupancy"
    icon = "layers"
    follows = "block"
    of_one_target = False

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the limits and stairs of all targets."""
        picture = occupancy_picture(subject)
        if isinstance(picture, str):
            raise NoPicture(f"The occupancy is unknown: {picture}.")
        self.view.set_picture(OccupancyPainting(picture), picture.conclusion)
        return picture.conclusion

    def on_key_clicked(self, key: object) -> None:
        """Ask for the analysis that is wanted."""
        if key == ANALYZE:
            self.analysis_requested.emit()


class OccupancyPainting:
    """The picture as a `PictureView` paints it."""

    def __init__(self, picture: OccupancyPicture) -> None:
        self._picture = picture

    def height(self, width: float) -> float:
        """The px that it needs at a width."""
        stairs = [area.bottom() for area in self._stair_areas(width)]
        return max(stairs, default=limits_height(self._picture)) + 12

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint bars above and stairs below."""
        inner = QRectF(_INSET, 0, size.width() - 2 * _INSET, limits_height(self._picture))
        paint_limits(canvas, inner, self._picture, ANALYZE)
        rule = inner.bottom() + 10
        canvas.line(QPointF(inner.left(), rule), QPointF(inner.right(), rule), "line2")
        areas = self._stair_areas(size.width())
        pairs = zip(self._picture.stairs, self._picture.notes, strict=True)
        for area, (stair, notes) in zip(areas, pairs, strict=True):
            paint_stair(canvas, area, stair, notes, beside=size.width() < _WIDE)

    def _stair_areas(self, width: float) -> Iterator[QRectF]:
        count, top = len(self._picture.stairs), limits_height(self._picture) + 20
        inner = width - 2 * _INSET
        if width < _WIDE:
            for notes in self._picture.notes:
                height = stair_height(notes, beside=True)
                yield QRectF(_INSET, top, inner, height)
                top += height + 8
            return
        each = (inner - _GAP * (count - 1)) / count
        height = max(stair_height(notes, beside=False) for notes in self._picture.notes)
        for place in range(count):
            yield QRectF(_INSET + place * (each + _GAP), top, each, height)
