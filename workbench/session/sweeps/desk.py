"""The sweeps of a window: the form of a new one, what goes on, what was found, what is applied."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.core.sweeps import findings, journal
from workbench.core.sweeps.journal import JournalError
from workbench.core.sweeps.model import Sweep, SweepPlan
from workbench.core.sweeps.space import Point, SpaceError
from workbench.core.targets.table import TargetTable
from workbench.core.workspace import WorkspaceError
from workbench.session.jobs import Post
from workbench.session.open_document import OpenDocument
from workbench.session.signal import Signal
from workbench.session.sweeps import planning, store
from workbench.session.sweeps.applying import Applied, applied
from workbench.session.sweeps.following import SweepProcess, Tail, cancel
from workbench.session.sweeps.form import SweepForm, form_of, plan_of
from workbench.session.sweeps.sieve import Sieve
from workbench.session.sweeps.sifting import PLAN_ERRORS, Sifter
from workbench.session.sweeps.states import SweepState, state_of
from workbench.session.timers import TimerFactory

_TICK_MS, _READ_ON_MS = 200, 5
_TYPING_MS = 250


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


@dataclass(frozen=True)
class Listed:
    """One sweep of the workspace in a list."""

    id: str
    title: str
    state: SweepState
    note: str


class SweepDesk:
    """One form and one sweep on show; a sweep that this window began is ended with it.

    `changed` tells of another sweep, form or state, `moved` of points that went on, at most five
    times a second; `sifted` of the count of a form.
    """

    def __init__(
        self,
        workspace: Path,
        targets: TargetTable,
        make_timer: TimerFactory,
        post: Post,
        places: Callable[[], tuple[str, ...]] = planning.usual_places,
    ) -> None:
        self.changed: Signal[[]] = Signal()
        self.moved: Signal[[]] = Signal()
        self.sifted: Signal[[]] = Signal()
        self.told: Signal[[str]] = Signal()
        self.workspace = workspace
        self.form: SweepForm | None = None
        self.shown: Shown | None = None
        self._document: OpenDocument | None = None
        self._targets, self._post, self._places = targets, post, places
        self._tail: Tail | None = None
        self._process: SweepProcess | None = None
        self._cancelling: threading.Thread | None = None
        self._has_more, self._told = False, 0.0
        self._entries: dict[Path, tuple[int, str, str, str | None]] = {}
        self.sieve = Sieve(make_timer)
        self.sieve.changed.connect(self.sifted.emit)
        self._typing = make_timer(self._sift)
        self._ticking = make_timer(self._tick)

    @property
    def is_running(self) -> bool:
        """Whether a process works on the sweep that is shown."""
        running = (SweepState.RUNNING, SweepState.CANCELLING)
        return self.shown is not None and self.shown.state in running

    def begin_form(self, document: OpenDocument | None) -> None:
        """Offer a new sweep of what is chosen of a document."""
        self._document = document
        self.form = None if document is None else form_of(document, self._places())
        self.changed.emit()
        self._sift()

    def set_form(self, form: SweepForm) -> None:
        """Take what was typed; what remains is looked at when typing has paused."""
        if form != self.form:
            self.form = form
            self._typing.restart(_TYPING_MS)

    def start(self) -> bool:
        """Begin the sweep of the form; whether it began. What hinders it is told."""
        document, form = self._document, self.form
        if document is None or form is None or self._is_busy():
            return False
        try:
            plan = plan_of(form, document, self.workspace)
            Sifter(plan, self._targets)
            folder = store.create(plan)
        except (*PLAN_ERRORS, JournalError, WorkspaceError) as error:
            self.told.emit(str(error))
            return False
        return self._run(folder)

    def resume(self) -> bool:
        """Go on with the sweep that is shown, which was interrupted."""
        shown = self.shown
        return shown is not None and not self._is_busy() and self._run(shown.folder)

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

    def open(self, sweep_id: str) -> None:
        """Show a sweep of the workspace by its id."""
        try:
            folder = journal.folder_of(store.sweeps_folder(self.workspace), sweep_id)
        except (JournalError, WorkspaceError) as error:
            self.told.emit(str(error))
            return
        self._follow(folder)

    def newest(self) -> str | None:
        """The id of the newest sweep; None where there is none."""
        found = self.listed(1)
        return found[0].id if found else None

    def listed(self, most: int = 20) -> tuple[Listed, ...]:
        """The newest sweeps of the workspace."""
        try:
            root = store.sweeps_folder(self.workspace)
            return tuple(
                found
                for each in journal.sweep_ids(root)[:most]
                if (found := self._entry(root / each)) is not None
            )
        except WorkspaceError as error:
            self.told.emit(str(error))
            return ()

    def interrupted(self) -> tuple[Listed, ...]:
        """The newest sweeps that can go on."""
        return tuple(each for each in self.listed(8) if each.state is SweepState.INTERRUPTED)

    def applied(self, content: bytes, number: int | None = None) -> Applied:
        """A document's content with a point, else the best, of the sweep; raises ApplyError."""
        assert self.shown is not None
        return applied(content, self.shown.sweep, number)

    def close(self) -> None:
        """End the process of a sweep that this window began; it can go on later."""
        for timer in (self._typing, self._ticking):
            timer.stop()
        self.sieve.stop()
        if self._cancelling is not None:
            self._cancelling.join()
        if self._process is not None:
            self._process.pause()

    def _is_busy(self) -> bool:
        if self._process is None or not self._process.is_running:
            return False
        self.told.emit(f"The sweep {self._process.folder.name} is running: cancel it first.")
        return True

    def _run(self, folder: Path) -> bool:
        try:
            self._process = SweepProcess(folder, self.workspace)
        except OSError as error:
            self.told.emit(f"The sweep could not be started: {error}")
            return False
        self._follow(folder)
        return True

    def _follow(self, folder: Path) -> None:
        try:
            self._tail = Tail(folder)
        except (JournalError, SpaceError) as error:
            self.told.emit(str(error))
            return
        self._read()
        self._show(is_new=True)

    def _tick(self) -> None:
        if self._tail is None:
            return
        is_new = self._read()
        is_early = time.monotonic() - self._told < _TICK_MS / 1000
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
        elif self._state() in (SweepState.RUNNING, SweepState.CANCELLING):
            self._ticking.restart(_TICK_MS)
        return is_new

    def _show(self, is_new: bool) -> None:
        tail, before = self._tail, self.shown
        if tail is None:
            return
        self._told = time.monotonic()
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

    def _entry(self, folder: Path) -> Listed | None:
        try:
            size = (folder / journal.JOURNAL).stat().st_size
            known = self._entries.get(folder)
            if known is None or known[0] != size:
                known = self._entries[folder] = (size, *_told(folder))
        except (JournalError, SpaceError, OSError):
            return None  # the command line says what is wrong with it
        _, title, note, ended = known
        return Listed(folder.name, title, state_of(folder, ended, False), note)

    def _sift(self) -> None:
        document, form = self._document, self.form
        if document is None or form is None:
            self.sieve.refuse("Open a document with a kernel to sweep over its configurations.")
            return
        try:
            plan: SweepPlan = plan_of(form, document, self.workspace)
            self.sieve.look_at(plan, Sifter(plan, self._targets))
        except PLAN_ERRORS as error:
            self.sieve.refuse(_plain(str(error)))


def _told(folder: Path) -> tuple[str, str, str | None]:
    """What a list says of a sweep, and why it ended."""
    sweep = journal.read(folder)
    plan = sweep.plan
    date = plan.created.replace("T", " ")[:16]
    return f"{plan.kernel}, {date}", findings.tally(sweep.records).text, sweep.ended


def _plain(text: str) -> str:
    """A message of the command line without its options' names."""
    return text.replace("--when ", "the condition ").replace(" (--vary)", "")
