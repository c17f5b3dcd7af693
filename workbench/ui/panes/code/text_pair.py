"""One text, or two compared: side by side where there is room, else in one column."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.session.code_inputs import comparison_key
from workbench.session.code_unified import UnifiedText, unify
from workbench.session.code_view import Content, unified_title
from workbench.session.text_differences import Difference, compare
from workbench.ui.panes.code.connector import Connector
from workbench.ui.panes.code.marks import SideMarks, UnifiedMarks
from workbench.ui.panes.code.text_panel import TextPanel
from workbench.ui.panes.code.text_view import TextView
from workbench.ui.panes.code.unified_view import UnifiedView
from workbench.ui.theme.icons import Icons

_SHOWN_ABOVE = 3
# With less room than this two texts side by side show too little of each line.
LEAST_WIDTH_OF_TWO = 700


class TextPair(QWidget):
    """The right text is the one that is read; the left one is there while it is compared."""

    #: The person wants the pass that is so many further in the list.
    step_requested = Signal(int)
    #: Which change is the current one, or how many there are, may be another now.
    changes_moved = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self.left, self.right = (TextPanel(icons, TextView(theme)) for _ in range(2))
        self._column = UnifiedView(theme)
        self.unified = TextPanel(icons, self._column)
        self._connector = Connector(theme, self.left.view, self.right.view)
        self._contents: tuple[Content | None, Content] | None = None
        self._difference: Difference | None = None
        self._in_one: UnifiedText | None = None
        self._opened: frozenset[int] = frozenset()
        self._is_following = False
        self._is_folding = True
        self._lay_out()
        for panel, other in ((self.left, self.right), (self.right, self.left)):
            self._connect(panel)
            self._join(panel, other)
        self._connect(self.unified)

    @property
    def difference(self) -> Difference | None:
        """What differs; None while one text is shown alone."""
        return self._difference

    @property
    def is_unified(self) -> bool:
        """Whether what is compared stands in one column."""
        return not self.unified.isHidden()

    @property
    def reader(self) -> TextPanel:
        """Where the text is read."""
        return self.unified if self.is_unified else self.right

    def show_contents(self, left: Content | None, right: Content) -> None:
        """Show a text, compared with another where `left` is given."""
        if self._contents == (left, right):
            return
        self._contents = (left, right)
        self._difference = self._in_one = None
        lines = _lines(right.text)
        if left is not None:
            key = comparison_key(right.language)
            self._difference = compare(_lines(left.text), lines, key)
            self.left.view.show_text(self._difference.left, left.language)
        self.right.view.show_text(lines, right.language)
        self._opened = self._opened_at_first()
        self._arrange()
        self._apply_marks()
        self.go_to_change(0)
        self.changes_moved.emit()

    def set_stale(self, stale: bool) -> None:
        """Show the texts pale."""
        for panel in (self.left, self.right, self.unified):
            panel.view.set_stale(stale)

    def go_to_change(self, number: int) -> None:
        """Show the change of that number, from 0, with some lines above it."""
        changes = self._difference.changes if self._difference else ()
        if not 0 <= number < len(changes):
            return
        if self._in_one is not None and self.is_unified:
            _show(self._column, self._in_one.starts[number])
        else:
            change, other = changes[number], self.left.view
            other.show_line(min(change.left[0], other.document().blockCount() - 1))
            _show(self.right.view, change.right[0])
            self._follow(self.right.view, other)
        self.changes_moved.emit()

    def step_change(self, by: int) -> None:
        """Go to the next change, or with -1 to the one before."""
        current = self.current_change()
        if self._difference is not None and self._difference.changes:
            last = len(self._difference.changes) - 1
            before_first = current is None and by > 0
            self.go_to_change(0 if before_first else min(max((current or 0) + by, 0), last))

    def current_change(self) -> int | None:
        """The number of the last change at or above the cursor; None above all."""
        if self._difference is None:
            return None
        line = self.reader.view.current_line()
        if self._in_one is not None and self.is_unified:
            return self._in_one.change_before(line)
        starts = [hunk.right[0] for hunk in self._difference.changes]
        return max((n for n, start in enumerate(starts) if start <= line), default=None)

    def set_folded(self, folded: bool) -> None:
        """Hide equal lines, or show them all, now and in what is shown next."""
        self._is_folding = folded
        self._opened = self._opened_at_first()
        self._apply_marks()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the current change in sight where the texts are arranged anew."""
        super().resizeEvent(event)
        current = self.current_change()
        if self._arrange():
            self._apply_marks()
            self.go_to_change(current or 0)

    def _opened_at_first(self) -> frozenset[int]:
        folds = self._difference.folds if self._difference is not None else ()
        return frozenset() if self._is_folding else frozenset(range(len(folds)))

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.left, 1)
        layout.addWidget(self._connector)
        layout.addWidget(self.right, 1)
        layout.addWidget(self.unified, 1)
        for part in (self.left, self._connector, self.unified):
            part.hide()
        self.setFocusProxy(self.right)

    def _arrange(self) -> bool:
        """Put a comparison into two columns or one; whether that is new."""
        in_one = self._difference is not None and self.width() < LEAST_WIDTH_OF_TWO
        in_two = self._difference is not None and not in_one
        before = self.is_unified, not self.left.isHidden()
        if in_one and self._in_one is None and self._contents is not None and self._difference:
            self._in_one = unify(self._difference)
            self._column.show_unified(self._in_one, self._contents[1].language)
        had_focus = self.isAncestorOf(self.focusWidget()) if self.focusWidget() else False
        self.unified.setVisible(in_one)
        self.right.setVisible(not in_one)
        for part in (self.left, self._connector):
            part.setVisible(in_two)
        self._name(in_two)
        self.setFocusProxy(self.reader)
        if had_focus and (in_one, in_two) != before:
            self.reader.setFocus()
        return (in_one, in_two) != before

    def _name(self, in_two: bool) -> None:
        """Name the texts where there are two of them."""
        left, right = self._contents or (None, None)
        names = [side.title if in_two and side is not None else "" for side in (left, right)]
        for panel, name in zip((self.left, self.right), names, strict=True):
            panel.set_title(name)
        both = left is not None and right is not None
        self.unified.set_title(unified_title(left, right) if both and left and right else "")

    def _connect(self, panel: TextPanel) -> None:
        view = panel.view
        view.fold_clicked.connect(self._on_fold_opened)
        view.fold_entered.connect(self._on_fold_opened)
        view.cursorPositionChanged.connect(self.changes_moved)
        view.zoomed.connect(self._on_zoomed)
        view.key_actions = self._keys(panel)

    def _join(self, panel: TextPanel, other: TextPanel) -> None:
        """Let the other text scroll with this one."""
        view = panel.view
        view.verticalScrollBar().valueChanged.connect(
            lambda _: self._follow(panel.view, other.view)
        )
        view.horizontalScrollBar().valueChanged.connect(other.view.horizontalScrollBar().setValue)

    def _keys(self, panel: TextPanel) -> dict[str, Callable[[], object]]:
        view = panel.view
        return {
            "Ctrl+F": panel.open_find,
            "F3": panel.search.go_next,
            "Shift+F3": panel.search.go_previous,
            "Ctrl+G": panel.open_go_to_line,
            "Esc": panel.close_bars,
            "Ctrl++": lambda: view.zoom(1),
            "Ctrl+=": lambda: view.zoom(1),
            "Ctrl+-": lambda: view.zoom(-1),
            "Ctrl+0": view.reset_zoom,
            "J": lambda: self.step_requested.emit(1),
            "K": lambda: self.step_requested.emit(-1),
            "N": lambda: self.step_change(1),
            "P": lambda: self.step_change(-1),
        }

    def _apply_marks(self) -> None:
        found = self._difference
        for panel, is_left in ((self.left, True), (self.right, False)):
            marks = SideMarks(found, is_left, self._opened) if found is not None else None
            panel.view.set_marks(marks)
        in_one = self._in_one
        self._column.set_marks(UnifiedMarks(in_one, self._opened) if in_one is not None else None)
        self._connector.set_difference(found)
        self._follow(self.right.view, self.left.view)

    def _on_fold_opened(self, number: int) -> None:
        self._opened |= {number}
        self._apply_marks()

    def _on_zoomed(self, pixels: int) -> None:
        for panel in (self.left, self.right, self.unified):
            panel.view.buffer.set_code_pixels(pixels)

    def _follow(self, moved: TextView, other: TextView) -> None:
        """Scroll the other text so that the lines of one place stand at one height.

        That height is the top of the view at the start of the text, and its foot at the end.
        """
        if self._is_following or self._difference is None or self.is_unified:
            return
        self._is_following = True
        bar = moved.verticalScrollBar()
        share = bar.value() / bar.maximum() if bar.maximum() else 0.0
        y = share * (moved.viewport().height() - moved.row_height())
        place = self._difference.opposite(moved.line_at(y), from_left=moved is self.left.view)
        other.scroll_line_to(place, y)
        self._is_following = False
        self._connector.update()


def _show(view: TextView, line: int) -> None:
    """Put the cursor on a line, with some lines in sight above it."""
    view.show_line(min(line, view.document().blockCount() - 1))
    view.scroll_line_to(line, _SHOWN_ABOVE * view.row_height())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n"))
