"""Reads the public names of TileLang's modules: signatures, docstrings, sources, and dialects."""

from __future__ import annotations

import enum
import functools
import importlib
import inspect
import linecache
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from workbench.core.reference.api_model import ApiEntry, ApiParameter, DialectForm
from workbench.engine.reference.docstrings import Docstring, read_docstring

LANGUAGE = "tilelang.language"
DIALECTS = (LANGUAGE, "tilelang.ascend.language", "tilelang.cpu.language")
"""The modules that kernels import as T; the first one's names come before the others'."""
_MODULES = {"tilelang": "tilelang", "tilelang.layout": "tilelang.layout"}
_DTYPE = "dtype"
_HOMES = frozenset({"tilelang", "tvm", "tvm_ffi"})
_MOST_MEMBERS = 40
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}
_QUALIFIED = re.compile(r"\b(?:typing|collections\.abc|tvm\.ir\.expr|tvm\.tirx\.expr)\.")

Report = Callable[..., None]


def read_names(report: Report) -> tuple[ApiEntry, ...]:
    """Every public name, the language's first; `report` hears of each module and how far it is."""
    entries: dict[str, ApiEntry] = {}
    steps = (*DIALECTS, *_MODULES)
    for at, name in enumerate(steps):
        report(f"reading {name}", at / len(steps))
        prefix = _MODULES.get(name, "T")
        for entry in _module_entries(importlib.import_module(name), prefix, name):
            known = entries.get(entry.name)
            entries[entry.name] = entry if known is None else _joined(known, entry)
    return tuple(entries.values())


def _module_entries(module: types.ModuleType, prefix: str, dialect: str) -> Iterator[ApiEntry]:
    """The entries of a module, one for each object; a name that is an object's own comes first."""
    groups: dict[int, list[str]] = {}
    objects = dict(_public(module))
    for name, value in objects.items():
        groups.setdefault(id(value), []).append(name)
    widths = _widths(objects)
    for names in groups.values():
        value = objects[names[0]]
        own = getattr(value, "__name__", str(value))
        first = own if own in names else min(names, key=len)
        if _lanes(first, objects) is not None:
            continue
        others = [*(n for n in names if n != first), *widths.get(first, ())]
        entry = _entry(f"{prefix}.{first}", value, tuple(others))
        if entry is not None:
            yield _with_dialect(entry, dialect if prefix == "T" else "")


