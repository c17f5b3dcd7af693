"""All pages of the reference by slug, what leads to them, and the search over them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from workbench.core.doctor import symptoms_search
from workbench.core.doctor.symptoms_table import SYMPTOMS
from workbench.core.reference.api_model import Api
from workbench.core.reference.api_pages import api_pages
from workbench.core.reference.examples import example_pages, read_examples, uses_of
from workbench.core.reference.guide_pages import guide_pages, symptom_pages
from workbench.core.reference.hardware_pages import hardware_pages
from workbench.core.reference.model import Link, Page, PageKind
from workbench.core.reference.rule_pages import rule_pages, signature_pages
from workbench.core.reference.searching import Hit, SearchIndex
from workbench.core.reference.texts import read_texts
from workbench.core.reference.words import candidates
from workbench.core.targets.table import TargetTable

HOME = "guide/start"
_SENTENCE = 4  # words, from which on a query tells what a person sees
_JOB_ERRORS = "job-"  # the codes of jobs without a result end in why


@dataclass(frozen=True)
class Shipped:
    """What the reference is made of beside TileLang itself."""

    resources: Path
    kernels: Path
    targets: TargetTable


class Library:
    """The pages in their order; each slug is one page."""

    def __init__(self, pages: Iterable[Page]) -> None:
        made = {page.slug: page for page in pages}
        self._pages = {slug: _with_titles(page, made) for slug, page in made.items()}

    @property
    def pages(self) -> tuple[Page, ...]:
        """All pages."""
        return tuple(self._pages.values())

    def page(self, slug: str) -> Page | None:
        """The page of a slug; also of a code or of a name that is written as one would type it."""
        return self._pages.get(slug) or self.for_code(slug) or self.for_name(slug)

    def of_kind(self, kind: PageKind) -> tuple[Page, ...]:
        """The pages of a kind in their order."""
        return tuple(page for page in self._pages.values() if page.kind is kind)

    def for_code(self, code: str) -> Page | None:
        """The page of a finding's code, or of a kind of mismatch."""
        rules, signatures = PageKind.RULE.value, PageKind.SIGNATURE.value
        if code.startswith(_JOB_ERRORS):
            code = "job-failed"
        return self._pages.get(f"{rules}/{code}") or self._pages.get(f"{signatures}/{code}")

    def for_name(self, name: str) -> Page | None:
        """The page of a name as code has it, such as `T.gemm`, `T.GemmWarpPolicy.Square`."""
        for wanted in candidates(name):
            slug = self._slugs.get(wanted)
            if slug is not None:
                return self._pages[slug]
        return None

    def search(self, query: str, limit: int = 60) -> tuple[Hit, ...]:
        """The pages that fit, best first; for a sentence the symptoms that it tells of too."""
        hits = self._index.search(query, limit)
        if hits and len(query.split()) < _SENTENCE:
            return hits
        found = {hit.page.slug for hit in hits}
        told = (self._pages.get(each.symptom.help_page) for each in symptoms_search.search(query))
        return (*hits, *(Hit(page, 0.0) for page in told if page and page.slug not in found))

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex(self._pages.values())

    @cached_property
    def _slugs(self) -> dict[str, str]:
        """The pages of TileLang's names by name; an own name counts before another's last part."""
        pages = self.of_kind(PageKind.API)
        titles = [(page.title, page.slug) for page in pages]
        others = [(name, page.slug) for page in pages for name in page.names]
        return dict(reversed([*titles, *others]))


def build_library(shipped: Shipped, api: Api | None) -> Library:
    """The reference; without `api` the pages of TileLang's names are missing.

    Raises TextError, DocumentError or RecordError where what ships is damaged.
    """
    texts = shipped.resources / "reference"
    examples = read_examples(shipped.kernels)
    known = frozenset(entry.name for entry in api.entries) if api is not None else frozenset()
    return Library(
        (
            *guide_pages(read_texts(texts / "guide")),
            *symptom_pages(SYMPTOMS),
            *(api_pages(api, uses_of(examples)) if api is not None else ()),
            *rule_pages(read_texts(texts / "rules")),
            *signature_pages(read_texts(texts / "signatures")),
            *hardware_pages(read_texts(texts / "hardware"), shipped.targets),
            *example_pages(examples, known),
        )
    )


def _with_titles(page: Page, pages: dict[str, Page]) -> Page:
    """A page whose links have their titles; links to pages that are not there are left out.

    Links to TileLang's names wait until these were read off the package.
    """
    links = tuple(
        Link(link.slug, link.title or pages[link.slug].title)
        for link in page.links
        if link.slug in pages
    )
    return replace(page, links=links)
