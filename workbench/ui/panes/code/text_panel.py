"""A text with its title, and the bars in which it is searched and a line is gone to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.editor.find_bar import FindBar
from workbench.ui.editor.go_to_bar import GoToBar
from workbench.ui.editor.problems import position
from workbench.ui.editor.search import Search
from workbench.ui.panes.code.text_view import TextView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import hairline, text_label

_TITLE_HEIGHT = 24
_TITLE_INSET = 12


class TextPanel(QWidget):
    """Ctrl+F searches, F3 and Shift+F3 go on, Ctrl+G goes to a line, Escape closes the bars."""

    def __init__(self, icons: Icons, view: TextView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = view
        self.search = Search(self.view)
        self._text = ""
        self._title = text_label(icons.theme, "", TextRole.STRONG_LABEL, "fg3")
        self._title.setFixedHeight(_TITLE_HEIGHT)
        self._title.setContentsMargins(_TITLE_INSET, 0, _TITLE_INSET, 0)
        self._title.setMinimumWidth(1)
        self._line = hairline()
        self._find_bar = FindBar(icons, self.search)
        _hide_replacement(self._find_bar)
        self._go_to_bar = GoToBar()
        self._lay_out()
        self.setFocusProxy(self.view)
        self.set_title("")
        self._find_bar.closed.connect(self.view.setFocus)
        self._go_to_bar.closed.connect(self.view.setFocus)
        self._go_to_bar.wanted.connect(self._on_line_wanted)

    @property
    def title(self) -> str:
        """The title, which is shown only where there is one."""
        return self._text

    def set_title(self, title: str) -> None:
        """Name the text, where two are side by side."""
        self._text = title
        self._title.setVisible(bool(title))
        self._line.setVisible(bool(title))
        self._title.setToolTip(title)
        self._elide()

    def open_find(self) -> None:
        """Open the find bar on what is selected."""
        self._go_to_bar.hide()
        selected = self.view.textCursor().selectedText().replace("\u2029", "\n")
        self._find_bar.open(selected, with_replace=False)

    def open_go_to_line(self) -> None:
        """Open the bar in which a line is typed."""
        self._find_bar.hide()
        self.search.stop()
        view = self.view
        self._go_to_bar.open(view.line_of(view.current_line()) + 1, view.line_count())

    def close_bars(self) -> bool:
        """Close what is open; False where nothing is."""
        bars = [bar for bar in (self._find_bar, self._go_to_bar) if bar.isVisible()]
        for bar in bars:
            bar.close_bar()
        return bool(bars)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._elide()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self._title, self._line, self._find_bar, self._go_to_bar):
            layout.addWidget(part)
        layout.addWidget(self.view, 1)
        self._find_bar.hide()
        self._go_to_bar.hide()

    def _elide(self) -> None:
        room = self.width() - 2 * _TITLE_INSET
        metrics = QFontMetrics(self._title.font())
        self._title.setText(metrics.elidedText(self._text, Qt.TextElideMode.ElideMiddle, room))

    def _on_line_wanted(self, line: int, column: int) -> None:
        row = self.view.row_of(line - 1) + 1
        self.view.show_position(position(self.view.document(), row, column))


def _hide_replacement(bar: FindBar) -> None:
    """Take away the button that opens the row for replacing: the text is only read."""
    for button in bar.findChildren(FlatToolButton):
        if "replacement" in button.toolTip():
            button.hide()
