"""What was measured of generated kernels: the table of measurements, and which one is of which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import tomllib

from workbench.core.data_files import find_data
from workbench.core.patterns.model import Field, Kind, Pattern, Values

#: Written by `benchmarks/kernels.py --render` from the results of a device.
FILE = "measured.toml"


@dataclass(frozen=True)
class Measurement:
    """What was measured of a version of a pattern with these values on these targets.

    `text` is a sentence with the device, the versions and the date.
    """

    pattern: str
    version: int
    targets: tuple[str, ...]
    values: Mapping[str, Any]
    text: str


@cache
def measurements() -> tuple[Measurement, ...]:
    """All that were kept, those of one device after those of another."""
    path = find_data("resources") / "patterns" / FILE
    if not path.is_file():
        return ()
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_measurement(entry) for entry in table.get("measurement", ()))


def _measurement(entry: Mapping[str, Any]) -> Measurement:
    return Measurement(**{**entry, "targets": tuple(entry["targets"])})


def measurement_of(
    pattern: Pattern,
    values: Values,
    targets: Iterable[str],
    among: Iterable[Measurement] | None = None,
) -> Measurement | None:
    """The measurement of the very kernel that the values give on one of the targets.

    Every field that has an effect must have the value that was measured, sizes included, and the
    pattern must be of the version that was: another one's text is another kernel.
    """
    names = set(targets)
    found = measurements() if among is None else among
    same = (each for each in found if (each.pattern, each.version) == (pattern.id, pattern.version))
    return next(
        (each for each in same if names & set(each.targets) and _fits(pattern, each, values)), None
    )


def _fits(pattern: Pattern, measured: Measurement, values: Values) -> bool:
    return all(
        _plain(field, measured.values.get(field.name)) == _plain(field, values.get(field.name))
        for field in pattern.fields
        if field.matters(values)
    )


def _plain(field: Field, value: Any) -> Any:
    """A shape is a list in TOML, whatever sequence it is here; a switch that nobody set is off."""
    if field.kind is Kind.SWITCH:
        return bool(value)
    return list(value) if isinstance(value, tuple) else value
