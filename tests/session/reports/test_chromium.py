"""The page of a report in a browser: no request, nothing on its console."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from workbench.session.comparison_desk import Loaded
from workbench.session.reports.model import About
from workbench.session.reports.writing import Themes, write_report

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LIMIT_S = 90
#: What a browser looks for on its own, whichever page it shows; no name is resolved here.
_OF_THE_BROWSER = (".google.com", ".googleapis.com", ".gvt1.com")


@pytest.fixture
def browser() -> str:
    found = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser is installed: {', '.join(_BROWSERS)}")
    return found


def test_a_browser_asks_nobody_and_complains_of_nothing(
    browser: str, loaded: Loaded, about: About, themes: Themes, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    write_report(page, loaded, about, themes)
    assert _visit(browser, page) == (set(), [])
    assert (tmp_path / "page.png").stat().st_size > 10_000


def test_a_page_that_asks_and_complains_is_caught(browser: str, tmp_path: Path) -> None:
    page = tmp_path / "faulty.html"
    picture = "<img src='http://elsewhere.example/x.png'>"
    page.write_text(f"<!DOCTYPE html>{picture}<script>nothing()</script>")
    hosts, console = _visit(browser, page)
    assert hosts == {"elsewhere.example"}
    assert any("nothing is not defined" in line for line in console)


def _visit(browser: str, page: Path) -> tuple[set[str], list[str]]:
    """Which hosts the page asked for something, and the lines of its console."""
    folder = page.parent
    arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}",
        f"--log-net-log={folder / 'net.json'}",
        "--enable-logging=stderr",
        "--window-size=1280,1600",
        f"--screenshot={folder / 'page.png'}",
        page.as_uri(),
    ]
    done = subprocess.run(
        [browser, *arguments],
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        env={**os.environ, "HOME": str(folder)},
        check=True,
    )
    urls = _values(json.loads((folder / "net.json").read_text()), "url")
    hosts = {urlsplit(str(url)).hostname or "" for url in urls}
    asked = {host for host in hosts if host and not host.endswith(_OF_THE_BROWSER)}
    return asked, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def _values(tree: Any, key: str) -> list[Any]:
    """Every value under a key, however deep."""
    if isinstance(tree, dict):
        own = [tree[key]] if key in tree else []
        return own + [value for each in tree.values() for value in _values(each, key)]
    return (
        [value for each in tree for value in _values(each, key)] if isinstance(tree, list) else []
    )
