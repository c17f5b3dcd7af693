"""Connects sweeps with the window: how one gets to them, and what becomes of a point."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from workbench.core.diagnostics import Severity
from workbench.core.hosts import LOCAL
from workbench.ui.deferred import Deferred
from workbench.ui.target_menu import TargetMenu
from workbench.ui.toolbar import ToolbarView

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.session.open_document import OpenDocument
    from workbench.session.sweeps.desk import SweepDesk
    from workbench.session.sweeps.form import SweepForm
    from workbench.ui.controller import Controller
    from workbench.ui.editor_area import EditorTab
    from workbench.ui.sweep.page import SweepPage

_TOPIC = "sweep"
_REST = 3  # times as long as a picture took, until the next


class Sweeping(QObject):
    """Nothing of sweeps is loaded before one is wanted."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._page: Deferred[SweepPage] = Deferred(self._build)
        self._page.place.setParent(controller.window)
        self._page.place.hide()
        self._desk: SweepDesk | None = None
        self._kept: dict[str, Any] = {}
        self._connections: list[Callable[[], None]] = []
        self._is_begun = False
        self._rest_ms = 0
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._on_later_timeout)
        #: The sweep that a picture is to show, by the beginning of its id.
        self.wanted = ""
        self._named_by_others = controller.view.draft
        controller.view.draft = self._draft

    @property
    def page(self) -> SweepPage:
        """The page, which is built now unless it was."""
        return self._page.wake()

    @property
    def desk(self) -> SweepDesk:
        """What is swept."""
        if self._desk is None:
            desk = self._controller.session.sweeps
            self._connections = [
                desk.changed.connect(self._on_desk_changed),
                desk.moved.connect(self._on_desk_moved),
                desk.sifted.connect(self._on_desk_sifted),
                desk.told.connect(self._tell),
                desk.refused.connect(self._on_desk_refused),
            ]
            self._desk = desk
        return self._desk

    @property
    def is_in_front(self) -> bool:
        """Whether the page is what one sees."""
        return self._controller.window.editors.page is self._page.place

    def open(self, view: str = "") -> None:
        """Show the sweep that runs or was looked at last; else the form for the document."""
        tab = None if self.is_in_front else self._controller.window.editors.behind
        if tab is not None:
            self._controller.files.flush(tab)
            self.desk.begin_form(tab.document)
        elif self.desk.form is None:
            self.desk.begin_form(None)
        if self.desk.shown is None:
            self._show_newest()
        page = self.page
        is_first = not self._is_begun
        self._is_begun = True
        if view:
            page.show_view(view)
        elif self.desk.is_running and page.view == "form":
            page.show_view("points")
        elif is_first and self.desk.interrupted():
            self._tell("A sweep was interrupted: choose it under Sweeps and go on with it.")
        self._show()

    def leave(self) -> None:
        """Go back to the documents; a sweep goes on."""
        self._controller.window.editors.leave_page()
        self._controller.memory.note()

    def close(self) -> None:
        """Show nothing more: the window is going away."""
        self._later.stop()
        for disconnect in self._connections:
            disconnect()
        self._connections.clear()

    def state(self) -> dict[str, Any]:
        """How the page is looked at."""
        if self._page.built is None:
            return self._kept
        return {"version": 1, "page": self.page.state(), "in_front": self.is_in_front}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Keep the state of an earlier window until the page is wanted."""
        self._kept = dict(state) if state.get("version") == 1 else {}

    def bring_back(self) -> None:
        """Show the page where it was in front when the window was closed."""
        if self._kept.get("in_front") is True:
            self.open()

    def open_point(self, number: int) -> None:
        """Open the document with a point's arguments instead of its case's, and analyze it."""
        shown = self.desk.shown
        if shown is None:
            return
        plan, point = shown.sweep.plan, shown.points[number]
        tab = self._tab_of(plan.document)
        if tab is None:
            return
        from workbench.core.documents.selection import parse_value

        session, document = self._controller.session, tab.document
        session.choose(document, plan.kernel, point.case)
        fixed = {name: parse_value(text) for name, text in plan.fixed.items()}
        for name, value in {**fixed, **point.args}.items():
            session.set_argument(document, name, value)
        if point.target not in document.targets:
            session.set_targets(document, (point.target, *document.targets))
        self._controller.run_document(session.results.analyze)
        self._tell(f"Point {number}: {point.text}. The case itself is as it was.")

    def apply(self, number: int | None) -> None:
        """Write a point, else the best, into the document's case; undo takes it back."""
        from workbench.session.sweeps.applying import ApplyError
        from workbench.ui.editor.buffer import EncodeError

        shown = self.desk.shown
        tab = self._tab_of(shown.sweep.plan.document) if shown is not None else None
        if tab is None:
            return
        self._controller.files.flush(tab)
        try:
            found = self.desk.applied(tab.buffer.content(), number)
        except (ApplyError, EncodeError) as error:
            self._tell(str(error), Severity.ERROR)
            return
        self._controller.files.write_block(tab, found.content)
        self._controller.session.reset_arguments(tab.document)
        self._tell(f"Written into the case: {found.note}")

    def _tab_of(self, name: str) -> EditorTab | None:
        """The tab of a document, opened if it is not; it comes to the front."""
        from pathlib import Path as FilePath

        path: Path = FilePath(name)
        return self._controller.files.open(path)

    def _build(self) -> SweepPage:
        from workbench.ui.sweep.page import SweepPage  # what `Deferred` puts off

        page = SweepPage(self._controller.icons)
        page.left.connect(self.leave)
        page.sweep_chosen.connect(self._on_sweep_chosen)
        page.cancel_requested.connect(self.desk.cancel)
        page.resume_requested.connect(self.desk.resume)
        page.apply_requested.connect(self.apply)
        page.point_activated.connect(self.open_point)
        page.told.connect(self._tell)
        page.form.form_edited.connect(self._on_form_edited)
        page.form.start_requested.connect(self._on_start_requested)
        page.form.open_requested.connect(self._controller.actions["open"].trigger)
        page.form.targets_requested.connect(self._on_targets_requested)
        page.restore(self._kept.get("page") or {})
        self._fill(page)
        return page

    def _show(self) -> None:
        self._fill(self.page)
        window = self._controller.window
        window.docks.set_quiet(True)  # before the page needs their room
        window.docks.set_alone(True)
        window.editors.show_page(self._page.place)

    def _show_newest(self) -> None:
        newest = self.wanted or self.desk.newest()
        if newest:
            self.desk.open(newest)

    def _fill(self, page: SweepPage) -> None:
        tab = self._controller.window.editors.behind
        cases = [case.name for case in tab.document.cases] if tab is not None else []
        page.form.set_form(self.desk.form, cases or ["default"], self._places())
        page.form.show_sieved(self.desk.sieve.result)
        page.set_sweeps(self.desk.listed())
        page.set_shown(self.desk.shown)

    def _places(self) -> tuple[str, ...]:
        """Whose GPUs can measure: this machine's, if it has one, and the hosts'."""
        from workbench.session.sweeps.planning import usual_places

        hosts = self._controller.session.hosts.hosts
        return (*usual_places(), *(host.name for host in hosts if host.name != LOCAL))

    def _draft(self) -> tuple[str, ToolbarView] | None:
        """What window and tool bar name while the page is in front."""
        if not self.is_in_front or self._desk is None:
            return self._named_by_others()
        form, choices = self._desk.form, self._controller.view.choices
        kernel = form.kernel if form is not None else ""
        targets = form.targets if form is not None else ()
        if not kernel:
            return "Sweep", ToolbarView(page="sweep")
        return "Sweep", ToolbarView(
            kernel, (kernel,), None, (), False, choices, targets, is_draft=True, page="sweep"
        )

    def _tell(self, text: str, severity: Severity = Severity.INFO) -> None:
        self._controller.tell(text, severity, _TOPIC)

    def _on_desk_changed(self) -> None:
        page = self._page.built
        if page is not None:
            self._fill(page)
        if self.is_in_front:
            self._controller.view.show_current()
        self._controller.session.runs_changed.emit()

    def _on_desk_moved(self) -> None:
        """Show it, at most a quarter of the time: thousands of points take a while."""
        if not self._later.isActive():
            self._later.start(self._rest_ms)

    def _on_later_timeout(self) -> None:
        if self._page.built is None or not self.is_in_front:
            return
        began = time.monotonic()
        self.page.set_shown(self.desk.shown)
        self._rest_ms = round((time.monotonic() - began) * 1000 * _REST)

    def _on_desk_sifted(self) -> None:
        if self._page.built is not None:
            self.page.form.show_sieved(self.desk.sieve.result)

    def _on_sweep_chosen(self, sweep_id: str) -> None:
        self.desk.open(sweep_id)
        if self.page.view == "form":
            self.page.show_view("points")

    def _on_form_edited(self, form: SweepForm) -> None:
        self.desk.set_form(form)

    def _on_start_requested(self) -> None:
        if self.desk.start():
            self.page.show_view("points")

    def _on_desk_refused(self, document: OpenDocument) -> None:
        """Say that nothing was run, and ask for what it needs."""
        self._tell(document.why_untrusted, Severity.WARNING)
        self._controller.pages.ask_for_trust(document)

    def _on_targets_requested(self, button: QWidget) -> None:
        form = self.desk.form
        if form is None:
            return
        choices = self._controller.view.choices
        menu = TargetMenu(self._controller.icons, choices, form.targets, button)
        menu.chosen.connect(self.page.form.set_targets)
        menu.popup(self.page.form.targets_place)

    def set_targets(self, names: tuple[str, ...]) -> None:
        """Take targets that were chosen in the tool bar while the page is in front."""
        self.page.form.set_targets(names)
