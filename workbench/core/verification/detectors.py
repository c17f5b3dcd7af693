"""The table of detectors, and the choice of what is told of an output that is wrong."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from workbench.core.jobs import Signature
from workbench.core.verification import moved, places, precision, products, values
from workbench.core.verification.matching import LIKELY, POSSIBLE, STRONG, Match
from workbench.core.verification.observation import Observation

_MOST_PLACES = 2
_WHOLE = 0.999


class Kind(enum.Enum):
    """What a detector looks at: the values of wrong elements, where they lie, or precision."""

    VALUE = "value"
    PLACE = "place"
    PRECISION = "precision"


@dataclass(frozen=True)
class Detector:
    """One kind of wrong: a stable code, what it is called, and where it usually comes from."""

    code: str
    title: str
    hint: str
    kind: Kind
    find: Callable[[Observation], Match | None]


DETECTORS: tuple[Detector, ...] = (
    Detector(
        "never-written",
        "elements that nobody wrote",
        "look for a store that is missing, a grid that is too small, or a guard that skips it",
        Kind.VALUE,
        values.never_written,
    ),
    Detector(
        "not-a-number",
        "NaN or infinity",
        "look for on-chip memory that is read before it is written, a division by 0, a row whose "
        "elements are all masked, or a type that overflows",
        Kind.VALUE,
        values.not_a_number,
    ),
    Detector(
        "zero",
        "zeros instead of results",
        "look for a result that is cleared but never added, or a guard that gives 0",
        Kind.VALUE,
        values.zero,
    ),
    Detector(
        "k-step",
        "a wrong sum along K",
        "look at the extent of the loop over K, and at where the accumulator is cleared",
        Kind.VALUE,
        products.steps_along_k,
    ),
    Detector(
        "operand-stays",
        "an operand that does not move along K",
        "look at the offset along K where that operand's tile is copied",
        Kind.VALUE,
        products.operand_stays,
    ),
    Detector(
        "operand-transposed",
        "a transposed operand",
        "look at transpose_A and transpose_B of T.gemm, and at the order of indices in the copies",
        Kind.VALUE,
        products.operand_transposed,
    ),
    Detector(
        "sign",
        "a wrong sign",
        "look for a difference or a negation that is the wrong way round",
        Kind.VALUE,
        values.sign,
    ),
    Detector(
        "scaled",
        "a constant factor",
        "look for a factor that is missing or applied twice, such as a softmax scale or log2(e)",
        Kind.VALUE,
        values.scaled,
    ),
    Detector(
        "transposed",
        "the transposed output",
        "look at the order of indices where the result is stored",
        Kind.VALUE,
        moved.transposed,
    ),
    Detector(
        "shifted",
        "an index that is off by one",
        "look at the offsets of indices in loads and stores",
        Kind.VALUE,
        moved.shifted,
    ),
    Detector(
        "other-tile",
        "swapped blocks",
        "look at the block indices (bx, by) in the offsets of loads and stores",
        Kind.VALUE,
        moved.other_tile,
    ),
    Detector(
        "carried-over",
        "an accumulator that is not cleared",
        "clear it at the start of every tile",
        Kind.VALUE,
        moved.carried_over,
    ),
    Detector(
        "offset",
        "a constant that is added",
        "look for a constant term that is missing or added twice",
        Kind.VALUE,
        values.offset,
    ),
    Detector(
        "scaled-by-row",
        "rows that are not normalised alike",
        "look for a division by a row's sum or norm, or a rescaling, that is missing or repeated",
        Kind.VALUE,
        values.scaled_by_row,
    ),
    Detector(
        "scaled-by-column",
        "columns that are not scaled alike",
        "look for a weight or scale of a column that is missing or repeated",
        Kind.VALUE,
        values.scaled_by_column,
    ),
    Detector(
        "offset-by-row",
        "a term of each row",
        "look for a mean or maximum of a row that is not taken off, or taken off twice",
        Kind.VALUE,
        values.offset_by_row,
    ),
    Detector(
        "offset-by-column",
        "a term of each column",
        "look for a bias that is missing or added twice",
        Kind.VALUE,
        values.offset_by_column,
    ),
    Detector(
        "constant",
        "one number everywhere",
        "look for a result that does not depend on the inputs",
        Kind.VALUE,
        values.constant,
    ),
    Detector(
        "only-tails",
        "a tail that is not handled",
        "look at the guard of that dimension, and at extents that are divided rounding down",
        Kind.PLACE,
        places.only_tails,
    ),
    Detector(
        "diagonal",
        "a mask that is wrong at the diagonal",
        "look at the comparison of row and column: < where <= is meant, or the other way round",
        Kind.PLACE,
        places.diagonal,
    ),
    Detector(
        "bands",
        "a part of every tile",
        "often one warp's part: look at what depends on the thread or on the place within the tile",
        Kind.PLACE,
        places.bands,
    ),
    Detector(
        "rounded-through",
        "a type that is too narrow on the way",
        "look at the dtype of the accumulator and of buffers between it and the output",
        Kind.PRECISION,
        precision.rounded_through,
    ),
    Detector(
        "rounding",
        "precision",
        "look at the dtype of the accumulator; or the tolerance is too tight for these types",
        Kind.PRECISION,
        precision.rounding,
    ),
)

_RANK = {STRONG: 0, LIKELY: 1, POSSIBLE: 2}
_LEADS = {STRONG: "This looks like", LIKELY: "This looks like", POSSIBLE: "It may be"}


def signatures_of(seen: Observation) -> tuple[Signature, ...]:
    """What kind of wrong an output is, best first; empty where nothing can be told.

    At most one speaks of values and two of places; precision is told where nothing else is.
    """
    if seen.wrong_count == 0:
        return ()
    with np.errstate(all="ignore"):
        by_kind = {kind: sorted(_found(seen, kind), key=_order) for kind in Kind}
    chosen = by_kind[Kind.VALUE][:1] + by_kind[Kind.PLACE][:_MOST_PLACES]
    chosen = chosen or by_kind[Kind.PRECISION][:1]
    return tuple(_signature(detector, match) for detector, match in chosen)


def _found(seen: Observation, kind: Kind) -> Iterator[tuple[Detector, Match]]:
    """The matches of a kind, up to one that leaves nothing to explain."""
    for detector in DETECTORS:
        match = detector.find(seen) if detector.kind is kind else None
        if match is not None:
            yield detector, match
            if match.confidence == STRONG and match.explained >= _WHOLE:
                return


def _order(found: tuple[Detector, Match]) -> tuple[int, float]:
    """The surest first, of those the one that explains more; equals stay as the table has them."""
    return _RANK[found[1].confidence], -round(found[1].explained, 2)


def _signature(detector: Detector, match: Match) -> Signature:
    sentence = f"{_LEADS[match.confidence]} {detector.title}: {match.says}."
    return Signature(
        detector.code,
        detector.title,
        sentence,
        detector.hint,
        match.confidence,
        match.explained,
        match.examined,
        dict(match.evidence),
    )
