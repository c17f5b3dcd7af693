"""The memory lens: where a kernel's data lie, what moves, and how full each level is."""

from __future__ import annotations

from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import NoPicture
from workbench.ui.lenses.memory.painting import MemoryPainting
from workbench.ui.lenses.picture_lens import PictureLens


class MemoryLens(PictureLens):
    """The lanes of one target, the fill bars of all."""

    key = "memory"
    title = "Memory"
    icon = "layers"
    follows = "block"

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Paint it and return its conclusion."""
        picture = memory_picture(subject, target)
        if picture is None:
            raise NoPicture(f"Where data lie is unknown: {target.why_missing('lifetimes')}.")
        self.view.set_picture(MemoryPainting(picture), f"Memory hierarchy. {picture.conclusion}")
        return picture.conclusion
