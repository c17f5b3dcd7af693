"""What goes through the pipes of a worker's command before its protocol begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Protocol


class ArrivalError(Exception):
    """A worker did not come to the other side; the message says why, or is empty: see its log."""


class Arrival(Protocol):
    """Brings a worker's code to a machine that has not got it."""

    def open(self, requests: IO[bytes], events: IO[bytes]) -> None:
        """Do so, and return when frames may follow; raises ArrivalError, OSError, ValueError."""

    def reason(self, status: int | None, log: Sequence[str], is_open: bool) -> str:
        """Why the worker is gone, in sentences.

        `status` is that of its command, None where it is not known; `log` are the last lines of
        it, and `is_open` says whether frames had begun.
        """
