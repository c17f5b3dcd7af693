"""The clock that controllers use, so that they need no event loop of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Calls a function once, some time after it was last restarted."""

    def restart(self, delay_ms: int) -> None:
        """Call the function `delay_ms` from now, and not when it was to be called before."""

    def stop(self) -> None:
        """Do not call the function."""


TimerFactory = Callable[[Callable[[], None]], Timer]
