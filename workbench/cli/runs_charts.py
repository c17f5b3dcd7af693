"""`runs charts`: charts of runs as files, without a window."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.cli import output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.history import History
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, load_targets
from workbench.session.charts.catalog import BY_KEY, CHARTS
from workbench.session.charts.layout import lay_out
from workbench.session.charts.model import Chart
from workbench.session.charts.reading import chart_subject
from workbench.session.charts.svg import to_svg
from workbench.session.charts.table import to_csv

SCHEMA = 1
EMPTY: dict[str, Any] = {"charts": []}
_SIZE = (720, 400)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs charts` takes."""
    parser.add_argument("run_ids", nargs="+", metavar="RUN", help="ids, or beginnings of them")
    parser.add_argument(
        "--chart",
        action="append",
        choices=[record.key for record in CHARTS],
        help="which chart; each that has a mark, if nothing is said",
    )
    parser.add_argument(
        "--base", metavar="RUN", help="what the others are held against (the first)"
    )
    parser.add_argument("--format", choices=("svg", "csv"), default="svg")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--output", "-o", type=Path, default=Path(), metavar="FOLDER", help="where (here)"
    )


def charts(options: argparse.Namespace, history: History) -> ExitStatus:
    """Write the charts of runs, each under its key; say of those without a mark why."""
    runs = [history.get(run_id) for run_id in options.run_ids]
    base = history.get(options.base).id if options.base is not None else runs[0].id
    if base not in [run.id for run in runs]:
        runs.insert(0, history.get(base))
    position = next(at for at, run in enumerate(runs) if run.id == base)
    subject = chart_subject(history, runs, resolver(), position)
    records = [BY_KEY[key] for key in options.chart] if options.chart else list(CHARTS)
    told = [_write(record.make(subject), options) for record in records]
    if options.json:
        output.print_json({"schema": SCHEMA, "charts": told})
    else:
        for each in told:
            print(f"{each['file'] or each['title']}: {each['conclusion']}")
    return ExitStatus.GOOD


def resolver() -> Callable[[str], Target | None]:
    """What gives a target by its name, None where the table has none of it."""
    table = load_targets()

    def resolve(name: str) -> Target | None:
        try:
            return table.resolve(name)
        except TargetError:
            return None

    return resolve


def _write(chart: Chart, options: argparse.Namespace) -> dict[str, Any]:
    """Write one chart, unless it has no mark; what is told of it."""
    told: dict[str, Any] = {
        "key": chart.key,
        "title": chart.title,
        "conclusion": chart.conclusion,
        "missing": list(chart.missing),
        "file": None,
    }
    if chart.is_empty:
        return told
    path = options.output / f"{chart.key}.{options.format}"
    text = to_csv(chart) if options.format == "csv" else _svg(chart, options.theme)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    return {**told, "file": str(path)}


def _svg(chart: Chart, theme: str) -> str:
    from workbench.ui.theme.tokens import DARK, LIGHT  # the tokens alone, nothing of the window

    palette = DARK if theme == "dark" else LIGHT
    return to_svg(lay_out(chart, *_SIZE), palette.colour, chart.key)
