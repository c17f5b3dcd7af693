"""Numbers as a profiler writes them, with separators of thousands and the marks of a country."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

_SPACES = re.compile("[\\s'\N{RIGHT SINGLE QUOTATION MARK}]")  # \s has those that do not break
_INSTANCES = re.compile(r"\(.*\)$")  # a metric with values by instance: 12 (4; 8)
# Three digits behind a single mark can be either; groups or another number of digits tell.
_DECIMAL_COMMA = re.compile(r"[-+]?((\d{1,3}(\.\d{3})*|\d+),(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3}){2,})")
_DECIMAL_POINT = re.compile(r"[-+]?((\d{1,3}(,\d{3})*|\d+)\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3}){2,})")
_NUMBER = re.compile(r"[-+]?\d[\d.,]*([eE][-+]?\d+)?")
UNTOLD = frozenset({"", "n/a", "nan", "-nan", "inf", "-inf", "no data", "none", "-"})


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Whether numbers are written 1.234,5: by the first that can only be read in one way."""
    for text in texts:
        plain = _SPACES.sub("", text)
        if _DECIMAL_POINT.fullmatch(plain):
            return False
        if _DECIMAL_COMMA.fullmatch(plain):
            return True
    return False


def is_untold(text: str) -> bool:
    """Whether a text stands for a value that the profiler could not tell."""
    return text.strip().lower() in UNTOLD


def number_of(text: str, decimal_comma: bool = False) -> Decimal | None:
    """The number that a text holds; None where it holds none."""
    plain = _SPACES.sub("", _INSTANCES.sub("", text.strip()))
    if not _NUMBER.fullmatch(plain):
        return None
    thousands, mark = (".", ",") if decimal_comma else (",", ".")
    try:
        return Decimal(plain.replace(thousands, "").replace(mark, "."))
    except InvalidOperation:
        return None
