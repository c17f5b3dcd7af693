"""The roofline lens: what memory and units allow, and where the kernel stands on each target."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF

from workbench.session.lenses.roofline.picture import RooflinePicture, roofline_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.lens import NoPicture
from workbench.ui.lenses.picture_lens import PictureLens
from workbench.ui.lenses.roofline.ceilings import Ceilings
from workbench.ui.lenses.roofline.levels import levels_height, paint_levels
from workbench.ui.lenses.roofline.places import KernelPlaces
from workbench.ui.lenses.roofline.plot import frame_in
from workbench.ui.lenses.roofline.table import paint_table, table_height

_INSET = 16.0
_PLOT_SHARE = 0.62  # of the width, as high as the plot is
_LEAST_PLOT, _MOST_PLOT = 220.0, 420.0


class RooflineLens(PictureLens):
    """All targets at once, with all ceilings of the one in focus: a click on another one's row
    brings it there."""

    key = "roofline"
    title = "Roofline"
    icon = "layers"
    of_one_target = False

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show all targets, with the ceilings of `target`."""
        times = {each.target.name: each.measured for each in subject.targets}
        known = {name: each.time_us for name, each in times.items() if each is not None}
        measured = {name: time for name, time in known.items() if time is not None}
        picture = roofline_picture(subject, measured)
        if isinstance(picture, str):
            raise NoPicture(f"There is no roofline: {picture}.")
        self.view.set_picture(RooflinePainting(picture, target.target.name), picture.conclusion)
        return picture.conclusion

    def on_key_clicked(self, key: object) -> None:
        """Bring the ceilings of the target clicked into focus."""
        if isinstance(key, str):
            self.choose_target(key)


class RooflinePainting:
    """The picture as a `PictureView` paints it; `focus` names the target with all its ceilings."""

    def __init__(self, picture: RooflinePicture, focus: str) -> None:
        self._picture = picture
        named = [each for each in picture.series if each.name == focus]
        self._focus = (named or list(picture.series))[0]

    def height(self, width: float) -> float:
        """The px that it needs at a width."""
        return self._plot_height(width) + table_height(self._picture) + 12

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint the plot above and the numbers below."""
        inner = QRectF(_INSET, 0, size.width() - 2 * _INSET, self._plot_height(size.width()))
        if self._picture.has_plot:
            frame = frame_in(canvas, inner, self._picture, self._focus)
            frame.grid()
            Ceilings(frame).paint()
            KernelPlaces(frame).paint()
        else:
            paint_levels(canvas, inner, self._picture)
        below = QRectF(inner.left(), inner.bottom(), inner.width(), table_height(self._picture))
        paint_table(canvas, below, self._picture, self._focus)

    def _plot_height(self, width: float) -> float:
        if not self._picture.has_plot:
            return levels_height(self._picture)
        return min(_MOST_PLOT, max(_LEAST_PLOT, width * _PLOT_SHARE))
