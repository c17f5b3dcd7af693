"""Whether two texts are the same program but for comments, docstrings and layout."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from workbench.core.history import History, HistoryError
from workbench.core.runs import blob_hash

_MOST_BYTES = 2**20  # larger texts would take long to read
_KEPT = 128  # texts, as many runs are of one
_WITH_DOCSTRING = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@functools.lru_cache(maxsize=_KEPT)
def code_hash(text: str) -> str | None:
    """What a text comes to as a program; None where it is none."""
    try:
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node, False) is not None:
                del node.body[0]
        return blob_hash(ast.dump(tree).encode("utf-8", "surrogatepass"))
    except (SyntaxError, ValueError, RecursionError):
        return None


def texts_of_code(history: History, text: str, names: Iterable[str | None]) -> frozenset[str]:
    """Those of the stored texts, by their hashes, that are the program that `text` is."""
    wanted = code_hash(text)
    if wanted is None:
        return frozenset()
    known = {name for name in names if name is not None}
    return frozenset(name for name in known if _code_of(history, name) == wanted)


def _code_of(history: History, name: str) -> str | None:
    """The program of a stored text; None where it is lost, as its run says elsewhere."""
    try:
        content = history.blob(name)
    except HistoryError:
        return None
    return code_hash(content.decode("utf-8", "replace")) if len(content) <= _MOST_BYTES else None
