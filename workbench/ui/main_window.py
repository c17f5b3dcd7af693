"""The window: puts rows, panels and the editor together, and knows nothing of kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from workbench.session.signal import Signal as Happening
from workbench.ui.actions import Actions
from workbench.ui.docks import SEGMENTS, Docks
from workbench.ui.editor.completion import CompletionProvider
from workbench.ui.editor_area import EditorArea
from workbench.ui.status_bar import StatusBar
from workbench.ui.theme.icons import Icons
from workbench.ui.title_row import TitleRow
from workbench.ui.toolbar import TopToolbar
from workbench.ui.widgets.toast import ToastHost

_SIZE = (1440, 900)
_SMALLEST = (900, 560)
_STATE_VERSION = 1


@dataclass(frozen=True)
class Parts:
    """What the window is made of; `panels` go into docks by the keys of `docks.DOCKS`."""

    welcome: QWidget
    trust_bar: QWidget
    panels: Mapping[str, QWidget]
    provider: CompletionProvider | None = None


class MainWindow(QMainWindow):
    """Shows the parts it is given; asks before it closes through `may_close`."""

    files_dropped = Signal(list)

    def __init__(
        self, icons: Icons, parts: Parts, handlers: Mapping[str, Callable[[], object]]
    ) -> None:
        super().__init__()
        self.closing: Happening[[]] = Happening()
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self.setMinimumSize(*_SMALLEST)
        self.resize(*_SIZE)
        self.actions_table = Actions(self, icons, handlers)
        for _, action in self.actions_table:
            self.addAction(action)
        self.title_row = TitleRow(icons, self.actions_table, SEGMENTS)
        self.setMenuWidget(self.title_row)
        self.toolbar = TopToolbar(icons, self.actions_table)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, self.toolbar)
        self.editors = EditorArea(icons, parts.welcome, parts.provider)
        self.setCentralWidget(_below(parts.trust_bar, self.editors))
        self.docks = Docks(self, icons, parts.panels)
        self.title_row.add_submenu("View", "Panels", self.docks.toggles())
        self.status = StatusBar(icons)
        self.setStatusBar(self.status)
        self.toasts = ToastHost(self, icons)
        self.toasts.set_bottom_margin(44)
        self.set_document_name(None)
        self._is_arranged = False
        self._perspective: str | None = None
        self._layouts: dict[str, QByteArray] = {}
        self.arrange("design")

    def arrange(self, perspective: str) -> None:
        """Arrange the panels as a perspective comes, whatever the person made of it."""
        self._layouts.pop(perspective, None)
        self._perspective = perspective
        self.docks.arrange(perspective)
        self.title_row.switch.set_current(perspective)

    def switch_to(self, perspective: str) -> None:
        """Show a perspective as the person left it, or as it comes."""
        left = self.title_row.switch.current if self._perspective is None else self._perspective
        if left is not None:
            self._layouts[left] = self._panels_state()
        saved = self._layouts.get(perspective)
        self.title_row.switch.set_current(perspective)
        self._perspective = perspective
        with self.docks.all_needed():
            if saved is None or not self.restoreState(saved, _STATE_VERSION):
                self.docks.arrange(perspective)

    def _panels_state(self) -> QByteArray:
        with self.docks.all_needed():  # what has nothing to show is no choice of the person's
            return self.saveState(_STATE_VERSION)

    def set_document_name(self, name: str | None) -> None:
        """Name the document in the window's title and first row."""
        title = f"{name} \u2014 TileLang Workbench" if name else "TileLang Workbench"
        self.setWindowTitle(title)
        self.title_row.set_title(title)

    def layout_state(self) -> dict[str, Any]:
        """Geometry and panels as text, for `restore_layout`."""
        was_quiet, was_alone = self.docks.is_quiet, self.docks.is_alone
        self.docks.set_quiet(False)  # what a page hides is no choice of the person's
        self.docks.set_alone(False)
        state = self._layout_state()
        self.docks.set_quiet(was_quiet)
        self.docks.set_alone(was_alone)
        return state

    def _layout_state(self) -> dict[str, Any]:
        return {
            "geometry": _text(self.saveGeometry()),
            "panels": _text(self._panels_state()),
            "perspectives": {key: _text(layout) for key, layout in self._layouts.items()},
            "perspective": self.title_row.switch.current or "design",
        }

    def restore_layout(self, state: Mapping[str, object]) -> bool:
        """Take a layout that was saved; False where it is of another version or damaged."""
        if not self.restoreGeometry(_bytes(state.get("geometry"))):
            return False
        perspective = state.get("perspective")
        if perspective in [segment.key for segment in SEGMENTS]:
            self.title_row.switch.set_current(str(perspective))
            self._perspective = str(perspective)
        layouts = state.get("perspectives")
        if isinstance(layouts, dict):
            self._layouts = {key: _bytes(layout) for key, layout in layouts.items()}
        self._is_arranged = True
        self.docks.set_quiet(False)
        with self.docks.all_needed():
            return self.restoreState(_bytes(state.get("panels")), _STATE_VERSION)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        if not self._is_arranged:
            self._is_arranged = True
            self.docks.resize(self.title_row.switch.current or "design")

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        self.closing.emit()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802 - Qt's name
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802 - Qt's name
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)


def _below(bar: QWidget, editors: QWidget) -> QWidget:
    middle = QWidget()
    layout = QVBoxLayout(middle)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(bar)
    layout.addWidget(editors, 1)
    return middle


def _text(data: QByteArray) -> str:
    return bytes(data.toBase64().data()).decode("ascii")


def _bytes(text: object) -> QByteArray:
    return QByteArray.fromBase64(text.encode("ascii", "ignore") if isinstance(text, str) else b"")
