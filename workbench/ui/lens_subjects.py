"""What the lenses look at in the document in front, made once for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.session.open_document import OpenDocument
from workbench.session.session import Session

if TYPE_CHECKING:
    from workbench.session.lenses.subject import LensSubject, LensTarget


class LensSubjects:
    """What the lenses look at in a document as it is; each kind is made when it is asked for."""

    def __init__(
        self,
        document: OpenDocument,
        session: Session,
        before: tuple[LensTarget, ...],
        launch: int,
    ) -> None:
        self._document, self._session = document, session
        self._before, self._launch = before, launch
        self._made: dict[str, LensSubject] = {}

    def of(self, part: str) -> LensSubject:
        """The subject; with `part`, as far as the source tells of changed arguments already."""
        if part not in self._made:
            from workbench.session.lenses.quick.followed import followed, with_tiles
            from workbench.session.lenses.subject import lens_subject  # a window starts without

            if part == "tiles":
                self._made[part] = with_tiles(self.of("block"), self.of(""))
            elif part:
                self._made[part] = followed(self.of(""))
            else:
                self._made[part] = lens_subject(
                    self._document, self._session, self._before, self._launch
                )
        return self._made[part]
