"""A lens whose body is one picture, as high as it needs to be."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.session.lenses.links import Selection
from workbench.ui.lenses.lens import Lens
from workbench.ui.lenses.picture_view import PictureView


class PictureLens(Lens):
    """A subclass gives `view` its picture in `show_picture`."""

    def build(self) -> QWidget:
        """One picture."""
        self._view = PictureView(self.theme)
        self._view.selected.connect(self.selected)
        self._view.key_clicked.connect(self.on_key_clicked)
        return self._view

    @property
    def view(self) -> PictureView:
        """What the picture is shown in."""
        return self._view

    def show_selection(self, selection: Selection | None) -> None:
        """Light up what stands for the selection."""
        self._view.set_lit(selection)

    def on_key_clicked(self, key: object) -> None:
        """A place with a key of the lens's own was clicked."""
