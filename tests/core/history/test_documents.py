"""Runs of a file: those made from it, those attached to it, and those that may be of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from workbench.core.history import FileIdentity, History, RunFilter, RunSource
from workbench.core.runs import Run, blob_hash

Make = Callable[..., Run]
TEXT, OTHER = blob_hash(b"text"), blob_hash(b"other")
FILE = FileIdentity("here/gemm.py", TEXT, ("matmul",))


@pytest.fixture
def add(history: History, make_run: Make) -> Callable[..., Run]:
    """Adds a run of the kernel matmul that stores a text."""

    def added(minute: int, document: str | None, text: bytes = b"text", **fields: object) -> Run:
        usual = {"kernel": "matmul", "text_blob": blob_hash(text), "document": document}
        run = make_run(minute, **{**usual, **fields})
        history.add(run, [text])
        return run

    return added


def offered(history: History, file: FileIdentity = FILE) -> set[str]:
    return set(history.ids(RunFilter(offered=file)))


def test_an_attached_run_is_of_both_files(history: History, add: Callable[..., Run]) -> None:
    run = add(0, "there/gemm.py")
    attached = history.update(run.id, lambda r: dataclasses.replace(r, attached_to=(FILE.path,)))
    assert attached.documents == ("there/gemm.py", "here/gemm.py")
    for path in attached.documents:
        assert history.list(RunFilter(document=path)).runs == (attached,)
    assert history.count(RunFilter(search="here/gemm.py")) == 1


def test_a_run_of_the_text_is_offered_whatever_its_path(
    history: History, add: Callable[..., Run]
) -> None:
    runs = [add(0, "old.py", kernel="other"), add(1, None)]
    assert offered(history) == {run.id for run in runs}


def test_a_run_of_the_kernel_in_a_file_of_the_name_is_offered(
    history: History, add: Callable[..., Run]
) -> None:
    runs = [add(0, "../there/gemm.py", b"other"), add(1, "gemm.py", b"other")]
    add(2, "there/gemm.py", b"other", kernel="softmax")
    add(3, "there/big_gemm.py", b"other")
    assert offered(history) == {run.id for run in runs}


def test_runs_of_a_path_that_had_the_text_are_offered(
    history: History, add: Callable[..., Run]
) -> None:
    runs = [add(0, "before.py", b"earlier"), add(1, "before.py")]
    assert offered(history) == {run.id for run in runs}


def test_what_is_of_the_file_is_not_offered(history: History, add: Callable[..., Run]) -> None:
    add(0, FILE.path)
    add(1, "there/gemm.py", attached_to=(FILE.path,))
    assert offered(history) == set()


def test_without_kernels_only_the_text_counts(history: History, add: Callable[..., Run]) -> None:
    run = add(0, "there/gemm.py")
    add(1, "there/gemm.py", b"other")
    assert offered(history, FileIdentity("here/gemm.py", TEXT)) == {run.id}


def test_an_offer_goes_with_other_filters_and_is_counted(
    history: History, add: Callable[..., Run]
) -> None:
    add(0, "a/gemm.py", target="a100")
    run = add(1, "a/gemm.py", b"other", target="h100")
    where = RunFilter(offered=FILE, target="h100", search="matmul")
    assert history.list(where).runs == (run,)
    assert history.count(where) == 1


def test_sources_tell_paths_hosts_and_texts(history: History, add: Callable[..., Run]) -> None:
    add(0, "a/gemm.py", host="gpu1")
    add(1, "a/gemm.py", host="gpu1")
    add(2, "b/gemm.py", b"other")
    assert history.sources(RunFilter(offered=FILE), TEXT) == (
        RunSource("a/gemm.py", "gpu1", True, 2),
        RunSource("b/gemm.py", None, False, 1),
    )


def test_a_deleted_run_is_of_no_file(history: History, add: Callable[..., Run]) -> None:
    history.delete(add(0, FILE.path).id)
    assert history.count(RunFilter(document=FILE.path)) == 0
