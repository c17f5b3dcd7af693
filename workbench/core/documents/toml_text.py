"""The TOML of a block: edited in place, so that what is unchanged keeps its form and comments."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import fields, is_dataclass
from typing import Any

import tomlkit
import tomllib
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, InlineTable, Table

from workbench.core.documents.fields import CASE_FIELDS, METADATA_FIELDS
from workbench.core.documents.metadata import metadata_of
from workbench.core.documents.model import Case, DocumentError, Metadata

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALARS = (bool, int, float, str, datetime.datetime, datetime.date, datetime.time)
_UNSET: tuple[Any, ...] = (None, (), {})  # what a field of a record is without its key


def updated_toml(old: str, metadata: Metadata) -> str:
    """`old`, changed as little as is needed to say `metadata`; written anew where it is no TOML.

    Raises DocumentError where TOML has no form for a value.
    """
    edited = _edited(old, metadata) if old.strip() else None
    return edited if edited is not None else _fresh(metadata)


def _edited(old: str, metadata: Metadata) -> str | None:
    """The old text edited in place, or None where that does not give what is wanted."""
    try:
        document = tomlkit.parse(old)
        before = metadata_of(tomllib.loads(old))
        _update(document, before, metadata, METADATA_FIELDS)
        _update_cases(document, before.cases, metadata.cases)
        text = tomlkit.dumps(document)
        return text if same(metadata_of(tomllib.loads(text)), metadata) else None
    except (TOMLKitError, ValueError, LookupError, RecursionError):
        return None


def _update(
    table: MutableMapping[str, Any],
    old: Case | Metadata,
    new: Case | Metadata,
    known: Iterable[str],
) -> None:
    """Set the keys in which `new` differs from `old`."""
    for key in known:
        value = getattr(new, key)
        if not same(getattr(old, key), value):
            _set(table, key, getattr(old, key), None if value in _UNSET else value)
    for key in {**old.extra, **new.extra}:
        _set(table, key, old.extra.get(key), new.extra.get(key))


def _set(table: MutableMapping[str, Any], key: str, old: Any, new: Any) -> None:
    if same(old, new):
        return
    if new is None:
        table.pop(key, None)
    elif isinstance(new, Mapping) and isinstance(table.get(key), (InlineTable, Table)):
        for name in {**old, **new}:
            _set(table[key], name, old.get(name), new.get(name))
    else:
        table[key] = _item(new)


def _update_cases(
    document: tomlkit.TOMLDocument, old: tuple[Case, ...], new: tuple[Case, ...]
) -> None:
    """Keep the table of each case that is the same, change the one of that name, add the rest."""
    if same(old, new):
        return
    present = document.get("case")
    tables = list(present) if isinstance(present, AoT) and len(present) == len(old) else []
    free = dict(enumerate(old[: len(tables)]))
    chosen = [_take(free, case) for case in new]
    rows = []
    for case, index in zip(new, chosen, strict=True):
        table = tables[index] if index is not None else _table(case)
        if index is not None:
            _update(table, old[index], case, CASE_FIELDS)
        rows.append(table)
    _place(document, rows, appended=chosen[: len(tables)] == list(range(len(tables))))


def _take(free: dict[int, Case], case: Case) -> int | None:
    """The old case that becomes `case`: one that is the same, else one of that name."""
    by_name = [index for index, other in free.items() if other.name == case.name]
    index = next((index for index in by_name if same(free[index], case)), None)
    if index is None:
        index = by_name[0] if by_name else None
    if index is not None:
        del free[index]
    return index


def _place(document: tomlkit.TOMLDocument, rows: list[Table], appended: bool) -> None:
    """Put the cases in; where the old ones keep their places only the new are added."""
    present = document.get("case")
    if isinstance(present, AoT) and appended:
        for row in rows[len(present) :]:
            present.append(row)
        return
    document.pop("case", None)
    if rows:
        document["case"] = tomlkit.items.AoT(rows)


def _table(case: Case) -> Table:
    cases = tomlkit.parse(case_text(case))["case"]
    if not (isinstance(cases, AoT) and isinstance(cases[0], Table)):
        raise TypeError("a `[[case]]` header did not parse as an array of tables")
    return cases[0]


def _item(value: Any) -> Any:
    """What tomlkit writes in the form of `value_text`."""
    return tomlkit.parse(f"value = {value_text(value)}\n")["value"]


def _fresh(metadata: Metadata) -> str:
    return _keys_text(metadata, METADATA_FIELDS) + "".join(map(case_text, metadata.cases))


def case_text(case: Case) -> str:
    """A `[[case]]` table as a block holds it, a line a key."""
    return "[[case]]\n" + _keys_text(case, CASE_FIELDS)


def _keys_text(record: Case | Metadata, known: Iterable[str]) -> str:
    values = {key: getattr(record, key) for key in known}
    values = {key: value for key, value in values.items() if not _is_default(record, key, value)}
    pairs = {**values, **record.extra}.items()
    return "".join(f"{_key_text(key)} = {value_text(value)}\n" for key, value in pairs)


def _is_default(record: Case | Metadata, key: str, value: Any) -> bool:
    return value in _UNSET or (key == "seed" and value == 0)


def value_text(value: Any) -> str:
    """A value as TOML; raises DocumentError where TOML has no form for it."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key_text(key)} = {value_text(v)}" for key, v in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, _SCALARS):
        return tomlkit.item(value).as_string()
    raise DocumentError(
        f"cannot hold {value!r} in its block: TOML has no such value. Leave it out."
    )


def _key_text(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else tomlkit.item(key).as_string()


def same(first: Any, second: Any) -> bool:
    """Whether two records or values are written alike: 1, 1.0 and true differ, NaN is itself."""
    return bool(_canonical(first) == _canonical(second))


def _canonical(value: Any) -> Any:
    if is_dataclass(value):
        compared = (field.name for field in fields(value) if field.compare)
        return {name: _canonical(getattr(value, name)) for name in compared}
    if isinstance(value, Mapping):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    return type(value).__name__, repr(value)
