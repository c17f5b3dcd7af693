"""How the wizard says values and targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import Field, Kind, Step, Values
from workbench.session.patterns.resolved import Resolved

_MOST_PARTS = 3
_USUAL = {
    Step.PIPELINE.value: "no pipeline",
    Step.EPILOGUE.value: "plain store",
    Step.CASES.value: "usual tolerance",
}
# Said with what they are of, since the value alone does not tell.
_WITH_TITLE = frozenset({"policy", "memory", "axis", "grid", "loop", "schedule"})
# Said only where they are not as usual.
_QUIET = frozenset({"name", "layout_A", "layout_B", "out_idx"})


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
    extents = [found for found in fields if _is_extent(found)]
    sizes = " × ".join(value_title(found, resolved.values[found.name]) for found in extents)
    if len(extents) == 1 and extents[0].kind is not Kind.SHAPE:
        sizes = f"{_lower(extents[0].title)} {sizes}"
    rest = [_part(found, resolved.values) for found in fields if not _is_extent(found)]
    parts = [part for part in (sizes, *rest) if part][: _MOST_PARTS + 1]
    return ", ".join(parts) or _USUAL.get(step, "as usual")


def _is_extent(found: Field) -> bool:
    return found.kind in (Kind.SIZE, Kind.SHAPE) or found.name.startswith("block_")


def _part(found: Field, values: Values) -> str:
    value = values[found.name]
    if value in (None, "") or (found.name in _QUIET and value == found.default):
        return ""
    if found.kind is Kind.DTYPE and found.name != "dtype":  # a second format, of the result
        return "" if value == values.get("dtype") else f"{value_title(found, value)} out"
    if found.kind is Kind.SWITCH:
        return found.title.lower() if value else ""
    if found.kind is Kind.TEXT and ":" in str(value):
        return ""  # shapes and the like are too long for a summary
    if found.kind in (Kind.INTEGER, Kind.NUMBER):
        title = found.title.lower() if len(found.title) > 1 else found.title
        if value == 0 and 0 in found.offered:
            return ""  # what is off
        counted = found.kind is Kind.INTEGER and title.endswith("s")  # `4 stages`, but `stride 2`
        if not counted:
            return f"{title} {value}" if len(title) > 1 else f"{title} = {value}"
        return f"{value} {title[:-1] if value == 1 else title}"
    title = value_title(found, value)
    if found.name in _WITH_TITLE or found.name in _QUIET:
        return f"{_lower(found.title)} {_lower(title)}"
    return "" if value == "none" else _lower(title)


def _lower(title: str) -> str:
    """A title within a sentence; abbreviations and names such as `ReLU` stay as they are."""
    first = title.partition(" ")[0]
    return f"{title[:1].lower()}{title[1:]}" if first[1:].islower() else title


def titles_summary(fields: Iterable[Field]) -> str:
    """What is chosen in a step, in one line."""
    titles = [_lower(found.title) for found in fields]
    return ", ".join(titles[:_MOST_PARTS])
