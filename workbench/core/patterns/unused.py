"""What of a sentence was not used: words and numbers that led to no pattern, field or target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.core.patterns.dtypes import by_word, is_fp8
from workbench.core.patterns.model import Pattern, Values

# Words that say nothing of a field: what is said with them is said by the words beside them.
_FILLING_TEXT = """
    a an and any are as at be best by can card chip code compute computing create data device dtype
    each efficient fast fastest for form format forward from fwd generate give good gpu gpus high i
    in input inputs into is it kernel kernels kv layout like low machine make matrices matrix me my
    need no non not of on one operand operands or our out output outputs over pass per performance
    please precision problem result results shape shaped size sizes some target targets tensor
    tensors that the their then these this those to use using value values want we where which with
    without write x amd apple geforce huawei instinct nvidia radeon tesla
"""
_FILLING = frozenset(_FILLING_TEXT.split())
_TOKEN = re.compile(r"\w[\w.+-]*(?:\s*=\s*[\w.+-]+)*")
_POWERS = r"\^[23]|[²³]|\bcubed\b|\bsquared\b"
_SCALES = {"": 1, "k": 1024, "m": 1024 * 1024}


def unused_parts(
    text: str, pattern: Pattern, values: Values, spent: Iterable[str]
) -> tuple[str, ...]:
    """The parts of a sentence that say nothing that was understood, in their order.

    `text` is in small letters and without its targets; `values` are what was read of it; `spent`
    are regular expressions of what was used besides.
    """
    rest = text
    for word in (_POWERS, *spent, *_words(pattern, values)):
        for match in re.finditer(rf"(?:{word})(?:\s*=)?", text):
            start, end = match.span()
            rest = rest[:start] + " " * (end - start) + rest[end:]
    left = [m for m in _TOKEN.finditer(rest) if not _is_spent(m[0], pattern, values)]
    return _joined(rest, left)


def _words(pattern: Pattern, values: Values) -> Iterator[str]:
    """What names the pattern, and the fields and options that were read."""
    yield from pattern.words
    for name, value in values.items():
        found = pattern.field_named(name)
        if found is not None:
            yield rf"\b{name.casefold()}\b"
            yield from found.words
            yield from (word for o in found.options if o.value == value for word in o.words)


def _is_spent(token: str, pattern: Pattern, values: Values) -> bool:
    """Whether a word, a number or `name=number` was read, or says nothing by itself."""
    *names, last = re.split(r"\s*=\s*", token)
    read = {name.casefold() for name in values}
    if names:
        return all(name in read for name in names)
    dtype = by_word(last)
    if dtype is not None:
        return any(dtype == value or _are_fp8(dtype, value) for value in values.values())
    return last in _FILLING or last in read or set(_numbers(last)) <= set(_held(values))


def _are_fp8(dtype: str, value: object) -> bool:
    """ "fp8 e5m2" says one format in two words, the first of which is another one's too."""
    return is_fp8(dtype) and isinstance(value, str) and is_fp8(value)


def _numbers(text: str) -> Iterator[object]:
    """The numbers of "4096" and "16x4kx4k"; the text itself where it is none."""
    for part in text.split("x"):
        match = re.fullmatch(r"(\d+)([km]?)", part)
        yield int(match[1]) * _SCALES[match[2]] if match is not None else part


def _held(values: Values) -> Iterator[object]:
    for value in values.values():
        yield from value if isinstance(value, (list, tuple)) else (value,)


def _joined(text: str, found: Sequence[re.Match[str]]) -> tuple[str, ...]:
    """The parts; those that stand side by side as one."""
    parts: list[tuple[int, int]] = []
    for match in found:
        if parts and not text[parts[-1][1] : match.start()].strip(" "):
            parts[-1] = (parts[-1][0], match.end())
        else:
            parts.append(match.span())
    return tuple(re.sub(r"\s+", " ", text[start:end]) for start, end in parts)
