"""Generates complete kernel documents: the block, the docstring, and the filled template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.core.documents.block import CLOSING, OPENING, comment
from workbench.core.documents.model import Case
from workbench.core.documents.toml_text import case_text, value_text
from workbench.core.patterns.legality import Breach, breaches
from workbench.core.patterns.measured import measurement_of
from workbench.core.patterns.model import (
    Pattern,
    PatternError,
    Program,
    Setting,
    Values,
    Why,
)
from workbench.core.patterns.origin import origin_lines, sealed
from workbench.core.patterns.recommending import Choice, recommend
from workbench.core.patterns.rendering import LINE_LENGTH, render, wrapped

_NOT_MEASURED = "not measured."


@dataclass(frozen=True)
class Generated:
    """A generated document, with the values that it is of and what they were chosen for.

    `warnings` are the advisory rules that it breaks. `real_case` is the name of the case with the
    sizes that were asked for; the cases before it are small enough for the simulator.
    """

    pattern: Pattern
    values: Mapping[str, Any]
    setting: Setting
    text: str
    kernel: str
    real_case: str
    why: tuple[Why, ...]
    warnings: tuple[Breach, ...]


class IllegalError(PatternError):
    """Values that break rules; `breaches` are those that forbid."""

    def __init__(self, found: Sequence[Breach]) -> None:
        super().__init__("\n".join(breach.text for breach in found))
        self.breaches = tuple(found)


def generate(pattern: Pattern, given: Values, setting: Setting) -> Generated:
    """The document of the given values and the recommended rest.

    Raises PatternError for a value that its field does not take, IllegalError for a combination.
    """
    return generate_choice(pattern, recommend(pattern, given, setting), setting)


def generate_choice(pattern: Pattern, choice: Choice, setting: Setting) -> Generated:
    """The document of all values. Raises IllegalError, PatternError for targets of two dialects."""
    _require_one_dialect(setting)
    found = breaches(pattern, choice.values, setting.targets)
    forbidden = [breach for breach in found if not breach.rule.advisory]
    if forbidden:
        raise IllegalError(forbidden)
    return _generated(pattern, choice, setting, found)


def _require_one_dialect(setting: Setting) -> None:
    """A document imports one module as `T`, which targets of another dialect do not have."""
    dialects = {target.dialect: target.name for target in setting.targets}
    if len(dialects) > 1:
        first, second, *_ = dialects.values()
        raise PatternError(
            f"{first} and {second} need documents of their own: TileLang has another dialect for "
            f"each. Generate for one, then use --port for the other."
        )


def sketch_choice(pattern: Pattern, choice: Choice, setting: Setting) -> Generated | None:
    """The document of all values, legal or not, to look at; None where they make no program."""
    try:
        return _generated(pattern, choice, setting, ())
    except (ArithmeticError, LookupError, ValueError):
        return None  # a program is written for legal values alone


def _generated(
    pattern: Pattern, choice: Choice, setting: Setting, found: tuple[Breach, ...]
) -> Generated:
    program = pattern.program(choice.values, setting)
    names = tuple(target.name for target in setting.targets)
    program = replace(program, cases=tuple(_for_targets(case, names) for case in program.cases))
    text = sealed(_text(pattern, choice.values, setting, program))
    why = tuple(program.why)
    return Generated(
        pattern, choice.values, setting, text, program.kernel, program.cases[-1].name, why, found
    )


def _for_targets(case: Case, names: tuple[str, ...]) -> Case:
    return case if case.targets else replace(case, targets=names)


def _text(pattern: Pattern, values: Values, setting: Setting, program: Program) -> str:
    block = _block(pattern, values, setting, program)
    docstring = _docstring(pattern, values, setting, program)
    return f"{block}{docstring}\n{render(program.template, program.context)}"


def _block(pattern: Pattern, values: Values, setting: Setting, program: Program) -> str:
    names = [target.name for target in setting.targets]
    parts = [
        [f"kernel = {value_text(program.kernel)}"],
        origin_lines(pattern, values, names, setting.goal),
        *(case_text(case).splitlines() for case in program.cases),
    ]
    lines = [line for part in parts for line in (*part, "")][:-1]
    return "\n".join([OPENING, *map(comment, lines), CLOSING, ""])


def _docstring(pattern: Pattern, values: Values, setting: Setting, program: Program) -> str:
    usage = "\n".join(row for line in program.usage for row in _usage_rows(line))
    paragraphs = [
        f"Hardware assumptions: {program.hardware}",
        f"Block sizes: {program.sizes}",
        f"Results: {program.results}" if program.results else "",
        f"Performance: {_performance(pattern, values, setting)}",
    ]
    body = "\n".join(wrapped(paragraph) for paragraph in paragraphs if paragraph)
    return f'"""{program.formula}\n\n{usage}\n\n{body}\n"""\n'


def _usage_rows(line: str) -> list[str]:
    """A line of the example; a remark that does not fit behind it stands above it."""
    code, mark, remark = line.partition("  # ")
    if len(f"    {line}") <= LINE_LENGTH or not mark:
        return [f"    {line}" if line else ""]
    return [*wrapped(remark, indent="    # ").splitlines(), f"    {code}"]


def _performance(pattern: Pattern, values: Values, setting: Setting) -> str:
    found = measurement_of(pattern, values, (target.name for target in setting.targets))
    return found.text if found is not None else _NOT_MEASURED
