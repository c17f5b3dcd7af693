"""Results as a worker sends them, and a pane that shows one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from workbench.core.jobs import (
    OutputBlocks,
    OutputComparison,
    SeedResult,
    VerifyResult,
    WorstElement,
)
from workbench.session.verification_view import Subject
from workbench.ui.panes.verification import VerificationPane
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

CAVEAT = "the simulator does not check synchronisation"
ATOL = 0.1
Array = np.ndarray[Any, Any]


class Results:
    """Collects outputs with their blobs."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []

    def add(self, array: Array) -> int:
        self.blobs.append(array.tobytes())
        return len(self.blobs) - 1

    def output(
        self, got: Array, blocks: OutputBlocks | None = None, name: str = "C", index: int = 2
    ) -> OutputComparison:
        """An output that should be all ones."""
        error = np.abs(got - 1)
        wrong = ~(error <= ATOL)
        order = np.argsort(-np.nan_to_num(error, nan=np.inf), axis=None, kind="stable")[:10]
        places = [np.unravel_index(at, got.shape) for at in order if wrong.flat[at]]
        tiles = [] if blocks is None else [
            -(-size // length) for size, length in zip(got.shape, blocks.tile, strict=True)
        ]  # fmt: skip
        owners = np.arange(math.prod(tiles), dtype="<i4")
        largest = float(np.nanmax(error)) if got.size else None
        return OutputComparison(
            index, name, got.shape, "float16", largest, None, 0.25,
            int(wrong.sum()), got.size, int((~np.isfinite(got)).sum()), 0.0, ATOL, "case",
            worst=tuple(WorstElement(tuple(map(int, p)), float(got[p]), 1.0) for p in places),
            got_blob=self.add(got.astype("<f4")),
            expected_blob=self.add(np.ones(got.shape, "<f4")),
            wrong_blob=self.add(np.packbits(wrong)),
            blocks=blocks,
            owners_blob=None if blocks is None else self.add(owners),
        )  # fmt: skip

    def subject(self, *seeds: tuple[OutputComparison, ...], **options: Any) -> Subject:
        results = tuple(
            SeedResult(at, all(o.mismatched == 0 for o in outputs), outputs, 0.1, 0.1)
            for at, outputs in enumerate(seeds)
        )
        result = VerifyResult(None, results, "float64", (CAVEAT,))
        return Subject(result, tuple(self.blobs), **options)


GRID = OutputBlocks((4, 4), (16, 16), (1, 0))


@pytest.fixture
def results() -> Results:
    return Results()


@pytest.fixture
def wrong(results: Results) -> Subject:
    """60 x 60 elements in blocks of 16 x 16; the last column of blocks is off by 8, one by 10."""
    got = np.ones((60, 60), np.float32)
    got[:, 48:] = 9
    got[30, 50] = 11
    return results.subject((results.output(got, GRID),))


@pytest.fixture
def right(results: Results) -> Subject:
    return results.subject((results.output(np.ones((64, 64), np.float32), GRID),))


@pytest.fixture
def pane(theme: Theme, icons: Icons, qtbot: QtBot) -> VerificationPane:
    pane = VerificationPane(theme, icons)
    qtbot.addWidget(pane)
    pane.resize(1300, 700)
    pane.show()
    return pane


@pytest.fixture
def shown(pane: VerificationPane, wrong: Subject, qtbot: QtBot) -> VerificationPane:
    """The pane with a wrong output."""
    pane.show_subject(wrong)
    qtbot.waitUntil(lambda: pane.body.map.frame is not None)
    return pane


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[], None]:
    """Lets the layouts follow."""
    return lambda: qtbot.wait(1)


@pytest.fixture
def make(results: Results) -> Callable[[Array], Subject]:
    """A subject of one output, which should be all ones."""

    def build(got: Array) -> Subject:
        return results.subject((results.output(got),))

    return build
