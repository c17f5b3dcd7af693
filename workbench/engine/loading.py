"""Executes a kernel document in a fresh namespace and clears away what it imported."""

from __future__ import annotations

import contextlib
import gc
import linecache
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from workbench.core.jobs import Source
from workbench.engine import carried

MODULE_NAME = "workbench_document"


class UntrustedError(Exception):
    """The document lies in a folder that nobody has trusted yet, so it is not executed."""


class DocumentExitError(Exception):
    """The document called sys.exit while it was imported."""


@contextlib.contextmanager
def loaded(source: Source) -> Iterator[types.ModuleType]:
    """The document as a module, importable siblings included, for the length of the block.

    Raises UntrustedError, SyntaxError, or whatever the document raises.
    """
    if not source.trusted:
        raise UntrustedError(f"{source.path} is not trusted yet, so it was not run")
    before = set(sys.modules)
    old_path = list(sys.path)
    _remember_lines(source)
    sys.path.insert(0, os.path.dirname(os.path.abspath(source.path)))
    if source.modules:
        sys.path.insert(0, str(carried.placed(source.modules)))
    try:
        yield _execute(source)
    finally:
        sys.path[:] = old_path
        _purge(before, source)
        linecache.cache.pop(source.path, None)
        gc.collect()


def imported_files(source: Source) -> tuple[str, ...]:
    """Files of the workspace that are imported at the moment, without the document itself."""
    return tuple(sorted(_workspace_modules(source).values()))


def _execute(source: Source) -> types.ModuleType:
    code = compile(source.text, source.path, "exec", dont_inherit=True)
    module = types.ModuleType(MODULE_NAME)
    module.__file__ = source.path
    sys.modules[MODULE_NAME] = module
    try:
        exec(code, module.__dict__)
    except SystemExit as error:
        raise DocumentExitError(f"the file calls sys.exit({error.code!r}) on import") from error
    return module


def _remember_lines(source: Source) -> None:
    """Make inspect.getsource see the text that runs, which need not be what the disk holds."""
    lines = source.text.splitlines(keepends=True)
    linecache.cache[source.path] = (len(source.text), None, lines, source.path)


def _purge(before: set[str], source: Source) -> None:
    own = {name for name in _workspace_modules(source) if name not in before}
    for name in own | {MODULE_NAME}:
        sys.modules.pop(name, None)


def _workspace_modules(source: Source) -> dict[str, str]:
    roots = [Path(source.workspace).resolve(), Path(source.path).resolve().parent]
    if source.modules:
        roots.append(carried.folder_of(source.modules).resolve())
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != MODULE_NAME and isinstance(file, str) and _belongs(name, file, roots):
            found[name] = file
    return found


def _belongs(name: str, file: str, roots: list[Path]) -> bool:
    path = Path(file)
    if name.split(".")[0] == "workbench" or "site-packages" in path.parts:
        return False
    return any(root in path.parents for root in roots) and Path(sys.prefix) not in path.parents
