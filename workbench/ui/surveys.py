"""Checks the portability of the document in front, and answers what its pane asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

if TYPE_CHECKING:
    from workbench.ui.controller import Controller
    from workbench.ui.panes.portability import PortabilityPane

DOCK = "portability"


class Surveys(QObject):
    """Between the pane of portability and the session, which is asked when somebody wants it."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._pane: PortabilityPane | None = None

    def check(self) -> None:
        """Survey the document in front over every architecture, and show how far it has come."""
        self._controller.run_document(lambda d: self._controller.session.portability.check(d))
        self._controller.window.docks.show(DOCK)

    def connect_pane(self, pane: PortabilityPane) -> None:
        """Answer a pane, and keep what it shows true."""
        controller = self._controller
        self._pane = pane
        pane.check_requested.connect(self.check)
        pane.cancel_requested.connect(self._on_cancel_requested)
        pane.line_requested.connect(controller.go_to)
        pane.fix_requested.connect(self._on_fix_requested)
        pane.bundle_requested.connect(controller.suspicions.ask)
        controller.session.portability.changed.connect(self._on_portability_changed)
        self.show_current()

    def show_current(self) -> None:
        """Show what is known of the document in front."""
        if self._pane is None:
            return
        document = self._document
        if document is None:
            self._pane.show_nothing()
        else:
            self._pane.show_survey(self._controller.session.portability.view(document))

    @property
    def _document(self) -> OpenDocument | None:
        tab = self._controller.tab
        return tab.document if tab is not None else None

    def _on_portability_changed(self, document: OpenDocument) -> None:
        if document is self._document:
            self.show_current()

    def _on_cancel_requested(self) -> None:
        document = self._document
        if document is not None:
            self._controller.session.portability.cancel(document)

    def _on_fix_requested(self, diagnostic: Diagnostic, fix: Fix) -> None:
        document = self._document
        if document is None:
            return
        view = self._controller.session.portability.view(document)
        path = str(document.path) if document.path is not None else document.title
        problem = Problem(diagnostic, path, stale=view.stale, revision=view.revision)
        self._controller.fixing.make_fix(problem, fix)
