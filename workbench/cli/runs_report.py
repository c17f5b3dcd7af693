"""`runs report`: runs side by side as a file for somebody else."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.cli import output, runs_charts, runs_compare
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.comparison.comparing import FEWEST, MOST, ComparisonError
from workbench.core.history import History
from workbench.session.comparison_desk import Order, load
from workbench.session.comparison_store import ComparisonStore
from workbench.session.reports.model import About
from workbench.session.reports.writing import ReportError, Themes, form_of, write_report

SCHEMA = 1
EMPTY: dict[str, Any] = {"file": None, "conclusion": None, "runs": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `runs report` takes."""
    runs_compare.add_choice(parser)
    parser.add_argument(
        "--name", default="", metavar="TITLE", help="what stands above it (the saved one's name)"
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        required=True,
        metavar="FILE",
        help="where; its name ends in .html, .md, .csv or .json",
    )


def report(options: argparse.Namespace, history: History) -> ExitStatus:
    """Write the report, and print its conclusion."""
    try:
        form_of(options.output)
        run_ids, base = runs_compare.chosen(options, ComparisonStore(history.path.parent), history)
        ids = tuple(history.get(run_id).id for run_id in run_ids)
        if not FEWEST <= len(ids) <= MOST:
            raise UsageError(f"{FEWEST} to {MOST} runs stand in a report, not {len(ids)}")
        base = ids[0] if base is None else history.get(base).id
        loaded = load(history, Order(ids, base), runs_charts.resolver())
        about = About(options.name or options.saved or "", datetime.now().astimezone(), __version__)
        write_report(options.output, loaded, about, _themes())
    except (ComparisonError, ReportError) as error:
        raise UsageError(str(error)) from error
    conclusion = loaded.short.conclusion
    if options.json:
        told = {"file": str(options.output), "conclusion": conclusion, "runs": list(ids)}
        output.print_json({"schema": SCHEMA, **told})
    else:
        print(f"{options.output}: {conclusion}")
    return ExitStatus.GOOD


def _themes() -> Themes:
    from workbench.ui.theme.tokens import DARK, LIGHT  # the tokens alone, nothing of the window

    return Themes(vars(LIGHT), vars(DARK))
