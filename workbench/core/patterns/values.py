"""Values of fields: read from text, held against kind and range, and completed by defaults."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workbench.core.documents.suggestions import did_you_mean, nearest
from workbench.core.patterns.dtypes import by_word
from workbench.core.patterns.model import Field, Kind, Pattern, PatternError, Values

_SWITCH_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_NUMBERS = (Kind.INTEGER, Kind.SIZE, Kind.NUMBER)
_MOST_TRIED = 32
_MOST_OCTAVES = 2


def completed(pattern: Pattern, given: Values) -> dict[str, Any]:
    """A value for each field: the given, else the default. Raises PatternError."""
    for name, value in given.items():
        found = pattern.field_named(name)
        if found is None:
            raise _no_field(pattern, name)
        if (message := misfit(found, value)) is not None:
            raise PatternError(message)
    return {found.name: given.get(found.name, found.default) for found in pattern.fields}


def effective(pattern: Pattern, values: Values) -> dict[str, Any]:
    """The values, those of optional fields unset that have no effect beside the others."""
    found = dict(values)
    idle = [each.name for each in pattern.fields if _is_idle(each, found)]
    while idle:  # what has no effect may have been all that another one had one beside
        found |= dict.fromkeys(idle)
        idle = [each.name for each in pattern.fields if _is_idle(each, found)]
    return found


def _is_idle(found: Field, values: Values) -> bool:
    return found.optional and values[found.name] is not None and not found.matters(values)


def parsed(pattern: Pattern, texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of `name=text` pairs. Raises PatternError."""
    values = {}
    for name, text in texts.items():
        found = pattern.field_named(name)
        if found is None:
            raise _no_field(pattern, name)
        values[name] = parse(found, text)
    return values


def _no_field(pattern: Pattern, name: str) -> PatternError:
    """Names the field that is near, else all of them, in the pattern's order."""
    names = [found.name for found in pattern.fields]
    near = nearest(name, names)
    offer = f"did you mean `{near}`?" if near is not None else f"there are {', '.join(names)}"
    return PatternError(f"{pattern.id} has no field `{name}`; {offer}")


def parse(found: Field, text: str) -> Any:
    """The value that a text says for a field. Raises PatternError."""
    if found.optional and text.strip().casefold() in {"", "none"}:
        return None
    value = _READERS[found.kind](found, text.strip())
    if (message := misfit(found, value)) is not None:
        raise PatternError(message)
    return value


def misfit(found: Field, value: Any) -> str | None:
    """Why a value is none of the field's, with the nearest that are; None where it is one."""
    if value is None and found.optional:
        return None
    return _CHECKS[found.kind](found, value)


def nearby(found: Field, value: Any) -> tuple[Any, ...]:
    """Other values of a field, the nearest first, to be tried where one cannot stay.

    Numbers that the field does not offer are near up to a factor of four.
    """
    tried = found.offered
    if found.kind is Kind.SWITCH:
        tried = (not value,)
    elif found.kind in (Kind.INTEGER, Kind.SIZE) and value is not None:
        tried = tuple(dict.fromkeys((*tried, *_numbers(found, value))))
    fitting = [other for other in tried if other != value and misfit(found, other) is None]
    if found.kind in _NUMBERS and value is not None:
        fitting = [n for n in fitting if n in found.offered or _octaves(n, value) <= _MOST_OCTAVES]
        fitting.sort(key=lambda other: _octaves(other, value))
    return tuple(fitting)


def _octaves(first: float, second: float) -> float:
    return abs(_log(first) - _log(second))


def _log(value: float) -> float:
    return math.log2(value) if value > 0 else -1.0


