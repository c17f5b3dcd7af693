"""Conversion between frozen dataclasses and plain JSON values, driven by their annotations."""

from __future__ import annotations

import dataclasses
import enum
import pathlib
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
Reader = Callable[[Any], Any]
_READERS: dict[Any, Reader] = {}
_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))
_NAMES: dict[type[Any], tuple[str, ...]] = {}  # the fields of dataclasses that were laid out


class PlainError(ValueError):
    """Plain data does not have the form of the wanted class; the message names the field."""


def to_plain(value: Any) -> Any:
    """`value` as dicts, lists, strings and numbers; enums by value, paths as text."""
    kind = type(value)
    if kind in _AS_THEY_ARE:  # as most are
        return value
    if kind in _NAMES:
        return {name: to_plain(getattr(value, name)) for name in _NAMES[kind]}
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(kind):
        _NAMES[kind] = tuple(field.name for field in dataclasses.fields(kind))
        return to_plain(value)
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    return str(value) if isinstance(value, pathlib.Path) else value


def from_plain(cls: type[T], data: Any) -> T:
    """An instance of `cls` from what `to_plain` gave; unknown keys are left out.

    Raises PlainError where a field is missing or has another form.
    """
    try:
        return typing.cast(T, _reader(cls)(data))
    except _MisfitError as misfit:
        said = "; ".join(f"{cls.__name__}{path}{text}" for path, text in misfit.problems)
        raise PlainError(said) from None


class _MisfitError(Exception):
    """Data of another form: what is wrong, and the path to it from where it is caught."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        self.problems = problems

    def under(self, step: str) -> _MisfitError:
        return _MisfitError(*((step + path, text) for path, text in self.problems))


def _misfit(wanted: str, data: Any) -> _MisfitError:
    return _MisfitError(("", f": expected {wanted}, got {type(data).__name__}"))


def _reader(hint: Any) -> Reader:
    """What reads data of an annotation; made once, as annotations are taken apart slowly."""
    try:
        return _READERS[hint]
    except KeyError:
        # A class that holds itself finds this in the table while its fields are looked at.
        made = _READERS[hint] = _make_reader(hint)
        return made


def _make_reader(hint: Any) -> Reader:
    if hint is Any or isinstance(hint, TypeVar):
        return _anything
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union_reader(get_args(hint))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_reader(get_args(hint)[1])
    if origin is not None:
        return _sequence_reader(origin, get_args(hint))
    if dataclasses.is_dataclass(hint):
        return _dataclass_reader(typing.cast("type[Any]", hint))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _enum_reader(hint)
    return _value_reader(types.NoneType if hint is type(None) else hint)


def _anything(data: Any) -> Any:
    return data


def _value_reader(wanted: Any) -> Reader:
    def read(data: Any) -> Any:
        if type(data) is wanted:
            return data
        if wanted is float and isinstance(data, int) and not isinstance(data, bool):
            return float(data)
        if not isinstance(data, wanted) or (wanted is int and isinstance(data, bool)):
            raise _misfit(wanted.__name__, data)
        return data

    return read


def _enum_reader(wanted: type[enum.Enum]) -> Reader:
    def read(data: Any) -> Any:
        try:
            return wanted(data)
        except ValueError as error:
            raise _MisfitError(("", f": {error}")) from None

    return read


def _dataclass_reader(cls: type[Any]) -> Reader:
    fields: list[tuple[str, Reader, bool]] = []  # found at the first use: a class may hold itself

    def find_fields() -> None:
        hints = typing.get_type_hints(cls)
        fields.extend(
            (f.name, _reader(hints[f.name]), _has_default(f)) for f in dataclasses.fields(cls)
        )

    def read(data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise _misfit("an object", data)
        if not fields:
            find_fields()
        values = {}
        for name, field_reader, optional in fields:
            if name in data:
                try:
                    values[name] = field_reader(data[name])
                except _MisfitError as misfit:
                    raise misfit.under(f".{name}") from None
            elif not optional:
                raise _MisfitError((f".{name}", " is missing"))
        return cls(**values)

    return read


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _union_reader(options: Sequence[Any]) -> Reader:
    accepts_none = type(None) in options
    readers = [_reader(option) for option in options if option is not type(None)]

    def read(data: Any) -> Any:
        if data is None and accepts_none:
            return None
        problems: list[tuple[str, str]] = []
        for option in readers:
            try:
                return option(data)
            except _MisfitError as misfit:
                problems.extend(misfit.problems)
        raise _MisfitError(*(problems or [("", ": unexpected null")]))

    return read


def _mapping_reader(hint: Any) -> Reader:
    entry = _reader(hint)

    def read(data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise _misfit("an object", data)
        found = {}
        for key, value in data.items():
            try:
                found[key] = entry(value)
            except _MisfitError as misfit:
                raise misfit.under(f"[{key!r}]") from None
        return found

    return read


def _sequence_reader(origin: Any, args: Sequence[Any]) -> Reader:
    """Of a list, a tuple of any length, or one of as many entries as it has annotations."""
    is_open = origin is list or args[-1] is Ellipsis
    readers = [_reader(arg) for arg in (args[:1] if is_open else args)]

    def read(data: Any) -> Any:
        if not isinstance(data, (list, tuple)):
            raise _misfit("a list", data)
        if not is_open and len(readers) != len(data):
            raise _MisfitError(("", f": expected {len(readers)} entries, got {len(data)}"))
        items = []
        for position, value in enumerate(data):
            try:
                items.append(readers[0 if is_open else position](value))
            except _MisfitError as misfit:
                raise misfit.under(f"[{position}]") from None
        return items if origin is list else tuple(items)

    return read
