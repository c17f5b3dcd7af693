"""The rows of the tile map that are there for some kernels only: slices, and the other order."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.session.lenses.tiles.words import Offer, swizzle_call, times
from workbench.ui.editor.appearance import code_font
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import text_label


class SliceRow(QWidget):
    """Chooses the slice of a grid of three axes."""

    changed = Signal(int)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count, self._which, self._axis = 1, 0, "bz"
        self._back = FlatToolButton(icons, "The slice before")
        self._back.set_icon("chevron-left", "fg2")
        self._next = FlatToolButton(icons, "The next slice")
        self._next.set_icon("chevron-right", "fg2")
        self._label = text_label(icons.theme, "", TextRole.STRONG_LABEL, "fg")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(text_label(icons.theme, "Slice of the grid", TextRole.LABEL, "fg2"))
        for each in (self._back, self._label, self._next):
            layout.addWidget(each)
        layout.addStretch(1)
        self._back.clicked.connect(lambda: self.changed.emit(self._which - 1))
        self._next.clicked.connect(lambda: self.changed.emit(self._which + 1))

    def set_slices(self, axis: str, which: int, count: int) -> None:
        """Show which slice of so many is shown; a grid of one has no row."""
        self._axis, self._which, self._count = axis, which, count
        self._label.setText(f"{axis} {which} of {count}")
        self._back.setEnabled(which > 0)
        self._next.setEnabled(which + 1 < count)
        self.setVisible(count > 1)


class OfferRow(QWidget):
    """Another order of the blocks: what it would give, to look at and to write."""

    preview_toggled = Signal(bool)
    apply_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._call = text_label(icons.theme, "", TextRole.LABEL, "fg")
        self._call.setFont(code_font(TextRole.LABEL.pixels))
        self._text = ElidedLabel(icons.theme, "", TextRole.LABEL)
        self.preview = push_button(icons, "Preview")
        self.preview.setCheckable(True)
        self.preview.setToolTip("Show the grid in this order")
        self.apply = push_button(icons, "Write it")
        self.apply.setToolTip("Write the call into the kernel")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self._call)
        layout.addWidget(self._text, 1)
        layout.addWidget(self.preview)
        layout.addWidget(self.apply)
        self.preview.toggled.connect(self.preview_toggled)
        self.apply.clicked.connect(self.apply_requested)

    def set_offer(self, offer: Offer | None, can_apply: bool) -> None:
        """Show what is offered; without an offer there is no row."""
        self.setVisible(offer is not None)
        if offer is None:
            self.preview.setChecked(False)
            return
        self._call.setText(f"T.{swizzle_call(offer.swizzle)}")
        self._text.set_text(f"{times(offer.now.factor)} → {times(offer.then.factor)}")
        self._text.setAccessibleDescription("L2 reuse in a wave, now and in this order")
        self.apply.setVisible(can_apply)
