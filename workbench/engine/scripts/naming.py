"""Says what a kernel is to the person: the function that makes it, its line, its arguments."""

from __future__ import annotations

import inspect
import json
import linecache
import re
import threading
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from workbench.core.jobs import ScriptKernel

_LONGEST_TEXT = 120
_current = threading.local()


@contextmanager
def building(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[None]:
    """Remember, for kernels built in this block, which function is called with what."""
    outer = getattr(_current, "call", None)
    _current.call = (function, args, kwargs)
    try:
        yield
    finally:
        _current.call = outer


def describe(prim_func: Any) -> ScriptKernel:
    """The kernel that a PrimFunc is, by the function call that it is built in, where there is one.

    Of a PrimFunc that nothing of ours has seen being made, the arguments are those of its maker
    that the PrimFunc's own code refers to.
    """
    call = getattr(_current, "call", None)
    if call is not None:
        function, args, kwargs = call
        return _kernel(function.__name__, function, _bound(function, args, kwargs))
    function = getattr(prim_func, "orig_func", None)
    name = str(prim_func.attrs["global_symbol"]) if prim_func.attrs else "main"
    if function is None:
        return ScriptKernel(name)
    maker, found = _maker(function)
    return _kernel(maker or function.__name__, function, found)


def _kernel(name: str, function: Any, values: Mapping[str, Any]) -> ScriptKernel:
    function = inspect.unwrap(function)
    code = function.__code__
    args = {key: _plain(value) for key, value in values.items()}
    opaque = tuple(key for key, value in values.items() if not _is_plain(value))
    return ScriptKernel(name, code.co_filename, _line_of_def(code), args, opaque)


def _line_of_def(code: types.CodeType) -> int:
    """The line of the `def`; the code's own first line is that of the first decorator."""
    first = code.co_firstlineno
    start = re.compile(rf"\s*def\s+{re.escape(code.co_name)}\b")
    for number, line in enumerate(linecache.getlines(code.co_filename)[first - 1 :], first):
        if start.match(line):
            return number
    return first


def _bound(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments by name, defaults included; tensors, which are no arguments of a case, not."""
    try:
        bound = inspect.signature(function).bind_partial(*args, **kwargs)
    except TypeError:
        return dict(kwargs)
    bound.apply_defaults()
    return {k: v for k, v in bound.arguments.items() if not hasattr(v, "data_ptr")}


def _maker(function: Any) -> tuple[str | None, dict[str, Any]]:
    """The name of the function around a PrimFunc's, and the values taken from there."""
    outer, _, _ = function.__qualname__.rpartition(".<locals>.")
    names = function.__code__.co_freevars
    cells = function.__closure__ or ()
    values = {n: c.cell_contents for n, c in zip(names, cells, strict=True) if _is_filled(c)}
    return outer.rpartition(".")[2] or None, {k: v for k, v in values.items() if not callable(v)}


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _is_plain(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == _listed(value))
    except (TypeError, ValueError):
        return False


def _listed(value: Any) -> Any:
    return [_listed(v) for v in value] if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    if _is_plain(value):
        return str(value) if isinstance(value, str) else value
    text = str(value)
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
