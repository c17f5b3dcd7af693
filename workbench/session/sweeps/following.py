"""Follows a sweep that another process runs: its journal as it grows, and that process."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from workbench.core.sweeps import journal
from workbench.core.sweeps.model import SweepPlan
from workbench.core.sweeps.space import Point
from workbench.session.sweeps import planning

_END_SECONDS = 10.0
_LOG_LINES = 6


class Tail:
    """The points of a sweep as its journal tells them, read on from where it was last read.

    `reading` is what it says so far. Raises journal.JournalError.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan: SweepPlan = journal.read_plan(folder)
        self.points: tuple[Point, ...] = tuple(self.plan.space.points())
        self.reading = journal.Reading(self.plan)
        self._rest = b""
        self._at = 0

    def read(self, seconds: float = 0.05) -> tuple[bool, bool]:
        """Read on for so long: whether anything is new, and whether there is more to read."""
        content, is_new = self._new_bytes(), False
        until = time.monotonic() + seconds
        lines = (self._rest + content).split(b"\n")
        self._rest = lines.pop()
        for at, line in enumerate(lines):
            is_new = self.reading.take(line) or is_new
            if at % 64 == 63 and time.monotonic() > until:
                self._rest = b"\n".join((*lines[at + 1 :], self._rest))
                return True, True
        return is_new, False

    def _new_bytes(self) -> bytes:
        path = self.folder / journal.JOURNAL
        try:
            if path.stat().st_size < self._at:  # another journal took its place
                self._at, self._rest = 0, b""
                self.reading = journal.Reading(self.plan)
            with path.open("rb") as file:
                file.seek(self._at)
                content = file.read()
        except OSError as error:
            raise journal.JournalError(f"{path} cannot be read: {error}") from error
        self._at += len(content)
        return content


class SweepProcess:
    """A sweep that goes on in a process of its own, `python -m workbench sweep --resume`.

    It ends with this process, also where this one is killed, and can go on later; one that is
    `detached` goes on by itself.
    """

    def __init__(self, folder: Path, workspace: Path, detached: bool = False) -> None:
        """Start it; raises OSError."""
        self.folder = folder
        self._journal_size = _size(folder / journal.JOURNAL)
        self._log_size = _size(folder / journal.LOG)
        words = ["sweep", "--resume", folder.name, "--workspace", str(workspace)]
        with (folder / journal.LOG).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "workbench", *words, *(() if detached else ("--attached",))],
                stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl+C in the window's terminal is not its own
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._ended() is None

    @property
    def failure(self) -> str:
        """What it said last where it ended in an error; "" where it did not."""
        code = self._ended()
        if not code:
            return ""
        said = last_words(self.folder, self._log_size)
        return said or f"its process said nothing and ended with status {code}"

    def wait_until_begun(self, seconds: float) -> bool:
        """Whether it works on points; not where it ended before, or still waits after so long."""
        until = time.monotonic() + seconds
        path = self.folder / journal.JOURNAL
        while not (begun := _size(path) > self._journal_size) and self.is_running:
            if time.monotonic() > until:
                break
            time.sleep(0.05)
        return begun

    def end(self) -> None:
        """End it and its sweep for good, at the latest after some seconds."""
        self._process.terminate()
        self._wait()

    def _wait(self) -> None:
        """Wait until it has ended, which it was told to."""
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ended()

    def pause(self) -> None:
        """End it so that the sweep can go on later, at the latest after some seconds."""
        if not self.is_running:
            return
        self._process.send_signal(signal.SIGINT)
        self._wait()

    def _ended(self) -> int | None:
        """Its exit status; None while it runs. Its input is held open so long."""
        code = self._process.poll()
        if code is not None and self._process.stdin is not None:
            self._process.stdin.close()
        return code


def _size(path: Path) -> int:
    """How much is in a file, in bytes; 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def cancel(folder: Path, own: SweepProcess | None) -> float:
    """End a sweep for good, and return the seconds that it took.

    `own` is the process that was started for it here, which may not have begun to work yet. Raises
    journal.JournalError where none runs or it does not end.
    """
    began = time.monotonic()
    if own is not None and own.folder == folder and own.is_running:
        own.end()
    else:
        planning.cancel(folder)
    _note_cancelled(folder)
    return time.monotonic() - began


def _note_cancelled(folder: Path) -> None:
    """A process that was told to end before it listened leaves no word of it."""
    sweep = journal.read(folder)
    if sweep.ended is None:
        with journal.Journal(folder) as kept:
            kept.note_end("cancelled", sweep.seconds)


def last_words(folder: Path, begin: int = 0) -> str:
    """The last lines that a sweep's processes printed, of those from that byte of their log on."""
    try:
        text = (folder / journal.LOG).read_bytes()[begin:].decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "\n".join(lines[-_LOG_LINES:])
