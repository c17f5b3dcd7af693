"""How the wizard says values and targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import Field, Kind
from workbench.session.patterns.resolved import Resolved

_MOST_PARTS = 3


def value_title(found: Field, value: Any) -> str:
    """A value as a choice is called."""
    if found.kind is Kind.SWITCH:
        return "On" if value else "Off"
    if value is None:
        return ""
    option = next((each for each in found.options if each.value == value), None)
    if option is not None:
        return option.title
    if found.kind is Kind.SHAPE:
        return " × ".join(str(size) for size in value)
    return DTYPES[value].title if found.kind is Kind.DTYPE and value in DTYPES else str(value)


def joined(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def values_summary(resolved: Resolved, step: str) -> str:
    """A step's values in one line: extents joined by ×, then what else is not as usual."""
    fields = resolved.fields(step)
    extents = [
        value_title(found, resolved.values[found.name])
        for found in fields
        if found.kind in (Kind.SIZE, Kind.SHAPE) or found.name.startswith("block_")
    ]
    rest = [part for found in fields if (part := _part(found, resolved.values[found.name]))]
    parts = [part for part in (" × ".join(extents), *rest) if part][: _MOST_PARTS + 1]
    return ", ".join(parts) or "as usual"


def _part(found: Field, value: Any) -> str:
    if found.kind in (Kind.SIZE, Kind.SHAPE) or found.name.startswith("block_") or value is None:
        return ""
    if found.kind is Kind.SWITCH:
        return found.title.lower() if value else ""
    if found.kind is Kind.TEXT and ":" in str(value):
        return ""  # shapes and the like are too long for a summary
    if found.kind in (Kind.INTEGER, Kind.NUMBER):
        title = found.title.lower() if len(found.title) > 1 else found.title
        counted = found.kind is Kind.INTEGER and title.endswith("s")  # `4 stages`, but `stride 2`
        if not counted:
            return f"{title} {value}"
        return f"{value} {title[:-1] if value == 1 else title}"
    return "" if value == "none" else value_title(found, value)


def titles_summary(fields: Iterable[Field]) -> str:
    """What is chosen in a step, in one line."""
    titles = [found.title[0].lower() + found.title[1:] for found in fields]
    return ", ".join(titles[:_MOST_PARTS])
