"""The page of a report: nothing from elsewhere, everything escaped, well-formed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from workbench.session.comparison_desk import Loaded
from workbench.session.reports.model import About
from workbench.session.reports.page import report_html
from workbench.session.reports.writing import Themes

_PLACES = ("src", "href", "srcset", "action", "data", "poster", "background", "formaction", "ping")
_MEANT = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section"}


class _Elements(HTMLParser):
    """What a browser would find in the page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


@pytest.fixture
def page(loaded: Loaded, about: About, themes: Themes) -> str:
    return report_html(loaded, about, themes.light, themes.dark)


@pytest.fixture
def elements(page: str) -> _Elements:
    found = _Elements()
    found.feed(page)
    return found


def test_the_page_needs_nothing_from_elsewhere(page: str, elements: _Elements) -> None:
    assert not elements.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "use"}
    assert elements.tags >= _MEANT
    named = {name for name, _ in elements.attributes}
    assert not named & set(_PLACES)
    assert not any(name.startswith("on") for name in named)
    values = [value for name, value in elements.attributes if name not in ("title", "content")]
    urls = [url for value in values for url in re.findall(r"url\(([^)]*)\)", value)]
    assert urls
    assert all(url.startswith("#c-") for url in urls)
    style = page.split("<style>")[1].split("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_a_policy_forbids_what_the_page_does_not_need(elements: _Elements) -> None:
    (policy,) = [v for n, v in elements.attributes if n == "content" and "default-src" in v]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "script" not in policy


def test_what_persons_and_kernels_wrote_is_text(page: str) -> None:
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    root = ElementTree.fromstring(page)  # raises where an element or a name is not well-formed
    texts = "".join(root.itertext())
    assert '<script>alert("x")</script>' in texts
    assert "\N{REPLACEMENT CHARACTER}" in texts


def test_the_page_opens_on_its_conclusion_and_tells_measured_from_predicted(page: str) -> None:
    root = ElementTree.fromstring(page)
    space = "{http://www.w3.org/1999/xhtml}"
    (head,) = root.iter(f"{space}h1")
    assert head.text is not None
    assert head.text.startswith("Run B is fastest, 2 × as fast as A.")
    swatches = [each.get("class") for each in root.iter(f"{space}i")]
    assert "swatch predicted" in swatches
    assert "swatch" in swatches
    assert list(root.iter("{http://www.w3.org/2000/svg}pattern"))
    assert "B against A: +1 \N{MINUS SIGN}1 lines" in page


def test_both_schemes_have_the_colours_of_their_theme(page: str, themes: Themes) -> None:
    light, dark = page.split("@media screen and (prefers-color-scheme: dark)")
    assert f"--bg1: {themes.light['bg1']};" in light
    assert f"--bg1: {themes.dark['bg1']};" in dark
