"""The head of the code pane: target chips, the conclusion, and the tools of the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QMenu, QWidget

from workbench.session.code_comparisons import Choice, Comparison
from workbench.session.code_inputs import TargetCode
from workbench.ui.panes.code.sentence import SentenceLine
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton
from workbench.ui.widgets.labels import divider, text_label
from workbench.ui.widgets.painting import target_icon
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

_INSET = 12
_MARK = 14
_LEAST_WIDTH = 280
# With less room than this the conclusion stands below the chips and tools.
_LEAST_SENTENCE = 480
# Row, column and their spans of the targets, the conclusion, the comparison and the tools.
_PLACES = (
    ((0, 0), (0, 1), (0, 2), (0, 3)),
    ((0, 0), (1, 0, 1, 4), (0, 2), (0, 3)),
    ((0, 0), (1, 0, 1, 4), (0, 2), (0, 3)),
    ((0, 0), (1, 0, 1, 4), (2, 0, 1, 4, Qt.AlignmentFlag.AlignLeft), (0, 3)),
)
# From this arrangement on a menu stands for the chips.
_PICKING = 2
_TOOLS = (
    ("find", "search", "Find in this text (Ctrl+F)"),
    ("pin", "pin", "Pin this text, to compare others with it"),
    ("copy", "copy", "Copy this text"),
    ("save", "download", "Save this text as a file"),
)
_CHANGE_TOOLS = (
    ("previous", "arrow-up", "Previous change (P)"),
    ("next", "arrow-down", "Next change (N)"),
)


class CodeHeader(QWidget):
    """Says what the person wants by signals; the pane shows what is so."""

    #: The person chose the target of that name.
    target_chosen = Signal(str)
    #: The person chose what to compare with.
    comparison_chosen = Signal(Comparison)
    #: The person pressed the tool of that name: find, pin, copy, save, previous or next.
    tool_pressed = Signal(str)
    #: The person wants equal lines hidden, or shown.
    fold_toggled = Signal(bool)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._targets: tuple[TargetCode, ...] = ()
        self._chips: SegmentedSwitch | None = None
        self.sentence = SentenceLine(icons.theme)
        self._position = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._picker = PickerButton(icons, "Target")
        self._targets_menu = QMenu(self)
        self._picker.setMenu(self._targets_menu)
        self._compare = PickerButton(icons, "Compare this text with another", "Compare")
        self._compare.set_icon("compare", "fg2")
        self._menu = QMenu(self)
        self._compare.setMenu(self._menu)
        self._fold = self._tool("fold", "Hide equal lines")
        self._fold.setCheckable(True)
        self._fold.setChecked(True)
        self._fold.toggled.connect(self.fold_toggled)
        self._tools = {name: self._tool(icon, tip) for name, icon, tip in _TOOLS + _CHANGE_TOOLS}
        for name, tool in self._tools.items():
            tool.clicked.connect(lambda _=False, name=name: self.tool_pressed.emit(name))
        self._lay_out()
        icons.theme.changed.connect(self._on_theme_changed)

    def set_targets(self, targets: Sequence[TargetCode], current: str | None) -> None:
        """Show a chip for each target, the current one pressed."""
        shown = [(target.name, target.title, target.mark) for target in self._targets]
        if shown != [(target.name, target.title, target.mark) for target in targets]:
            self._targets = tuple(targets)
            self._rebuild_chips()
        found = next((target for target in targets if target.name == current), None)
        if self._chips is not None and found is not None:
            self._chips.set_current(found.name)
            self._picker.setText(found.title)
            self._picker.setAccessibleName(f"Target: {found.title}")
            self._on_theme_changed()

    def set_choices(self, choices: Sequence[Choice], current: Comparison) -> None:
        """Offer these comparisons, one of which holds."""
        self._menu.clear()
        group = QActionGroup(self._menu)
        held = None
        for choice in choices:
            action = self._menu.addAction(choice.title)
            action.setCheckable(True)
            action.setChecked(choice.comparison == current)
            action.setActionGroup(group)
            action.triggered.connect(
                lambda _=False, c=choice.comparison: self.comparison_chosen.emit(c)
            )
            held = choice if choice.comparison == current else held
        is_held = held is not None and held is not choices[0]
        self._compare.setText("Compared" if is_held else "Compare")
        self._compare.setToolTip(
            f"Compared with: {held.title}" if is_held and held else "Compare with another text"
        )
        self._compare.setEnabled(len(choices) > 1)
        self._compare.updateGeometry()

    def set_changes(self, current: int | None, count: int | None) -> None:
        """Show which change of how many is the current one; None where nothing is compared."""
        comparing = count is not None
        for name, _, _ in _CHANGE_TOOLS:
            self._tools[name].setVisible(comparing)
            self._tools[name].setEnabled(bool(count))
        self._fold.setVisible(comparing)
        self._position.setVisible(comparing)
        self._arrange()
        if count is not None:
            at = "–" if current is None else f"{current + 1:,}"
            self._position.setText(f"{at} of {count:,}" if count else "no change")

    def set_has_text(self, has_text: bool) -> None:
        """Allow what needs a text, or not."""
        for name, _, _ in _TOOLS:
            self._tools[name].setEnabled(has_text)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for the narrowest arrangement, whichever there is now."""
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange()

    def _tool(self, icon: str, tip: str) -> FlatToolButton:
        tool = FlatToolButton(self._icons, tip)
        tool.set_icon(icon)
        return tool

    def _lay_out(self) -> None:
        self._targets_box, self._compare_box, self._tools_box = (_box() for _ in range(3))
        _fill(self._targets_box, [self._picker])
        changes = [self._tools[name] for name, _, _ in _CHANGE_TOOLS]
        _fill(self._compare_box, [self._position, *changes, self._fold, self._compare])
        _fill(self._tools_box, [divider(), *(self._tools[name] for name, _, _ in _TOOLS)])
        self._grid = QGridLayout(self)
        self._grid.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._grid.setContentsMargins(_INSET, 4, 8, 4)
        self._grid.setSpacing(4)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        self._arrangement = -1
        self._arrange()

    def _arrange(self) -> None:
        """Put everything into as few rows as there is room for."""
        arrangement = self._wanted_arrangement()
        picks = arrangement >= _PICKING
        self._picker.setVisible(picks and bool(self._targets))
        if self._chips is not None:
            self._chips.setVisible(not picks)
        if arrangement == self._arrangement:
            return
        self._arrangement = arrangement
        for widget, place in zip(self._parts(), _PLACES[arrangement], strict=True):
            self._grid.removeWidget(widget)
            self._grid.addWidget(widget, *place)

    def _parts(self) -> tuple[QWidget, ...]:
        return (self._targets_box, self.sentence, self._compare_box, self._tools_box)

    def _wanted_arrangement(self) -> int:
        """The first of `_PLACES` that fits."""
        chips = self._chips.sizeHint().width() if self._chips is not None else 0
        others = sum(box.sizeHint().width() for box in (self._compare_box, self._tools_box))
        room = self.width() - 3 * _INSET - others
        if room - chips >= 0:
            return 0 if room - chips >= _LEAST_SENTENCE else 1
        return _PICKING if room >= self._picker.sizeHint().width() else _PICKING + 1

    def _rebuild_chips(self) -> None:
        layout = self._targets_box.layout()
        if self._chips is not None and layout is not None:
            layout.removeWidget(self._chips)
            self._chips.deleteLater()
            self._chips = None
        if self._targets and layout is not None:
            tips = [(t.name, t.title, f"Show the code for {t.title}") for t in self._targets]
            segments = [Segment(*texts) for texts in tips]
            self._chips = SegmentedSwitch(self._icons, "Target", segments)
            self._chips.chosen.connect(self.target_chosen)
            layout.addWidget(self._chips)
        self._targets_menu.clear()
        for target in self._targets:
            action = self._targets_menu.addAction(target.title)
            action.triggered.connect(lambda _=False, n=target.name: self.target_chosen.emit(n))
        self._on_theme_changed()
        self._arrange()

    def _on_theme_changed(self) -> None:
        actions = self._targets_menu.actions()
        for target, action in zip(self._targets, actions, strict=True):
            icon = target_icon(self._icons.theme, target.mark, _MARK)
            action.setIcon(icon)
            if self._chips is not None:
                self._chips.button(target.name).setIcon(icon)
            if target.title == self._picker.text():
                self._picker.setIcon(icon)


def _box() -> QWidget:
    box = QWidget()
    layout = QHBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(4)
    return box


def _fill(box: QWidget, widgets: Sequence[QWidget]) -> None:
    for widget in widgets:
        layout = box.layout()
        assert layout is not None
        layout.addWidget(widget)
