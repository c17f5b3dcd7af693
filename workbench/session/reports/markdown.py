"""A report as Markdown: what the page says, in tables and blocks of code."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from workbench.core.comparison.tables import column_heads, comparison_table, markdown
from workbench.session.comparison_desk import Loaded
from workbench.session.reports.differences import TextDifference, text_differences
from workbench.session.reports.model import About, cleaned, run_facts

_SPECIAL = re.compile(r"([\\`*_{}\[\]#~])")
_BREAKS = re.compile(r"\s*[\r\n\x85\u2028\u2029]+\s*")


def report_markdown(loaded: Loaded, about: About) -> str:
    """The report as text; names and messages in it are no markup."""
    return cleaned("\n\n".join(_parts(loaded, about)) + "\n")


def _parts(loaded: Loaded, about: About) -> Iterator[str]:
    view, found = loaded.short, loaded.found
    yield f"# {_plain(about.title)}"
    yield f"**{_plain(view.conclusion)}**"
    if view.note:
        yield _plain(view.note)
    yield _plain(" · ".join(view.facts))
    yield "## Metrics"
    yield _table(comparison_table(found))
    yield "## What differs in the code"
    yield _plain(". ".join(view.code.sentences)) + "."
    for difference in text_differences(loaded):
        yield from _difference(difference)
    yield "## Charts"
    yield "\n".join(_chart_lines(loaded))
    yield "## Runs"
    heads = ["", *column_heads(found.runs)]
    yield _table([heads, *((fact.name, *fact.values) for fact in run_facts(loaded))])
    yield f"Made by TileLang Workbench {about.version}, {about.made:%Y-%m-%d %H:%M %z}."


def _difference(found: TextDifference) -> Iterator[str]:
    yield f"{found.letters} against {found.base}: {found.added} added, {found.removed} removed."
    if found.reason:
        yield _plain(found.reason)
        return
    lines = "\n".join(f"{line.sign}{line.text}" for line in found.lines)
    longest = max((len(run) for run in re.findall("`+", lines)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}diff\n{lines}\n{fence}"


def _chart_lines(loaded: Loaded) -> Iterator[str]:
    for chart in loaded.charts:
        said = " ".join((chart.conclusion, *chart.missing))
        yield f"- **{_plain(chart.title)}**: {_plain(said)}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    return markdown([[_plain(cell) for cell in row] for row in rows]).rstrip("\n")


def _plain(text: str) -> str:
    """A text in one line without any sign that Markdown or HTML would take for markup."""
    line = _BREAKS.sub(" ", text)
    return html.escape(_SPECIAL.sub(r"\\\1", line), quote=False)
