"""Says where an argument given as text is of another kind than the kernel's parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.core.documents.model import Case, Kernel, Parameter, ParameterRole

_NUMBERS = (bool, int, float)
_NUMBER_ANNOTATIONS = {"int", "float", "bool"}


def misfit(kernel: Kernel, cases: Iterable[Case], name: str, text: str, value: Any) -> str | None:
    """Why the `value` of `--set name=text` cannot be meant, as a message; None where it can.

    A word without quotes is no number: what the cases or the defaults give as numbers, and what
    the signature declares as one, does not take it. Quoted text is taken as it is.
    """
    parameter = next((p for p in kernel.parameters if p.name == name), None)
    is_word = isinstance(value, str) and not text.strip().startswith(("'", '"'))
    if parameter is None or not is_word:
        return None
    known = _known_number(parameter, cases)
    if known is None:
        return None
    example, giver = known
    return (
        f"--set {name}={text}: {text!r} is no number, and `{kernel.name}` takes one for {name} "
        f"({giver}). Give a number such as --set {name}={example}; where text is meant, quote it: "
        f"--set \"{name}='{text}'\""
    )


def _known_number(parameter: Parameter, cases: Iterable[Case]) -> tuple[Any, str] | None:
    """A number that the parameter takes, and who says so."""
    for case in cases:
        value = case.args.get(parameter.name)
        if value is not None:
            is_number = isinstance(value, _NUMBERS)
            return (value, f"{value} in the case `{case.name}`") if is_number else None
    if isinstance(parameter.default, _NUMBERS):
        return parameter.default, f"{parameter.default} by default"
    if parameter.role is ParameterRole.SHAPE:
        return 128, "a size"
    if parameter.annotation in _NUMBER_ANNOTATIONS and not parameter.has_default:
        return 128, f"declared as {parameter.annotation}"
    return None
