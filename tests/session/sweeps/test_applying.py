"""The best configuration goes into the document's case, with a note of what it gained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from workbench.core.documents.reading import parse_document
from workbench.core.sweeps.model import (
    Facts,
    Measured,
    Outcome,
    PointRecord,
    Stage,
    Sweep,
    SweepPlan,
)
from workbench.core.sweeps.space import parse_axis
from workbench.session.sweeps.applying import ApplyError, applied

TEXT = (Path(__file__).parents[3] / "kernels" / "gemm.py").read_text("utf-8")


def a_sweep(*times: float | None) -> Sweep:
    """A sweep over block_M = 64 and 128, of which 128 is what the case has."""
    plan = SweepPlan(
        id="0abc",
        created="2026-11-30T05:00:00+00:00",
        workspace="/somewhere",
        document="/somewhere/gemm.py",
        text=TEXT,
        kernel="matmul",
        axes=(parse_axis("block_M=64,128"),),
        cases=("square",),
        targets=("h200",),
    )
    return Sweep(plan, tuple(_record(number, time) for number, time in enumerate(times)))


def _record(number: int, time: float | None) -> PointRecord:
    facts = Facts(predicted_us=10.0 + number)
    if time is None:
        return PointRecord(number, Stage.COMPILE, Outcome.PREDICTED, facts=facts)
    found = Measured(time, time, time, 20, "NVIDIA H200", "this machine")
    return PointRecord(number, Stage.MEASURE, Outcome.MEASURED, facts=facts, measured=found)


def test_the_fastest_point_is_written_with_its_gain() -> None:
    found = applied(TEXT.encode(), a_sweep(8.0, 12.0))
    document = parse_document(found.content.decode())
    assert document.metadata is not None
    case = document.metadata.cases[0]
    assert case.args["block_M"] == 64
    assert case.args["M"] == 1024
    assert case.extra["note"] == found.note
    assert found.note == (
        "block_M=64: 8 us on NVIDIA H200, 1.50 times as fast as before; sweep of 2026-11-30"
    )
    before = parse_document(TEXT)
    assert before.metadata is not None
    assert document.metadata.cases[1:] == before.metadata.cases[1:]
    assert found.content.decode().partition("# ///\n")[2] == TEXT.partition("# ///\n")[2]


def test_another_point_can_be_chosen() -> None:
    found = applied(TEXT.encode(), a_sweep(8.0, 12.0), number=1)
    assert found.note == "block_M=128: 12 us on NVIDIA H200; sweep of 2026-11-30"


def test_a_prediction_says_that_it_is_one() -> None:
    found = applied(TEXT.encode(), a_sweep(None, None))
    assert found.note == "block_M=64: predicted 10 us for h200, not measured; sweep of 2026-11-30"


def test_what_cannot_be_written_is_said() -> None:
    nothing = replace(a_sweep(None, None), records=(PointRecord(0), PointRecord(1)))
    with pytest.raises(ApplyError, match="no point of the sweep was measured or predicted"):
        applied(TEXT.encode(), nothing)
    with pytest.raises(ApplyError, match="points 0 to 1, not 7"):
        applied(TEXT.encode(), a_sweep(8.0, 12.0), number=7)
    with pytest.raises(ApplyError, match="no kernel `matmul` any more"):
        applied(TEXT.replace("def matmul", "def product").encode(), a_sweep(8.0, 12.0))
    with pytest.raises(ApplyError, match="no parameter `block_M` any more"):
        applied(TEXT.replace("block_M", "rows").encode(), a_sweep(8.0, 12.0))
