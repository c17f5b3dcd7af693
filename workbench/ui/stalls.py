"""Logs where the window's thread was when it did not come back to its loop for over 50 ms."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback

from workbench.ui.loop import Loop, LoopTimer

_log = logging.getLogger(__name__)
LIMIT_SECONDS = 0.05
_BEAT_MS = 10


def watch_stalls(loop: Loop) -> StallWatch:
    """Watch the calling thread, which must be the loop's, until the process ends."""
    return StallWatch(loop)


class StallWatch:
    """A timer that beats in the loop, and a thread that looks whether it still does."""

    def __init__(self, loop: Loop) -> None:
        self._watched = threading.get_ident()
        self._beat = time.monotonic()
        self._is_open = True
        self._loop = loop  # a timer does not keep its parent alive
        self._timer: LoopTimer = loop.make_timer(self._on_beat)
        self._timer.restart(_BEAT_MS)
        self._thread = threading.Thread(target=self._watch, name="stall-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._is_open = False
        self._timer.stop()
        self._thread.join()

    def _on_beat(self) -> None:
        self._beat = time.monotonic()
        if self._is_open:
            self._timer.restart(_BEAT_MS)

    def _watch(self) -> None:
        told = 0.0
        while self._is_open:
            time.sleep(LIMIT_SECONDS / 2)
            beat = self._beat
            if time.monotonic() - beat > LIMIT_SECONDS and beat != told:
                told = beat
                frame = sys._current_frames().get(self._watched)
                stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
                _log.warning("the window stalled for over 50 ms\n%s", stack)
