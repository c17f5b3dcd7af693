"""The navigator's widget: the tree, the rail that stands for it when it is folded, and menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QStackedWidget, QWidget

from workbench.core.runs import Run
from workbench.session.place_choices import HostGlance
from workbench.ui.navigator.nodes import (
    ADD_HOST,
    HOSTS,
    LIBRARY,
    NEW_KERNEL,
    PATTERNS,
    RUNS,
    WORKSPACE,
    LibraryEntry,
    Node,
    NodeKind,
    PatternEntry,
    hosts_section,
    library_section,
    patterns_section,
    runs_section,
    workspace_section,
)
from workbench.ui.navigator.scanner import KernelScanner
from workbench.ui.navigator.tree import NavigatorTree
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.rail import Rail
from workbench.ui.widgets.severity import SeverityLook

_LEAST_WIDTH = 140
_FILES = (NodeKind.FILE, NodeKind.FOLDER, NodeKind.LIBRARY)
_MINUTE_MS = 60_000
_UNBOUNDED = 16_777_215  # Qt's QWIDGETSIZE_MAX
_RAIL = (
    (WORKSPACE, "file", "Kernels of the workspace"),
    (LIBRARY, "cube", "Library of shipped kernels"),
    (PATTERNS, "grid", "Patterns to make kernels from"),
    (RUNS, "history", "Recent runs"),
    (HOSTS, "server", "Hosts"),
)


def _now() -> datetime:
    return datetime.now(timezone.utc)


class Navigator(QWidget):
    """Finds the kernels of its workspace itself; library, runs and marks are given to it."""

    #: The person wants the file of that path.
    file_activated = Signal(str)
    #: The person wants a copy of the shipped kernel at that path.
    library_activated = Signal(str)
    #: The person wants a kernel from the pattern of that id; "" leaves it open.
    pattern_activated = Signal(str)
    #: The person wants the run of that id.
    run_activated = Signal(str)
    #: The person wants to see the path in the desktop's file manager.
    reveal_requested = Signal(str)
    #: There is no workspace, and the person wants one.
    open_folder_requested = Signal()
    #: The person wants the host of that name; "" is a new one.
    host_activated = Signal(str)
    #: Other kernels are in the workspace now.
    files_changed = Signal()
    #: It is folded to the rail, or no longer.
    collapsed_changed = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        super().__init__(parent)
        self._icons, self._clock = icons, clock
        self._runs: tuple[Run, ...] = ()
        self._ageing = QTimer(self, interval=_MINUTE_MS)
        self._ageing.timeout.connect(self._show_runs)
        self._root: Path | None = None
        self._files: tuple[Path, ...] = ()
        self._scanner = KernelScanner(self)
        self._tree = NavigatorTree(
            icons,
            (
                workspace_section(None, ()),
                library_section(()),
                patterns_section(()),
                runs_section((), self._clock()),
                hosts_section(()),
            ),
        )
        self._tree.fold((PATTERNS,))  # they are many, and the way to them stands elsewhere too
        self.rail = Rail(icons, "Navigator")
        self._fold = FlatToolButton(
            icons, "Fold the navigator to a strip of icons", parent=self._tree
        )
        self._stack = QStackedWidget()
        self._lay_out()
        self._add_rail_actions()
        self._scanner.found.connect(self._on_files_found)
        self._tree.node_activated.connect(self._on_node_activated)
        self._tree.customContextMenuRequested.connect(self._on_menu_requested)
        self._fold.clicked.connect(self._on_fold_clicked)

    @property
    def files(self) -> tuple[Path, ...]:
        """The kernel files found in the workspace."""
        return self._files

    @property
    def collapsed(self) -> bool:
        """Whether only the rail is shown."""
        return self._stack.currentWidget() is not self._tree

    def set_workspace(self, root: Path | None) -> None:
        """Look at another folder; its kernels appear as they are found."""
        self._root, self._files = root, ()
        self._scanner.stop()
        self._tree.set_section(workspace_section(root, (), searching=True))
        self.refresh()

    def refresh(self) -> None:
        """Look for the kernels again; those that are known stay until then."""
        if self._root is not None:
            self._scanner.start(self._root)

    def set_library(self, entries: Iterable[LibraryEntry]) -> None:
        """Show these shipped kernels."""
        self._tree.set_section(library_section(entries))

    def set_patterns(self, entries: Iterable[PatternEntry]) -> None:
        """Show these patterns."""
        self._tree.set_section(patterns_section(entries))

    def set_runs(self, runs: Iterable[Run]) -> None:
        """Show these runs, the newest first."""
        self._runs = tuple(runs)
        self._show_runs()

    def set_hosts(self, hosts: Iterable[HostGlance]) -> None:
        """Show these hosts."""
        self._tree.set_section(hosts_section(hosts))

    def set_status(self, path: str | Path, mark: SeverityLook | None) -> None:
        """Mark a file, or take its mark away."""
        self._tree.set_mark(str(path), mark)

    def set_current_file(self, path: str | Path | None) -> None:
        """Select the file that is in the editor, without a signal; None: none of these is."""
        self._tree.select(f"file:{path}" if path is not None else "")

    def set_collapsed(self, collapsed: bool) -> None:
        """Fold to the rail of icons, or unfold."""
        if collapsed == self.collapsed:
            return
        self._stack.setCurrentIndex(1 if collapsed else 0)
        self.setMinimumWidth(METRICS.rail_width if collapsed else _LEAST_WIDTH)
        self.setMaximumWidth(METRICS.rail_width if collapsed else _UNBOUNDED)
        self.collapsed_changed.emit(collapsed)

    def state(self) -> dict[str, Any]:
        """What is folded, as JSON can hold it."""
        return {"version": 1, "collapsed": self.collapsed, "folded": self._tree.folded()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        folded = state.get("folded")
        self._tree.fold(key for key in (folded if isinstance(folded, list) else ()))
        self.set_collapsed(state.get("collapsed") is True)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        width = METRICS.rail_width if self.collapsed else METRICS.navigator_width
        return QSize(width, 400)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fold.move(self.width() - self._fold.width() - 12, 10)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Keep telling how long ago the runs were, while somebody can read it."""
        super().showEvent(event)
        self._show_runs()
        self._ageing.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802 - Qt's name
        super().hideEvent(event)
        self._ageing.stop()

    def _show_runs(self) -> None:
        self._tree.set_section(runs_section(self._runs, self._clock()))

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg0")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(_LEAST_WIDTH)
        self._fold.set_icon("chevron-left", "fg3", 14)
        self._fold.setFixedSize(24, 24)
        self.rail.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._stack.addWidget(self._tree)
        self._stack.addWidget(self.rail)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self._tree)

    def _add_rail_actions(self) -> None:
        for key, icon, tip in _RAIL:
            action = QAction(tip, self)
            action.triggered.connect(lambda _=False, key=key: self._on_rail_chosen(key))
            self.rail.add(action, icon)

    def _on_rail_chosen(self, key: str) -> None:
        self.set_collapsed(False)
        self._tree.reveal_section(key)
        self._tree.setFocus()

    def _on_fold_clicked(self) -> None:
        self.set_collapsed(True)

    def _on_files_found(self, files: tuple[Path, ...], ended: bool) -> None:
        # While a search goes on, what an earlier one found is better than what this one has yet.
        if not ended and len(files) < len(self._files):
            return
        changed = files != self._files
        self._files = files
        self._tree.set_section(workspace_section(self._root, files, searching=not ended))
        if changed:
            self.files_changed.emit()

    def _on_node_activated(self, node: Node) -> None:
        signals = {
            NodeKind.FILE: self.file_activated,
            NodeKind.LIBRARY: self.library_activated,
            NodeKind.PATTERN: self.pattern_activated,
            NodeKind.RUN: self.run_activated,
            NodeKind.HOST: self.host_activated,
        }
        if node.kind in signals:
            signals[node.kind].emit(node.payload)
        elif node.key == ADD_HOST:
            self.host_activated.emit("")
        elif node.key == NEW_KERNEL:
            self.pattern_activated.emit("")
        elif node.kind is NodeKind.ACTION:
            self.open_folder_requested.emit()

    def _on_menu_requested(self, point: QPoint) -> None:
        menu = self.menu_of(self._tree.node_at(point))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self._tree.viewport().mapToGlobal(point))

    def menu_of(self, node: Node | None) -> QMenu:
        """What can be done with a node; without one, with the navigator."""
        menu = QMenu(self)
        if node is not None:
            self._add_node_actions(menu, node)
        if self._root is not None:
            self._add(menu, "Look for Kernels Again", "refresh").triggered.connect(self.refresh)
        self._add(menu, "Fold the Navigator", "chevron-left").triggered.connect(
            self._on_fold_clicked
        )
        return menu

    def _add_node_actions(self, menu: QMenu, node: Node) -> None:
        openings = {
            NodeKind.FILE: "Open",
            NodeKind.LIBRARY: "Open a Copy",
            NodeKind.PATTERN: "Make a Kernel from It",
            NodeKind.RUN: "Show This Run",
            NodeKind.HOST: "Show This Host",
        }
        if node.kind in openings:
            action = self._add(menu, openings[node.kind], "open")
            action.triggered.connect(lambda: self._on_node_activated(node))
        if node.payload:
            names = {NodeKind.RUN: "Id", NodeKind.HOST: "Name", NodeKind.PATTERN: "Id"}
            what = names.get(node.kind, "Path")
            copy = self._add(menu, f"Copy {what}", "copy")
            copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(node.payload))
        if node.payload and node.kind in _FILES:
            show = self._add(menu, "Show in the File Manager", "external")
            show.triggered.connect(lambda: self.reveal_requested.emit(node.payload))
        menu.addSeparator()

    def _add(self, menu: QMenu, text: str, icon: str) -> QAction:
        action = menu.addAction(text)
        action.setIcon(self._icons.icon(icon, "fg2"))
        return action
