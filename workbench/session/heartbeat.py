"""Notices that the line to a far worker was cut, where nothing says so by itself."""

from __future__ import annotations

import io
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, cast

BEAT_SECONDS = 5.0
SILENCE_SECONDS = 30.0  # a worker answers each beat at once, whatever its executors do


class _Listening(io.RawIOBase):
    """A pipe that notes when something came out of it, also within a long message."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.heard = time.monotonic()

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read what there is, as a raw stream does."""
        data = cast("io.BufferedReader", self._pipe).read1(len(buffer))
        self.heard = time.monotonic()
        buffer[: len(data)] = data
        return len(data)


class Heartbeat:
    """Sends a beat every few seconds; ends the command when nothing has come back for long.

    `lock` is that of whoever writes to the process; a beat waits for nobody.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        lock: threading.Lock,
        say: Callable[[str], None],
        beat_seconds: float = BEAT_SECONDS,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        self._process = process
        self._lock = lock
        self._say = say
        self._beat_seconds = beat_seconds
        self._silence_seconds = silence_seconds
        self._end = threading.Event()
        self._listening: _Listening | None = None

    def listen(self) -> IO[bytes]:
        """The process's output, to be read instead of its pipe."""
        assert self._process.stdout is not None
        self._listening = _Listening(self._process.stdout)
        return io.BufferedReader(self._listening)

    def start(self, beat: Callable[[], object]) -> None:
        """Begin to send beats and to expect answers."""
        thread = threading.Thread(
            target=self._run, args=(beat,), name="worker-heartbeat", daemon=True
        )
        thread.start()

    def stop(self) -> None:
        """Send no more beats."""
        self._end.set()

    def _run(self, beat: Callable[[], object]) -> None:
        assert self._listening is not None
        while not self._end.wait(self._beat_seconds):
            silence = time.monotonic() - self._listening.heard
            if silence > self._silence_seconds:
                self._say(f"not responding: nothing was heard for {silence:.0f} s")
                self._process.kill()
                return
            if self._lock.acquire(blocking=False):
                try:
                    if self._can_write():
                        beat()
                finally:
                    self._lock.release()

    def _can_write(self) -> bool:
        """Whether a beat fits into the pipe, so that writing it cannot block."""
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return False
        return sys.platform == "win32" or bool(select.select([], [pipe], [], 0)[1])
