"""The errors that say what is missing here, so that a script cannot run on: nobody's fault."""

from __future__ import annotations


class LackError(RuntimeError):
    """Something that the script needs is not here; `file` and `line` say where it is needed."""

    def __init__(self, message: str, file: str | None, line: int | None) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class NotSimulatedError(LackError):
    """A kernel holds an operation that the simulator cannot execute."""


class AbsentPackageError(LackError):
    """A package that is not installed was called; importing it alone does no harm."""


def lack_behind(error: BaseException | None) -> LackError | None:
    """What is missing, where that made an error, directly or as its cause."""
    seen = 0
    while error is not None and seen < 20:
        if isinstance(error, LackError):
            return error
        error, seen = error.__cause__ or error.__context__, seen + 1
    return None
