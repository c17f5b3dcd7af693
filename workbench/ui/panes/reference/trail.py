"""The pages that were read, to go back and forward through."""

from __future__ import annotations

MOST = 100


class Trail:
    """Slugs in the order they were opened, and where in them one is."""

    def __init__(self) -> None:
        self._slugs: list[str] = []
        self._at = -1

    @property
    def current(self) -> str | None:
        """The page that is read; None before the first."""
        return self._slugs[self._at] if self._slugs else None

    @property
    def can_go_back(self) -> bool:
        """Whether a page was read before."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether one has gone back."""
        return self._at < len(self._slugs) - 1

    def open(self, slug: str) -> None:
        """Read another page; what lies forward is forgotten, as browsers do."""
        if slug == self.current:
            return
        del self._slugs[self._at + 1 :]
        self._slugs.append(slug)
        del self._slugs[:-MOST]
        self._at = len(self._slugs) - 1

    def back(self) -> str | None:
        """Go to the page before, if there is one; the page one is at then."""
        self._at -= self.can_go_back
        return self.current

    def forward(self) -> str | None:
        """Go to the page after, if there is one; the page one is at then."""
        self._at += self.can_go_forward
        return self.current
