"""Detectors for outputs that are a product of two inputs: operands transposed, K steps amiss."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from workbench.core.verification.matching import LEAST_SHARE, Match, best, matched
from workbench.core.verification.observation import Array, Observation, Operand, Sample, floats

_ELEMENTS = 192
_MOST_PRODUCTS = 2**18
_USUAL_STEPS = (8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, eq=False)
class Form:
    """A product of two matrices, each as it is or transposed in its last two dimensions."""

    left: Operand
    right: Operand
    left_turned: bool
    right_turned: bool

    @property
    def text(self) -> str:
        """The product as one writes it."""
        return (
            f"{self.left.name}{'ᵀ' if self.left_turned else ''} @ "
            f"{self.right.name}{'ᵀ' if self.right_turned else ''}"
        )

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether the product has that shape."""
        left, right = _shape(self.left, self.left_turned), _shape(self.right, self.right_turned)
        lead = shape[:-2]
        return (
            (left[-2], right[-1]) == shape[-2:]
            and left[-1] == right[-2]
            and all(each[:-2] in ((), lead) for each in (left, right))
        )

    def lines(self, sample: Sample) -> tuple[Array, Array]:
        """The row and the column whose product each element is: K of them, a row an element."""
        *lead, row, column = sample.at
        left = _lines(self.left, lead, row, turned=self.left_turned)
        right = _lines(self.right, lead, column, turned=not self.right_turned)
        return floats(left), floats(right)

    def terms(self, sample: Sample) -> Array:
        """The products that each element sums: a row an element, K of them."""
        left, right = self.lines(sample)
        return np.asarray(left * right)


def _shape(operand: Operand, turned: bool) -> tuple[int, ...]:
    shape = operand.values.shape
    return (*shape[:-2], shape[-1], shape[-2]) if turned else shape


def _lines(operand: Operand, lead: list[Array], place: Array, turned: bool) -> Array:
    """Rows of the operand, or columns where it is turned, one for each place."""
    values = operand.values
    at = tuple(lead) if values.ndim > 2 else ()
    if turned:
        values = np.swapaxes(values, -1, -2)
    return np.asarray(values[(*at, place)])


def _forms(seen: Observation) -> Iterator[Form]:
    matrices = [o for o in seen.operands if 2 <= o.values.ndim <= len(seen.shape)]
    for left, right in itertools.permutations(matrices, 2):
        for turns in itertools.product((False, True), repeat=2):
            form = Form(left, right, *turns)
            if form.fits(seen.shape):
                yield form


