"""Puts off building a pane until somebody looks at it or asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

Pane = TypeVar("Pane", bound=QWidget)


class Deferred(Generic[Pane]):
    """A place in the window for a pane that is built once, when it is first wanted.

    The panes that the window opens behind a tab would else make up a third of its time to start:
    numpy alone takes as long to load as the editor.
    """

    def __init__(self, build: Callable[[], Pane], when_shown: bool = False) -> None:
        """`when_shown`: the pane is wanted when its place is shown, whoever shows it."""
        self._build = build
        self._pane: Pane | None = None
        self.place: QWidget = _Place(self.wake) if when_shown else QWidget()
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
            self.place.setFocusProxy(self._pane)
        return self._pane


class _Place(QWidget):
    """Tells when it is shown, before anything of it is painted."""

    def __init__(self, shown: Callable[[], object]) -> None:
        super().__init__()
        self._shown = shown

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        self._shown()
        super().showEvent(event)
