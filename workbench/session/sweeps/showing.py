"""The sweep that a window looks at: its journal as it grows, its process, and how it stands."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.core.sweeps.journal import JournalError
from workbench.core.sweeps.model import Sweep
from workbench.core.sweeps.space import Point, SpaceError
from workbench.session.jobs import Post
from workbench.session.signal import Signal
from workbench.session.sweeps.following import SweepProcess, Tail, cancel
from workbench.session.sweeps.states import SweepState, state_of
from workbench.session.timers import TimerFactory

_TICK_MS, _READ_ON_MS = 200, 5
_MOVING = (SweepState.RUNNING, SweepState.CANCELLING)


@dataclass(frozen=True)
class Shown:
    """The sweep that is looked at, as far as its journal was read.

    `order` are the numbers of measured points in the order of their measurement, `predicted` of
    estimated ones. `problem` is what its process said where it failed.
    """

    folder: Path
    sweep: Sweep
    points: tuple[Point, ...]
    state: SweepState
    order: tuple[int, ...] = ()
    predicted: tuple[int, ...] = ()
    problem: str = ""


class Showing:
    """One sweep on show, which this window may have begun; such a one is ended with it.

    `changed` tells of another sweep or state, `moved` of points that went on, at most five times a
    second; `told` has sentences for the person.
    """

    def __init__(self, workspace: Path, make_timer: TimerFactory, post: Post) -> None:
        self.changed: Signal[[]] = Signal()
        self.moved: Signal[[]] = Signal()
        self.told: Signal[[str]] = Signal()
        self.shown: Shown | None = None
        self._workspace, self._post = workspace, post
        self._tail: Tail | None = None
        self._process: SweepProcess | None = None
        self._cancelling: threading.Thread | None = None
        self._has_more, self._told_at = False, 0.0
        self._ticking = make_timer(self._tick)

    @property
    def is_running(self) -> bool:
        """Whether a process works on the sweep that is shown."""
        return self.shown is not None and self.shown.state in _MOVING

    def is_busy(self) -> bool:
        """Whether a sweep that this window began goes on, which is told then."""
        if self._process is None or not self._process.is_running:
            return False
        self.told.emit(f"The sweep {self._process.folder.name} is running: cancel it first.")
        return True

    def run(self, folder: Path) -> bool:
        """Have a process of its own go on with a sweep, and follow it; whether it was started."""
        try:
            self._process = SweepProcess(folder, self._workspace)
        except OSError as error:
            self.told.emit(f"The sweep could not be started: {error}")
            return False
        self.follow(folder)
        return True

    def follow(self, folder: Path) -> None:
        """Show a sweep, whoever works on it."""
        try:
            self._tail = Tail(folder)
        except (JournalError, SpaceError) as error:
            self.told.emit(str(error))
            return
        self._read()
        self._show(is_new=True)

    def cancel(self) -> None:
        """End the sweep that is shown, off this thread; `told` says how long that took."""
        if self.shown is None or not self.is_running or self._cancelling is not None:
            return
        folder = self.shown.folder
        self._cancelling = threading.Thread(
            target=self._cancel, args=(folder,), name="cancel sweep", daemon=True
        )
        self._cancelling.start()
        self._show(is_new=True)

    def close(self) -> None:
        """End the process of a sweep that this window began; it can go on later."""
        self._ticking.stop()
        if self._cancelling is not None:
            self._cancelling.join()
        if self._process is not None:
            self._process.pause()

    def _tick(self) -> None:
        if self._tail is None:
            return
        is_new = self._read()
        is_early = time.monotonic() - self._told_at < _TICK_MS / 1000
        if not (is_new and self._has_more and is_early):
            self._show(is_new)

    def _read(self) -> bool:
        """Read on; whether anything is new. The next look follows as soon as it is worth it."""
        assert self._tail is not None
        try:
            is_new, self._has_more = self._tail.read()
        except JournalError as error:
            self.told.emit(str(error))
            return False
        if self._has_more:
            self._ticking.restart(_READ_ON_MS)
        elif self._state() in _MOVING:
            self._ticking.restart(_TICK_MS)
        return is_new

    def _show(self, is_new: bool) -> None:
        tail, before = self._tail, self.shown
        if tail is None:
            return
        self._told_at = time.monotonic()
        state = self._state()
        if before is not None and not is_new and before.state is state:
            return
        self.shown = Shown(
            tail.folder,
            tail.reading.sweep,
            tail.points,
            state,
            tuple(tail.reading.order),
            tuple(tail.reading.predicted),
            self._problem(state),
        )
        is_same = before is not None and before.folder == tail.folder and before.state is state
        (self.moved if is_same else self.changed).emit()

    def _state(self) -> SweepState:
        assert self._tail is not None
        folder = self._tail.folder
        if self._cancelling is not None and self._cancelling.is_alive():
            return SweepState.CANCELLING
        own = self._process
        is_own = own is not None and own.folder == folder and own.is_running
        return state_of(folder, self._tail.reading.ended, is_own)

    def _problem(self, state: SweepState) -> str:
        own = self._process
        if state is not SweepState.INTERRUPTED or own is None or self._tail is None:
            return ""
        return own.failure if own.folder == self._tail.folder else ""

    def _cancel(self, folder: Path) -> None:
        try:
            text = f"The sweep ended {cancel(folder, self._process):.1f} s after it was told to."
        except JournalError as error:
            text = str(error)
        self._post(lambda: self._after_cancel(text))

    def _after_cancel(self, text: str) -> None:
        if self._cancelling is not None:
            self._cancelling.join()
            self._cancelling = None
        if self._tail is not None:
            self._read()
            self._show(is_new=True)
        self.told.emit(text)
