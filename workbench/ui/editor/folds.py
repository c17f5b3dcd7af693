"""Which regions of a document are folded; all views of the document show the same folds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument

from workbench.ui.editor.folding import (
    InString,
    Region,
    enclosing_region,
    folded_text,
    is_header,
    region_at,
    regions,
)
from workbench.ui.editor.line_shift import LineShift

Lines = Callable[[], list[str]]


class Folds(QObject):
    """Folds regions by hiding their blocks; inner folds survive folding what is around them."""

    changed = Signal()

    def __init__(self, document: QTextDocument, lines: Lines, in_string: InString) -> None:
        super().__init__(document)
        self._document = document
        self._lines = lines
        self._in_string = in_string
        self._folded: set[int] = set()

    @property
    def folded(self) -> frozenset[int]:
        """The lines, from 0, into which something is folded."""
        return frozenset(self._folded)

    def is_header(self, line: int) -> bool:
        """Whether something can be folded into a line."""
        lines = self._lines()
        return line < len(lines) and is_header(lines, line, self._in_string)

    def region(self, line: int) -> Region | None:
        """What can be folded into a line, None where nothing can."""
        lines = self._lines()
        return region_at(lines, line, self._in_string) if line < len(lines) else None

    def summary(self, line: int) -> str:
        """What a folded line says of what it hides; empty where it is not folded."""
        region = self.region(line) if line in self._folded else None
        return folded_text(self._lines(), region) if region else ""

    def toggle(self, line: int) -> None:
        """Fold or unfold what belongs to a line."""
        if line in self._folded:
            self._folded.discard(line)
            self._show_state()
        elif self.is_header(line):
            self._folded.add(line)
            self._show_state()

    def fold_at(self, line: int) -> None:
        """Fold the innermost region that a line is in and that is not folded."""
        region = enclosing_region(self._lines(), line, self._in_string)
        if region and region.start not in self._folded:
            self.toggle(region.start)

    def fold_all(self) -> None:
        """Fold everything that can be folded."""
        self._folded = {region.start for region in regions(self._lines(), self._in_string)}
        self._show_state()

    def unfold_all(self) -> None:
        """Show every line."""
        self._folded.clear()
        self._show_state()

    def reveal(self, line: int) -> None:
        """Unfold whatever hides a line."""
        if self._document.findBlockByNumber(line).isVisible():
            return
        hiding = {head for head in self._folded if self._hides(head, line)}
        self._folded -= hiding
        self._show_state()

    def follow(self, shift: LineShift) -> None:
        """Keep the folds with their lines after an edit."""
        if self._folded:
            self._folded = set(shift.moved(dict.fromkeys(self._folded, True)))

    def refresh(self) -> None:
        """Hide what the folds hide now, after an edit that changed what belongs to them."""
        if self._folded:
            self._show_state()

    def _hides(self, head: int, line: int) -> bool:
        region = self.region(head)
        return region is not None and region.start < line <= region.end

    def _show_state(self) -> None:
        found = [self.region(line) for line in self._folded]
        self._folded = {region.start for region in found if region}
        hidden = {n for r in found if r for n in range(r.start + 1, r.end + 1)}
        block, is_changed = self._document.firstBlock(), False
        while block.isValid():
            visible = block.blockNumber() not in hidden
            if block.isVisible() != visible:
                block.setVisible(visible)
                # The scroll range is the sum of line counts, and a hidden block still counts its.
                block.setLineCount(max(1, block.layout().lineCount()) if visible else 0)
                is_changed = True
            block = block.next()
        if is_changed:
            layout = self._document.documentLayout()
            layout.update.emit()
            layout.documentSizeChanged.emit(layout.documentSize())
            self.changed.emit()
