"""Reads kernel documents from files and text, without executing anything of them."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.documents.checks import check_document, reference_of
from workbench.core.documents.discovery import Discovery, discover
from workbench.core.documents.encoding import decode
from workbench.core.documents.metadata import read_metadata
from workbench.core.documents.model import Document, DocumentError, Metadata
from workbench.core.documents.suggestions import nearest
from workbench.core.documents.syntax import LINE, parse, string_lines

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
_NOTHING = Discovery((), (), frozenset())


def read_document(path: Path | str) -> Document:
    """Read a kernel document.

    Raises DocumentError where there is no file, or it is a folder, binary, larger than 4 MiB or
    not in the encoding that it declares.
    """
    path = Path(path)
    try:
        source = _read_bytes(path)
    except FileNotFoundError:
        raise DocumentError(_missing(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DocumentError(f"{path} cannot be read: {reason}.") from error
    try:
        return parse_document(decode(source).text, path)
    except DocumentError as error:
        raise DocumentError(f"{path} {error}") from error


def _read_bytes(path: Path) -> bytes:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise DocumentError(_folder(path))
    if not stat.S_ISREG(mode):
        raise DocumentError(f"{path} is not a file but a device or pipe. Give a Python file.")
    with path.open("rb") as file:
        source = file.read(MAX_DOCUMENT_BYTES + 1)
    if len(source) > MAX_DOCUMENT_BYTES:
        size = max(os.path.getsize(path), len(source)) / 2**20
        raise DocumentError(
            f"{path} has {size:.1f} MiB; a kernel document has at most "
            f"{MAX_DOCUMENT_BYTES // 2**20} MiB. Move the kernel to a file of its own."
        )
    return source


def _folder(path: Path) -> str:
    files = sorted(file.name for file in path.glob("*.py"))
    if not files:
        return f"{path} is a folder, and has no Python file in it. Give a Python file."
    more = f" and {len(files) - 5} more" if len(files) > 5 else ""
    return f"{path} is a folder. Give one of its Python files: {', '.join(files[:5])}{more}."


def _missing(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path} does not exist: there is no folder {path.parent}."
    try:
        match = nearest(path.name, os.listdir(path.parent))
    except OSError:  # a folder may be entered and not listed
        match = None
    hint = f" Did you mean {path.parent / match}?" if match else ""
    return f"{path} does not exist.{hint}"


def parse_document(text: str, path: Path | None = None) -> Document:
    """Parse a document; whatever is wrong with its source is in the diagnostics, nothing raises."""
    in_string: frozenset[int] = frozenset()
    found: Discovery | None = None
    fault: tuple[Diagnostic, ...] = ()
    try:
        tree = parse(text)
        in_string = string_lines(tree)
        found = discover(tree, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        fault = (_python_error(error, text),)
    block = read_metadata(text, in_string)
    document = _document(text, path, found or _NOTHING, block.metadata)
    checks = check_document(document, found, block.positions) if found is not None else ()
    return replace(document, diagnostics=(*fault, *block.problems, *checks))


def _document(
    text: str, path: Path | None, found: Discovery, metadata: Metadata | None
) -> Document:
    kernels = (
        replace(kernel, reference=reference_of(kernel.name, metadata, found.names))
        for kernel in found.kernels
    )
    return Document(
        path=path,
        text=text,
        kernels=tuple(kernels),
        metadata=metadata,
        diagnostics=(),
        functions=found.functions,
        has_main="main" in found.functions,
    )


def _python_error(error: Exception, text: str) -> Diagnostic:
    """A source that Python cannot parse, at the line that Python names."""
    reason, where = str(error), TextRange(1)
    if isinstance(error, SyntaxError):
        lines = max(1, len(LINE.findall(text)))
        line = min(max(error.lineno or 1, 1), lines)
        reason, where = error.msg, TextRange(line, max(error.offset or 1, 1))
    elif isinstance(error, (RecursionError, MemoryError)):
        reason = "expressions are nested too deeply to be parsed"
    message = f"This is not valid Python: {reason}."
    return Diagnostic("python-error", Severity.ERROR, message, where)