def _some(seen: Observation, sample: Sample, inner: int) -> Sample:
    """As many elements as their products are not too many."""
    count = min(sample.size, _ELEMENTS, max(16, _MOST_PRODUCTS // max(1, inner)))
    chosen = np.sort(seen.random().permutation(sample.size)[:count])
    return Sample(
        tuple(at[chosen] for at in sample.at), sample.got[chosen], sample.expected[chosen]
    )


def _inner(form: Form) -> int:
    return _shape(form.left, form.left_turned)[-1]


_KNOWN: weakref.WeakKeyDictionary[Observation, Form | None] = weakref.WeakKeyDictionary()


def reference_form(seen: Observation) -> Form | None:
    """The product that the reference is; None where it is none. Looked for once an observation."""
    if seen not in _KNOWN:
        _KNOWN[seen] = _find_form(seen)
    return _KNOWN[seen]


def _find_form(seen: Observation) -> Form | None:
    if len(seen.shape) < 2:
        return None
    for form in _forms(seen):
        sample = _some(seen, seen.anywhere, _inner(form))
        if seen.agrees(form.terms(sample).sum(1), sample.expected).mean() >= LEAST_SHARE:
            return form
    return None


def operand_transposed(seen: Observation) -> Match | None:
    """The reference is a product of two inputs, and got is another one of them."""
    right = reference_form(seen)
    if right is None:
        return None
    found = []
    for form in _forms(seen):
        if form.text == right.text:
            continue
        sample = _some(seen, seen.anywhere, _inner(form))
        wanted = form.terms(sample).sum(1)
        says = f"got equals {form.text} in {{share}} the elements looked at, expected {right.text}"
        found.append(
            matched(seen, sample.got, wanted, says, product=form.text, reference=right.text)
        )
    return best(found)


def steps_along_k(seen: Observation) -> Match | None:
    """The reference is a product, and got differs by whole tiles of the sum along K."""
    form = reference_form(seen)
    if form is None:
        return None
    inner = _inner(form)
    sample = _some(seen, seen.wrong_sample, inner)
    terms = form.terms(sample)
    for length in _step_lengths(seen, inner):
        sums = np.add.reduceat(terms, np.arange(0, inner, length), axis=1)
        for way in WAYS:
            found = _amiss(seen, sample, way, sums, length)
            if found is not None:
                return found
    return None


def operand_stays(seen: Observation) -> Match | None:
    """The reference is a product, and each step took the same tile of one operand."""
    form = reference_form(seen)
    if form is None:
        return None
    inner = _inner(form)
    sample = _some(seen, seen.wrong_sample, inner)
    lines = form.lines(sample)
    for length in _step_lengths(seen, inner):
        steps = -(-inner // length)
        padding = ((0, 0), (0, steps * length - inner))
        tiles = [np.pad(each, padding).reshape(-1, steps, length) for each in lines]
        for at, operand in enumerate((form.left, form.right)):
            wanted = np.einsum("esl,el->es", tiles[at], tiles[1 - at].sum(1))
            step = int(seen.agrees(sample.got[:, None], wanted).mean(0).argmax())
            says = (
                f"every K step takes tile {step + 1} of {steps} of {operand.name}, {length} along "
                "K a tile, in {share} the wrong elements looked at"
            )
            evidence = {"operand": operand.name, "step": step, "steps": steps, "length": length}
            found = matched(seen, sample.got, wanted[:, step], says, **evidence)
            if found is not None:
                return found
    return None


def _step_lengths(seen: Observation, inner: int) -> list[int]:
    """Lengths of a step to try: those among the arguments first."""
    wanted = dict.fromkeys([*seen.lengths, *_USUAL_STEPS])
    return [length for length in wanted if 4 <= length < inner]


def _missing(sums: Array) -> Array:
    return np.asarray(sums.sum(1, keepdims=True) - sums)


def _doubled(sums: Array) -> Array:
    return np.asarray(sums.sum(1, keepdims=True) + sums)


def _alone(sums: Array) -> Array:
    return sums


def _repeated(sums: Array) -> Array:
    return np.asarray(sums.shape[1] * sums)


def _ends_early(sums: Array) -> Array:
    return np.asarray(np.cumsum(sums, axis=1))


def _begins_late(sums: Array) -> Array:
    return np.asarray(sums.sum(1, keepdims=True) - np.cumsum(sums, axis=1))


@dataclass(frozen=True)
class Way:
    """A way in which steps go wrong: what the element would then be, for each step."""

    name: str
    text: str
    wanted: Callable[[Array], Array]


WAYS = (
    Way("missing", "K step {at} of {steps} is missing", _missing),
    Way("doubled", "K step {at} of {steps} is added twice", _doubled),
    Way("alone", "got is K step {at} of {steps} alone", _alone),
    Way("repeated", "each of {steps} K steps adds step {at}", _repeated),
    Way("ends-early", "the sum ends after K step {at} of {steps}", _ends_early),
    Way("begins-late", "the sum begins after K step {at} of {steps}", _begins_late),
)


def _amiss(seen: Observation, sample: Sample, way: Way, sums: Array, length: int) -> Match | None:
    """Whether one way, at the step where it fits best, explains the elements."""
    wanted, steps = way.wanted(sums), sums.shape[1]
    at = int(seen.agrees(sample.got[:, None], wanted).mean(0).argmax())
    told = way.text.format(at=at + 1, steps=steps)
    says = f"{told}, {length} along K a step, in {{share}} the wrong elements looked at"
    evidence = {"way": way.name, "step": at, "steps": steps, "length": length}
    return matched(seen, sample.got, wanted[:, at], says, **evidence)
