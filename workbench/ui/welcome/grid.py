"""Lays widgets of one width out in rows, as many a row as the room allows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


def columns_for(width: int, count: int, least: int, gap: int) -> int:
    """How many columns of at least `least` px fit, so that no row is left nearly empty."""
    most = max(1, min(count, (width + gap) // (least + gap)))
    rows = -(-count // most)
    return -(-count // rows)


class EvenGrid(QWidget):
    """Its height follows from its width; the last row is as wide as the others."""

    def __init__(self, least: int, gap: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least, self._gap = least, gap
        self._items: tuple[QWidget, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def items(self) -> tuple[QWidget, ...]:
        """What is laid out."""
        return self._items

    def set_items(self, items: Sequence[QWidget]) -> None:
        """Lay out other widgets; those of before are deleted."""
        for item in self._items:
            item.setParent(None)
            item.deleteLater()
        self._items = tuple(items)
        for item in self._items:
            item.setParent(self)
            item.show()
        self.refresh()

    def refresh(self) -> None:
        """Lay out anew, as the widgets ask for other heights now."""
        self._place(self.width())
        self.updateGeometry()

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        rows = self._rows(width)
        return sum(self._row_heights(rows)) + self._gap * max(0, len(rows) - 1)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        width = max(self.width(), self._least)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(self._least, self.heightForWidth(max(self.width(), self._least)))

    def event(self, event: QEvent) -> bool:
        """A widget asks for another height once what was put into it is shown."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.refresh()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._place(event.size().width())
        self.updateGeometry()

    def _rows(self, width: int) -> list[tuple[QWidget, ...]]:
        count = columns_for(width, max(1, len(self._items)), self._least, self._gap)
        return [self._items[at : at + count] for at in range(0, len(self._items), count)]

    def _row_heights(self, rows: Sequence[Sequence[QWidget]]) -> list[int]:
        return [max(item.sizeHint().height() for item in row) for row in rows]

    def _place(self, width: int) -> None:
        top, rows = 0, self._rows(width)
        for row, height in zip(rows, self._row_heights(rows), strict=True):
            each = (width - self._gap * (len(row) - 1)) / len(row)
            for at, item in enumerate(row):
                left, right = (round(n * each + at * self._gap) for n in (at, at + 1))
                item.setGeometry(left, top, right - left, height)
            top += height + self._gap
