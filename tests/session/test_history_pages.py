"""Pages of a history that are read beside the window: in order, forgotten, refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart_runs import run
from workbench.core.history import History, HistoryError, Listing, RunFilter
from workbench.session.history_pages import PAGE, HistoryPages


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as opened:
        for number in range(PAGE + 5):
            opened.add(run(number, {"time_us": 1.0}, text_blob=None))
        yield opened


def test_pages_and_counts_are_answered_in_order(history: History, pump: Any) -> None:
    failed: list[str] = []
    answers: list[Listing | int] = []
    pages = HistoryPages(lambda: history, pump.post, failed.append)
    pages.read(RunFilter(), PAGE, answers.append)
    pages.count(RunFilter(kernel="matmul"), answers.append)
    pump.until(lambda: len(answers) == 2)
    rest, count = answers
    assert isinstance(rest, Listing)
    assert [each.id for each in rest.runs] == ["run4", "run3", "run2", "run1", "run0"]
    assert (count, failed) == (PAGE + 5, [])
    pages.close()


def test_what_is_forgotten_is_not_answered(history: History, pump: Any) -> None:
    answers: list[int] = []
    pages = HistoryPages(lambda: history, pump.post, lambda _: None)
    pages.count(RunFilter(kernel="other"), answers.append)
    pages.forget()
    pages.count(RunFilter(), answers.append)
    pump.until(lambda: bool(answers))
    assert answers == [PAGE + 5]
    pages.close()


def test_what_is_forgotten_ends_at_once(history: History, pump: Any) -> None:
    failed: list[str] = []
    pages = HistoryPages(lambda: history, pump.post, failed.append)
    endless = (
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    )

    def never_ends(own: History) -> int:
        with own._reading("count for ever"):
            return int(own._database.execute(endless).fetchone()[0])

    pages.ask(never_ends, failed.append)
    thread = pages._thread
    assert thread is not None
    while thread.is_alive():  # it may be before the question still
        pages.forget()
    answers: list[int] = []
    pages.count(RunFilter(), answers.append)
    pump.until(lambda: bool(answers))
    assert (answers, failed) == ([PAGE + 5], [])
    pages.close()


def test_runs_that_went_meanwhile_are_left_out(history: History) -> None:
    ids = history.ids(RunFilter(), limit=3)
    history.delete_all([ids[1], "gone"])
    assert [run.id for run in history.listed(ids).runs] == [ids[0], ids[2]]


def test_a_history_that_cannot_be_read_is_said(tmp_path: Path, pump: Any) -> None:
    failed: list[str] = []
    path = tmp_path / "history.sqlite3"
    History(path).close()

    class Gone:
        def __init__(self) -> None:
            self.path = path

    pages = HistoryPages(lambda: Gone(), pump.post, failed.append)  # type: ignore[arg-type, return-value]
    path.write_bytes(b"no history at all, " * 300)
    pages.read(RunFilter(), 0, lambda _: failed.append("answered"))
    pump.until(lambda: bool(failed))
    assert "the file is damaged or no history" in failed[0]
    pages.close()

    def refuse() -> History:
        raise HistoryError("there is none")

    HistoryPages(refuse, pump.post, failed.append).count(RunFilter(), failed.append)
    assert failed[1:] == ["there is none"]
