"""Shows what is known of the document in front: problems, costs, hints, signs and panes."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.diagnostics import Severity
from workbench.core.targets.model import Target
from workbench.session.findings import all_problems
from workbench.session.inlay_hints import inlay_hints
from workbench.session.line_costs import LineCost, line_costs
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.session import Session
from workbench.session.vital_signs import vital_signs
from workbench.ui.editor.line_data import Cost
from workbench.ui.editor_area import EditorTab
from workbench.ui.main_window import MainWindow
from workbench.ui.panels import Panels
from workbench.ui.widgets.severity import GOOD, SEVERITY_LOOKS, SeverityLook


class FindingsView:
    """Brings the findings of a document into its editors, the status bar and the panes.

    The rules and the analyses behind it are a fifth of what the window loads, so `KernelView` wants
    it only once the window can be used.
    """

    def __init__(self, window: MainWindow, session: Session, panels: Panels) -> None:
        self._window, self._session, self._panels = window, session, panels

    def show(self, tab: EditorTab, targets: Sequence[Target]) -> None:
        """Show all that is known of a tab's document for these targets."""
        document = tab.document
        problems = all_problems(document, targets, self._session.settings.hints_off)
        for editor in tab.editors:
            editor.set_diagnostics([p.diagnostic for p in problems if not p.stale])
        self._show_costs(tab, targets[0])
        self._show_hints(tab)
        self._window.status.set_signs(vital_signs(document, targets[0]))
        self._panels.show_document(document, problems, self._session)
        if document.path is not None:
            self._panels.navigator.set_status(document.path, _status_mark(document, problems))

    def _show_costs(self, tab: EditorTab, target: Target) -> None:
        """What lines cost; what is of an earlier text stays where the editor has moved it."""
        found = line_costs(tab.document, target)
        costs = {line: _cost(cost, found.predicted) for line, cost in found.lines.items()}
        for editor in tab.editors:
            if found.stale:
                editor.fade_costs()
            else:
                editor.set_costs(costs, found.header)

    def _show_hints(self, tab: EditorTab) -> None:
        """What is written behind lines; while the text cannot be read, what was written before."""
        is_wanted = self._session.settings.inlay_hints
        hints = inlay_hints(tab.document, tab.document.targets[0]) if is_wanted else None
        for editor in tab.editors:
            editor.show_inlay_hints(is_wanted)
            if hints is not None:
                editor.set_inlay_hints(hints)


def _cost(cost: LineCost, predicted: bool) -> Cost:
    parts = tuple((part.hue, part.share) for part in cost.parts)
    return Cost(cost.value, cost.text, predicted, parts, cost.is_unknown)


def _status_mark(document: OpenDocument, problems: Sequence[Problem]) -> SeverityLook | None:
    """The worst that is known of a document: an error, a warning, verified, or nothing.

    A sample of blocks verifies nothing as a whole.
    """
    severities = {p.diagnostic.severity for p in problems if not p.stale}
    verified = document.verified
    is_fresh = verified is not None and not document.is_stale(verified.revision)
    seeds = verified.result.seeds if verified is not None and is_fresh else ()
    if Severity.ERROR in severities or not all(seed.passed for seed in seeds):
        return SEVERITY_LOOKS[Severity.ERROR]
    if seeds and verified is not None and verified.result.sample is None:
        return GOOD
    return SEVERITY_LOOKS[Severity.WARNING] if Severity.WARNING in severities else None
