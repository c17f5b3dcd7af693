"""The JSON form of a diagnostic, which keeps what a newer writer added anywhere inside it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Related, TextRange
from workbench.core.plain import from_plain, to_plain


@dataclass(frozen=True)
class NewerDiagnostic(Diagnostic):
    """A diagnostic read from a newer writer; `source` is its JSON, with the fields unknown here."""

    source: dict[str, Any] = field(default_factory=dict, repr=False)


def diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return the JSON object of `diagnostic`, with a newer writer's fields laid back in."""
    own: dict[str, Any] = to_plain(diagnostic)
    source = own.pop("source", None) if isinstance(diagnostic, NewerDiagnostic) else None
    return own if source is None else _merge(own, source)


def diagnostic_from_json(data: Any) -> Diagnostic:
    """Return the diagnostic that `data` holds; raises `PlainError` where it has another form."""
    diagnostic = from_plain(Diagnostic, data)
    if _is_known(Diagnostic, data):
        return diagnostic
    values = {f.name: getattr(diagnostic, f.name) for f in dataclasses.fields(Diagnostic)}
    return NewerDiagnostic(**values, source=data)


#: The fields that hold records, or lists of records, in their turn.
_PARTS: dict[type[Any], dict[str, type[Any]]] = {
    Diagnostic: {"range": TextRange, "related": Related, "fixes": Fix},
    Related: {"range": TextRange},
    Fix: {"edits": Edit},
    Edit: {"range": TextRange},
    TextRange: {},
}
_NAMES = {record: {f.name for f in dataclasses.fields(record)} for record in _PARTS}


def _is_known(record: type[Any], data: Any) -> bool:
    """Say whether the JSON of a `record`, or of a list of them, has no key unknown here."""
    if isinstance(data, list):
        return all(_is_known(record, item) for item in data)
    if data is None:
        return True
    parts = _PARTS[record].items()
    return data.keys() <= _NAMES[record] and all(_is_known(r, data.get(n)) for n, r in parts)


def _merge(own: Any, source: Any) -> Any:
    """Return `own` with the keys that only `source` has, at every depth."""
    if isinstance(own, dict) and isinstance(source, dict):
        return {**source, **{key: _merge(own[key], source.get(key)) for key in own}}
    if isinstance(own, list) and isinstance(source, list) and len(own) == len(source):
        return [_merge(a, b) for a, b in zip(own, source, strict=True)]
    return own
