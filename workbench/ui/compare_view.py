"""Connects comparisons with the window: how one gets to them, and what becomes of their wishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QApplication, QInputDialog, QWidget

from workbench.core.diagnostics import Severity
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError
from workbench.core.workspace import WorkspaceError
from workbench.ui.deferred import Deferred
from workbench.ui.target_menu import TargetMenu
from workbench.ui.toolbar import ToolbarView

if TYPE_CHECKING:
    from workbench.session.code_inputs import Stage
    from workbench.session.comparison_desk import ComparisonDesk
    from workbench.session.comparison_jobs import ComparisonJobs
    from workbench.ui.compare.page import ComparePage
    from workbench.ui.controller import Controller

_TOPIC = "comparison"
_LOADING = "The runs are being read ..."


class Comparing(QObject):
    """Nothing of comparisons is loaded before one is opened."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._page: Deferred[ComparePage] = Deferred(self._build)
        self._page.place.setParent(controller.window)
        self._page.place.hide()
        self._desk: ComparisonDesk | None = None
        self._jobs: ComparisonJobs | None = None
        self._kept: dict[str, Any] = {}
        #: Runs that a picture of the page is to compare.
        self.wanted: tuple[str, ...] = ()
        self._named_by_others = controller.view.draft
        controller.view.draft = self._draft

    @property
    def page(self) -> ComparePage:
        """The page, which is built now unless it was."""
        return self._page.wake()

    @property
    def desk(self) -> ComparisonDesk:
        """What is compared."""
        if self._desk is None:
            from workbench.session.comparison_desk import ComparisonDesk  # a window starts without
            from workbench.session.comparison_store import ComparisonStore

            session = self._controller.session
            folder = None
            try:
                folder = session.data_folder() if session.keeps_traces else None
            except WorkspaceError as error:
                self._tell(str(error))
            store = ComparisonStore(folder)
            desk = ComparisonDesk(session.history, self._resolve, store, session.post)
            desk.changed.connect(self._on_desk_changed)
            desk.told.connect(self._tell)
            session.runs_changed.connect(self._on_runs_changed)
            for problem in store.problems:
                self._tell(problem)
            self._desk = desk
        return self._desk

    @property
    def jobs(self) -> ComparisonJobs:
        """What is lowered and predicted for comparisons."""
        if self._jobs is None:
            from workbench.session.comparison_jobs import ComparisonJobs  # a window starts without

            self._jobs = ComparisonJobs(self._controller.session)
            self._jobs.changed.connect(lambda: self.page.code.show_texts())
            self._jobs.told.connect(self._tell)
        return self._jobs

    @property
    def is_in_front(self) -> bool:
        """Whether the page is what one sees."""
        return self._controller.window.editors.page is self._page.place

    def open(self, runs: Sequence[str] = (), base: str | None = None) -> None:
        """Compare these runs; without any, show what was compared last, or the newest ones."""
        if runs:
            self.desk.open(runs, base)
        elif not self.desk.order.runs:
            newest = self._newest()
            if newest:
                self.desk.open(newest)
        self._show()

    def open_charts(self, runs: Sequence[str] = ()) -> None:
        """Show the charts of these runs, or of what is compared."""
        self.open(runs)
        self.page.show_view("charts")

    def open_saved(self, name: str) -> None:
        """Show a saved comparison."""
        self.desk.open_saved(name)
        self._show()

    def leave(self) -> None:
        """Go back to the documents; what was compared is kept."""
        self._controller.window.editors.leave_page()
        self._controller.memory.note()

    def close(self) -> None:
        """Wait for what is being read."""
        if self._desk is not None:
            self._desk.close()

    def state(self) -> dict[str, Any]:
        """What is compared, and how it is looked at."""
        if self._page.built is None or self._desk is None:
            return self._kept
        order = self._desk.order
        return {
            "version": 1,
            "runs": list(order.runs),
            "base": order.base,
            "name": order.name,
            "page": self.page.state(),
            "in_front": self.is_in_front,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Keep the state of an earlier window until the page is wanted."""
        self._kept = dict(state) if state.get("version") == 1 else {}

    def bring_back(self) -> None:
        """Show the page where it was in front when the window was closed."""
        if self._kept.get("in_front") is True:
            self.open()

    def _build(self) -> ComparePage:
        from workbench.ui.compare.page import ComparePage  # what `Deferred` puts off

        page = ComparePage(self._controller.icons)
        page.left.connect(self.leave)
        page.save_requested.connect(self._on_save_requested)
        page.saved_chosen.connect(self.open_saved)
        page.forget_requested.connect(self.desk.forget)
        page.follow_toggled.connect(self._on_follow_toggled)
        page.runs_requested.connect(lambda: self._controller.window.docks.show("runs"))
        page.run_activated.connect(self._controller.runs.open_run)
        page.predict_requested.connect(self._on_predict_requested)
        page.told.connect(self._tell)
        page.code.stage_wanted.connect(self._on_stage_wanted)
        page.set_export_offered(True)
        page.export_requested.connect(self._on_export_requested)
        table = page.overview.table
        table.base_requested.connect(self.desk.hold_against)
        table.remove_requested.connect(self.desk.remove)
        table.move_requested.connect(self.desk.move)
        table.text_requested.connect(self._controller.runs.open_text)
        table.pinned_requested.connect(self.desk.add_pinned)
        table.copy_requested.connect(self._copy)
        page.restore(self._kept.get("page") or {})
        self._reopen()
        self._fill(page)
        return page

    def _reopen(self) -> None:
        """Take what an earlier window compared, unless something is compared already."""
        runs = self._kept.get("runs")
        if self.desk.order.runs or not isinstance(runs, list):
            return
        name = self._kept.get("name")
        known = [run for run in runs if isinstance(run, str)]
        if isinstance(name, str) and self.desk.store.get(name) is not None:
            self.desk.open_saved(name)
        elif len(known) > 1:
            base = self._kept.get("base")
            self.desk.open(known, base if isinstance(base, str) else None)

    def _show(self) -> None:
        self.page  # noqa: B018 - builds it
        window = self._controller.window
        window.docks.set_quiet(True)  # before the page needs their room
        window.docks.set_alone(True)
        window.editors.show_page(self._page.place)

    def _newest(self) -> tuple[str, ...]:
        """The newest profiles of one kernel, else nothing."""
        from workbench.core.history import HistoryError, RunFilter
        from workbench.core.runs import RunKind, RunStatus

        try:
            where = RunFilter(kind=RunKind.PROFILE, status=RunStatus.DONE)
            runs = self._controller.session.history().list(where, limit=50).runs
        except HistoryError as error:
            self._tell(str(error))
            return ()
        own = [run.id for run in runs if run.kernel == runs[0].kernel][:4]
        return tuple(reversed(own)) if len(own) > 1 else ()

    def _fill(self, page: ComparePage) -> None:
        desk = self.desk
        order = desk.order
        page.set_name(order.name, order.follows, [saved.name for saved in desk.store.all])
        loaded = desk.loaded
        if loaded is not None:
            from workbench.ui.compare.sources import contents_of, subjects_of

            page.set_loaded(loaded, contents_of(loaded, self.jobs), subjects_of(loaded))
        else:
            page.show_nothing(desk.failure or (_LOADING if order.runs else ""))

    def _draft(self) -> tuple[str, ToolbarView] | None:
        """What window and tool bar name while the page is in front."""
        if not self.is_in_front or self._desk is None:
            return self._named_by_others()
        loaded = self._desk.loaded
        name = self._desk.order.name or "Compare"
        if loaded is None:
            return name, ToolbarView(page="compare")
        kernels = tuple(dict.fromkeys(run.kernel or "" for run in loaded.found.runs))
        kernel = kernels[0] if len(kernels) == 1 else f"{len(kernels)} kernels"
        choices = self._controller.view.choices
        targets = tuple(run.target.name for run in loaded.subject.targets if run.target)
        return name, ToolbarView(
            kernel, (kernel,), None, (), False, choices, targets, is_draft=True, page="compare"
        )

    def _resolve(self, name: str) -> Target | None:
        try:
            return self._controller.session.targets.resolve(name)
        except TargetError:
            return None

    def _tell(self, text: str) -> None:
        self._controller.tell(text, Severity.INFO, _TOPIC)

    def _copy(self) -> None:
        """Put the table on the clipboard as Markdown."""
        from workbench.core.comparison.tables import comparison_table, markdown

        loaded = self.desk.loaded
        if loaded is not None:
            QApplication.clipboard().setText(markdown(comparison_table(loaded.found)))
            self._tell("The comparison was copied as Markdown.")

    def _on_desk_changed(self) -> None:
        page = self._page.built
        if page is None:
            return
        self._fill(page)
        loaded = self.desk.loaded
        if loaded is not None and loaded.moved:
            letters = ", ".join(loaded.moved)
            self._tell(f"Newer runs took their place in {letters}.")
        if self.is_in_front:
            self._controller.view.show_current()

    def _on_runs_changed(self) -> None:
        if self.is_in_front and not self.desk.is_loading:
            self.desk.refresh()

    def _on_save_requested(self) -> None:
        order, loaded = self.desk.order, self.desk.loaded
        kernel = loaded.base.kernel if loaded is not None else ""
        suggestion = order.name or f"{kernel} side by side"
        name, is_given = QInputDialog.getText(
            self._controller.window, "Save the comparison", "Name:", text=suggestion
        )
        if is_given and name.strip() and self.desk.save(name.strip()):
            self._tell(f"Saved as “{name.strip()}”: its columns follow newer runs like them.")

    def _on_export_requested(self) -> None:
        loaded = self.desk.loaded
        if loaded is not None:
            from workbench.ui.report_export import export_report  # a window starts without

            export_report(self._controller, loaded)

    def _on_follow_toggled(self, follows: bool) -> None:
        name = self.desk.order.name
        if name and self.desk.save(name, follows):
            self.desk.refresh()

    def _on_stage_wanted(self, runs: tuple[str, ...], stage: Stage) -> None:
        loaded = self.desk.loaded
        if loaded is None:
            return
        for column, text in zip(loaded.subject.columns, loaded.texts, strict=True):
            if column.run.id in runs:
                self.jobs.lower(column.run, text, stage)

    def _on_predict_requested(self, button: QWidget) -> None:
        """Choose targets for which the kernels of all columns are predicted."""
        loaded = self.desk.loaded
        if loaded is None:
            return
        chosen = tuple(run.target.name for run in loaded.subject.targets if run.target)
        menu = TargetMenu(self._controller.icons, self._controller.view.choices, chosen, button)
        menu.chosen.connect(self.predict_for)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    def predict_for(self, names: Sequence[str]) -> None:
        """Predict the kernel of each column for these targets, where that is not known yet."""
        loaded = self.desk.loaded
        if loaded is None:
            return
        known = {
            (run.place, run.target.name) for run in loaded.subject.runs if run.target is not None
        }
        for column, text in zip(loaded.subject.columns, loaded.texts, strict=True):
            wanted = [name for name in names if (column.place, name) not in known]
            if wanted:
                self.jobs.predict(column.run, text, wanted)
