"""The layouts lens: chooses a buffer and what its cells say, and keeps a thread or a phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.session.lenses.ghosts import layouts_ghost
from workbench.session.lenses.layouts.conflict import Conflict, conflict_conclusion
from workbench.session.lenses.layouts.fragment import Fragment, fragment_conclusion
from workbench.session.lenses.layouts.picture import BufferChoice, LayoutsPicture, layouts_picture
from workbench.session.lenses.layouts.shared import SharedTile, shared_conclusion
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.layouts.bank_picture import BankPicture
from workbench.ui.lenses.layouts.buffer_row import BufferRow
from workbench.ui.lenses.layouts.pictures import (
    ConflictPicture,
    FragmentPicture,
    Labels,
    shown_size,
)
from workbench.ui.lenses.layouts.thread_panel import ThreadPanel
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

_INSET = 16
_LABELS = (
    Segment("value", "Value", "The thread and its register, or the first bank"),
    Segment("index", "Index", "The number of the element in the tile, or its place in memory"),
    Segment("coordinate", "Row, column", "The row and the column of the element"),
)
_EXTENTS = (
    Segment("corner", "Corner", "The first rows and columns, large enough to read"),
    Segment("whole", "All", "The whole tile; Ctrl and the wheel zoom in"),
)


class LayoutsLens(Lens):
    """One buffer at a time; hovering lifts a thread's cells, a click keeps them."""

    key = "layouts"
    title = "Layouts"
    icon = "grid"
    shows_problems = True

    def build(self) -> QWidget:
        """The choice of a buffer, the switches, the cells, and what the thread holds."""
        self._wanted_buffer: str | None = None
        self._labels, self._is_whole = Labels.VALUE, False
        self._thread: int | None = 0
        self._phase = (0, 0)
        self._picture_shown: LayoutsPicture | None = None
        self._seen: Selection | None = None
        self._buffers = BufferRow(self.icons)
        self._label_switch = SegmentedSwitch(self.icons, "What the cells say", _LABELS)
        self._extent_switch = SegmentedSwitch(self.icons, "How much is drawn", _EXTENTS)
        self._cells = PictureView(self.theme, zooms=True)
        self._kept = ThreadPanel(self.theme)
        self._connect_parts()
        return self._arranged()

    @property
    def cells(self) -> PictureView:
        """The grid."""
        return self._cells

    @property
    def told_of_thread(self) -> str:
        """What is said of the thread that is kept."""
        return self._kept.text

    @property
    def shown_buffer(self) -> str | None:
        """The buffer that is shown."""
        return self._picture_shown.shown.name if self._picture_shown is not None else None

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the layout of the buffer chosen and return its conclusion."""
        picture = layouts_picture(subject, target, self._wanted_buffer)
        if picture is None:
            raise NoPicture(_why_nothing(target))
        self._picture_shown = picture
        self._show_head(picture)
        drawing = picture.drawing
        if drawing is None:
            self._cells.set_picture(None)
            self._kept.hide()
            return f"The layout of {picture.shown.name} cannot be drawn: {picture.lacks}."
        if isinstance(drawing, Fragment):
            return self._show_fragment(drawing, picture.shown)
        self._kept.hide()
        if isinstance(drawing, SharedTile):
            return self._show_tile(drawing, picture.shown)
        return self._show_conflict(drawing, picture.shown)

    def ghost(self, subject: LensSubject, target: LensTarget, was: LensTarget) -> str:
        """The shape of the buffer shown, and its threads, before."""
        found = layouts_picture(subject, was, self.shown_buffer)
        shown = self._picture_shown
        return layouts_ghost(found, shown) if found is not None and shown is not None else ""

    def show_selection(self, selection: Selection | None) -> None:
        """Show the buffer that was selected elsewhere, or is allocated in the line."""
        self._cells.set_lit(selection)
        if selection is self._seen or self._picture_shown is None:
            return
        self._seen = selection
        found = _meant(self._picture_shown.buffers, selection)
        if found is not None and found != self.shown_buffer:
            self._wanted_buffer = found
            self._show()

    def is_stale(self, target: LensTarget) -> bool:
        """A conflict is of the text as it is, whatever is known of earlier ones."""
        shown = self._picture_shown
        is_conflict = shown is not None and isinstance(shown.drawing, Conflict)
        return target.stale and not is_conflict

    def document_state(self) -> dict[str, Any]:
        """The buffer and how it is looked at."""
        return {
            "buffer": self._wanted_buffer,
            "labels": self._labels.value,
            "whole": self._is_whole,
            "thread": self._thread,
            "view": list(self._cells.view),
        }

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """Take them; what is of another form stays as it is usually."""
        buffer, labels, thread = state.get("buffer"), state.get("labels"), state.get("thread", 0)
        self._wanted_buffer = buffer if isinstance(buffer, str) else None
        known = {each.value: each for each in Labels}
        self._labels = known.get(str(labels), Labels.VALUE)
        self._is_whole = state.get("whole") is True
        self._thread = thread if isinstance(thread, int) else None
        view = state.get("view")
        if isinstance(view, list) and len(view) == 3 and all(isinstance(v, float) for v in view):
            self._cells.set_view((view[0], view[1], view[2]))

    def take_view(self, view: tuple[float, float, float]) -> None:
        """Take the zoom of a twin."""
        self._cells.set_view(view)

    def choose_buffer(self, name: str) -> None:
        """Show another buffer, and select it everywhere."""
        self._wanted_buffer = name
        self._cells.reset_view()
        self._show()
        shown = self._picture_shown
        if shown is not None:
            self.selected.emit(_selection(shown.shown))

    def _connect_parts(self) -> None:
        self._buffers.chosen.connect(self.choose_buffer)
        self._buffers.line_requested.connect(self._on_buffers_line_requested)
        self._label_switch.chosen.connect(self._on_label_switch_chosen)
        self._extent_switch.chosen.connect(self._on_extent_switch_chosen)
        self._cells.selected.connect(self.selected)
        self._kept.selected.connect(self.selected)
        self._cells.key_clicked.connect(self._on_cells_key_clicked)
        self._cells.view_changed.connect(self.view_changed)
        self._kept.thread_chosen.connect(self._on_kept_thread_chosen)

    def _arranged(self) -> QWidget:
        body, switches = QWidget(), QHBoxLayout()
        switches.setSpacing(10)
        switches.addWidget(self._label_switch)
        switches.addStretch(1)
        switches.addWidget(self._extent_switch)
        layout = QVBoxLayout(body)
        layout.setContentsMargins(_INSET, 0, _INSET, 12)
        layout.setSpacing(8)
        layout.addWidget(self._buffers)
        layout.addLayout(switches)
        layout.addWidget(self._cells)
        layout.addWidget(self._kept)
        layout.addStretch(1)
        return body

    def _show_head(self, picture: LayoutsPicture) -> None:
        self._buffers.show_picture(picture)
        self._label_switch.set_current(self._labels.value)
        self._label_switch.setVisible(not isinstance(picture.drawing, Conflict))
        self._extent_switch.set_current("whole" if self._is_whole else "corner")

    def _show_fragment(self, fragment: Fragment, shown: BufferChoice) -> str:
        size = shown_size(fragment.rows, fragment.columns, self._is_whole)
        first, last = fragment.thread_range
        if self._thread is not None and not first <= self._thread <= last:
            self._thread = first
        thread, selection = self._thread, _selection(shown)
        picture = FragmentPicture(fragment, thread, self._labels, self._is_whole, selection)
        self._cells.set_picture(picture, f"{fragment.name} by thread and register")
        self._kept.show_thread(fragment, thread, size, selection)
        self._kept.show()
        return fragment_conclusion(fragment)

    def _show_tile(self, tile: SharedTile, shown: BufferChoice) -> str:
        row, part = self._phase
        self._phase = phase = (min(row, tile.rows - 1), min(part, tile.parts - 1))
        picture = BankPicture(tile, phase, self._labels, self._is_whole, _selection(shown))
        self._cells.set_picture(picture, f"{tile.name} by bank")
        return shared_conclusion(tile, *phase)

    def _show_conflict(self, conflict: Conflict, shown: BufferChoice) -> str:
        picture = ConflictPicture(conflict, self._is_whole, _selection(shown))
        self._cells.set_picture(picture, f"The two layouts of {conflict.name}")
        return conflict_conclusion(conflict)

    def _on_kept_thread_chosen(self, thread: int | None) -> None:
        self._thread = thread
        self._show()

    def _on_buffers_line_requested(self) -> None:
        if self._picture_shown is not None:
            self.selected.emit(_selection(self._picture_shown.shown))

    def _on_label_switch_chosen(self, key: str) -> None:
        self._labels = Labels(key)
        self._show()

    def _on_extent_switch_chosen(self, key: str) -> None:
        self._is_whole = key == "whole"
        self._cells.reset_view()
        self._show()

    def _on_cells_key_clicked(self, key: object) -> None:
        match key:
            case ("thread", int(thread)):
                self._thread = None if thread == self._thread else thread
            case ("phase", int(row), int(part)):
                self._phase = (row, part)
            case _:
                return
        self._show()


def _selection(shown: BufferChoice) -> Selection:
    return Selection(line=shown.line, buffer=shown.name)


def _meant(buffers: tuple[BufferChoice, ...], selection: Selection | None) -> str | None:
    """The buffer that a selection means; None where it means none of these."""
    if selection is None:
        return None
    if selection.buffer is not None:
        return next((each.name for each in buffers if each.name == selection.buffer), None)
    here = (each.name for each in buffers if each.line == selection.line)
    return next(here, None) if selection.line is not None else None


def _why_nothing(target: LensTarget) -> str:
    if target.kernel is None or target.kernel.layouts is None:
        return f"The layouts are unknown: {target.why_missing('layouts')}."
    return "This kernel has neither fragments nor tiles in shared memory."
