"""The panels around the editor: where each begins, and the perspectives they are arranged in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from workbench.ui.lenses.registry import LENSES
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.dock_title import DockTitle
from workbench.ui.widgets.segmented import Segment

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
_LEAST_WIDTH, _LEAST_HEIGHT = 160, 96


@dataclass(frozen=True)
class DockRecord:
    """A panel: its key, its title, and the area that it stands in at first."""

    key: str
    title: str
    area: Qt.DockWidgetArea


DOCKS = (
    DockRecord("navigator", "Navigator", _LEFT),
    *(DockRecord(lens.key, lens.title, _RIGHT) for lens in LENSES),
    DockRecord("arguments", "Arguments", _RIGHT),
    DockRecord("code", "Code", _RIGHT),
    DockRecord("reference", "Reference", _RIGHT),
    DockRecord("problems", "Problems", _BOTTOM),
    DockRecord("verification", "Verification", _BOTTOM),
    DockRecord("profile", "Profile", _BOTTOM),
    DockRecord("portability", "Portability", _BOTTOM),
    DockRecord("runs", "Runs", _BOTTOM),
    DockRecord("log", "Log", _BOTTOM),
)

DOCK_TITLES = {record.key: record.title for record in DOCKS}


@dataclass(frozen=True)
class Perspective:
    """An arrangement: for each area the panels in it, the first in front, and sizes in px.

    `right_below` stand under the others of the right side, `below_height` px high.
    """

    key: str
    title: str
    tip: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    bottom: tuple[str, ...]
    left_width: int
    right_width: int
    bottom_height: int
    right_below: tuple[str, ...] = ()
    below_height: int = 0


PERSPECTIVES = (
    Perspective(
        "design",
        "Design",
        "Write the kernel: pictures of what it does beside it, its arguments below them",
        ("navigator",),
        (
            "memory",
            "tiles",
            "layouts",
            "banks",
            "occupancy",
            "code",
        ),
        ("problems", "verification", "profile", "portability", "runs", "log"),
        left_width=204,
        right_width=520,
        bottom_height=180,
        right_below=("arguments",),
        below_height=220,
    ),
    Perspective(
        "debug",
        "Debug",
        "Find out what is wrong: problems below, conflicts and the verification large",
        ("navigator",),
        ("banks", "verification", "layouts", "linked", "code"),
        ("problems", "portability", "log", "runs"),
        left_width=204,
        right_width=720,
        bottom_height=150,
        right_below=("arguments",),
        below_height=200,
    ),
    Perspective(
        "profile",
        "Profile",
        "Find out what it costs: what was measured above, why it takes so long below",
        ("navigator",),
        ("profile", "roofline", "occupancy", "operations", "memory", "tiles"),
        ("runs", "problems", "log"),
        left_width=204,
        right_width=720,
        bottom_height=120,
        right_below=("pipeline", "explain", "linked", "arguments"),
        below_height=250,
    ),
)
SEGMENTS = tuple(Segment(p.key, p.title, p.tip) for p in PERSPECTIVES)


class Docks:
    """The dock widgets of a main window."""

    def __init__(self, window: QMainWindow, icons: Icons, panels: Mapping[str, QWidget]) -> None:
        self._window = window
        self._docks: dict[str, QDockWidget] = {}
        self._hushed: list[str] | None = None
        self._unneeded: set[str] = set()
        self._alone, self._navigator_width = False, 0
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        window.setCorner(Qt.Corner.BottomLeftCorner, _LEFT)
        window.setAnimated(False)
        self._titles: dict[str, tuple[QWidget, QWidget]] = {}
        for record in DOCKS:
            dock = self._docks[record.key] = _dock(record, window, panels[record.key])
            self._titles[record.key] = (DockTitle(dock, icons), QWidget(dock))
            dock.setTitleBarWidget(self._titles[record.key][0])
            for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
                signal.connect(lambda *_: self._retitle_soon())
        self._pause = QTimer(window)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._retitle)

    def __getitem__(self, key: str) -> QDockWidget:
        return self._docks[key]

    @property
    def is_quiet(self) -> bool:
        """Whether the panels about a document are hidden for want of one."""
        return self._hushed is not None

    def toggles(self) -> list[QAction]:
        """An action for each panel that shows or hides it."""
        return [dock.toggleViewAction() for dock in self._docks.values()]

    def when_seen(self, key: str, call: Callable[[], object]) -> None:
        """Call whenever a panel comes into sight: shown, or its tab in front."""
        self._docks[key].visibilityChanged.connect(lambda seen: call() if seen else None)

    def show(self, key: str) -> None:
        """Bring a panel into view."""
        dock = self._docks[key]
        if self._window.dockWidgetArea(dock) is Qt.DockWidgetArea.NoDockWidgetArea:
            self._bring_in(dock)
        dock.show()
        dock.raise_()

    def add_twin(self, key: str, widget: QWidget, icons: Icons) -> QDockWidget:
        """A further panel of a kind, beside the first; closing it deletes it."""
        self.show(key)  # a perspective may have left it out
        first = self._docks[key]
        dock = QDockWidget(f"{DOCK_TITLES[key]} 2", self._window)
        dock.setObjectName(f"{key}-{id(widget)}")
        dock.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        widget.setMinimumSize(_LEAST_WIDTH, _LEAST_HEIGHT)
        dock.setWidget(widget)
        dock.setTitleBarWidget(DockTitle(dock, icons))
        self._window.addDockWidget(self._window.dockWidgetArea(first), dock)
        self._window.splitDockWidget(first, dock, Qt.Orientation.Horizontal)
        return dock

    def _bring_in(self, dock: QDockWidget) -> None:
        """Put a panel that the perspective left out behind those of its area."""
        record = next(r for r in DOCKS if r.key == dock.objectName())
        beside = [
            each
            for each in self._docks.values()
            if self._window.dockWidgetArea(each) is record.area and not each.isHidden()
        ]
        self._window.addDockWidget(record.area, dock)
        if beside:
            self._window.tabifyDockWidget(beside[0], dock)

    def arrange(self, key: str) -> None:
        """Arrange the panels as a perspective has them; KeyError for no such perspective."""
        with self.all_needed():
            self._arrange(key)

    def _arrange(self, key: str) -> None:
        """Put the panels where a perspective has them."""
        perspective = next(p for p in PERSPECTIVES if p.key == key)
        was_quiet = self._hushed is not None
        self._hushed = None
        for dock in self._docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        for area, keys in (
            (_LEFT, perspective.left),
            (_RIGHT, perspective.right),
            (_BOTTOM, perspective.bottom),
        ):
            self._place(area, keys, perspective.right_below if area is _RIGHT else ())
        self.resize(key)
        self.set_quiet(was_quiet)
        if self._alone:
            self._docks["navigator"].hide()

    def _retitle_soon(self) -> None:
        self._pause.start(0)

    def _retitle(self) -> None:
        """Leave the title row to docks that stand alone: in a group the tab is title enough."""
        for bar in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            bar.setElideMode(Qt.TextElideMode.ElideNone)  # a name cut to two letters says nothing
            bar.setUsesScrollButtons(True)
        for key, dock in self._docks.items():
            full, empty = self._titles[key]
            grouped = bool(self._window.tabifiedDockWidgets(dock)) and not dock.isFloating()
            wanted, other = (empty, full) if grouped else (full, empty)
            if dock.titleBarWidget() is not wanted:
                dock.setTitleBarWidget(wanted)
                other.hide()
                wanted.show()

    def _place(
        self, area: Qt.DockWidgetArea, keys: tuple[str, ...], below: tuple[str, ...]
    ) -> None:
        first = self._docks[keys[0]]
        self._window.addDockWidget(area, first)
        first.show()
        if below:  # before there are tabs, to which Qt would add it
            under = self._docks[below[0]]
            self._window.splitDockWidget(first, under, Qt.Orientation.Vertical)
            under.show()
            self._add_tabs(area, under, below[1:])
            under.raise_()
        self._add_tabs(area, first, keys[1:])
        first.raise_()

    def _add_tabs(self, area: Qt.DockWidgetArea, first: QDockWidget, keys: Iterable[str]) -> None:
        for key in keys:
            self._window.addDockWidget(area, self._docks[key])
            self._window.tabifyDockWidget(first, self._docks[key])
            self._docks[key].show()

    def set_quiet(self, is_quiet: bool) -> None:
        """Hide the panels about a document while there is none, and bring them back after."""
        if is_quiet and self._hushed is None:
            self._hushed = [
                key for key in self._docks if key != "navigator" and not self._docks[key].isHidden()
            ]
            for key in self._hushed:
                self._docks[key].hide()
        elif not is_quiet and self._hushed is not None:
            for key in self._hushed:
                self._docks[key].show()
            self._hushed = None

    @property
    def is_alone(self) -> bool:
        """Whether a page has taken the navigator's place."""
        return self._alone

    def set_alone(self, is_alone: bool) -> None:
        """Give a page the navigator's room, and bring the navigator back after it."""
        navigator = self._docks["navigator"]
        if is_alone and not navigator.isHidden():
            self._alone, self._navigator_width = True, navigator.width()
            navigator.hide()
        elif not is_alone and self._alone:
            self._alone = False
            navigator.show()
            widths = [self._navigator_width]
            self._window.resizeDocks([navigator], widths, Qt.Orientation.Horizontal)

    def set_needed(self, key: str, is_needed: bool) -> None:
        """Hide a panel that has nothing to show of a document, and bring it back for the next.

        One that the person has closed stays closed.
        """
        dock = self._docks[key]
        if not is_needed and not dock.isHidden():
            self._unneeded.add(key)
            dock.hide()
        elif is_needed and key in self._unneeded:
            self._unneeded.discard(key)
            dock.show()

    @contextmanager
    def all_needed(self) -> Iterator[None]:
        """Show what is hidden for want of something to show, while a layout is saved or taken."""
        hidden, self._unneeded = self._unneeded, set()
        for key in hidden:
            self._docks[key].show()
        try:
            yield
        finally:
            for key in hidden:
                self.set_needed(key, is_needed=False)

    def resize(self, key: str) -> None:
        """Give the areas the sizes of a perspective; Qt keeps them once the window is shown."""
        perspective = next(p for p in PERSPECTIVES if p.key == key)
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        sides = [self._docks[perspective.left[0]], self._docks[perspective.right[0]]]
        widths = [perspective.left_width, perspective.right_width]
        self._window.resizeDocks(sides, widths, horizontal)
        below = [self._docks[perspective.bottom[0]]]
        self._window.resizeDocks(below, [perspective.bottom_height], vertical)
        if perspective.right_below:
            column = [sides[1], self._docks[perspective.right_below[0]]]
            room = max(1, self._window.height() - perspective.below_height)
            self._window.resizeDocks(column, [room, perspective.below_height], vertical)


def _dock(record: DockRecord, window: QMainWindow, panel: QWidget) -> QDockWidget:
    dock = QDockWidget(record.title, window)
    dock.setObjectName(record.key)
    # A panel's own hint would widen the whole window; in a narrow dock it shows what it can.
    panel.setMinimumSize(
        max(panel.minimumWidth(), _LEAST_WIDTH), max(panel.minimumHeight(), _LEAST_HEIGHT)
    )
    dock.setWidget(panel)
    return dock
