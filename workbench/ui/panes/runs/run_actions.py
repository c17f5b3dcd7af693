"""What can be done with the runs that are selected, as the actions of their list's menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from workbench.core.comparison.comparing import FEWEST, MOST
from workbench.core.history import FileIdentity
from workbench.core.runs import Run, RunKind
from workbench.ui.theme.icons import Icons

_REPEATABLE = (RunKind.COMPILE, RunKind.VERIFY, RunKind.PROFILE, RunKind.PREDICT)


@dataclass(frozen=True)
class _Record:
    """An action: for which number of runs it is there, and what it is called for a selection."""

    key: str
    title: str
    icon: str | None
    fewest: int = 1
    most: int | None = None
    keys: QKeySequence.StandardKey | None = None


_RECORDS = (
    _Record("compare", "Compare the Selected Runs", "compare", FEWEST, MOST),
    _Record("text", "Open the Text That It Ran", None, 1, 1),
    _Record("repeat", "Repeat", "refresh", 1, 1),
    _Record("pin", "Pin as Baseline", "pin"),
    _Record("tag", "Tags…", None),
    _Record("note", "Note…", None),
    _Record("attach", "Attach to the File in Front", "link"),
    _Record("detach", "Detach from the File in Front", None),
    _Record("export", "Export…", "upload"),
    _Record("delete", "Delete", None, keys=QKeySequence.StandardKey.Delete),
)
#: What is done with all runs of the list, those too that are not loaded.
_DELETE_ALL = _Record("delete-all", "Delete All Runs of the List", None, fewest=0)


class RunActions(QObject):
    """The actions stand before the others of `table`; each says which runs it is for."""

    #: The key of an action, and the ids of the runs from the oldest.
    wanted = Signal(str, tuple)
    #: All runs of the list are to go.
    delete_all_wanted = Signal()

    def __init__(self, icons: Icons, table: QWidget, selected: Callable[[], Sequence[Run]]) -> None:
        super().__init__(table)
        self._selected = selected
        self._file: FileIdentity | None = None
        self.by_key: dict[str, QAction] = {}
        others = table.actions()
        for record in (*_RECORDS, _DELETE_ALL):
            action = QAction(record.title, table)
            if record.icon is not None:
                icons.assign(action, record.icon)
            if record.keys is not None:
                action.setShortcut(QKeySequence(record.keys))
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            if record is _DELETE_ALL:
                action.triggered.connect(self.delete_all_wanted)
            else:
                action.triggered.connect(lambda _=False, key=record.key: self._emit(key))
            table.insertAction(others[0] if others else QAction(), action)
            self.by_key[record.key] = action
        separator = QAction(table)
        separator.setSeparator(True)
        table.insertAction(others[0] if others else QAction(), separator)
        self.refresh()

    def refresh(self) -> None:
        """Enable what can be done with the runs that are selected now."""
        runs = self._selected()
        count = len(runs)
        for record in _RECORDS:
            most = record.most if record.most is not None else count
            self.by_key[record.key].setEnabled(record.fewest <= count <= most)
        for key, can in (("text", _has_text), ("repeat", _can_repeat)):
            action = self.by_key[key]
            action.setEnabled(action.isEnabled() and all(can(run) for run in runs))
        self._refresh_file(runs)
        is_pinned = bool(runs) and all(run.pinned for run in runs)
        self.by_key["pin"].setText("Take the Pin Off" if is_pinned else "Pin as Baseline")

    def set_file(self, file: FileIdentity | None) -> None:
        """Take the file that runs can be attached to; None where there is none."""
        self._file = file
        self.refresh()

    def _refresh_file(self, runs: Sequence[Run]) -> None:
        """Attaching is there for a run that is not of the file, detaching for an attached one."""
        path = self._file.path if self._file is not None else None
        name = self._file.name if self._file is not None else ""
        can = {
            "attach": path is not None and any(path not in run.documents for run in runs),
            "detach": any(path in run.attached_to for run in runs),
        }
        for key, words in (("attach", f"Attach to {name}"), ("detach", f"Detach from {name}")):
            self.by_key[key].setVisible(can[key])
            self.by_key[key].setText(words.replace("&", "&&"))

    def set_listed(self, count: int | None) -> None:
        """Say how many runs the list has, those too that are not loaded; None: not counted yet."""
        action = self.by_key[_DELETE_ALL.key]
        action.setEnabled(count is not None and count > 1)
        action.setText(f"Delete All {count:,} Runs of the List" if count else _DELETE_ALL.title)

    def _emit(self, key: str) -> None:
        runs = sorted(self._selected(), key=lambda run: run.created)
        self.wanted.emit(key, tuple(run.id for run in runs))


def _has_text(run: Run) -> bool:
    return run.text_blob is not None


def _can_repeat(run: Run) -> Any:
    return _has_text(run) and run.kind in _REPEATABLE
