"""Finds the symptoms that a person's words are about: a search over titles, words and codes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.core.doctor.symptoms_model import Symptom
from workbench.core.doctor.symptoms_table import SYMPTOMS

_WORD = re.compile(r"[a-z0-9]+")
# Words that are in every question and say nothing of a kernel's trouble.
_EMPTIES = (
    "a an and are as at be but by can do does for from get gets give gives has have how i in is it "
    "its kernel kernels me my of on or our result results output only so some that the their them "
    "there they this tilelang to too very was what when which why with you your"
)
_EMPTY = frozenset(_EMPTIES.split())
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST = 3
_TITLE, _WORDS, _SUMMARY, _CODES = 4.0, 2.0, 0.7, 1.0
_PHRASE = 3.0


@dataclass(frozen=True)
class Match:
    """A symptom that a text is about; a higher score is a better one."""

    symptom: Symptom
    score: float


def search(text: str) -> tuple[Match, ...]:
    """The symptoms that a text speaks of, the likeliest first; none where it speaks of none.

    Words count by how few symptoms have them (inverse document frequency), phrases of the table
    that are in the text count more. Code names of rules find what they can cause.
    """
    words = _words(text)
    if not words:
        return ()
    plain = f" {' '.join(_WORD.findall(text.lower()))} "
    scored = [Match(each, _score(each, words, plain)) for each in SYMPTOMS]
    found = [match for match in scored if match.score > 0]
    return tuple(sorted(found, key=lambda match: -match.score))


def _score(symptom: Symptom, words: Iterable[str], plain: str) -> float:
    index = _index()
    own = index[symptom.id]
    total = 0.0
    for word in set(words):
        weight = own.get(word, 0.0)
        if weight:
            having = sum(word in other for other in index.values())
            total += weight * math.log(1 + len(SYMPTOMS) / having)
    return total + _PHRASE * sum(_phrases(symptom, plain))


def _phrases(symptom: Symptom, plain: str) -> Iterator[int]:
    """The numbers of words of the table's phrases that a text contains."""
    for phrase in (symptom.title, *symptom.words):
        parts = _WORD.findall(phrase.lower())
        if len(parts) > 1 and f" {' '.join(parts)} " in plain:
            yield len(parts)


@lru_cache(maxsize=1)
def _index() -> dict[str, dict[str, float]]:
    """The weights of words, by symptom."""
    return {symptom.id: _weights(symptom) for symptom in SYMPTOMS}


def _weights(symptom: Symptom) -> dict[str, float]:
    weights: dict[str, float] = {}
    parts = (
        (_SUMMARY, [symptom.summary]),
        (_CODES, [cause.code for cause in symptom.causes[:6] if not cause.is_signature]),
        (_WORDS, symptom.words),
        (_TITLE, [symptom.title, symptom.id]),
    )
    for weight, texts in parts:
        for word in {word for text in texts for word in _words(text)}:
            weights[word] = max(weights.get(word, 0.0), weight)
    return weights


def _words(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY]


def _stem(word: str) -> str:
    """A word without its ending: `zeros` and `zero`, `exceeded` and `exceeds` are found alike."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > _SHORTEST else word
