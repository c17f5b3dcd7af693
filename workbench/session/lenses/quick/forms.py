"""Symbolic integers of the source as text of `index_expressions` over blocks and turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.doctor.values import Form


class UntoldError(ValueError):
    """The source does not tell it in a form that can be drawn; the message says what."""


@dataclass(frozen=True)
class Names:
    """What the atoms of forms stand for: names of expressions, and extents of parallel loops."""

    texts: Mapping[str, str]
    spread: Mapping[str, int]


@dataclass(frozen=True)
class FormSpan:
    """The values that an index takes at one step: from `low` on, `extent` of them.

    `steps` are the factors of the parallel loops' variables in it.
    """

    low: str
    extent: int
    steps: tuple[int, ...] = ()


def span_of_form(value: object, names: Names) -> FormSpan:
    """The values of an index, a whole number or a form. Raises UntoldError."""
    if type(value) is int:
        return FormSpan(str(value), 1)
    if not isinstance(value, Form):
        raise UntoldError(f"{value} is no index")
    parts, extent, steps = [], 1, []
    for atom, factor in value.terms:
        if atom in names.texts:
            parts.append(_product(names.texts[atom], factor))
        elif atom in names.spread and factor > 0:
            extent += factor * (names.spread[atom] - 1)
            steps.append(factor)
        else:
            raise UntoldError(f"{atom.split('@')[0]} is not known before lowering")
    if value.constant or not parts:
        parts.append(str(value.constant))
    return FormSpan(" + ".join(parts), extent, tuple(steps))


def _product(name: str, factor: int) -> str:
    return name if factor == 1 else f"{name} * {factor}"
