"""Comparisons that are looked at and saved: what is loaded, what follows, what is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart_runs import run
from workbench.core.history import History
from workbench.core.runs import Run, blob_hash
from workbench.core.targets.table import load_targets
from workbench.session.charts.catalog import CHARTS
from workbench.session.charts.model import Chart
from workbench.session.comparison_desk import ComparisonDesk, Loaded
from workbench.session.comparison_store import ComparisonStore, SavedComparison, followed

TEXT = b"def matmul(M):\n    return M\n"


def stored(history: History, number: int, time: float = 10.0, **changes: Any) -> Run:
    made = replace(
        run(number, {"time_us": time}), text_blob=blob_hash(TEXT), device="NVIDIA H200", **changes
    )
    history.add(made, [TEXT])
    return made


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as opened:
        yield opened


@pytest.fixture
def desk(history: History, tmp_path: Path, pump: Any) -> Iterator[ComparisonDesk]:
    store = ComparisonStore(tmp_path)
    made = ComparisonDesk(lambda: history, load_targets().resolve, store, pump.post)
    yield made
    made.close()


@pytest.fixture
def loaded(desk: ComparisonDesk, pump: Any) -> Callable[[], Loaded]:
    def wait() -> Loaded:
        pump.until(lambda: not desk.is_loading)
        assert desk.loaded is not None, desk.failure
        return desk.loaded

    return wait


def test_runs_are_read_with_their_texts_views_and_charts(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded]
) -> None:
    stored(history, 0), stored(history, 1, 5.0)
    desk.open(["run0", "run1"])
    found = loaded()
    assert found.texts == (TEXT.decode(), TEXT.decode())
    assert [head.letter for head in found.short.heads] == ["A", "B"]
    assert any(not chart.is_empty for chart in found.charts)


def test_a_pinned_run_is_the_baseline_unless_another_is_named(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded]
) -> None:
    stored(history, 0), stored(history, 1, pinned=True)
    desk.open(["run0", "run1"])
    assert loaded().base.id == "run1"
    desk.hold_against("run0")
    assert desk.order.base == "run0"


def test_the_pinned_baseline_of_the_kernel_is_put_beside_the_columns(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded]
) -> None:
    stored(history, 0, pinned=True), stored(history, 1), stored(history, 2)
    desk.open(["run1", "run2"])
    loaded()
    desk.add_pinned()
    found = loaded()
    assert (found.order.runs, found.base.id) == (("run0", "run1", "run2"), "run0")
    told: list[str] = []
    desk.told.connect(told.append)
    desk.add_pinned()
    assert told == ["No other run of matmul is pinned as a baseline."]


def test_fewer_than_two_and_more_than_eight_are_refused_in_words(desk: ComparisonDesk) -> None:
    told: list[str] = []
    desk.told.connect(told.append)
    desk.open(["run0"])
    desk.open([f"run{n}" for n in range(9)])
    assert [text.split(":")[0] for text in told] == ["2 to 8 runs can be compared"] * 2
    assert desk.order.runs == ()


def test_columns_move_and_go_but_two_stay(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded]
) -> None:
    for number in range(3):
        stored(history, number, 10.0 + number)
    desk.open(["run0", "run1", "run2"])
    desk.move("run2", -2)
    assert desk.order.runs == ("run2", "run0", "run1")
    desk.remove("run0")
    desk.remove("run1")
    assert desk.order.runs == ("run2", "run1")
    assert loaded().order.runs == ("run2", "run1")


def test_a_saved_comparison_comes_back_and_follows_newer_runs_like_its_columns(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded], tmp_path: Path
) -> None:
    stored(history, 0), stored(history, 1, 9.0, args={"M": 1})
    desk.open(["run0", "run1"])
    loaded()
    assert desk.save("tiles")
    assert ComparisonStore(tmp_path).get("tiles") == desk.store.get("tiles")
    stored(history, 5, 8.0, args={"M": 1})
    desk.open_saved("tiles")
    found = loaded()
    assert found.order.runs == ("run0", "run5")
    assert found.moved == ("B",)


def test_the_baseline_never_moves_and_no_run_stands_twice(history: History) -> None:
    runs = [stored(history, n) for n in range(4)]
    assert [r.id for r in followed(history, runs[:2], "run0")] == ["run0", "run3"]
    shown = [r.id for r in followed(history, runs[:3], "run0")]
    assert shown[0] == "run0"
    assert len(set(shown)) == 3


def test_a_run_that_was_deleted_costs_its_column(
    history: History, desk: ComparisonDesk, loaded: Callable[[], Loaded]
) -> None:
    for number in range(3):
        stored(history, number)
    desk.open(["run0", "run1", "run2"])
    loaded()
    history.delete("run1")
    desk.refresh()
    assert loaded().order.runs == ("run0", "run2")


def test_what_cannot_be_read_is_a_sentence(desk: ComparisonDesk, pump: Any) -> None:
    desk.open(["gone", "lost"])
    pump.until(lambda: desk.failure)
    assert "fewer than two" in desk.failure.lower()


@pytest.mark.logs("a comparison cannot be shown")
def test_what_fails_while_it_is_made_is_told_and_loading_ends(
    history: History, desk: ComparisonDesk, pump: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no rate")

    stored(history, 0), stored(history, 1)
    monkeypatch.setattr("workbench.session.comparison_desk.comparison_view", fail)
    desk.open(["run0", "run1"])
    pump.until(lambda: not desk.is_loading)
    assert desk.failure == "This comparison cannot be shown, ZeroDivisionError: no rate"


@pytest.mark.logs("the chart latency cannot be made")
def test_a_chart_that_cannot_be_made_says_so_beside_the_others(
    history: History,
    desk: ComparisonDesk,
    loaded: Callable[[], Loaded],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> Chart:
        raise KeyError("h200")

    stored(history, 0), stored(history, 1)
    broken = (replace(CHARTS[0], make=fail), *CHARTS[1:])
    monkeypatch.setattr("workbench.session.charts.catalog.CHARTS", broken)
    desk.open(["run0", "run1"])
    charts = loaded().charts
    assert charts[0].empty == "This chart cannot be made, KeyError: 'h200'"
    assert not charts[2].is_empty


def test_an_entry_at_fault_costs_that_entry(tmp_path: Path) -> None:
    entries = '[{"name": "a", "runs": ["x", "y"], "base": "y"}, {"name": 3}, "?"]'
    (tmp_path / "comparisons.json").write_text(f'{{"version": 1, "comparisons": {entries}}}')
    assert ComparisonStore(tmp_path).all == (SavedComparison("a", ("x", "y"), "y", False),)


def test_one_that_is_forgotten_is_gone_from_the_file(tmp_path: Path) -> None:
    store = ComparisonStore(tmp_path)
    store.put(SavedComparison("b", ("x", "y"), "x"))
    store.put(SavedComparison("a", ("x", "z"), "x"))
    store.remove("b")
    assert [each.name for each in ComparisonStore(tmp_path).all] == ["a"]
