"""Reads one sentence about a wanted kernel: the pattern, fields, targets and goal that it names.

A sentence such as "FP16 matrix multiplication for A100, M=N=K=4096" is read by rules alone: what
each pattern, field and option is called stands in their records, targets in the table of targets.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.patterns.dtypes import by_word
from workbench.core.patterns.model import Field, Goal, Kind, Option, Pattern, PatternError
from workbench.core.patterns.unused import unused_parts
from workbench.core.patterns.values import misfit
from workbench.core.targets.table import TargetError, TargetTable

_SCALES = {"": 1, "k": 1024, "m": 1024 * 1024}
_NUMBER = r"(\d+)([km]?)(?![\w.])"
_NAME = r"[a-z_]\w*"
_LISTED = re.compile(
    rf"(?<![\w.])((?:{_NAME}\s*(?:,|and)\s*)+{_NAME})\s*=\s*((?:{_NUMBER}\s*(?:,|and)\s*)+{_NUMBER})"
)
_CHAINED = re.compile(rf"(?<![\w.])((?:{_NAME}\s*=\s*)+)({_NUMBER})")
_BY = re.compile(r"(?<![\w.])\d+[km]?(?:\s*(?:x|by)\s*\d+[km]?)+(?![\w.])")
_CUBE = re.compile(r"(?<![\w.])(\d+)([km]?)\s*(?:\^3|³|cubed)")
_SQUARE = re.compile(r"(?<![\w.])(\d+)([km]?)\s*(?:\^2|²|squared)")
_GOALS = {
    Goal.LATENCY: r"\blatency\b|\bsmall batch\b|\bas soon as\b|\bquick(?:est)?\b",
    Goal.THROUGHPUT: r"\bthroughput\b|\bbandwidth\b",
}
_NAMED_TARGETS = {"cpu", "metal", "ascend"}
_OUTPUT = r"\s*(?:output|out|result)s?\b"
_LONGEST_TARGET = 3
_NAME_PARTS = re.compile(r"[a-z]{4,}")
_CLOSE = 0.8


class UnnamedError(PatternError):
    """A sentence that names no pattern; `short` leaves out which there are."""

    def __init__(self, short: str, ids: str) -> None:
        super().__init__(f"{short}; there are {ids}")
        self.short = short


@dataclass(frozen=True)
class Reading:
    """What a sentence says; `missing` are the sizes that it does not give.

    `unused` are its parts that say nothing that was understood.
    """

    pattern: Pattern
    values: dict[str, Any]
    targets: tuple[str, ...]
    goal: Goal | None
    missing: tuple[str, ...]
    unused: tuple[str, ...] = ()

    @property
    def remark(self) -> str | None:
        """What was not used, as a clause; None where all was."""
        parts = ", ".join(f"“{part}”" for part in self.unused)
        return f"not used of the sentence: {parts}" if parts else None

    @property
    def question(self) -> str | None:
        """What to ask for, as a sentence; None where nothing is missing."""
        if not self.missing:
            return None
        options = " ".join(f"--set {name}=..." for name in self.missing)
        return f"The sentence does not say {', '.join(self.missing)}. Add it, or {options}"


def read_sentence(text: str, patterns: Sequence[Pattern], table: TargetTable) -> Reading:
    """What a sentence asks for. Raises PatternError where it names no pattern."""
    plain = text.casefold().replace("×", "x").replace("‑", "-")
    pattern = _pattern(plain, patterns)
    targets, rest = _targets(plain, table)
    values = {**_formats(pattern, rest), **_options(pattern, rest), **_numbers(pattern, rest)}
    for name, value in values.items():
        field = pattern.field_named(name)
        message = misfit(field, value) if field is not None else None
        if message is not None:
            raise PatternError(message)
    goal = next((goal for goal, words in _GOALS.items() if re.search(words, plain)), None)
    needed = (name for name in pattern.sizes if not values.get(f"dynamic_{name}"))
    missing = tuple(name for name in needed if name not in values)
    spent = (_GOALS[goal],) if goal is not None else ()
    unused = unused_parts(rest, pattern, values, spent)
    return Reading(pattern, values, targets, goal, missing, unused)


def _pattern(text: str, patterns: Sequence[Pattern]) -> Pattern:
    """The pattern whose longest word is found; of two alike the one that stands first."""
    found = [
        (len(match[0]), -index, pattern)
        for index, pattern in enumerate(patterns)
        for word in pattern.words
        if (match := re.search(word, text)) is not None
    ]
    if not found:
        ids = ", ".join(pattern.id for pattern in patterns)
        near = _nearest(text, patterns)
        meant = f"; is {near} meant?" if near is not None else ""
        raise UnnamedError(f"the sentence names no kind of kernel{meant}", ids)
    return max(found, key=lambda entry: entry[:2])[2]


def _nearest(text: str, patterns: Sequence[Pattern]) -> str | None:
    """The pattern with a word in its name that a word of the sentence is close to."""
    names = {part: p.id for p in patterns[::-1] for part in _NAME_PARTS.findall(p.id)}
    close = (
        difflib.get_close_matches(word, names, n=1, cutoff=_CLOSE)
        for word in _NAME_PARTS.findall(text.casefold())
    )
    return next((names[found[0]] for found in close if found), None)


def _targets(text: str, table: TargetTable) -> tuple[tuple[str, ...], str]:
    """The targets that are named, in order, and the text without them."""
    found: list[str] = []
    words = list(re.finditer(r"[\w:.-]*[\w]", text))
    rest, index = text, 0
    while index < len(words):
        for count in range(min(_LONGEST_TARGET, len(words) - index), 0, -1):
            start, end = words[index].start(), words[index + count - 1].end()
            name = _target(text[start:end], table)
            if name is not None:
                found.append(name)
                rest = rest[:start] + " " * (end - start) + rest[end:]
                index += count - 1
                break
        index += 1
    return tuple(dict.fromkeys(found)), rest


def _target(words: str, table: TargetTable) -> str | None:
    is_name = words in _NAMED_TARGETS or (any(c.isdigit() for c in words) and words[0].isalpha())
    if not is_name or by_word(words) is not None:
        return None
    try:
        return table.resolve(words).name
    except TargetError:
        return None


def _formats(pattern: Pattern, text: str) -> dict[str, str]:
    """Formats by their names: one before "output" is the output's, any other the operands'."""
    values: dict[str, str] = {}
    for match in re.finditer(r"e\dm\d|[a-z]+\d*(?:_e\dm\d|-precision)?", text):
        name = by_word(match[0])
        if name is None:
            continue
        is_output = re.match(_OUTPUT, text[match.end() :]) is not None
        field = pattern.field_named("out_dtype" if is_output else "dtype")
        if field is None or name not in field.offered:
            continue
        # "fp8 e5m2": the second word is the more exact one.
        if field.name not in values or match[0].startswith("e"):
            values[field.name] = name
    return values


def _options(pattern: Pattern, text: str) -> dict[str, Any]:
    """Switches and choices whose words stand in the text."""
    values: dict[str, Any] = {}
    for field in pattern.fields:
        if field.kind is Kind.SWITCH and _says(field.words, text):
            values[field.name] = not _denied(field.words, text)
        chosen = [option for option in field.options if _says(option.words, text)]
        if chosen:
            values[field.name] = _most_exact(chosen, text).value
    return values


def _most_exact(options: Iterable[Option], text: str) -> Option:
    def length(option: Option) -> int:
        found = [m for word in option.words if (m := re.search(word, text)) is not None]
        return max(len(match[0]) for match in found)

    return max(options, key=length)


def _says(words: Iterable[str], text: str) -> bool:
    return any(re.search(word, text) for word in words)


def _denied(words: Iterable[str], text: str) -> bool:
    return any(re.search(rf"\b(?:no|non|not|without)[ -]+(?:{word})", text) for word in words)


def _numbers(pattern: Pattern, text: str) -> dict[str, Any]:
    """Numbers by name first, then products such as "16x4096x4096" for the sizes that are left."""
    values: dict[str, Any] = {}
    rest = text
    for form in (_LISTED, _CHAINED):
        for match in form.finditer(rest):
            values.update(_assigned(pattern, match))
        rest = form.sub(lambda match: " " * len(match[0]), rest)
    values.update(_by_words([f for f in _countable(pattern) if f.name not in values], rest))
    shape = next((f for f in pattern.fields if f.kind is Kind.SHAPE), None)
    for sizes in _products(rest):
        if shape is not None and shape.name not in values:
            values[shape.name] = sizes
            continue
        pair = pattern.pair if len(sizes) == len(pattern.pair) else ()
        free = [name for name in pair or pattern.sizes if name not in values]
        if len(sizes) <= len(free):
            values.update(zip(free, sizes, strict=False))
    return values


def _assigned(pattern: Pattern, match: re.Match[str]) -> Iterator[tuple[str, int]]:
    """`M=N=K=4096` and `M, N, K = 16, 4096, 4096`; names that no field has are left out."""
    names = [
        _field_of(pattern, word) for word in re.findall(r"[a-z_]\w*", match[1]) if word != "and"
    ]
    numbers = [_scaled(*found) for found in re.findall(r"(\d+)([km]?)", match[2])]
    if len(numbers) == 1:
        numbers *= len(names)
    yield from ((name, number) for name, number in zip(names, numbers, strict=False) if name)


def _field_of(pattern: Pattern, word: str) -> str | None:
    names = {field.name.casefold(): field.name for field in _countable(pattern)}
    if word in names:
        return names[word]
    called = (f.name for f in _countable(pattern) if any(re.fullmatch(w, word) for w in f.words))
    return next(called, None)


def _countable(pattern: Pattern) -> list[Field]:
    kinds = (Kind.INTEGER, Kind.SIZE)
    return [field for field in pattern.fields if field.kind in kinds]


def _by_words(fields: Sequence[Field], text: str) -> dict[str, int]:
    """Numbers beside words, each for one field: "batch 64 context 4096" has 64 for the batch.

    What can mean one number only takes it first; what is left takes the one before its word.
    """
    found = {field.name: list(_beside(field, text)) for field in fields}
    values: dict[str, int] = {}
    taken: set[int] = set()
    while True:
        free = {n: [c for c in each if c[0] not in taken] for n, each in found.items()}
        open_ = {n: each for n, each in free.items() if each and n not in values}
        if not open_:
            return values
        name = next((n for n, each in open_.items() if len(dict(each)) == 1), next(iter(open_)))
        place, values[name] = open_[name][0]
        taken.add(place)


def _beside(field: Field, text: str) -> Iterator[tuple[int, int]]:
    """Places and values of the numbers that stand before or behind one of the field's words."""
    for word in field.words:
        before = rf"(?<![\w.x])(\d+)([km]?)[ -](?:{word})"
        behind = rf"(?:{word})(?:\s+(?:of|is|size))?\s*[:=]?\s*{_NUMBER}"
        for form in (before, behind):
            for match in re.finditer(form, text):
                *_, digits, scale = match.groups()
                yield match.start(len(match.groups()) - 1), _scaled(digits, scale)


def _products(text: str) -> Iterator[list[int]]:
    for match in _CUBE.finditer(text):
        yield [_scaled(*match.groups())] * 3
    for match in _SQUARE.finditer(text):
        yield [_scaled(*match.groups())] * 2
    for match in _BY.finditer(text):
        yield [_scaled(*found) for found in re.findall(r"(\d+)([km]?)", match[0])]


def _scaled(digits: str, scale: str) -> int:
    return int(digits) * _SCALES[scale]
