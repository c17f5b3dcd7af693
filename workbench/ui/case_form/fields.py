"""What the form shows, as frozen fields made from a kernel, its case and the present arguments."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.documents.model import Case, Kernel, Parameter
from workbench.core.documents.selection import parse_value
from workbench.ui.case_form.ranges import Group, Known, known_of
from workbench.ui.case_form.whole import INT_MOST, parse_whole


class FieldKind(enum.Enum):
    """How a value is edited."""

    WHOLE = "whole"
    SWITCH = "switch"
    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"


class Missing(enum.Enum):
    """The value of an argument that nobody gave: Python's own default, or nothing at all."""

    VALUE = "missing"


MISSING = Missing.VALUE


@dataclass(frozen=True)
class FieldSpec:
    """What a field is, which stays while its value is edited.

    `saved` is the case's value, else the default. `steps` are the slider's values in rising
    order, none where no range is known; `least` is the smallest legal whole number. `hint` stands
    in an empty field.
    """

    name: str
    kind: FieldKind
    group: Group
    help: str
    unit: str
    saved: Any
    steps: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    hint: str = ""
    least: int = -INT_MOST

    @property
    def tip(self) -> str:
        """Plain text: what it is, its unit, and what is saved."""
        unit = f", in {self.unit}" if self.unit else ""
        if self.kind is FieldKind.WHOLE and self.least > -INT_MOST:
            unit += f", {self.least:,} or more"
        saved = "" if self.saved is MISSING else f"\nSaved: {self.shown(self.saved)}"
        return f"{self.help}{unit}{saved}"

    def shown(self, value: Any) -> str:
        """A value as this field shows it: whole numbers in groups of three digits."""
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return f"{value:,}" if is_whole and self.kind is FieldKind.WHOLE else shown(value)


def specs_of(kernel: Kernel, case: Case | None) -> tuple[FieldSpec, ...]:
    """The fields of a kernel's parameters, group by group, each group in the kernel's order."""
    specs = [_spec(parameter, case) for parameter in kernel.parameters]
    order = list(Group)
    return tuple(sorted(specs, key=lambda spec: order.index(spec.group)))


def saved_value(parameter: Parameter, case: Case | None) -> Any:
    """What the case says, else the default; MISSING where neither is known."""
    if case is not None and parameter.name in case.args:
        return case.args[parameter.name]
    if case is not None and parameter.name in case.dims:
        return case.dims[parameter.name]
    return parameter.default if parameter.default_is_known else MISSING


def differs(spec: FieldSpec, value: Any) -> bool:
    """Whether a value is another one than the saved one; 1 is not True, nor 1.0."""
    return type(value) is not type(spec.saved) or value != spec.saved


def changed_names(specs: tuple[FieldSpec, ...], args: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the arguments that differ from what is saved."""
    return tuple(s.name for s in specs if differs(s, args.get(s.name, MISSING)))


def shown(value: Any) -> str:
    """A value as the field shows it: strings bare, everything else as Python writes it."""
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else repr(value)


def parse(spec: FieldSpec, text: str) -> Any:
    """The value of what was typed. Raises ValueError with a sentence for the person."""
    if spec.kind is FieldKind.WHOLE:
        return parse_whole(text, spec.least, INT_MOST)
    value = parse_value(text)
    if spec.kind is FieldKind.NUMBER:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number:
            raise ValueError("A number is needed, such as 0.5 or 1e-6.")
        return float(value) if isinstance(spec.saved, float) else value
    if spec.saved is MISSING and not text.strip():
        raise ValueError("A value is needed.")
    # What was a string stays one: "16" typed over "float16" is no number.
    return text if isinstance(spec.saved, str) else value


def _spec(parameter: Parameter, case: Case | None) -> FieldSpec:
    known, saved = known_of(parameter.name), saved_value(parameter, case)
    kind = _kind(parameter, known, saved)
    return FieldSpec(
        name=parameter.name,
        kind=kind,
        group=known.group,
        help=known.help,
        unit=known.unit if kind is FieldKind.WHOLE else "",
        saved=saved,
        steps=_steps(known, saved) if kind is FieldKind.WHOLE else (),
        choices=_choices(known, saved) if kind is FieldKind.CHOICE else (),
        hint=parameter.default_text or "needed",
        least=_least(known, saved),
    )


def _kind(parameter: Parameter, known: Known, saved: Any) -> FieldKind:
    if isinstance(saved, bool):
        return FieldKind.SWITCH
    if isinstance(saved, int):
        return FieldKind.WHOLE if abs(saved) <= INT_MOST else FieldKind.NUMBER
    if isinstance(saved, float):
        return FieldKind.NUMBER
    if known.choices and isinstance(saved, str):
        return FieldKind.CHOICE
    # A size that nobody gave is a whole number all the same.
    needs_size = saved is MISSING and not parameter.has_default
    sized = known.group in (Group.PROBLEM, Group.TILING)
    return FieldKind.WHOLE if needs_size and sized else FieldKind.TEXT


def _least(known: Known, saved: Any) -> int:
    """The smallest legal number; what a file has is legal, such as -1 for the last dimension."""
    if known.least is None:
        return -INT_MOST
    is_whole = isinstance(saved, int) and not isinstance(saved, bool)
    return known.least if not is_whole or saved >= known.least else min(saved, 0)


def _steps(known: Known, saved: Any) -> tuple[int, ...]:
    """The slider's values, with the saved one among them."""
    if not known.steps or saved is MISSING:
        return known.steps
    if known.steps[0] <= saved <= known.steps[-1]:
        return tuple(sorted({*known.steps, saved}))
    return _stretched(known.steps, saved)


def _stretched(steps: tuple[int, ...], saved: int) -> tuple[int, ...]:
    """Powers of two up to a larger saved value; else there is no sensible slider."""
    powers = all(step > 0 and math.log2(step).is_integer() for step in steps)
    if not powers or saved < steps[0] or saved > steps[-1] * 64:
        return ()
    more = [steps[-1]]
    while more[-1] < saved:
        more.append(more[-1] * 2)
    return tuple(sorted({*steps, *more, saved}))


def _choices(known: Known, saved: Any) -> tuple[str, ...]:
    return known.choices if saved in known.choices else (saved, *known.choices)
