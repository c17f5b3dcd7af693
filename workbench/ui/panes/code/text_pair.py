"""One text, or two side by side: joined where they differ, scrolled together, partly folded."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.session.code_inputs import comparison_key
from workbench.session.code_view import Content
from workbench.session.text_differences import Difference, compare
from workbench.ui.panes.code.connector import Connector
from workbench.ui.panes.code.marks import Marks
from workbench.ui.panes.code.text_panel import TextPanel
from workbench.ui.panes.code.text_view import TextView
from workbench.ui.theme.icons import Icons

_SHOWN_ABOVE = 3


class TextPair(QWidget):
    """The right text is the one that is read; the left one is there while it is compared."""

    #: The person wants the pass that is so many further in the list.
    step_requested = Signal(int)
    #: Which change is the current one, or how many there are, may be another now.
    changes_moved = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.left, self.right = TextPanel(icons), TextPanel(icons)
        self._connector = Connector(icons.theme, self.left.view, self.right.view)
        self._contents: tuple[Content | None, Content] | None = None
        self._difference: Difference | None = None
        self._opened: frozenset[int] = frozenset()
        self._is_following = False
        self._is_folding = True
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.left, 1)
        layout.addWidget(self._connector)
        layout.addWidget(self.right, 1)
        self.left.hide()
        self._connector.hide()
        self.setFocusProxy(self.right)
        for panel, other in ((self.left, self.right), (self.right, self.left)):
            self._connect(panel, other)

    @property
    def difference(self) -> Difference | None:
        """What differs; None while one text is shown alone."""
        return self._difference

    def show_contents(self, left: Content | None, right: Content) -> None:
        """Show a text, beside another where `left` is given."""
        if self._contents == (left, right):
            return
        self._contents = (left, right)
        texts = [None if side is None else _lines(side.text) for side in (left, right)]
        self._difference = None
        if texts[0] is not None and texts[1] is not None:
            self._difference = compare(texts[0], texts[1], comparison_key(right.language))
        self._opened = self._opened_at_first()
        self._show_side(self.left, left, texts[0])
        self._show_side(self.right, right, texts[1])
        self._set_comparing(left is not None)
        self._apply_marks()
        if self._difference is not None:
            self.go_to_change(0)
        self.changes_moved.emit()

    def set_stale(self, stale: bool) -> None:
        """Show the texts pale."""
        for panel in (self.left, self.right):
            panel.view.set_stale(stale)

    def go_to_change(self, number: int) -> None:
        """Show the change of that number, from 0, with some lines above it."""
        changes = self._difference.changes if self._difference else ()
        if not 0 <= number < len(changes):
            return
        view, line = self.right.view, changes[number].right[0]
        for side, start in ((self.left.view, changes[number].left[0]), (view, line)):
            side.show_line(min(start, side.document().blockCount() - 1))
        view.scroll_line_to(line, _SHOWN_ABOVE * view.row_height())
        self._follow(self.right.view, self.left.view)
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
        line = self.right.view.current_line()
        starts = [hunk.right[0] for hunk in self._difference.changes]
        return max((n for n, start in enumerate(starts) if start <= line), default=None)

    def set_folded(self, folded: bool) -> None:
        """Hide equal lines, or show them all, now and in what is shown next."""
        self._is_folding = folded
        self._opened = self._opened_at_first()
        self._apply_marks()

    def _opened_at_first(self) -> frozenset[int]:
        folds = self._difference.folds if self._difference is not None else ()
        return frozenset() if self._is_folding else frozenset(range(len(folds)))

    def _connect(self, panel: TextPanel, other: TextPanel) -> None:
        view = panel.view
        view.verticalScrollBar().valueChanged.connect(
            lambda _: self._follow(panel.view, other.view)
        )
        view.horizontalScrollBar().valueChanged.connect(other.view.horizontalScrollBar().setValue)
        view.fold_clicked.connect(self._on_fold_opened)
        view.fold_entered.connect(self._on_fold_opened)
        view.cursorPositionChanged.connect(self.changes_moved)
        view.zoomed.connect(other.view.buffer.set_code_pixels)
        view.key_actions = self._keys(panel)

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

    def _show_side(
        self, panel: TextPanel, content: Content | None, lines: tuple[str, ...] | None
    ) -> None:
        if content is not None and lines is not None:
            panel.view.show_text(lines, content.language)

    def _set_comparing(self, is_on: bool) -> None:
        self.left.setVisible(is_on)
        self._connector.setVisible(is_on)
        for panel, content in zip((self.left, self.right), self._contents or (), strict=True):
            panel.set_title(content.title if is_on and content is not None else "")

    def _apply_marks(self) -> None:
        found = self._difference
        for panel, is_left in ((self.left, True), (self.right, False)):
            marks = Marks(found, is_left, self._opened) if found is not None else None
            panel.view.set_marks(marks)
        self._connector.set_difference(found)
        self._follow(self.right.view, self.left.view)

    def _on_fold_opened(self, number: int) -> None:
        self._opened |= {number}
        self._apply_marks()

    def _follow(self, moved: TextView, other: TextView) -> None:
        """Scroll the other text so that the lines of one place stand at one height.

        That height is the top of the view at the start of the text, and its foot at the end.
        """
        if self._is_following or self._difference is None:
            return
        self._is_following = True
        bar = moved.verticalScrollBar()
        share = bar.value() / bar.maximum() if bar.maximum() else 0.0
        y = share * (moved.viewport().height() - moved.row_height())
        place = self._difference.opposite(moved.line_at(y), from_left=moved is self.left.view)
        other.scroll_line_to(place, y)
        self._is_following = False
        self._connector.update()


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n"))
