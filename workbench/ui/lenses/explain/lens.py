"""The explain lens: a page of sentences, each of which leads to the line that it is about."""

from __future__ import annotations

from workbench.session.lenses.explain.model import Explanation
from workbench.session.lenses.explain.page import explanation
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.explain.page import PagePicture
from workbench.ui.lenses.lens import NoPicture
from workbench.ui.lenses.picture_lens import PictureLens


class ExplainLens(PictureLens):
    """Shows the page for one target."""

    key = "explain"
    title = "Explain"
    icon = "book"

    _page: Explanation | None = None

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
