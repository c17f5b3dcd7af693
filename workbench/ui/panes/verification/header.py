"""The head of the pane: conclusion, figures, caveats, and the choice of output and seed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from workbench.session.verification_view import Option, Outcome, VerificationView
from workbench.ui.panes.verification.wording import metrics
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PickerButton, push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.metric_strip import MetricStrip

STALE = "of an earlier text"
_SPACING = 8


class Header(QWidget):
    """Shows the answer of a view, and asks for others."""

    #: The person chose an output by the number of its parameter, or a seed.
    output_chosen = Signal(int)
    seed_chosen = Signal(int)
    #: The person wants all of the output in sight.
    whole_requested = Signal()
    #: The person wants the map as a file: "png" or "svg".
    export_requested = Signal(str)
    #: The person wants it verified again.
    verify_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self._conclusion = ConclusionLabel(theme)
        self._strip = MetricStrip(theme)
        self._note = text_label(theme, "", TextRole.LABEL, "fg3")
        self._note.setWordWrap(True)
        self._outputs = _Picker(icons, "Output to show")
        self._seeds = _Picker(icons, "Seed to show")
        self._whole = FlatToolButton(icons, "Show the whole output (Ctrl+0)", "Whole output")
        self._whole.set_icon("zoom-fit")
        self._export = FlatToolButton(icons, "Save the picture")
        self._export.set_icon("upload")
        self._where = Chip(theme, "", "neutral")
        self._stale = Chip(theme, STALE, "warn")
        self._again = push_button(icons, "Verify again", "link")
        self._lay_out()
        self._connect(icons)

    @property
    def conclusion(self) -> str:
        """The sentence shown."""
        return self._conclusion.conclusion

    @property
    def note(self) -> str:
        """What stands below the figures: how the reference was got, and what is not checked."""
        return self._note.text()

    def show_view(self, view: VerificationView) -> None:
        """Show another answer."""
        self._conclusion.set_conclusion(view.conclusion)
        self._where.setText(view.where)
        self._where.setVisible(bool(view.where))
        self._strip.setVisible(view.figures is not None)
        if view.figures is not None:
            self._strip.set_metrics(metrics(view.figures))
        note = note_text(view)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        output = None if view.output is None else view.output.comparison.index
        self._outputs.set_options(view.outputs, output)
        self._seeds.set_options(view.seeds, view.seed)
        self._export.setVisible(view.output is not None)
        self.set_stale(view.stale)

    def set_stale(self, stale: bool) -> None:
        """Say that the answer is of an earlier text, and offer another."""
        self._stale.setVisible(stale)
        self._again.setVisible(stale)

    def set_compact(self, compact: bool) -> None:
        """Take less height, where there is little."""
        self._conclusion.set_compact(compact)

    def set_whole(self, whole: bool) -> None:
        """Offer the way back where only a part is in sight."""
        self._whole.setVisible(not whole)

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setSpacing(4)
        for part in (self._where, self._outputs, self._seeds, self._whole, self._export):
            tools.addWidget(part)
        first = QHBoxLayout()
        first.setSpacing(12)
        first.addWidget(self._conclusion, 1, Qt.AlignmentFlag.AlignTop)
        first.addLayout(tools)
        first.setAlignment(tools, Qt.AlignmentFlag.AlignTop)
        stale = QHBoxLayout()
        stale.setSpacing(8)
        stale.addWidget(self._stale)
        stale.addWidget(self._again)
        stale.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_SPACING)
        layout.addLayout(first)
        layout.addLayout(stale)
        layout.addWidget(self._strip)
        layout.addWidget(self._note)
        self._whole.hide()

    def _connect(self, icons: Icons) -> None:
        self._outputs.chosen.connect(self.output_chosen)
        self._seeds.chosen.connect(self.seed_chosen)
        self._whole.clicked.connect(self.whole_requested)
        self._again.clicked.connect(self.verify_requested)
        menu = QMenu(self._export)
        for text, kind in (("Save as PNG…", "png"), ("Save as SVG…", "svg")):
            action = QAction(text, menu)
            action.setData(kind)
            menu.addAction(action)
        menu.triggered.connect(self._on_export_triggered)
        self._export.setMenu(menu)
        self._export.setPopupMode(FlatToolButton.ToolButtonPopupMode.InstantPopup)

    def _on_export_triggered(self, action: QAction) -> None:
        self.export_requested.emit(action.data())


class _Picker(PickerButton):
    """Chooses one of several; hidden where there is no choice."""

    chosen = Signal(int)

    def __init__(self, icons: Icons, tip: str) -> None:
        super().__init__(icons, tip)
        self._menu = QMenu(self)
        self._menu.triggered.connect(self._on_menu_triggered)
        self.setMenu(self._menu)

    def set_options(self, options: tuple[Option, ...], current: int | None) -> None:
        """Offer those, `current` being shown."""
        self._menu.clear()
        group = QActionGroup(self._menu)
        for option in options:
            state = f"{option.wrong:,} wrong" if option.wrong else "right"
            action = QAction(f"{option.name}, {state}", self._menu)
            action.setCheckable(True)
            action.setChecked(option.key == current)
            action.setData(option.key)
            group.addAction(action)
            self._menu.addAction(action)
            if option.key == current:
                self.setText(option.name)
        self.setVisible(len(options) > 1)
        self.updateGeometry()

    def _on_menu_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())


def note_text(view: VerificationView) -> str:
    """How the reference was computed, and what the run does not cover."""
    if view.outcome not in (Outcome.PASS, Outcome.SAMPLED_PASS, Outcome.MISMATCH):
        return ""
    method = view.method
    parts = [part for part in (view.reading, view.evidence) if part]
    if method is not None:
        how = method if method == "as written" else f"in {method}"
        parts.append(f"Reference computed {how}.")
    parts += [f"{caveat[:1].upper()}{caveat[1:]}." for caveat in view.caveats]
    parts += [f"{said.rstrip('.')}." for said in view.sanitized]
    return " ".join(parts)
