"""A report as one HTML page: no script, no font and no picture from elsewhere."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.core.data_files import find_data
from workbench.core.runs import MetricSource
from workbench.session.charts.layout import lay_out
from workbench.session.charts.model import Chart
from workbench.session.charts.svg import to_svg
from workbench.session.comparison_desk import Loaded
from workbench.session.reports.differences import text_differences
from workbench.session.reports.model import About, cleaned, run_facts
from workbench.session.tasks import Step, unheard

if TYPE_CHECKING:
    from jinja2 import Template

#: The colours of one theme by the names of its tokens.
Colours = Mapping[str, str]
_SIZE = (620, 360)
_VERDICTS = {"good": "better", "error": "worse"}


@dataclass(frozen=True)
class _Picture:
    """A chart as it stands in the page; `svg` is markup already."""

    chart: Chart
    svg: str


def report_html(
    loaded: Loaded, about: About, light: Colours, dark: Colours, step: Step = unheard
) -> str:
    """The page. It is well-formed XML too, and follows the reader's light or dark scheme."""
    shown = [chart for chart in loaded.charts if not chart.is_empty]
    pictures: list[_Picture] = []
    for chart in shown:
        step(len(pictures), len(shown), "charts")
        pictures.append(_picture(chart))
    page = _template().render(
        about=about,
        view=loaded.short,
        complete=loaded.complete,
        settings=loaded.found.differing,
        alike=loaded.found.alike,
        differences=text_differences(loaded),
        pictures=pictures,
        absent=[chart for chart in loaded.charts if chart.is_empty],
        facts=run_facts(loaded),
        predicted=MetricSource.PREDICTED,
        verdicts=_VERDICTS,
        light=light,
        dark=dark,
    )
    return cleaned(page)


def _picture(chart: Chart) -> _Picture:
    scene = lay_out(replace(chart, missing=()), *_SIZE)  # what is missing stands below it
    return _Picture(chart, to_svg(scene, lambda token: f"var(--{token})", f"c-{chart.key}"))


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only where one is made

    loader = FileSystemLoader(find_data("resources") / "report")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return made.get_template("report.html.j2")
