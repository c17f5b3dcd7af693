"""What lies over or in place of the editor: welcome page, trust bar, palettes, dialogs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMessageBox, QVBoxLayout, QWidget

from workbench import __version__
from workbench.session.session import Session
from workbench.ui.deferred import Deferred
from workbench.ui.navigator import Navigator
from workbench.ui.places import place_in
from workbench.ui.report_dialog import ErrorReport, ReportDialog
from workbench.ui.script_bar import ScriptBar
from workbench.ui.target_menu import TargetChoice
from workbench.ui.theme.icons import Icons
from workbench.ui.trust_bar import TrustBar

if TYPE_CHECKING:
    from workbench.session.machine import Finding
    from workbench.session.open_document import OpenDocument
    from workbench.ui.command_palette import CommandPalette, PaletteItem
    from workbench.ui.controller import Controller
    from workbench.ui.welcome import LinkRow, WelcomePage

_NOTHING = {
    "action": "Nothing to choose.",
    "port": "No such target.",
    "file": "No kernels were found in this folder. Ctrl+O opens a file from anywhere.",
}


class Pages(QObject):
    """Builds them once and opens them when they are wanted."""

    def __init__(self, icons: Icons, session: Session) -> None:
        super().__init__()
        self._icons, self._session = icons, session
        self._welcome = Deferred(self._build_welcome, when_shown=True)
        self._machine: tuple[Finding, ...] | None = None
        self._patterns: tuple[LinkRow, ...] = ()
        self.trust_bar = TrustBar(icons.theme, icons)
        self.script_bar = ScriptBar(icons)
        self.bars = _stacked(self.trust_bar, self.script_bar)
        self._palette: CommandPalette | None = None
        self._controller: Controller | None = None
        self._purpose = ""
        self._navigator: Navigator | None = None
        self._declined: set[Path] = set()
        self._asked_for: OpenDocument | None = None
        self._report: ReportDialog | None = None
        self._post = session.post
        self._looker: threading.Thread | None = None

    def connect_window(self, controller: Controller) -> None:
        """Connect what they ask for with those that do it."""
        files, session = controller.files, self._session
        self._controller = controller
        self._navigator = controller.panels.navigator
        self._navigator.files_changed.connect(self._on_navigator_files_changed)
        self.trust_bar.trust_granted.connect(lambda folder: session.grant_trust(Path(folder)))
        self.trust_bar.trust_declined.connect(self._on_trust_declined)
        session.trust_changed.connect(self.show_trust)
        session.documents_changed.connect(self.show_trust)
        files.files_changed.connect(self.show_recent)
        self.show_recent()
        self.show_trust()

    @property
    def welcome(self) -> QWidget:
        """The place of the welcome page."""
        return self._welcome.place

    def _build_welcome(self) -> WelcomePage:
        from workbench.ui.welcome import WelcomePage  # a window with a file in front does without

        page = WelcomePage(self._icons.theme, self._icons)
        controller = self._controller
        assert controller is not None
        page.example_activated.connect(lambda path: controller.files.open_copy(Path(path)))
        page.file_activated.connect(lambda path: controller.files.open(Path(path)))
        page.action_requested.connect(lambda name: controller.actions[name].trigger())
        page.set_recent(self._recent)
        page.pattern_activated.connect(controller.wizards.choose)
        page.set_patterns(self._patterns)
        if self._machine is not None:
            page.set_machine(self._machine)
        return page

    def show_patterns(self, rows: tuple[LinkRow, ...]) -> None:
        """Offer these patterns on the welcome page."""
        self._patterns = rows
        if self._welcome.built is not None:
            self._welcome.built.set_patterns(rows)

    @property
    def _recent(self) -> tuple[Path, ...]:
        return tuple(Path(path) for path in self._session.settings.recent_files)

    def look_around(self) -> None:
        """Find out off the window's thread what this machine has, and show it."""

        def look() -> None:
            from workbench.session.machine import findings, inspect_machine  # not at the start

            found = findings(inspect_machine())
            self._post(lambda: self._on_machine_seen(found))

        self._looker = threading.Thread(target=look, name="machine", daemon=True)
        self._looker.start()

    def close(self) -> None:
        """Wait for the look around, which takes tens of milliseconds."""
        if self._looker is not None:
            self._looker.join()

    def show_recent(self) -> None:
        """Show the files that were opened last."""
        if self._welcome.built is not None:
            self._welcome.built.set_recent(self._recent)

    def show_trust(self) -> None:
        """Ask about the folder of the first open document that may not run yet."""
        folder = self._untrusted_folder()
        if folder is None:
            self.trust_bar.dismiss()
        elif folder in self._declined:
            self.trust_bar.show_declined(folder)
        else:
            self.trust_bar.ask(folder)

    def ask_for_trust(self, document: OpenDocument | None = None) -> None:
        """Ask again where the person had put it off; for a document that may not be open first."""
        self._asked_for = document
        self._declined.clear()
        self.show_trust()

    def open_action_palette(self, controller: Controller) -> None:
        """Search the actions."""
        from workbench.ui.command_palette import PaletteItem  # a window starts without

        items = [
            PaletteItem(
                record.id,
                action.text().rstrip("…"),
                action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
                action.isEnabled(),
                record.menu,
                record.icon,
            )
            for record, action in controller.actions
        ]
        self._open_palette("action", items, "Search actions")

    def open_file_palette(self, controller: Controller) -> None:
        """Search the workspace's kernels."""
        self._open_palette("file", self._file_items(), f"Go to a kernel in “{self._folder_name}”")

    def open_target_palette(self, targets: Sequence[TargetChoice], title: str) -> None:
        """Search a target to port to."""
        from workbench.ui.command_palette import PaletteItem  # a window starts without

        items = [
            PaletteItem(each.name, each.title, detail=each.detail or each.vendor, icon="target")
            for each in targets
        ]
        self._open_palette("port", items, f"Port {title} to which target?")

    def show_keys(self, controller: Controller) -> None:
        """List the shortcuts: the palette is the list of all actions with theirs."""
        self.open_action_palette(controller)

    def show_about(self, window: QWidget, session: Session) -> None:
        """Say what this is, and which versions it works with."""
        versions = ", ".join(f"{k} {v}" for k, v in sorted(session.jobs.state.versions.items()))
        text = (
            f"TileLang Workbench {__version__}\n\n{versions or 'The worker has not started yet.'}"
        )
        QMessageBox.about(window, "About", text)

    def show_report(self, window: QWidget, report: ErrorReport) -> None:
        """Show an error of ours, with what helps to mend it."""
        self._report = ReportDialog(self._icons.theme, self._icons, report, window)
        self._report.open()

    @property
    def _folder_name(self) -> str:
        root = self._session.workspace
        return root.name or str(root)

    def _file_items(self) -> list[PaletteItem]:
        from workbench.ui.command_palette import PaletteItem  # a window starts without

        root, navigator = self._session.workspace, self._navigator
        return [
            PaletteItem(str(path), path.name, detail=place_in(root, path), icon="file")
            for path in (navigator.files if navigator is not None else ())
        ]

    def _on_navigator_files_changed(self) -> None:
        """Files that the search of the workspace finds while the palette is open."""
        if self._palette is not None and self._palette.isVisible() and self._purpose == "file":
            self._palette.set_items(self._file_items())

    def _open_palette(self, purpose: str, items: list[PaletteItem], placeholder: str) -> None:
        self._purpose = purpose
        self._the_palette().open_with(items, placeholder, nothing=_NOTHING[purpose])

    def _the_palette(self) -> CommandPalette:
        """The palette, which is built when it is first wanted."""
        from workbench.ui.command_palette import CommandPalette  # a window starts without

        if self._palette is None:
            controller = self._controller
            assert controller is not None
            palette = CommandPalette(self._icons.theme, self._icons, controller.window)
            palette.chosen.connect(lambda name: self._on_palette_chosen(controller, name))
            self._palette = palette
        return self._palette

    def _on_palette_chosen(self, controller: Controller, name: str) -> None:
        if self._purpose == "file":
            controller.files.open(Path(name))
        elif self._purpose == "port":
            controller.wizards.port(name)
        else:
            controller.actions[name].trigger()

    def _on_trust_declined(self) -> None:
        folder = self.trust_bar.folder
        if folder is not None:
            self._declined.add(folder)
        if self._asked_for is not None:  # nothing of it is shown that could say that it is not run
            self._asked_for = None
            self.show_trust()

    def _untrusted_folder(self) -> Path | None:
        asked = () if self._asked_for is None else (self._asked_for,)
        for document in (*asked, *self._session.documents):
            # A file without kernels, such as a library's that was looked into, is never run.
            if document.path is None or not document.parsed.kernels:
                continue
            if not self._session.trusts(document):
                root = self._session.workspace
                return root if root in document.path.parents else document.path.parent
        return None

    def _on_machine_seen(self, found: tuple[Finding, ...]) -> None:
        self._machine = found
        if self._welcome.built is not None:
            self._welcome.built.set_machine(found)


def _stacked(*bars: QWidget) -> QWidget:
    """Bars one below the other; without any of them it has no height."""
    stack = QWidget()
    layout = QVBoxLayout(stack)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for bar in bars:
        layout.addWidget(bar)
    return stack
