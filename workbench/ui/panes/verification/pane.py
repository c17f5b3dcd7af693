"""The pane of a verification: it opens on the answer, then the map, then the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.verification_view import Choice, Outcome, Subject, VerificationView, resolve
from workbench.ui.panes.verification.body import Body
from workbench.ui.panes.verification.export import write_map
from workbench.ui.panes.verification.failure import FailurePage
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.picture_files import ExportError

_EMPTY_ICONS = {Outcome.NONE: "check", Outcome.UNTRUSTED: "lock"}
_LEAST_SIZE = QSize(280, 120)
_FILTERS = {"png": "PNG image (*.png)", "svg": "SVG image (*.svg)"}


class VerificationPane(QWidget):
    """Shows the subject given to it; it runs nothing itself."""

    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: The person wants the kernel verified, or verified again.
    verify_requested = Signal()
    #: So many outputs are wrong.
    count_changed = Signal(int)
    #: A picture was not written; the text says why.
    export_failed = Signal(str)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._subject = Subject()
        self._choice = Choice()
        self._view = resolve(self._subject)
        self._count = 0
        self._empty = EmptyState(icons, "check", self._view.conclusion, "Verify")
        self._failure = FailurePage(icons)
        self._body = Body(icons)
        self._stack = _Pages()
        self._lay_out()
        self._connect()
        self._show()

    @property
    def view(self) -> VerificationView:
        """What is shown."""
        return self._view

    @property
    def body(self) -> Body:
        """The page of a comparison."""
        return self._body

    def show_subject(self, subject: Subject) -> None:
        """Show another result, or that there is none; the choice stays where it still holds."""
        if subject == self._subject:
            return
        if subject == replace(self._subject, stale=subject.stale):
            self._subject = subject
            self._show_stale(subject.stale)
            return
        if subject.result is not self._subject.result:
            self._choice = Choice()
        self._subject = subject
        self._resolve()

    def choose_element(self, index: tuple[int, ...]) -> None:
        """Show an element and its neighbourhood."""
        self._body.map.choose(index)

    def export(self, path: Path) -> None:
        """Write the map in sight as PNG, or SVG by the name's end. Raises ExportError."""
        scene = self._body.map.scene
        if scene is None:
            raise ExportError("there is no map to write")
        write_map(path, scene, self._body.map.view, self._body.map.size(), self._theme)

    def state(self) -> dict[str, Any]:
        """What is worth keeping, as JSON can hold it."""
        return {"worst": self._body.element.save_state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back."""
        worst = state.get("worst")
        if isinstance(worst, Mapping):
            self._body.element.restore_state(worst)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        for page in (self._empty, self._failure, self._body):
            self._stack.addWidget(page)

    def _connect(self) -> None:
        header = self._body.header
        for source in (self._failure, header):
            source.verify_requested.connect(self.verify_requested)
        self._empty.action_triggered.connect(self.verify_requested)
        self._failure.line_requested.connect(self.line_requested)
        self._body.element.line_requested.connect(self.line_requested)
        header.output_chosen.connect(self._on_header_output_chosen)
        header.seed_chosen.connect(self._on_header_seed_chosen)
        header.export_requested.connect(self._on_header_export_requested)

    def _resolve(self) -> None:
        self._view = resolve(self._subject, self._choice)
        self._show()
        count = sum(option.wrong > 0 for option in self._view.outputs)
        if count != self._count:
            self._count = count
            self.count_changed.emit(count)

    def _show_stale(self, stale: bool) -> None:
        """A letter typed makes old what is shown; it changes nothing else."""
        self._view = replace(self._view, stale=stale)
        if self._stack.currentWidget() is self._body:
            self._body.set_stale(stale)
        else:
            self._show()

    def _show(self) -> None:
        view = self._view
        icon = _EMPTY_ICONS.get(view.outcome)
        if icon is not None:
            action = "Verify" if view.outcome is Outcome.NONE else None
            self._empty.set_content(icon, view.conclusion, action)
            self._stack.setCurrentWidget(self._empty)
        elif view.outcome is Outcome.ERROR:
            self._failure.show_view(view)
            self._stack.setCurrentWidget(self._failure)
        else:
            self._body.show_view(view)
            self._stack.setCurrentWidget(self._body)

    def _on_header_output_chosen(self, index: int) -> None:
        self._choice = Choice(index, self._choice.seed)
        self._resolve()

    def _on_header_seed_chosen(self, seed: int) -> None:
        self._choice = Choice(self._choice.output, seed)
        self._resolve()

    def _on_header_export_requested(self, kind: str) -> None:
        output = self._view.output
        name = f"{output.name if output is not None else 'map'}-error.{kind}"
        path, _ = QFileDialog.getSaveFileName(self, "Save the picture", name, _FILTERS[kind])
        if not path:
            return
        try:
            self.export(Path(path))
        except ExportError as error:
            self.export_failed.emit(str(error))


class _Pages(QStackedWidget):
    """As low as the lowest page can be: the others are cut off where there is no room."""

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return _LEAST_SIZE
