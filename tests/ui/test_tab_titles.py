from __future__ import annotations

from pathlib import Path

from workbench.ui.tab_titles import tab_titles


def test_a_name_alone_is_title_enough() -> None:
    assert tab_titles([("gemm.py", Path("/w/a/gemm.py")), ("softmax.py", None)]) == [
        "gemm.py",
        "softmax.py",
    ]


def test_equal_names_are_told_apart_by_the_nearest_folders_that_differ() -> None:
    paths = [Path("/w/a/gemm.py"), Path("/w/b/gemm.py"), Path("/w/c/k/gemm.py")]
    assert tab_titles([("gemm.py", path) for path in paths]) == [
        "gemm.py — a",
        "gemm.py — b",
        "gemm.py — k",
    ]
    deep = [Path("/w/a/k/gemm.py"), Path("/w/b/k/gemm.py")]
    assert tab_titles([("gemm.py", path) for path in deep]) == ["gemm.py — a/k", "gemm.py — b/k"]


def test_a_file_above_another_of_its_name_is_told_apart_too() -> None:
    paths = [Path("/k/gemm.py"), Path("/k/k/gemm.py")]
    titles = tab_titles([("gemm.py", path) for path in paths])
    assert titles == ["gemm.py — /k", "gemm.py — k/k"]


def test_copies_without_a_file_are_numbered() -> None:
    documents = [("gemm.py", None), ("gemm.py", Path("/w/a/gemm.py")), ("gemm.py", None)]
    assert tab_titles(documents) == [
        "gemm.py — not saved",
        "gemm.py — a",
        "gemm.py — not saved 2",
    ]
