"""Prints the patterns that `new` knows, and the fields of one."""

from __future__ import annotations

from typing import Any

from workbench.cli import output
from workbench.core.patterns.model import Field, Pattern
from workbench.core.patterns.table import PATTERNS

SCHEMA = 1


def print_patterns(as_json: bool) -> None:
    """All patterns, a line each."""
    if as_json:
        rows = [
            {"id": p.id, "family": p.family, "title": p.title, "summary": p.summary}
            for p in PATTERNS
        ]
        output.print_json({"schema": SCHEMA, "status": "ok", "error": None, "patterns": rows})
    else:
        output.print_table(("pattern", "what it is"), [(p.id, p.summary) for p in PATTERNS])


def print_fields(pattern: Pattern, as_json: bool) -> None:
    """The fields of a pattern with what they take and their help."""
    if as_json:
        fields = [_field_json(found) for found in pattern.fields]
        plain = {"schema": SCHEMA, "status": "ok", "error": None, "pattern": pattern.id}
        output.print_json({**plain, "title": pattern.title, "fields": fields})
        return
    print(f"{pattern.title}: {pattern.summary}\n")
    rows = [(f.name, f.step.value, _takes(f), str(f.default), f.help) for f in pattern.fields]
    output.print_table(("field", "step", "takes", "default", "what it is"), rows)


def _field_json(found: Field) -> dict[str, Any]:
    return {
        "name": found.name,
        "kind": found.kind.value,
        "step": found.step.value,
        "title": found.title,
        "help": found.help,
        "unit": found.unit,
        "default": found.default,
        "options": list(found.offered),
        "low": found.low,
        "high": found.high,
        "multiple": found.multiple,
        "power_of_two": found.power_of_two,
        "optional": found.optional,
    }


def _takes(found: Field) -> str:
    """What a field takes, in few words."""
    if found.options:
        return " ".join(str(value) for value in found.offered)
    if found.low is not None and found.high is not None:
        return f"{found.low:g} to {found.high:g}"
    return str(found.kind.value)
