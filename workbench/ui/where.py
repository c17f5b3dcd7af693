"""Where kernels are verified and measured: the person's choice, and the menus it is made in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from workbench.core.hosts import LOCAL
from workbench.session.hosts.glances import glances
from workbench.session.hosts.places import DEVICE, SIMULATOR, Place, PlaceError
from workbench.session.jobs import WorkerStatus
from workbench.session.place_choices import (
    PlaceChoice,
    PlaceGroup,
    choice_of,
    first_usable,
    place_groups,
)
from workbench.session.session import Session

VERIFY, PROFILE = "verify", "profile"
_NOWHERE = "No machine with a GPU is known: this one has none, and no host has been added."
_LEAST_WIDTH = 300


class Where(QObject):
    """Two choices, as one verifies in the simulator what one measures on a GPU.

    The choice for a profile follows the first GPU there is until the person has made one.
    """

    #: Another place is chosen, or what is known of the places is other now.
    changed = Signal()
    #: The person wants to see or change the hosts.
    hosts_requested = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chosen: dict[str, Place | None] = {VERIFY: Place(LOCAL, SIMULATOR), PROFILE: None}
        self.with_counters = self.with_all = False
        session.jobs.worker_changed.connect(lambda _: self.changed.emit())
        session.hosts.changed.connect(self.changed.emit)

    @property
    def is_known(self) -> bool:
        """Whether this machine's worker has told what GPUs it sees."""
        return self._session.jobs.state.status in (WorkerStatus.READY, WorkerStatus.LOST)

    def groups(self, purpose: str) -> tuple[PlaceGroup, ...]:
        """The places for a purpose, by machine."""
        pool = self._session.hosts
        return place_groups(self._session.jobs.state, glances(pool), purpose == PROFILE)

    def choice(self, purpose: str) -> PlaceChoice | None:
        """The place in force; None where there is none that could be used."""
        groups, chosen = self.groups(purpose), self._chosen[purpose]
        if chosen is not None:
            found = choice_of(groups, chosen)
            if found is not None:
                return found
        return first_usable(groups) if purpose == PROFILE else choice_of(groups, _SIMULATOR)

    def why_none(self) -> str:
        """Why there is no place to measure on, in a sentence."""
        groups = self.groups(PROFILE)
        reasons = [f"{g.title}: {c.why_not}" for g in groups for c in g.choices if c.why_not]
        hosts = [reason for reason in reasons if not reason.startswith("This machine")]
        return f"{'; '.join(reasons)}." if hosts else _NOWHERE

    def choose(self, purpose: str, place: Place) -> None:
        """Use another place from now on."""
        self._chosen[purpose] = place
        self.changed.emit()

    def menu(self, purpose: str, parent: QWidget) -> QMenu:
        """The places as a menu; those that cannot be used are there with the reason."""
        menu = QMenu(parent)
        menu.setToolTipsVisible(True)
        menu.setMinimumWidth(_LEAST_WIDTH)
        chosen = self.choice(purpose)
        group = QActionGroup(menu)
        for each in self.groups(purpose):
            menu.addSeparator()
            for choice in each.choices:
                group.addAction(self._entry(menu, purpose, choice, chosen))
        menu.addSeparator()
        if purpose == PROFILE:
            self._add_options(menu)
        menu.addAction("Hosts…").triggered.connect(self.hosts_requested)
        return menu

    def popup(self, purpose: str, parent: QWidget, at: QPoint) -> QMenu:
        """Open the menu of places at a point of the screen."""
        menu = self.menu(purpose, parent)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)
        return menu

    def state(self) -> dict[str, Any]:
        """The choices, as JSON can hold them."""
        texts = {key: each.text for key, each in self._chosen.items() if each is not None}
        counters = {"counters": self.with_counters, "all_counters": self.with_all}
        return {"version": 1, **texts, **counters}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring saved choices back; a host that is gone costs that choice."""
        if state.get("version") != 1:
            return
        for purpose in (VERIFY, PROFILE):
            text = state.get(purpose)
            if isinstance(text, str):
                self._take(purpose, text)
        self.with_counters = state.get("counters") is True
        self.with_all = state.get("all_counters") is True
        self.changed.emit()

    def _take(self, purpose: str, text: str) -> None:
        try:
            place = self._session.hosts.place(text)
        except PlaceError:
            return
        if purpose == VERIFY or place.engine == DEVICE:
            self._chosen[purpose] = place

    def _entry(
        self, menu: QMenu, purpose: str, choice: PlaceChoice, chosen: PlaceChoice | None
    ) -> QAction:
        note = choice.why_not or choice.note
        action = menu.addAction(f"{choice.title}\t{_cut(note)}" if note else choice.title)
        action.setToolTip(f"{choice.title}: {note}" if note else choice.title)
        action.setCheckable(True)
        action.setChecked(chosen is not None and chosen.place == choice.place)
        action.setEnabled(choice.is_usable)
        action.triggered.connect(lambda *_: self.choose(purpose, choice.place))
        return action

    def _add_options(self, menu: QMenu) -> None:
        counters = menu.addAction("With hardware counters\tthose that are predicted, and lines")
        counters.setCheckable(True)
        counters.setChecked(self.with_counters)
        counters.toggled.connect(lambda on: self.ask_for(on, on and self.with_all))
        every = menu.addAction("With all of them\tstalls and pipes too; takes longer")
        every.setCheckable(True)
        every.setChecked(self.with_all)
        every.toggled.connect(lambda on: self.ask_for(on or self.with_counters, on))
        menu.addSeparator()

    def ask_for(self, counters: bool, full: bool) -> None:
        """Have the counters read from now on that predictions are held against, or all, or none."""
        self.with_counters, self.with_all = counters, full
        self.changed.emit()


def _cut(text: str, most: int = 52) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


_SIMULATOR = Place(LOCAL, SIMULATOR)
