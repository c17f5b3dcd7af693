"""The keys of a `workbench` block: what each must hold, and how it is taken from TOML."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ALL_CASES = "all"
"""The word that selects every case, so that no case may have it as its name."""


@dataclass(frozen=True)
class Field:
    """A key's value: `accepts` says whether TOML's value is right, `convert` takes it over."""

    expects: str
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any] = lambda value: value


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_tolerance(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and value >= 0 and not math.isnan(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_sizes(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_integer(v) and v >= 0 for v in value.values())


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(_is_text(item) for item in value)


_TEXT = Field("a text that is not empty", _is_text)
_TOLERANCE = Field("a number of 0 or more", _is_tolerance, float)

METADATA_FIELDS = {
    "kernel": _TEXT,
    "reference": _TEXT,
    "pattern": Field("a table, as a generated document has it", _is_table),
}
"""The block's own keys, beside the `[[case]]` tables."""

CASE_FIELDS = {
    "name": Field(
        f'a text that is not empty and not "{ALL_CASES}"',
        lambda value: _is_text(value) and value != ALL_CASES,
    ),
    "kernel": _TEXT,
    "args": Field("a table, as in { M = 1024, N = 1024 }", _is_table),
    "targets": Field('a list of texts, as in ["h100", "a100"]', _is_texts, tuple),
    "dims": Field("a table of integers of 0 or more, as in { m = 300 }", _is_sizes),
    "rtol": _TOLERANCE,
    "atol": _TOLERANCE,
    "seed": Field("an integer of 0 or more", lambda v: _is_integer(v) and v >= 0),
    "flops": _TEXT,
    "baseline": _TEXT,
}
"""The keys of a case, each a field of `Case` by the same name."""
