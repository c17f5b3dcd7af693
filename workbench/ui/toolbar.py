"""The tool bar: which kernel, case and targets are worked on, and what to do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolBar, QWidget

from workbench.session.place_choices import PlaceChoice
from workbench.ui.actions import Actions
from workbench.ui.place_button import PlaceButton
from workbench.ui.target_menu import TargetChoice, TargetMenu
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton
from workbench.ui.widgets.labels import divider, text_label
from workbench.ui.widgets.painting import paint_mark

_MARK, _GAP, _BETWEEN = 9, 6, 16
_MARGIN = 8  # around the row, within the tool bar
_SHOWN_TARGETS = 4
RUN_BUTTONS = ("compile", "verify", "measure", "compare", "sweep", "analyze", "cancel")
_RUN_ICONS = {
    "compile": "play",
    "verify": "check",
    "measure": "clock",
    "compare": "compare",
    "sweep": "grid",
    "analyze": "memory",
    "cancel": "stop",
}
#: Buttons that open a page of their own, which they mark while it is in front.
PAGES = ("compare", "sweep")
#: Buttons beside which stands the choice of a place, by what it is chosen for.
PLACES = {"verify": "verify", "measure": "profile"}
_MOST_FIT = 5  # steps in which the bar takes less room


@dataclass(frozen=True)
class ToolbarView:
    """What the tool bar shows; without a document it says so."""

    kernel: str | None = None
    kernels: tuple[str, ...] = ()
    case: str | None = None
    cases: tuple[str, ...] = ()
    is_changed: bool = False
    targets: tuple[TargetChoice, ...] = ()
    chosen: tuple[str, ...] = ()
    is_draft: bool = False
    """A kernel that is being made: it has targets, and nothing can be run of it yet."""
    page: str = ""
    """The action whose page is in front, "compare" or "sweep"; the other is one click away."""


class TargetPicker(PickerButton):
    """The chosen targets, each with its mark."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(icons, "Targets to look at", "", parent)
        self._names: tuple[str, ...] = ()

    def set_targets(self, titles: Sequence[str]) -> None:
        """Show these targets in the order of their marks."""
        self._names = tuple(titles)
        self.setAccessibleName("Targets: " + ", ".join(titles))
        self.setToolTip("Targets: " + ", ".join(titles))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        metrics = self.fontMetrics()
        shown = self._shown()
        width = sum(_MARK + _GAP + metrics.horizontalAdvance(n) for n in shown)
        width += _BETWEEN * max(0, len(shown) - 1)
        return QSize(2 * self._padding + width + self._tail, super().sizeHint().height())

    def _shown(self) -> list[str]:
        more = len(self._names) - _SHOWN_TARGETS
        names = list(self._names[:_SHOWN_TARGETS])
        return [*names[:-1], f"{names[-1]} +{more}"] if more > 0 else names

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(self.font())
        left = self._padding
        for index, name in enumerate(self._shown()):
            top = (self.height() - _MARK) / 2
            paint_mark(painter, QRectF(left, top, _MARK, _MARK), self._icons.theme, index)
            left += _MARK + _GAP
            painter.setPen(self._icons.theme.colour("fg"))
            painter.drawText(left, 0, self.width(), self.height(), int(_LEFT), name)
            left += self.fontMetrics().horizontalAdvance(name) + _BETWEEN
        painter.end()


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class TopToolbar(QToolBar):
    """Pickers at the left, what runs in the middle, the search of actions at the right."""

    kernel_chosen = Signal(str)
    case_chosen = Signal(str)
    targets_chosen = Signal(tuple)
    case_edit_requested = Signal()
    #: The person wants to choose where: to "verify" or to "profile".
    place_requested = Signal(str)

    def __init__(self, icons: Icons, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__("Kernel and targets", parent)
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._icons = icons
        self._view = ToolbarView()
        self._divider = divider()
        self._nothing = text_label(icons.theme, "No kernel open", TextRole.BODY, "fg3")
        self.kernel_picker = _picker(icons, "Kernel of the file", "cube")
        self.case_picker = _picker(icons, "Case: the arguments to work with", "layers")
        self.case_button = FlatToolButton(icons, "Arguments of the case")
        self.case_button.set_icon("pencil", "fg3")
        self.case_button.clicked.connect(self.case_edit_requested)
        self.target_picker = TargetPicker(icons)
        self.target_picker.clicked.connect(self._on_target_picker_clicked)
        self._run = {name: _run_button(icons, actions[name]) for name in RUN_BUTTONS}
        for name in PAGES:
            self._run[name].setCheckable(True)
            self._run[name].clicked.connect(self._on_page_button_clicked)
        self.places = {key: PlaceButton(icons, key.capitalize()) for key in PLACES.values()}
        for key, button in self.places.items():
            button.clicked.connect(lambda *_, key=key: self.place_requested.emit(key))
        self._fitted: object = None
        self._search = SearchButton(icons, actions["palette"])
        self._pickers = [self.kernel_picker, self.case_picker, self.case_button, self.target_picker]
        self._of_drafts = (self.kernel_picker, self.target_picker)
        self.addWidget(self._row())
        self.set_view(ToolbarView())

    def set_view(self, view: ToolbarView) -> None:
        """Show a document's choices."""
        self._view = view
        is_open = bool(view.kernels)
        self._nothing.setVisible(not is_open)
        parts = (*self._pickers, self._divider, *self._run.values(), *self.places.values())
        of_pages = [self._divider, *(self._run[name] for name in PAGES)] if view.page else []
        for widget in parts:
            is_of_kernel = is_open and (not view.is_draft or widget in self._of_drafts)
            widget.setVisible(is_of_kernel or widget in of_pages)
        for name in PAGES:
            self._run[name].setChecked(name == view.page)
        self.kernel_picker.setEnabled(not view.is_draft)
        self._fill(self.kernel_picker, view.kernel or "", view.kernels, self.kernel_chosen.emit)
        title = f"{view.case or 'default'}{' *' if view.is_changed else ''}"
        self._fill(self.case_picker, title, view.cases or ("default",), self.case_chosen.emit)
        titles = {choice.name: choice.label for choice in view.targets}
        self.target_picker.set_targets([titles.get(name, name) for name in view.chosen])
        self._fit()

    def set_place(
        self, purpose: str, choice: PlaceChoice | None, why_none: str = "", is_known: bool = True
    ) -> None:
        """Tell where one verifies or measures."""
        self.places[purpose].show_place(choice, why_none, is_known)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Take the least important words away until the row has room."""
        for step in range(_MOST_FIT + 1):
            self._search.set_slim(step >= 1)
            self._run["cancel"].setText("" if step >= 2 else self._run["cancel"].accessibleName())
            for place in self.places.values():
                place.set_slim(step >= 3)
            for name, least in (("sweep", 4), ("compare", 4), ("analyze", 5)):
                button = self._run[name]
                button.setText("" if step >= least else button.accessibleName())
            self._layout.invalidate()
            if self._layout.sizeHint().width() <= self.width() - 2 * _MARGIN:
                return

    def _row(self) -> QWidget:
        row = QWidget()
        layout = self._layout = QHBoxLayout(row)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.setSpacing(8)
        layout.addWidget(self._nothing)
        for picker in self._pickers:
            layout.addWidget(picker)
        layout.addWidget(self._divider)
        for name, button in self._run.items():
            place = self.places.get(PLACES.get(name, ""))
            layout.addWidget(button if place is None else _beside(button, place))
        layout.addStretch(1)
        layout.addWidget(self._search)
        row.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        return row

    def _fill(self, picker: PickerButton, title: str, names: Sequence[str], choose: object) -> None:
        picker.setText(title)
        picker.setAccessibleName(f"{picker.toolTip()}: {title}")
        menu = QMenu(picker)
        for name in names:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name == title.removesuffix(" *"))
            action.triggered.connect(lambda *_, name=name: choose(name))  # type: ignore[operator]
        old = picker.menu()
        picker.setMenu(menu)
        if old is not None:
            old.deleteLater()
        picker.updateGeometry()

    def _on_page_button_clicked(self) -> None:
        for name in PAGES:  # Qt has turned the mark of the one that was clicked
            self._run[name].setChecked(name == self._view.page)

    def _on_target_picker_clicked(self) -> None:
        menu = TargetMenu(self._icons, self._view.targets, self._view.chosen, self)
        menu.chosen.connect(self.targets_chosen)
        menu.popup(self.target_picker.mapToGlobal(QPoint(0, self.target_picker.height() + 4)))


def _beside(button: QWidget, place: QWidget) -> QWidget:
    """A button and the choice of its place, close together."""
    pair = QWidget()
    layout = QHBoxLayout(pair)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(button)
    layout.addWidget(place)
    return pair


def _picker(icons: Icons, tip: str, icon: str) -> PickerButton:
    picker = PickerButton(icons, tip)
    picker.set_icon(icon, "fg2")
    return picker


def _run_button(icons: Icons, action: QAction) -> FlatToolButton:
    button = FlatToolButton(icons, action.toolTip(), action.text())
    record_icon = _RUN_ICONS[action.objectName()]
    button.set_icon(record_icon, "accent" if record_icon == "play" else "fg2")
    button.clicked.connect(action.trigger)
    action.enabledChanged.connect(button.setEnabled)
    return button


class SearchButton(FlatToolButton):
    """Looks like a field, since a click leads to one."""

    def __init__(self, icons: Icons, action: QAction) -> None:
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        super().__init__(icons, action.toolTip(), f"Search actions    {keys}")
        self._words = self.text()
        self.setProperty("kind", "picker")
        self.setFont(icons.theme.fonts.role(TextRole.BODY))
        self.set_icon("search", "fg3")
        self.clicked.connect(action.trigger)

    def set_slim(self, slim: bool) -> None:
        """Show the lens alone, or the words too."""
        self.setText("" if slim else self._words)

    def _text_token(self) -> str:
        return "fg3"
