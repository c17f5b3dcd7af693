"""Writes a report into a file, in the form that the file's name asks for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.atomic_files import write_atomically
from workbench.core.comparison.tables import comparison_csv
from workbench.session.comparison_desk import Loaded
from workbench.session.reports.markdown import report_markdown
from workbench.session.reports.model import About
from workbench.session.reports.page import Colours, report_html
from workbench.session.reports.values import report_json
from workbench.session.tasks import Step, unheard

#: The forms by the ending of a file's name, with what they are called.
FORMS = {
    ".html": "Web page",
    ".md": "Markdown",
    ".csv": "Table of all metrics",
    ".json": "JSON",
}


class ReportError(Exception):
    """A report cannot be written; the message says why."""


@dataclass(frozen=True)
class Themes:
    """The colours of both themes by the names of their tokens."""

    light: Colours
    dark: Colours


def form_of(path: Path) -> str:
    """The ending that decides the form; raises ReportError for one that none has."""
    ending = path.suffix.lower()
    if ending not in FORMS:
        known = ", ".join(FORMS)
        raise ReportError(f"{path} names no form of a report: its name may end in {known}")
    return ending


def report_text(
    loaded: Loaded, about: About, form: str, themes: Themes, step: Step = unheard
) -> str:
    """The report in one of `FORMS`; `step` hears of each chart of a page."""
    if form == ".html":
        return report_html(loaded, about, themes.light, themes.dark, step)
    if form == ".csv":
        return comparison_csv(loaded.found)
    return report_markdown(loaded, about) if form == ".md" else report_json(loaded, about)


def write_report(
    path: Path, loaded: Loaded, about: About, themes: Themes, step: Step = unheard
) -> None:
    """Write it, in place of an earlier one. Raises ReportError, and the earlier one stays.

    It stays too where `step` ends the work.
    """
    text = report_text(loaded, about, form_of(path), themes, step)
    step(1, 0, "page")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror or error}") from error
