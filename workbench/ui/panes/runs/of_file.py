"""Narrows the list to the file in front, and offers it runs of other paths."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from workbench.core.history import FileIdentity
from workbench.session.document_runs import Offer, counted
from workbench.ui.panes.runs.filters import FilterButton, Scope
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

_BUTTON = "This file"
_HEIGHT = 32
_LOOK = SeverityLook("link", "accent", "Offer")


class OfferBar(QFrame):
    """Says in one line which runs may be of a file, lists them, and attaches them."""

    #: The person wants to see those runs, or, where they are on show, those of the file.
    seen = Signal()
    #: The person says that all of them are of the file.
    attach_wanted = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "bar")
        self.setProperty("ground", "bg2")
        self._mark = SeverityMark(icons, _LOOK)
        self._text = ElidedLabel(icons.theme, "", TextRole.BODY, "fg")
        self.see_button = push_button(icons, "Show", "link")
        self.attach_button = push_button(icons, "Attach all", "link")
        self.setFixedHeight(_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 2, 12, 2)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self._text, 1)
        row.addWidget(self.see_button)
        row.addWidget(self.attach_button)
        self.see_button.clicked.connect(self.seen)
        self.attach_button.clicked.connect(self.attach_wanted)
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said."""
        return self._text.text

    def show_offer(self, offer: Offer | None, are_listed: bool) -> None:
        """Show an offer, whose runs may be those of the list; without any there is no bar."""
        self.setVisible(offer is not None and bool(offer.runs))
        if offer is None or not offer.runs:
            return
        name = offer.file.name
        self._text.set_text(offer.sentence)
        self.setAccessibleName(self._text.text)
        self.see_button.setText("Back" if are_listed else "Show")
        self.see_button.setToolTip(
            f"List the runs of {name}" if are_listed else f"List {counted(offer.runs)} to choose of"
        )
        self.attach_button.setToolTip(
            f"Have {counted(offer.runs)} among those of {name}; what they ran stays as it is"
        )


class OfFile(QObject):
    """What a pane of runs has for the file in front: a button, a bar, and what it filters by."""

    #: All runs that are offered are to be attached to the file.
    attach_wanted = Signal(FileIdentity)

    def __init__(self, icons: Icons, chosen: FilterButton, parent: QWidget) -> None:
        super().__init__(parent)
        self._filter = chosen
        self._offer: Offer | None = None
        self.file: FileIdentity | None = None
        self.button = FlatToolButton(icons, "", _BUTTON)
        self.button.set_icon("file", "fg2")
        self.button.setCheckable(True)
        self.bar = OfferBar(icons)
        self.button.clicked.connect(self._on_button_clicked)
        self.bar.seen.connect(self._on_bar_seen)
        self.bar.attach_wanted.connect(self._on_attach_wanted)
        chosen.changed.connect(self.refresh)
        self.refresh()

    @property
    def is_on(self) -> bool:
        """Whether the list has the runs of a file, or those that are offered to it."""
        return self._filter.scope is not Scope.ANY

    def set_slim(self, slim: bool) -> None:
        """Leave the words of the button out where there is little room."""
        self.button.setText("" if slim else _BUTTON)

    def set_file(self, file: FileIdentity | None) -> None:
        """Take the file in front; None where that was never saved: the filter keeps its own."""
        self.file = file
        self._filter.set_file(file)
        self.refresh()

    def set_offer(self, offer: Offer | None) -> None:
        """Take what is offered to the file; where that was on show and is no more, go back."""
        self._offer = offer
        if offer is not None and not offer.runs and self._filter.scope is Scope.OFFERED:
            self._filter.see(Scope.OWN)
        self.refresh()

    def refresh(self) -> None:
        """Show what there is to choose."""
        name = self.file.name if self.file is not None else ""
        tip = f"Only runs of {name}: made from it, or attached to it" if name else ""
        self.button.setToolTip(tip or "Only runs of the file in front, once one is saved")
        self.button.setEnabled(self.is_on or self.file is not None)
        self.button.setChecked(self.is_on)
        scope, offer, file = self._filter.scope, self._offer, self._filter.file
        is_its = offer is not None and file is not None and offer.file.path == file.path
        self.bar.show_offer(offer if is_its and self.is_on else None, scope is Scope.OFFERED)

    def _on_button_clicked(self) -> None:
        self._filter.see(Scope.ANY if self.is_on else Scope.OWN)

    def _on_bar_seen(self) -> None:
        listed = self._filter.scope is Scope.OFFERED
        self._filter.see(Scope.OWN if listed else Scope.OFFERED)

    def _on_attach_wanted(self) -> None:
        if self._offer is not None:
            self.attach_wanted.emit(self._offer.file)