def _public(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Public names for kernels: no modules, no plain values, nothing of Python's library."""
    for name in dir(module):
        value = getattr(module, name, None)
        kind = None if name.startswith("_") or value is None else _kind(value)
        if kind is not None and (kind == _DTYPE or _home(value) in _HOMES):
            yield name, value


def _home(value: Any) -> str:
    """The package in which a value is defined."""
    inner = _unwrapped(value)
    return str(getattr(inner, "__module__", None) or "").split(".")[0]


def _kind(value: Any) -> str | None:
    if type(value).__name__ == _DTYPE:
        return _DTYPE
    if isinstance(value, type):
        return "enum" if issubclass(value, enum.Enum) else "class"
    if type(value).__name__ == "Macro":
        return "macro"
    if type(value).__name__.endswith("Proxy"):
        return "class"
    return "function" if inspect.isroutine(value) else None


def _lanes(name: str, objects: dict[str, Any]) -> str | None:
    """The type whose vector a name is: `float16` of `float16x8`; None for any other name."""
    base, times, lanes = name.rpartition("x")
    is_vector = bool(times) and lanes.isdecimal() and base in objects
    return base if is_vector and type(objects[base]).__name__ == _DTYPE else None


def _widths(objects: dict[str, Any]) -> dict[str, list[str]]:
    widths: dict[str, list[str]] = {}
    for name in objects:
        base = _lanes(name, objects)
        if base is not None:
            widths.setdefault(base, []).append(name)
    return {base: sorted(names, key=len) for base, names in widths.items()}


def _entry(name: str, value: Any, aliases: tuple[str, ...]) -> ApiEntry | None:
    kind = _kind(value)
    if kind is None:
        return None
    if kind == "dtype":
        return _dtype_entry(name, value, aliases)
    inner = _unwrapped(value)
    doc = read_docstring(_own_docstring(inner if kind == "macro" else value))
    signature = _signature(inner if kind == "macro" else value)
    file, line = _source(inner)
    return ApiEntry(
        name,
        kind,
        str(getattr(inner, "__module__", "")),
        _shown(signature) if signature is not None and kind != "enum" else "",
        doc.summary,
        doc.details,
        _parameters(signature, doc) if kind != "enum" else (),
        doc.returns,
        members=_members(value, kind),
        aliases=aliases,
        file=file,
        line=line,
    )


def _dtype_entry(name: str, value: Any, aliases: tuple[str, ...]) -> ApiEntry:
    bits = getattr(value, "bits", None)
    summary = f"{bits} bits an element." if bits else ""
    return ApiEntry(name, "dtype", "tilelang.language.dtypes", summary=summary, aliases=aliases)


def _own_docstring(value: Any) -> str | None:
    """The docstring of an object, not the one that it has from a builtin base."""
    if isinstance(value, type):
        own = vars(value).get("__doc__")
        return own if isinstance(own, str) else None
    return inspect.getdoc(value)


def _unwrapped(value: Any) -> Any:
    """What has a source: a function without its wrappers, a macro's function, a proxy's class."""
    if isinstance(value, functools.partial):
        return value.func
    origin = getattr(value, "orig_func", None) or getattr(value, "func", None)
    if inspect.isfunction(origin):
        return origin
    if isinstance(value, type) or inspect.isroutine(value):
        return inspect.unwrap(value)
    return type(value)


def _signature(value: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(value)
    except (ValueError, TypeError):
        return None


def _shown(signature: inspect.Signature) -> str:
    """A signature as one writes it: annotations that are strings without their quotes."""
    parameters = [
        p.replace(annotation=_Bare.of(p.annotation)) for p in signature.parameters.values()
    ]
    result = _Bare.of(signature.return_annotation)
    text = str(signature.replace(parameters=parameters, return_annotation=result))
    return _plain(text)


class _Bare:
    """An annotation that is shown as its text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    @classmethod
    def of(cls, annotation: Any) -> Any:
        """The annotation, as text where it is one; empty stays empty."""
        if annotation is inspect.Signature.empty:
            return annotation
        return cls(_annotation(annotation))


def _annotation(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _plain(text)


def _plain(text: str) -> str:
    """Values as one writes them: `<GemmWarpPolicy.Square: 0>` is `GemmWarpPolicy.Square`."""
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)
    text = re.sub(r"<(?:function|class|built-in function) '?([\w.]+)'?[^>]*>", r"\1", text)
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return _QUALIFIED.sub("", text)


def _parameters(signature: inspect.Signature | None, doc: Docstring) -> tuple[ApiParameter, ...]:
    if signature is None:
        return ()
    empty = inspect.Parameter.empty
    return tuple(
        ApiParameter(
            f"{_STARS.get(each.kind, '')}{each.name}",
            _annotation(each.annotation),
            None if each.default is empty else _plain(repr(each.default)),
            doc.parameters.get(each.name, ""),
        )
        for each in signature.parameters.values()
    )


def _members(value: Any, kind: str) -> tuple[str, ...]:
    """An enum's values; of a class of TileLang's own its public methods."""
    if kind == "enum":
        return tuple(value.__members__)
    if kind != "class" or not isinstance(value, type):
        return ()
    if not value.__module__.startswith("tilelang"):
        return ()
    names = [name for name, member in vars(value).items() if _is_method(name, member)]
    return tuple(f"{name}{_method_signature(value, name)}" for name in names[:_MOST_MEMBERS])


def _is_method(name: str, member: Any) -> bool:
    plain = (types.FunctionType, classmethod, staticmethod)
    return not name.startswith("_") and isinstance(member, plain)


def _method_signature(owner: type, name: str) -> str:
    signature = _signature(getattr(owner, name))
    if signature is None:
        return "()"
    names = [p for p in signature.parameters if p != "self"]
    return f"({', '.join(names)})"


def _source(value: Any) -> tuple[str | None, int | None]:
    """File and line of a function or a class; None where it is not written in Python."""
    try:
        file = inspect.getsourcefile(value)
    except TypeError:
        return None, None
    code = getattr(value, "__code__", None)
    if file is None or code is not None:
        return file, code.co_firstlineno if code is not None else None
    # `inspect` would parse the whole file for each class.
    begin = re.compile(rf"\s*class {re.escape(value.__name__)}\b")
    lines = enumerate(linecache.getlines(file), 1)
    return file, next((at for at, line in lines if begin.match(line)), None)


def _with_dialect(entry: ApiEntry, dialect: str) -> ApiEntry:
    return replace(entry, dialects=(dialect,) if dialect else ())


def _joined(first: ApiEntry, other: ApiEntry) -> ApiEntry:
    """One entry of a name that several dialects have; what differs is its signature."""
    forms = first.forms
    if other.signature and other.signature != first.signature:
        forms = (*forms, DialectForm(other.dialects[0], other.signature))
    return replace(first, dialects=(*first.dialects, *other.dialects), forms=forms)
