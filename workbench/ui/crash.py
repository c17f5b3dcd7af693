"""Errors of our own: logged, and shown in a dialog from which they can be reported."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType
from typing import Protocol

_log = logging.getLogger(__name__)


class ShowsReports(Protocol):
    """What shows an error of ours to the person."""

    def show_report(self, message: str, details: str) -> None:
        """Show one error with its stack."""


class CrashReporter:
    """Hears of exceptions that nobody caught, in slots and in threads; the window goes on."""

    def __init__(self, window: ShowsReports) -> None:
        self._window = window
        self._old_hook = sys.excepthook
        self._old_thread_hook = threading.excepthook
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def close(self) -> None:
        """Give the hooks back."""
        sys.excepthook = self._old_hook
        threading.excepthook = self._old_thread_hook

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._old_hook(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _log.error("uncaught exception\n%s", details)
        self._window.show_report(f"{kind.__name__}: {error}", details)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        # Qt may not be used here: the log has it, and the person sees what it did to their job.
        _log.error("uncaught exception in %s", args.thread, exc_info=args.exc_value)
