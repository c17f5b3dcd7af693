"""What tells columns apart stands first in their titles."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from workbench.core.comparison.tables import column_heads
from workbench.core.comparison.titles import column_titles
from workbench.core.runs import Run, RunKind, RunStatus

TILE = {"block_M": 128, "block_N": 256}


def run(number: int, **changes: Any) -> Run:
    created = datetime(2026, 11, 30, 12, tzinfo=timezone.utc) + timedelta(minutes=number)
    fields: dict[str, Any] = {"kernel": "matmul", "target": "h200", "case": "square", **changes}
    return Run(f"run{number}", created, RunKind.PROFILE, RunStatus.DONE, **fields)


def titles(*runs: Run) -> list[str]:
    return [each.title for each in column_titles(runs, lambda run: run.target or "")]


def test_a_tile_that_is_the_same_in_all_but_one_does_not_come_first() -> None:
    sizes = ((1, 128), (8, 128), (16, 128), (32, 64))
    runs = [run(n, args={"M": m, "block_M": b}) for n, (m, b) in enumerate(sizes)]
    assert titles(*runs) == ["M 1", "M 8", "M 16", "M 32"]


def test_one_thing_more_is_told_where_one_does_not_tell_all_apart() -> None:
    asked = (("float16", 4096), ("float16", 8192), ("bfloat16", 4096), ("bfloat16", 8192))
    runs = [
        run(n, args={**TILE, "M": size, "N": size, "K": size, "dtype": dtype})
        for n, (dtype, size) in enumerate(asked)
    ]
    assert titles(*runs) == [
        "4,096³ · fp16",
        "8,192³ · fp16",
        "4,096³ · bf16",
        "8,192³ · bf16",
    ]


def test_a_run_without_an_argument_leaves_those_of_the_others_told() -> None:
    runs = [run(n, args={"M": m, "dtype": "float16"}) for n, m in enumerate((1, 8))]
    assert titles(*runs, run(2)) == ["M 1", "M 8", "M –"]


def test_a_title_begins_with_what_each_run_has_and_a_line_leaves_out_what_one_lacks() -> None:
    plain = run(0, args={**TILE, "block_M": 64}, document="kernels/a.py")
    others = [run(n, args={**TILE, "dtype": f"float{n}"}, document="kernels/b.py") for n in (8, 16)]
    heads = column_titles([plain, *others], lambda run: "h200")
    assert [head.title for head in heads][1:] == ["128 × 256 · fp8", "128 × 256 · fp16"]
    assert heads[0].title == "64 × 256"
    assert "–" not in heads[0].subtitle


def test_documents_tell_runs_of_the_same_arguments_apart() -> None:
    runs = [run(n, args=TILE, document=f"kernels/{name}.py") for n, name in enumerate("ab")]
    assert column_heads(runs) == ("A a.py · square", "B b.py · square")


def test_kernels_then_targets_then_times_tell_apart() -> None:
    assert titles(run(0, kernel="add"), run(1)) == ["add", "matmul"]
    assert titles(run(0), run(1, target="a100")) == ["h200", "a100"]
    assert titles(run(0), run(1, case="odd")) == ["square", "odd"]
    first, second = titles(run(0), run(1))
    assert first != second


def test_a_case_stands_with_what_was_set_beside_it() -> None:
    sizes: tuple[dict[str, int], ...] = ({}, {"M": 8192})
    runs = [run(n, args={"M": 64, **own}, overrides=own) for n, own in enumerate(sizes)]
    assert column_heads(runs) == ("A M 64 · square", "B M 8,192 · square, M=8192")
