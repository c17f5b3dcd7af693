"""The configurations that a sweep goes through: what is varied, and over which values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.documents.model import Kernel
from workbench.core.documents.overrides import misfit
from workbench.core.documents.selection import parse_value
from workbench.core.documents.suggestions import did_you_mean

MOST_POINTS = 100_000
_RANGE = re.compile(r"^\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*(?:([*:])\s*(\d+))?\s*$")
_FORM = (
    "NAME=VALUE,VALUE,... or NAME=LOW..HIGH (LOW..HIGH:STEP in steps, LOW..HIGH*2 by powers of two)"
)


class SpaceError(ValueError):
    """A space that cannot be meant; the message says what can."""


@dataclass(frozen=True)
class Axis:
    """One argument that is varied and its values, in the order in which they were given."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Point:
    """One configuration: the varied arguments, the case that gives the others, and the target.

    `number` counts from 0 in the order of the space, the last axis fastest.
    """

    number: int
    args: Mapping[str, Any]
    case: str
    target: str

    @property
    def text(self) -> str:
        """The varied arguments as `name=value` words."""
        return " ".join(f"{name}={value}" for name, value in self.args.items())


@dataclass(frozen=True)
class Space:
    """All configurations: axes times cases times targets, or the `configurations` listed.

    Where `configurations` are given, such as those of an `@autotune` decorator, the axes are those
    whose values are crossed with each of them. `conditions` are kept by `core.sweeps.conditions`.
    """

    axes: tuple[Axis, ...]
    cases: tuple[str, ...]
    targets: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    configurations: tuple[Mapping[str, Any], ...] = ()

    @property
    def size(self) -> int:
        """How many points there are before conditions and rules."""
        listed = len(self.configurations) or 1
        crossed = math.prod(len(axis.values) for axis in self.axes)
        return crossed * listed * len(self.cases) * len(self.targets)

    @property
    def product_text(self) -> str:
        """What makes several cases or targets so many points: `12 configurations × 2 targets`."""
        groups = {"cases": len(self.cases), "targets": len(self.targets)}
        several = {word: count for word, count in groups.items() if count > 1}
        if not several:
            return ""
        count = self.size // math.prod(groups.values())
        words = [f"{count:,} configurations" if count != 1 else "1 configuration"]
        return " × ".join([*words, *(f"{number} {word}" for word, number in several.items())])

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that differ between points."""
        listed = (name for each in self.configurations for name in each)
        return tuple(dict.fromkeys((*listed, *(axis.name for axis in self.axes))))

    def points(self) -> Iterator[Point]:
        """Every point; raises SpaceError where there are more than `MOST_POINTS`."""
        if self.size > MOST_POINTS:
            raise SpaceError(
                f"{self.size:,} configurations are more than {MOST_POINTS:,}: vary fewer arguments"
            )
        number = itertools.count()
        for target, case in itertools.product(self.targets, self.cases):
            for listed in self.configurations or ({},):
                for values in itertools.product(*(axis.values for axis in self.axes)):
                    names = (axis.name for axis in self.axes)
                    args = {**listed, **dict(zip(names, values, strict=True))}
                    yield Point(next(number), args, case, target)


def parse_axis(text: str) -> Axis:
    """The axis that `NAME=SPEC` means: a list, a range, or powers of two; raises SpaceError."""
    name, equals, spec = text.partition("=")
    if not equals or not name.strip() or not spec.strip():
        raise SpaceError(f"--vary takes {_FORM}, not {text!r}")
    values = _values(name.strip(), spec)
    if len({repr(value) for value in values}) < len(values):
        raise SpaceError(f"{name.strip()} has a value twice: {spec.strip()}")
    return Axis(name.strip(), tuple(values))


def _values(name: str, spec: str) -> list[Any]:
    found = _RANGE.match(spec)
    if found is None:
        return [parse_value(item) for item in _items(spec)]
    low, high, sign, step = found.groups()
    first, last, by = int(low), int(high), int(step or 1)
    if first > last:
        raise SpaceError(f"{name}={spec.strip()}: the range ends before it begins")
    if sign == "*":
        return list(_powers(name, spec, first, last, by))
    if by < 1:
        raise SpaceError(f"{name}={spec.strip()}: the step is below 1")
    if (last - first) // by >= MOST_POINTS:
        raise SpaceError(f"{name}={spec.strip()} has more than {MOST_POINTS:,} values")
    return list(range(first, last + 1, by))


def _powers(name: str, spec: str, first: int, last: int, by: int) -> Iterator[int]:
    if first < 1 or by < 2:
        raise SpaceError(
            f"{name}={spec.strip()}: a range by factors begins at 1 or more, and the factor is 2 "
            "or more"
        )
    while first <= last:
        yield first
        first *= by


def _items(spec: str) -> list[str]:
    """The items between commas that stand outside brackets and quotes."""
    items, depth, quote, start = [], 0, "", 0
    for position, sign in enumerate(spec):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and depth == 0:
            items.append(spec[start:position])
            start = position + 1
    items.append(spec[start:])
    if any(not item.strip() for item in items):
        raise SpaceError(f"{spec.strip()!r} has an empty value between its commas")
    return items


def require_fitting(space: Space, kernel: Kernel) -> None:
    """See that a kernel takes what is varied; raises SpaceError with the nearest name."""
    _require_unlike(space)
    known = [parameter.name for parameter in kernel.parameters]
    for name in space.names:
        if name not in known and not kernel.accepts_extra:
            hint = did_you_mean(name, known) if known else "; it has none."
            raise SpaceError(f"`{kernel.name}` has no parameter `{name}` (--vary){hint}")
    for axis in space.axes:
        for value in axis.values:
            why = misfit(kernel, (), axis.name, str(value), value)
            if why is not None:
                raise SpaceError(why.replace("--set", "--vary"))


def _require_unlike(space: Space) -> None:
    names = [axis.name for axis in space.axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SpaceError(f"{twice} is varied twice: give all its values in one --vary")
    listed = {name for each in space.configurations for name in each}
    both = next((name for name in names if name in listed), None)
    if both is not None:
        raise SpaceError(
            f"{both} is varied, and the decorator's configurations give it too: leave out one of "
            "the two"
        )


def axes_of(configurations: Sequence[Mapping[str, Any]]) -> tuple[Axis, ...]:
    """The axes along which listed configurations lie, each with the values that occur."""
    names = dict.fromkeys(name for each in configurations for name in each)
    return tuple(
        Axis(name, tuple(dict.fromkeys(_hashable(each[name]) for each in configurations)))
        for name in names
        if all(name in each for each in configurations)
    )


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
