"""Writes the comparison that is looked at as a report, into a file that the person names."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from workbench import __version__
from workbench.core.diagnostics import Severity
from workbench.session.comparison_desk import Loaded
from workbench.session.reports.model import About
from workbench.session.reports.writing import FORMS, ReportError, Themes, write_report
from workbench.ui.theme.tokens import DARK, LIGHT

if TYPE_CHECKING:
    from workbench.ui.controller import Controller

_TOPIC = "report"
_FILTERS = {f"{title} (*{ending})": ending for ending, title in FORMS.items()}


def export_report(controller: Controller, loaded: Loaded) -> None:
    """Ask for a file, write the report into it, and say what became of it."""
    start = controller.session.workspace / f"{_file_name(loaded)}.html"
    name, chosen = QFileDialog.getSaveFileName(
        controller.window, "Export a report", str(start), ";;".join(_FILTERS)
    )
    if not name:
        return
    path = Path(name)
    if path.suffix.lower() not in FORMS:
        path = path.with_name(path.name + _FILTERS.get(chosen, ".html"))
    about = About(loaded.order.name, datetime.now().astimezone(), __version__)
    themes = Themes(vars(LIGHT), vars(DARK))
    controller.session.tasks.start(
        f"Writing {path.name}",
        lambda step: write_report(path, loaded, about, themes, step),
        lambda _: controller.tell(f"The report is in {path}.", Severity.INFO, _TOPIC),
        lambda error: controller.tell(f"No report: {error}.", Severity.ERROR, _TOPIC),
        (ReportError,),
    )


def _file_name(loaded: Loaded) -> str:
    """The saved name, else that of the base's kernel, as a file may be called."""
    name = loaded.order.name or f"{loaded.base.kernel or 'runs'} side by side"
    return "".join(sign if sign.isalnum() or sign in " -_." else "-" for sign in name).strip(" .")
