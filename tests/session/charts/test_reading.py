"""Which runs stand beside those that were chosen: the same text on other targets, each once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chart_runs import run
from workbench.core.history import History
from workbench.core.runs import RunKind
from workbench.core.targets.table import load_targets
from workbench.session.charts.reading import chart_subject


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as opened:
        yield opened


def test_predictions_of_the_same_text_for_other_targets_stand_in_its_column(
    history: History,
) -> None:
    chosen = [run(0, {"time_us": 10.0}), run(1, {"time_us": 20.0}, args={"M": 1})]
    others = [
        run(2, {}, {"time_us": 9.0}, target="a100", kind=RunKind.PREDICT),
        run(3, {}, {"time_us": 8.0}, target="a100", kind=RunKind.PREDICT),
        run(4, {}, {"time_us": 7.0}, target="a100", kind=RunKind.PREDICT, text_blob="c" * 64),
        run(5, {}, {"time_us": 6.0}, target="h100", kind=RunKind.PREDICT, args={"M": 1}),
    ]
    for each in (*chosen, *others):
        history.add(each)
    subject = chart_subject(history, chosen, load_targets().resolve)
    assert [(r.run.id, r.place, r.label, r.mark) for r in subject.runs] == [
        ("run0", 0, "H200", 0),
        ("run1", 1, "H200", 0),
        ("run3", 0, "A100", 1),  # the newest of the two, and not the one of another text
        ("run5", 1, "H100", 2),
    ]


def test_two_columns_of_one_text_share_what_is_known_of_others(history: History) -> None:
    chosen = [run(0, {"time_us": 10.0}), run(1, {"time_us": 20.0}, target="a100")]
    third = run(2, {}, {"time_us": 9.0}, target="h100", kind=RunKind.PREDICT)
    for each in (*chosen, third):
        history.add(each)
    subject = chart_subject(history, chosen, load_targets().resolve)
    assert [r.run.id for r in subject.runs] == ["run0", "run1", "run2"]
