"""What the list of pages shows: headings that open and close, and the pages under them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core.reference.inline import plain
from workbench.core.reference.library import Library
from workbench.core.reference.model import Page, PageKind

#: Kinds of so many pages that their list is closed at first.
CLOSED = frozenset({PageKind.API, PageKind.RULE, PageKind.SIGNATURE})


@dataclass(frozen=True)
class HeadingRow:
    """A kind of page: how many there are, and whether they are listed below."""

    kind: PageKind
    count: int
    is_open: bool
    can_close: bool = True


@dataclass(frozen=True)
class PageRow:
    """A page with the sentence that says what it is about."""

    slug: str
    title: str
    summary: str
    kind: PageKind
    is_code: bool


ListRow = HeadingRow | PageRow


def contents(library: Library, is_open: Iterable[PageKind]) -> tuple[ListRow, ...]:
    """All pages, those of open kinds listed."""
    wanted = frozenset(is_open)
    rows: list[ListRow] = []
    for kind in PageKind:
        pages = library.of_kind(kind)
        if pages:
            rows.append(HeadingRow(kind, len(pages), kind in wanted))
            rows += [_row(page) for page in pages] if kind in wanted else []
    return tuple(rows)


def found(library: Library, query: str) -> tuple[ListRow, ...]:
    """The pages that fit, grouped by kind, the group of the best page first."""
    groups: dict[PageKind, list[Page]] = {}
    for hit in library.search(query):
        groups.setdefault(hit.page.kind, []).append(hit.page)
    rows: list[ListRow] = []
    for kind, pages in groups.items():
        rows.append(HeadingRow(kind, len(pages), is_open=True, can_close=False))
        rows += [_row(page) for page in pages]
    return tuple(rows)


def _row(page: Page) -> PageRow:
    is_code = page.kind is PageKind.API
    return PageRow(page.slug, page.title, plain(page.summary), page.kind, is_code)
