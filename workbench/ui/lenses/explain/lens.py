"""The explain lens: a page of sentences, each of which leads to the line that it is about."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.session.lenses.explain.model import Explanation
from workbench.session.lenses.explain.page import explanation
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.explain.page import PagePicture
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.picture_view import PictureView


class ExplainLens(Lens):
    """Shows the page for one target."""

    key = "explain"
    title = "Explain"
    icon = "book"

    def build(self) -> QWidget:
        """A view as high as the page."""
        self._page: Explanation | None = None
        self.view = PictureView(self.theme)
        self.view.selected.connect(self.selected)
        return self.view

    @property
    def page(self) -> Explanation | None:
        """What is shown."""
        return self._page

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the page and return its conclusion."""
        page = explanation(subject, target)
        if page is None:
            raise NoPicture(f"The kernel cannot be explained: {target.why_missing('kernel')}.")
        self._page = page
        text = " ".join(each.text for section in page.sections for each in section.sentences)
        self.view.set_picture(PagePicture(self.theme, page), f"{page.conclusion} {text}")
        return page.conclusion

    def show_selection(self, selection: Selection | None) -> None:
        """Light up the sentences about what is selected."""
        self.view.set_lit(selection)
