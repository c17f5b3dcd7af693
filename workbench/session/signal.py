"""A Qt-free signal: controllers say what happened, whoever is connected hears it in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """An ordered list of handlers; a handler connected during an emission waits for the next."""

    def __init__(self) -> None:
        self._handlers: list[Callable[P, object]] = []

    def connect(self, handler: Callable[P, object]) -> Callable[[], None]:
        """Call `handler` at each emission; returns what disconnects it."""
        self._handlers.append(handler)

        def disconnect() -> None:
            if handler in self._handlers:
                self._handlers.remove(handler)

        return disconnect

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call every handler in the order of connection."""
        for handler in list(self._handlers):
            handler(*args, **kwargs)
