"""The memory lens: where a kernel's data lie, what moves, and how full each level is."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.session.lenses.links import Selection
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.memory.painting import MemoryPainting
from workbench.ui.lenses.picture_view import PictureView


class MemoryLens(Lens):
    """The lanes of one target, the fill bars of all."""

    key = "memory"
    title = "Memory"
    icon = "layers"

    def build(self) -> QWidget:
        """The view that the picture is painted in."""
        self._view = PictureView(self.theme)
        self._view.selected.connect(self.selected)
        return self._view

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Paint it and return its conclusion."""
        picture = memory_picture(subject, target)
        if picture is None:
            raise NoPicture(f"Where data lie is unknown: {target.why_missing('lifetimes')}.")
        self._view.set_picture(MemoryPainting(picture), f"Memory hierarchy. {picture.conclusion}")
        return picture.conclusion

    def show_selection(self, selection: Selection | None) -> None:
        """Light up the buffer, or what the line moves."""
        self._view.set_lit(selection)
