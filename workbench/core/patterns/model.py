"""The records of patterns: fields, rules, recommendations, and the program that is generated."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.targets.model import Feature, Target

Values = Mapping[str, Any]
"""A value for each field of a pattern, by name."""
OF_TARGET = "Target"
"""The title of rules that say that a pattern has no form for a target."""


class PatternError(ValueError):
    """A pattern, field or value that cannot be meant; the message says what can."""


class Step(enum.Enum):
    """The wizard's steps, in the order in which a kernel is thought out."""

    REQUIREMENTS = "requirements"
    TILES = "tiles"
    PIPELINE = "pipeline"
    EPILOGUE = "epilogue"
    CASES = "cases"


class Kind(enum.Enum):
    """What a field holds: SIZE is one extent of a tensor, SHAPE a list of them."""

    INTEGER = "integer"
    SIZE = "size"
    SHAPE = "shape"
    NUMBER = "number"
    SWITCH = "switch"
    CHOICE = "choice"
    DTYPE = "dtype"
    TEXT = "text"


class Goal(enum.Enum):
    """What the recommended sizes are for."""

    THROUGHPUT = "throughput"
    """The most work a second: large tiles, which read each operand the fewest times."""
    LATENCY = "latency"
    """The soonest end of one launch: tiles small enough that every multiprocessor has one."""


@dataclass(frozen=True)
class Option:
    """A value that a field offers, what it is called, and what it means.

    `words` are regular expressions by which a sentence chooses it.
    """

    value: Any
    title: str
    help: str = ""
    words: tuple[str, ...] = ()


def _always(values: Values) -> bool:
    return True


@dataclass(frozen=True)
class Field:
    """One thing to choose. `low` and `high` bound numbers and include themselves.

    `options` are all values of a CHOICE or DTYPE, and for numbers those that are offered first.
    `matters` tells whether the field has an effect, given the others; `optional` ones may be None.
    `title` is short; `unit` says what is counted; `help` is one or two sentences. `words` are
    regular expressions by which a sentence turns a switch on, or that stand beside a number.
    `tuned` fields are chosen for a target, as those of tiles and pipeline are in any case.
    """

    name: str
    kind: Kind
    step: Step
    title: str
    help: str
    default: Any
    options: tuple[Option, ...] = ()
    unit: str = ""
    low: float | None = None
    high: float | None = None
    multiple: int = 1
    power_of_two: bool = False
    optional: bool = False
    words: tuple[str, ...] = ()
    tuned: bool = False
    matters: Callable[[Values], bool] = field(default=_always, compare=False)

    @property
    def offered(self) -> tuple[Any, ...]:
        """The values of the options."""
        return tuple(option.value for option in self.options)

    @property
    def is_tuned(self) -> bool:
        """Whether another target calls for another value, with the result the same."""
        return self.tuned or self.step in (Step.TILES, Step.PIPELINE)


@dataclass(frozen=True)
class Advice:
    """A recommended value and the sentence that says why."""

    value: Any
    reason: str


@dataclass(frozen=True)
class Rule:
    """A rule of legal combinations on a target.

    `broken` gives the sentence that says why values break it, in the hardware's or the compiler's
    terms, or None. `fields` are those to change, the best first. An `advisory` rule warns: what
    breaks it is slow, but right. `beside` says the same of a target because of the others that
    the kernel is generated for.
    """

    name: str
    title: str
    fields: tuple[str, ...]
    broken: Callable[[Values, Target], str | None] = field(compare=False)
    advisory: bool = False
    beside: Callable[[Values, Target, Sequence[Target]], str | None] | None = field(
        default=None, compare=False
    )

    @property
    def is_of_target(self) -> bool:
        """Whether it says that there is no form for a target, whatever is chosen."""
        return self.title == OF_TARGET

    def message(self, values: Values, target: Target, targets: Sequence[Target]) -> str | None:
        """Why values break the rule on a target of several; None where they do not."""
        found = self.broken(values, target)
        if found is None and self.beside is not None:
            return self.beside(values, target, targets)
        return found


@dataclass(frozen=True)
class Why:
    """What one optimisation of a generated kernel is for, as the page after generation says it."""

    title: str
    text: str


@dataclass(frozen=True)
class Program:
    """What fills a pattern's template for one set of values.

    `template` is a file of `resources/patterns` and `context` what it names. `formula` is the
    first line of the docstring; `usage` are lines of an example; `hardware`, `sizes` and `results`
    are its paragraphs on assumptions, block sizes, and precision (empty: nothing to say).
    """

    kernel: str
    template: str
    context: Mapping[str, Any]
    formula: str
    usage: tuple[str, ...]
    hardware: str
    sizes: str
    cases: tuple[Case, ...]
    why: tuple[Why, ...]
    results: str = ""


@dataclass(frozen=True)
class Setting:
    """What a kernel is generated for: targets, the first of which decides, and the goal."""

    targets: tuple[Target, ...]
    goal: Goal = Goal.THROUGHPUT

    @property
    def target(self) -> Target:
        """The target whose recommendations are taken."""
        return self.targets[0]

    def lacks(self, feature: Feature) -> bool:
        """Whether a target of them lacks a feature, so that the kernel has to do without."""
        return not all(target.arch.has(feature) for target in self.targets)


@dataclass(frozen=True)
class Pattern:
    """A kind of kernel that can be generated.

    `version` rises when the generated text changes for the same values. `words` are regular
    expressions by which a sentence names the pattern. `advise` recommends values for one target,
    given all others; `program` makes what is generated. `sizes` are the fields that a sentence has
    to give, in the order in which "16x4096x4096" means them; `pair` are those that a product of as
    many numbers means first, as the 3x3 of a convolution.
    """

    id: str
    family: str
    title: str
    summary: str
    version: int
    fields: tuple[Field, ...]
    rules: tuple[Rule, ...]
    words: tuple[str, ...]
    sizes: tuple[str, ...]
    advise: Callable[[Values, Target, Goal], Mapping[str, Advice]] = field(compare=False)
    program: Callable[[Values, Setting], Program] = field(compare=False)
    pair: tuple[str, ...] = ()

    def field_named(self, name: str) -> Field | None:
        """The field of that name."""
        return next((found for found in self.fields if found.name == name), None)

    def of_step(self, step: Step) -> tuple[Field, ...]:
        """The fields that a step of the wizard shows."""
        return tuple(found for found in self.fields if found.step is step)
