"""The modules of a workspace that a document imports, so that they can go with it to a host."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core.hosts import LOCAL
from workbench.core.jobs import Source

MOST_BYTES = 8 * 1024**2
#: What a host has by itself: a checkout of one of these is no part of the document.
_NEVER = frozenset({"tilelang", "torch", "tvm", "tvm_ffi", "numpy", "ml_dtypes", "workbench"})
_Parts = tuple[str, ...]


class CarryError(Exception):
    """What a document imports cannot go with it; the message says what and what to do."""


def source_at(host: str, source: Source) -> Source:
    """The source as the worker of a host gets it: elsewhere with the modules that it imports.

    They are looked for in the document's folder, then in the workspace. Raises CarryError.
    """
    if host == LOCAL:
        return source
    roots = dict.fromkeys((Path(source.path).parent, Path(source.workspace)))
    return replace(source, modules=local_modules(source.text, tuple(roots)))


def local_modules(text: str, roots: Sequence[Path]) -> dict[str, str]:
    """Files below the first of the `roots` that has them, which `text` imports, and so on.

    By path within the root, with "/". Imports are read, not executed: one whose name is made up
    while the document runs is not found. Raises CarryError.
    """
    found: dict[str, str] = {}
    todo: list[tuple[str, _Parts]] = [(text, ())]
    size = 0
    while todo:
        for name in _imported(*todo.pop()):
            for root, path in _files(name, roots):
                key = path.relative_to(root).as_posix()
                if key not in found:
                    found[key] = _read(path)
                    size += len(found[key])
                    todo.append((found[key], path.relative_to(root).parts[:-1]))
        if size > MOST_BYTES:
            raise CarryError(_too_large(found))
    return found


def _imported(text: str, package: _Parts) -> Iterator[_Parts]:
    """The dotted names that a module of a package imports, anywhere in it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return  # whoever imports it is told so
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(node, package)


def _imported_from(node: ast.ImportFrom, package: _Parts) -> Iterator[_Parts]:
    """A module, and each name in it: it may be a module too."""
    above = node.level - 1 if node.level else 0
    if above > len(package) or (node.level and not package):
        return  # beyond its package: Python refuses that too
    base = package[: len(package) - above] if node.level else ()
    module = (*base, *(node.module.split(".") if node.module else ()))
    if module:
        yield module
    yield from ((*module, alias.name) for alias in node.names if alias.name != "*")


def _files(name: _Parts, roots: Sequence[Path]) -> list[tuple[Path, Path]]:
    """The files that an import loads, each with its root: that of the first that has any."""
    if name[0] in _NEVER:
        return []
    for root in roots:
        files = list(_loaded_from(root, name))
        if files:
            return [(root, file) for file in files]
    return []


def _loaded_from(root: Path, name: _Parts) -> Iterator[Path]:
    """The packages' own files on the way to a module, and the module's, as Python finds them."""
    folder = root
    for part in name:
        package, module = folder / part / "__init__.py", folder / f"{part}.py"
        if package.is_file():
            yield package
        elif module.is_file():
            yield module
            return
        folder = folder / part
        if not folder.is_dir():
            return  # an attribute, or it is not there


def _read(path: Path) -> str:
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise CarryError(f"{path}, which the document imports, cannot be read: {error}") from error


def _too_large(found: dict[str, str]) -> str:
    largest = max(found, key=lambda key: len(found[key]))
    return (
        f"The document imports more than {MOST_BYTES // 1024**2} MiB of files beside it, the "
        f"largest is {largest}: install them on the host as a package, and import them from there."
    )
