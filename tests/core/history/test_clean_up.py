"""Cleaning up on demand: what it would free is what it frees, and marked runs keep theirs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.chart_runs import run
from workbench.core.history import BlobMissingError, FilterChoices, History, RunFilter
from workbench.core.runs import blob_hash

TEXTS = [random.Random(seed).randbytes(4_000) for seed in range(4)]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """Four runs with a text each: the second pinned, the third tagged."""
    with History(tmp_path / "history.sqlite3") as opened:
        for number, text in enumerate(TEXTS):
            made = replace(run(number, {"time_us": 1.0}), text_blob=blob_hash(text), host="gpu")
            tags = ("keep",) if number == 2 else ()
            opened.add(replace(made, pinned=number == 1, tags=tags), [text])
        yield opened


def freed(history: History, size_bytes: int) -> int:
    """Clean up to the end; the bytes freed."""
    steps = list(history.clean_up(size_bytes))
    return steps[-1][0] if steps else 0


def test_a_plan_tells_what_is_freed_and_what_stays(history: History) -> None:
    stored = history.stored_bytes()
    plan = history.plan_clean_up(0)
    assert (plan.blobs, plan.runs, plan.kept_runs) == (2, 2, 2)
    assert plan.freed_bytes + plan.kept_bytes == plan.stored_bytes == stored
    assert history.stored_bytes() == stored  # it is only a plan
    assert freed(history, 0) == plan.freed_bytes
    assert history.stored_bytes() == plan.kept_bytes
    assert (history.count(), history.blob(blob_hash(TEXTS[1]))) == (4, TEXTS[1])
    with pytest.raises(BlobMissingError):
        history.blob(blob_hash(TEXTS[0]))


def test_the_oldest_go_first_and_no_more_than_needed(history: History) -> None:
    size = history.stored_bytes() - 1
    assert history.plan_clean_up(size).runs == 1
    freed(history, size)
    assert history.blob(blob_hash(TEXTS[3])) == TEXTS[3]


def test_what_fits_is_left_alone(history: History) -> None:
    plan = history.plan_clean_up(history.stored_bytes())
    assert (plan.blobs, plan.freed_bytes, plan.runs) == (0, 0, 0)
    assert freed(history, history.stored_bytes()) == 0


def test_whoever_takes_no_further_step_leaves_the_rest(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.core.history.store._AT_ONCE", 1)
    plan = history.plan_clean_up(0)
    first, total = next(history.clean_up(0))
    assert 0 < first < total == plan.freed_bytes
    assert history.plan_clean_up(0).blobs == plan.blobs - 1


def test_what_is_marked_meanwhile_stays(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.core.history.store._AT_ONCE", 1)
    steps = history.clean_up(0)
    next(steps)
    history.update("run3", lambda run: replace(run, pinned=True))
    list(steps)
    assert history.blob(blob_hash(TEXTS[3])) == TEXTS[3]


def test_filters_are_offered_by_what_runs_have(history: History) -> None:
    assert history.choices() == FilterChoices(("matmul",), ("h200",), ("gpu",), ("keep",))
    where = RunFilter(host="gpu", pinned=True, search="MATMUL h200")
    assert [each.id for each in history.list(where).runs] == ["run1"]
