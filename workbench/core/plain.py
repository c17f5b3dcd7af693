"""Conversion between frozen dataclasses and plain JSON values, driven by their annotations."""

from __future__ import annotations

import dataclasses
import enum
import pathlib
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
_FIELDS: dict[type[Any], tuple[tuple[str, Any, bool], ...]] = {}


class PlainError(ValueError):
    """Plain data does not have the form of the wanted class; the message names the field."""


def to_plain(value: Any) -> Any:
    """`value` as dicts, lists, strings and numbers; enums by value, paths as text."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    return str(value) if isinstance(value, pathlib.Path) else value


def from_plain(cls: type[T], data: Any) -> T:
    """An instance of `cls` from what `to_plain` gave; unknown keys are left out.

    Raises PlainError where a field is missing or has another form.
    """
    return typing.cast(T, _convert(cls, data, cls.__name__))


def _fields(cls: type[Any]) -> tuple[tuple[str, Any, bool], ...]:
    if cls not in _FIELDS:
        hints = typing.get_type_hints(cls)
        fields = dataclasses.fields(cls)
        _FIELDS[cls] = tuple((f.name, hints[f.name], _has_default(f)) for f in fields)
    return _FIELDS[cls]


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _convert(hint: Any, data: Any, where: str) -> Any:
    if hint is Any or isinstance(hint, TypeVar):
        return data
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _convert_union(get_args(hint), data, where)
    if origin is not None:
        return _convert_container(origin, get_args(hint), data, where)
    return _convert_class(hint, data, where)


def _convert_class(hint: Any, data: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint):
        return _convert_dataclass(typing.cast("type[Any]", hint), data, where)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _checked(lambda: hint(data), where)
    if hint is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if hint is type(None):
        hint = types.NoneType
    if not isinstance(data, hint) or (hint is int and isinstance(data, bool)):
        raise PlainError(f"{where}: expected {hint.__name__}, got {type(data).__name__}")
    return data


def _convert_dataclass(cls: type[Any], data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise PlainError(f"{where}: expected an object, got {type(data).__name__}")
    values = {}
    for name, hint, optional in _fields(cls):
        if name in data:
            values[name] = _convert(hint, data[name], f"{where}.{name}")
        elif not optional:
            raise PlainError(f"{where}.{name} is missing")
    return cls(**values)


def _convert_union(options: Sequence[Any], data: Any, where: str) -> Any:
    if data is None and type(None) in options:
        return None
    failures = []
    for option in options:
        if option is type(None):
            continue
        try:
            return _convert(option, data, where)
        except PlainError as error:
            failures.append(str(error))
    raise PlainError("; ".join(failures) or f"{where}: unexpected null")


def _convert_container(origin: Any, args: Sequence[Any], data: Any, where: str) -> Any:
    if issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            raise PlainError(f"{where}: expected an object, got {type(data).__name__}")
        return {k: _convert(args[1], v, f"{where}[{k!r}]") for k, v in data.items()}
    if not isinstance(data, (list, tuple)):
        raise PlainError(f"{where}: expected a list, got {type(data).__name__}")
    hints = [args[0]] * len(data) if origin is list or args[-1] is Ellipsis else list(args)
    if len(hints) != len(data):
        raise PlainError(f"{where}: expected {len(hints)} entries, got {len(data)}")
    items = [
        _convert(h, v, f"{where}[{i}]") for i, (h, v) in enumerate(zip(hints, data, strict=True))
    ]
    return items if origin is list else tuple(items)


def _checked(make: typing.Callable[[], T], where: str) -> T:
    try:
        return make()
    except ValueError as error:
        raise PlainError(f"{where}: {error}") from None
