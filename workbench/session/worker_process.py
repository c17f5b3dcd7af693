"""The process of a worker's command: its pipes, the last lines that it printed, and its end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO

LOG_LINES = 60
CLOSE_SECONDS = 5.0
LAST_WORDS_SECONDS = 2.0


class WorkerProcess:
    """Owns the process; its stdin and stdout are the worker's, its stderr is read into `log`.

    `is_far`: the command leads to another machine. Raises OSError where it cannot be run.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], is_far: bool) -> None:
        self.log: list[str] = []
        self.popen = subprocess.Popen(
            words,
            env={**os.environ, **environment},
            # Without a terminal nothing on the way can ask there, and an interrupt ends it by us.
            start_new_session=is_far and sys.platform != "win32",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self.stdin: IO[bytes] = self.popen.stdin
        self.stdout: IO[bytes] = self.popen.stdout
        self._stderr: IO[bytes] = self.popen.stderr
        self._reader = threading.Thread(target=self._read_log, name="worker-log", daemon=True)
        self._reader.start()

    def hear_last_words(self) -> None:
        """Wait shortly for its end, which is made if it does not come, and for what it printed."""
        try:
            self.popen.wait(LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()  # nobody listens to it any more
        self._reader.join(LAST_WORDS_SECONDS)

    def close(self, reader: threading.Thread, at_once: bool) -> None:
        """End it by the end of its input, else by force; `reader` is who reads its stdout.

        `at_once`: it does not look at its input yet.
        """
        if at_once:
            self.popen.terminate()
        late = threading.Timer(CLOSE_SECONDS, self.popen.kill)
        late.start()
        with contextlib.suppress(OSError):
            self.stdin.close()
        self.popen.wait()
        late.cancel()
        for thread in (reader, self._reader, late):
            if thread is not threading.current_thread():
                thread.join(CLOSE_SECONDS)
        self.stdout.close()
        self._stderr.close()

    def _read_log(self) -> None:
        for line in self._stderr:
            self.log.append(line.decode("utf-8", "replace").rstrip())
            del self.log[:-LOG_LINES]
