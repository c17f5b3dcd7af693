"""Puts off building a pane until somebody looks at it or asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

Pane = TypeVar("Pane", bound=QWidget)


class Deferred(Generic[Pane]):
    """A place in the window for a pane that is built once, when it is first wanted.

    The panes that the window opens behind a tab would else make up a third of its time to start:
    numpy alone takes as long to load as the editor.
    """

    def __init__(self, build: Callable[[], Pane]) -> None:
        self._build = build
        self._pane: Pane | None = None
        self.place = QWidget()
        layout = QVBoxLayout(self.place)
        layout.setContentsMargins(0, 0, 0, 0)

    @property
    def built(self) -> Pane | None:
        """The pane, or None as long as nobody wanted it."""
        return self._pane

    def wake(self) -> Pane:
        """The pane, which is built now unless it was."""
        if self._pane is None:
            self._pane = self._build()
            layout = self.place.layout()
            assert layout is not None
            layout.addWidget(self._pane)
        return self._pane
