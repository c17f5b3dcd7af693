"""The history: adding, finding, listing, changing and deleting runs."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from workbench.core.history import (
    AmbiguousRunError,
    BlobMissingError,
    History,
    HistoryError,
    RunFilter,
    RunNotFoundError,
)
from workbench.core.runs import Run, RunKind, RunStatus, blob_hash

Make = Callable[..., Run]


def test_a_run_and_its_contents_come_back(history: History, make_run: Make) -> None:
    run = make_run(0, b"source", text_blob=blob_hash(b"text"))
    history.add(run, [b"text", b"source"])
    assert history.get(run.id) == run
    assert [history.blob(name) for name in run.blobs] == [b"text", b"source"]


def test_a_run_is_still_there_after_reopening(tmp_path: Path, make_run: Make) -> None:
    run = make_run(0, b"x")
    with History(tmp_path / "new" / "h.sqlite") as first:
        first.add(run, [b"x"])
    with History(tmp_path / "new" / "h.sqlite") as second:
        assert second.list().runs == (run,)
        assert second.blob(run.blobs[0]) == b"x"


def test_a_run_is_found_by_the_beginning_of_its_id(history: History, make_run: Make) -> None:
    runs = [make_run(minute) for minute in (0, 1)]
    for run in runs:
        history.add(run)
    assert history.get(f" {runs[1].id[:-2].upper()} ") == runs[1]


def test_a_beginning_of_several_ids_is_refused_with_them(history: History, make_run: Make) -> None:
    for name in ("abc1", "abc2"):
        history.add(make_run(0, id=name))
    with pytest.raises(AmbiguousRunError, match="abc1, abc2"):
        history.get("abc")


def test_a_whole_id_wins_over_one_that_it_begins(history: History, make_run: Make) -> None:
    for name in ("abc", "abcd"):
        history.add(make_run(0, id=name))
    assert history.get("abc").id == "abc"


@pytest.mark.parametrize("asked", ["", "zz", "%", "~", "\udcff"])
def test_an_unknown_id_is_said(history: History, make_run: Make, asked: str) -> None:
    history.add(make_run(0))
    with pytest.raises(RunNotFoundError, match="List the runs"):
        history.get(asked)


def test_the_newest_run_is_listed_first_whenever_added(history: History, make_run: Make) -> None:
    runs = [make_run(minute) for minute in range(4)]
    for run in (runs[2], runs[0], runs[3], runs[1]):
        history.add(run)
    assert history.list().runs == tuple(reversed(runs))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kernel", "matmul"),
        ("document", "kernels/gemm.py"),
        ("target", "h100"),
        ("kind", RunKind.VERIFY),
        ("status", RunStatus.FAILED),
        ("kernel", "\udcff.py"),
        ("kernel", ""),
    ],
)
def test_each_filter_lists_only_its_runs(
    history: History, make_run: Make, field: str, value: Any
) -> None:
    wanted = make_run(0, **{field: value})
    for run in (wanted, make_run(1)):
        history.add(run)
    where = RunFilter(**{field: value})
    assert history.list(where).runs == (wanted,)
    assert history.count(where) == 1


def test_a_tag_lists_only_its_runs(history: History, make_run: Make) -> None:
    tagged = make_run(0, tags=("best", "old"))
    for run in (tagged, make_run(1, tags=("bes",)), make_run(2)):
        history.add(run)
    assert history.list(RunFilter(tag="best")).runs == (tagged,)


def test_since_includes_its_moment(history: History, make_run: Make) -> None:
    runs = [make_run(minute) for minute in range(3)]
    for run in runs:
        history.add(run)
    assert history.list(RunFilter(since=runs[1].created)).runs == (runs[2], runs[1])
    later = runs[1].created + timedelta(microseconds=1)
    assert history.list(RunFilter(since=later)).runs == (runs[2],)


def test_filters_narrow_each_other(history: History, make_run: Make) -> None:
    both = make_run(0, kernel="a", target="h100")
    for run in (both, make_run(1, kernel="a"), make_run(2, target="h100")):
        history.add(run)
    assert history.list(RunFilter(kernel="a", target="h100")).runs == (both,)


def test_pages_follow_each_other(history: History, make_run: Make) -> None:
    runs = [make_run(minute) for minute in range(5)]
    for run in runs:
        history.add(run)
    pages = [history.list(limit=2, offset=offset).runs for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert sum(pages, ()) == history.list(limit=None).runs


def test_a_second_run_of_the_same_id_is_refused(history: History, make_run: Make) -> None:
    run = make_run(0)
    history.add(run)
    with pytest.raises(HistoryError, match="holds the run"):
        history.add(dataclasses.replace(run, kernel="other"))
    assert history.get(run.id) == run


def test_a_change_reaches_the_row_and_the_filters(history: History, make_run: Make) -> None:
    run = make_run(0, tags=("draft",), extra={"new_field": [1]})
    history.add(run)
    changed = history.update(run.id, lambda r: dataclasses.replace(r, tags=("best",)))
    assert history.get(run.id) == changed == dataclasses.replace(run, tags=("best",))
    assert history.count(RunFilter(tag="draft")) == 0
    assert history.count(RunFilter(tag="best")) == 1


def test_a_change_that_fails_leaves_the_run(history: History, make_run: Make) -> None:
    run = make_run(0, tags=("best",))
    history.add(run)
    with pytest.raises(ValueError, match="may not rename"):
        history.update(run.id, lambda r: dataclasses.replace(r, id="other"))
    assert history.list(RunFilter(tag="best")).runs == (run,)


def test_a_deleted_run_is_gone(history: History, make_run: Make) -> None:
    kept, gone = make_run(0, tags=("a",)), make_run(1, tags=("a",))
    for run in (kept, gone):
        history.add(run)
    history.delete(gone.id)
    assert history.list().runs == history.list(RunFilter(tag="a")).runs == (kept,)
    with pytest.raises(RunNotFoundError):
        history.delete(gone.id)


def test_a_content_that_the_run_does_not_name_is_refused(history: History, make_run: Make) -> None:
    with pytest.raises(ValueError, match=blob_hash(b"stranger")):
        history.add(make_run(0), [b"stranger"])
    assert history.count() == 0


def test_a_run_whose_content_is_lost_can_be_added(history: History, make_run: Make) -> None:
    run = make_run(0, b"lost")
    history.add(run)
    assert history.get(run.id) == run
    with pytest.raises(BlobMissingError, match="not stored"):
        history.blob(run.blobs[0])


def test_a_name_that_is_no_hash_reads_no_file(history: History) -> None:
    with pytest.raises(ValueError, match="no sha256"):
        history.blob("../" * 22)


def test_threads_may_share_a_history(history: History, make_run: Make) -> None:
    def add(first: int) -> None:
        for minute in range(first, first + 10):
            history.add(make_run(minute, b"%d" % minute), [b"%d" % minute])
            history.list(limit=3)

    threads = [threading.Thread(target=add, args=(10 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert history.count() == 40


def test_runs_are_searched_by_every_word_of_what_they_are(history: History, make_run: Make) -> None:
    swizzled = make_run(0, kernel="matmul", note="After the Swizzle", args={"block_M": 128})
    other = make_run(1, kernel="matmul", host="gpu1", tags=("best",), args={"block_M": 64})
    for run in (swizzled, other):
        history.add(run)
    found = {
        words: [run.id for run in history.list(RunFilter(search=words)).runs]
        for words in ("MATMUL", "swizzle matmul", "block_m=64", "gpu1 best", "matmul nothing", " ")
    }
    both = [other.id, swizzled.id]
    assert found == {
        "MATMUL": both,
        "swizzle matmul": [swizzled.id],
        "block_m=64": [other.id],
        "gpu1 best": [other.id],
        "matmul nothing": [],
        " ": both,
    }


def test_a_search_takes_signs_as_they_are(history: History, make_run: Make) -> None:
    history.add(make_run(0, note="100% of_it"))
    assert history.count(RunFilter(search="100%")) == 1
    assert history.count(RunFilter(search="%")) == 1
    assert history.count(RunFilter(search="1_0%")) == 0


def test_a_searched_argument_has_that_whole_value(history: History, make_run: Make) -> None:
    small = make_run(0, args={"M": 1, "block_M": 64}, note="a try")
    large = make_run(1, args={"M": 16384, "block_M": 1}, note="see\nN=2\nthere")
    for run in (small, large):
        history.add(run)
    wanted = {"M=1": [small.id], "m=16384": [large.id], "M=163": [], "block_M=1": [large.id]}
    wanted |= {"M=": [large.id, small.id], "N=2": [large.id], "M=1 try": [small.id]}
    assert wanted == {
        words: [run.id for run in history.list(RunFilter(search=words)).runs] for words in wanted
    }


def test_a_changed_note_is_what_is_found(history: History, make_run: Make) -> None:
    run = make_run(0, note="old")
    history.add(run)
    history.update(run.id, lambda r: dataclasses.replace(r, note="new", pinned=True))
    assert history.count(RunFilter(search="old")) == 0
    assert history.count(RunFilter(search="new", pinned=True)) == 1


def test_hosts_and_times_bound_a_listing(history: History, make_run: Make) -> None:
    runs = [make_run(minute, host=f"gpu{minute}") for minute in range(3)]
    for run in runs:
        history.add(run)
    assert history.list(RunFilter(host="gpu1")).runs == (runs[1],)
    assert history.list(RunFilter(until=runs[1].created)).runs == (runs[0],)


def test_a_deleted_run_can_be_put_back_with_its_contents(history: History, make_run: Make) -> None:
    run = make_run(0, b"source", note="mine")
    history.add(run, [b"source"])
    history.delete(run.id)
    assert history.count(RunFilter(search="mine")) == 0
    history.add(run)
    assert history.blob(run.blobs[0]) == b"source"
    assert history.count(RunFilter(search="mine")) == 1