def _numbers(found: Field, value: int) -> Iterable[int]:
    """Powers of two in the range, or the multiples on both sides of a value."""
    low = int(found.low if found.low is not None else 0)
    if found.power_of_two:
        high = int(found.high or max(1, value) * 16)
        return [2**n for n in range(high.bit_length()) if low <= 2**n <= high]
    if found.kind is Kind.INTEGER and found.high is not None and found.high - low <= _MOST_TRIED:
        return range(low, int(found.high) + 1, found.multiple)
    return [m * unit for unit in (8, 16, 32) for m in (value // unit, value // unit + 1) if m]


def _read_integer(found: Field, text: str) -> int:
    try:
        return int(text.replace("_", ""), 0)
    except ValueError:
        raise PatternError(f"`{found.name}` takes a whole number, not {text!r}") from None


def _read_number(found: Field, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise PatternError(f"`{found.name}` takes a number, not {text!r}") from None


def _read_switch(found: Field, text: str) -> bool:
    value = _SWITCH_WORDS.get(text.casefold())
    if value is None:
        raise PatternError(f"`{found.name}` is on or off, not {text!r}")
    return value


def _read_shape(found: Field, text: str) -> list[int]:
    plain = text.replace("x", ",").replace("×", ",").strip("[]()")
    try:
        value = ast.literal_eval(f"[{plain}]")
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, list):
        raise PatternError(f"`{found.name}` takes sizes as in 8x128x64, not {text!r}")
    return value


def _read_dtype(found: Field, text: str) -> str:
    return by_word(text) or text


def _read_choice(found: Field, text: str) -> Any:
    titles = {str(option.value).casefold(): option.value for option in found.options}
    return titles.get(text.casefold(), text)


def _check_number(found: Field, value: Any) -> str | None:
    whole = found.kind is not Kind.NUMBER
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return f"`{found.name}` takes a {'whole ' if whole else ''}number, not {value!r}"
    if (found.low is not None and value < found.low) or (
        found.high is not None and value > found.high
    ):
        return f"`{found.name}` is {_range(found)}, not {value:g}"
    if isinstance(value, float):
        return None
    if found.power_of_two and value & (value - 1):
        low = 1 << (value.bit_length() - 1)
        return f"`{found.name}` is a power of two, not {value}; {low} and {low * 2} are near"
    if value % found.multiple:
        low = value // found.multiple * found.multiple
        near = " and ".join(str(n) for n in (low, low + found.multiple) if n)
        return f"`{found.name}` is a multiple of {found.multiple}, not {value}; {near} are near"
    return None


def _range(found: Field) -> str:
    if found.high is None:
        return f"{found.low:g} or more"
    if found.low is None:
        return f"{found.high:g} or less"
    return f"from {found.low:g} to {found.high:g}"


def _check_shape(found: Field, value: Any) -> str | None:
    sizes = isinstance(value, (list, tuple)) and all(type(n) is int and n > 0 for n in value)
    if not sizes or not value:
        return f"`{found.name}` takes sizes of 1 or more, as in 8x128x64, not {value!r}"
    return None


def _check_switch(found: Field, value: Any) -> str | None:
    return None if isinstance(value, bool) else f"`{found.name}` is on or off, not {value!r}"


def _check_option(found: Field, value: Any) -> str | None:
    if value in found.offered:
        return None
    offered = [str(option) for option in found.offered]
    return f"`{found.name}` cannot be {value!r}{did_you_mean(str(value), offered)}"


def _check_text(found: Field, value: Any) -> str | None:
    return None if isinstance(value, str) else f"`{found.name}` takes a text, not {value!r}"


_READERS: Mapping[Kind, Callable[[Field, str], Any]] = {
    Kind.INTEGER: _read_integer,
    Kind.SIZE: _read_integer,
    Kind.NUMBER: _read_number,
    Kind.SHAPE: _read_shape,
    Kind.SWITCH: _read_switch,
    Kind.CHOICE: _read_choice,
    Kind.DTYPE: _read_dtype,
    Kind.TEXT: lambda found, text: text,
}
_CHECKS: Mapping[Kind, Callable[[Field, Any], str | None]] = {
    Kind.INTEGER: _check_number,
    Kind.SIZE: _check_number,
    Kind.NUMBER: _check_number,
    Kind.SHAPE: _check_shape,
    Kind.SWITCH: _check_switch,
    Kind.CHOICE: _check_option,
    Kind.DTYPE: _check_option,
    Kind.TEXT: _check_text,
}
