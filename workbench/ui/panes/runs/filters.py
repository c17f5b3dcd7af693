"""The button whose menu filters runs: by kernel, target, host, date, how they ended, tag, pin."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from workbench.core.history import FileIdentity, FilterChoices, RunFilter
from workbench.core.runs import RunKind, RunStatus
from workbench.ui.panes.runs.wording import KIND_WORDS, STATUS_LOOKS
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PickerButton

_ALL = "Filter"
_DAYS = {"Today": 1, "Last 7 days": 7, "Last 30 days": 30, "Last year": 365}
_MOST_NAMED = 2
_FILE = "document"


class Scope(enum.Enum):
    """Which runs as to the file in front: any, those of it, or those that are offered to it."""

    ANY = "any"
    OWN = "own"
    OFFERED = "offered"


class FilterButton(PickerButton):
    """Holds a filter without its words; its text says what is filtered by."""

    #: Other runs are wanted.
    changed = Signal()
    #: The menu opens: `set_choices` gives it the values that runs have.
    choices_wanted = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(icons, "Filter by kernel, target, host, date, state or tag", _ALL, parent)
        self._value = RunFilter()
        self._named: dict[str, str] = {}
        self._choices = FilterChoices()
        self._file: FileIdentity | None = None
        self.scope = Scope.ANY
        menu = QMenu(self)
        menu.aboutToShow.connect(self._on_menu_opened)
        self.setMenu(menu)

    @property
    def value(self) -> RunFilter:
        """What is asked for."""
        return self._value

    @property
    def words(self) -> str:
        """What is asked for, in words; "" where all runs are."""
        return ", ".join(self._named.values())

    def set_choices(self, choices: FilterChoices) -> None:
        """Take the values that can be chosen."""
        self._choices = choices

    @property
    def file(self) -> FileIdentity | None:
        """The file whose runs can be asked for."""
        return self._file

    def set_file(self, file: FileIdentity | None) -> None:
        """Take the file in front; a filter by file follows it, and keeps the last one else."""
        if file is None or file == self._file:
            return
        is_other = self._file is None or self._file.path != file.path
        self._file = file
        if self.scope is Scope.OFFERED or (is_other and self.scope is Scope.OWN):
            self.see(self.scope)

    def see(self, scope: Scope) -> None:
        """Ask for the runs of the file, or for others."""
        file = self._file
        self.scope = scope if file is not None else Scope.ANY
        named = {name: words for name, words in self._named.items() if name != _FILE}
        if self.scope is not Scope.ANY and file is not None:
            named[_FILE] = file.name if scope is Scope.OWN else f"offered to {file.name}"
        own = file.path if file is not None and self.scope is Scope.OWN else None
        offered = file if self.scope is Scope.OFFERED else None
        self._take(replace(self._value, document=own, offered=offered), named)

    def clear(self) -> None:
        """Ask for all runs."""
        self.scope = Scope.ANY
        self._take(RunFilter(), {})

    def choose(self, field: str, value: Any, title: str) -> None:
        """Ask for runs with a value of a field; None for any."""
        named = {name: words for name, words in self._named.items() if name != field}
        if value is not None:
            named[field] = title
        self._take(replace(self._value, **{field: value}), named)

    def _take(self, value: RunFilter, named: dict[str, str]) -> None:
        self._value, self._named = value, named
        words = [each for name, each in named.items() if name != _FILE]  # which has a button
        more = f" +{len(words) - _MOST_NAMED}" if len(words) > _MOST_NAMED else ""
        self.setText(", ".join(words[:_MOST_NAMED]) + more if words else _ALL)
        self.setToolTip(f"Filtered by {self.words}" if words else "Filter the list of runs")
        self.updateGeometry()
        self.changed.emit()

    def _on_menu_opened(self) -> None:
        self.choices_wanted.emit()
        menu = self.menu()
        menu.clear()
        choices = self._choices
        self._add_file()
        self._add("Kernel", "kernel", _plain(choices.kernels))
        self._add("Target", "target", _plain(choices.targets))
        self._add("Host", "host", _plain(choices.hosts))
        self._add_dates()
        self._add("Run", "kind", [(KIND_WORDS[kind], kind) for kind in RunKind])
        self._add("Ended", "status", [(STATUS_LOOKS[each].word, each) for each in RunStatus])
        self._add("Tag", "tag", _plain(choices.tags))
        menu.addSeparator()
        pinned = menu.addAction("Pinned Only")
        pinned.setCheckable(True)
        pinned.setChecked(self._value.pinned is True)
        pinned.triggered.connect(lambda on: self.choose("pinned", on or None, "pinned"))
        menu.addSeparator()
        clear = menu.addAction("Clear the Filter")
        clear.setEnabled(bool(self._named))
        clear.triggered.connect(self.clear)

    def _add(self, title: str, field: str, entries: Sequence[tuple[str, Any]]) -> None:
        """A menu of the values of a field, the chosen one ticked."""
        menu = self.menu().addMenu(title)
        menu.setEnabled(bool(entries))
        current = getattr(self._value, field)
        for words, value in (("Any", None), *entries):
            action = menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(current == value)
            action.triggered.connect(
                lambda _=False, value=value, words=words: self.choose(field, value, words)
            )
            if value is None:
                menu.addSeparator()

    def _add_file(self) -> None:
        """The file in front, where there is one."""
        if self._file is None:
            return
        action = self.menu().addAction(f"Only {self._file.name}".replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(self.scope is Scope.OWN)
        action.triggered.connect(lambda on: self.see(Scope.OWN if on else Scope.ANY))
        self.menu().addSeparator()

    def _add_dates(self) -> None:
        menu = self.menu().addMenu("Date")
        for words, days in (("Any", 0), *_DAYS.items()):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(self._named.get("since", "Any") == words)
            action.triggered.connect(
                lambda _=False, words=words, days=days: self.choose("since", _since(days), words)
            )


def _plain(values: Sequence[str]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


def _since(days: int) -> datetime | None:
    """The beginning of the day, local time, from which on so many days count; None: any."""
    if not days:
        return None
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days - 1)
