"""Turns an exception of a kernel, of TileLang or of TVM into a failure at the document's line."""

from __future__ import annotations

import inspect
import re
import sys
import traceback
from types import TracebackType
from typing import Any

from workbench.core.jobs import Failure
from workbench.core.whereabouts import far_host
from workbench.engine.doctor.complaints import COMPILE_STEP, complaint_of

_FRAME_TEXT = re.compile(r"^\s*(File \"|at |#\d+ |\[\d\d:\d\d:\d\d\]|Stack trace|Traceback|\^+$)")


class DocumentFaultError(ValueError):
    """What the workbench itself found wrong with a document: a sentence, its line, its code.

    `line` is None where only the step that it was found in is known, `code` where the finding has
    no diagnostic of its own.
    """

    def __init__(self, message: str, line: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.code = code


def first_line(function: Any, path: str | None) -> int | None:
    """The line of `path` at which a function begins, from 1; None where it comes from elsewhere."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code is not None and code.co_filename == path else None


def kernel_failure(error: BaseException, path: str) -> Failure:
    """A failure with one sentence, the line in `path`, and the raw text.

    It is of kind "kernel", and "environment" where a far host lacks a package.
    """
    raw = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    host = far_host()
    if host and isinstance(error, ModuleNotFoundError):
        return Failure("environment", _absent(error, host), raw, line_of(error, path))
    return Failure("kernel", describe(error), raw, line_of(error, path))


def _absent(error: ModuleNotFoundError, host: str) -> str:
    """Modules of the workspace came along to a far host; what else is imported it must have."""
    name = (error.name or "?").split(".")[0]
    return (
        f"{describe(error)}: it is not installed on {host}, and it is no file of the workspace. "
        f"Run there: {sys.executable} -m pip install {name}"
    )


def describe(error: BaseException) -> str:
    """The exception in one line, without stack frames and source excerpts."""
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}"
    if isinstance(error, DocumentFaultError):
        return str(error)
    name, text = type(error).__name__, str(error)
    refused = complaint_of(text.partition(COMPILE_STEP)[2])
    if refused is not None:  # the whole source stands before it
        return f"{name}: the generated source does not compile: {refused.text}"
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not _FRAME_TEXT.match(line)]
    return f"{name}: {said[0]}" if said else name


def line_of(error: BaseException, path: str) -> int | None:
    """The line of `path` that an exception concerns, from 1; None where it names none.

    A compiler's own "--> file:line" counts before the traceback: it points at the statement, the
    traceback only at the call that built the kernel.
    """
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno
    if isinstance(error, DocumentFaultError) and error.line is not None:
        return error.line
    pointed = re.search(rf"{re.escape(path)}:(\d+)", str(error))
    if pointed:
        return int(pointed.group(1))
    return _deepest_line(error.__traceback__, path) or _line_of_cause(error, path)


def _deepest_line(trace: TracebackType | None, path: str) -> int | None:
    lines = [f.lineno for f in traceback.extract_tb(trace) if f.filename == path]
    return lines[-1] if lines else None


def _line_of_cause(error: BaseException, path: str) -> int | None:
    cause = error.__cause__ or error.__context__
    return line_of(cause, path) if cause is not None else None
