"""Verification results and their blobs as a worker sends them, built from arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from workbench.core.jobs import (
    OutputBlocks,
    OutputComparison,
    SeedResult,
    VerifyResult,
    WorstElement,
)
from workbench.session.verification_view import Subject

ATOL = 0.1
CAVEAT = "the simulator does not check synchronisation"
WORST = 10
Array = np.ndarray[Any, Any]


class Results:
    """Builds results, and collects their blobs."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []

    def add(self, array: Array) -> int:
        self.blobs.append(array.tobytes())
        return len(self.blobs) - 1

    def output(
        self,
        got: Array,
        expected: Array | None = None,
        blocks: OutputBlocks | None = None,
        name: str = "C",
        index: int = 2,
        values: bool = True,
    ) -> OutputComparison:
        """What the engine says of two arrays, the expected one all ones where it is not given.

        Blocks count bx fastest, from the last dimension.
        """
        expected = np.ones(got.shape, np.float32) if expected is None else expected
        with np.errstate(invalid="ignore"):
            error = np.abs(got - expected)
            wrong = ~(error <= ATOL)
        finite = error[np.isfinite(error)]
        largest = float(finite.max()) if finite.size else None
        return OutputComparison(
            index, name, got.shape, "float16",
            max_abs=largest,
            max_rel=None,
            rel_fro=0.25 if finite.size else None,
            mismatched=int(wrong.sum()),
            total=got.size,
            nonfinite=int((~np.isfinite(got)).sum()),
            rtol=0.0,
            atol=ATOL,
            tolerance_source="case",
            max_share=None if largest is None else largest / ATOL,
            worst=_worst(got, expected, error, wrong),
            got_blob=self.add(got.astype("<f4")) if values else None,
            expected_blob=self.add(expected.astype("<f4")) if values else None,
            wrong_blob=self.add(np.packbits(wrong)) if wrong.any() else None,
            blocks=blocks,
            owners_blob=None if blocks is None else self.add(_owners(got.shape, blocks)),
        )  # fmt: skip

    def subject(self, *seeds: tuple[OutputComparison, ...], **options: Any) -> Subject:
        """The subject of a verification with the outputs of each seed."""
        results = tuple(
            SeedResult(at, all(o.mismatched == 0 for o in outputs), outputs, 0.1, 0.1)
            for at, outputs in enumerate(seeds)
        )
        result = VerifyResult(None, results, "float64", (CAVEAT,))
        return Subject(result, tuple(self.blobs), **options)


def _worst(got: Array, expected: Array, error: Array, wrong: Array) -> tuple[WorstElement, ...]:
    order = np.argsort(-np.nan_to_num(error, nan=np.inf), axis=None, kind="stable")[:WORST]
    places = [np.unravel_index(at, got.shape) for at in order if wrong.flat[at]]
    return tuple(
        WorstElement(tuple(map(int, place)), _plain(got[place]), _plain(expected[place]))
        for place in places
    )


def _plain(value: Any) -> float | str:
    return float(value) if math.isfinite(value) else str(float(value))


def _owners(shape: tuple[int, ...], blocks: OutputBlocks) -> Array:
    counts = [-(-size // tile) for size, tile in zip(shape, blocks.tile, strict=True)]
    return np.arange(int(np.prod(counts)), dtype="<i4")
