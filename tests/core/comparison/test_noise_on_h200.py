"""Two runs of one kernel are called equal, and a tenth more is not: on times that a GPU gave.

`tests/data/comparison/h200_pairs.json` has the times of 22 kernels on an NVIDIA H200, each of them
measured in two sessions.

`h200-pairs-of-work.json` has twenty times of a kernel by one process, of the same by another, and
there of the same with a tenth more work; `benchmarks/noise_pairs.py` measured them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.core.comparison.noise import Verdict, compare_times

WORK = Path(__file__).resolve().parents[2] / "data" / "comparison" / "h200-pairs-of-work.json"
OF_WORK: list[dict[str, Any]] = json.loads(WORK.read_text(encoding="utf-8"))["pairs"]
WORK_NAMES = [f"{pair['kernel']}, round {pair['round']}" for pair in OF_WORK]
DATA = Path(__file__).resolve().parents[2] / "data" / "comparison" / "h200_pairs.json"
PAIRS: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["pairs"]
NAMES = [f"{pair['kernel']} {pair['case']}" for pair in PAIRS]


def test_there_are_twenty_pairs_at_least() -> None:
    assert len(PAIRS) >= 20


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_two_runs_of_one_kernel_are_equal(pair: dict[str, Any]) -> None:
    found = compare_times(pair["first_ns"], pair["second_ns"])
    assert found.verdict is Verdict.EQUAL, found.sentence


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_a_tenth_more_than_the_same_run_is_slower_and_the_other_way_faster(
    pair: dict[str, Any],
) -> None:
    slower = [time * 1.1 for time in pair["second_ns"]]
    found = compare_times(pair["first_ns"], slower)
    assert found.verdict is Verdict.SLOWER, found.sentence
    assert compare_times(slower, pair["first_ns"]).verdict is Verdict.FASTER


def test_there_are_twenty_pairs_of_either_kind() -> None:
    assert len(OF_WORK) == 20


@pytest.mark.parametrize("pair", OF_WORK, ids=WORK_NAMES)
def test_two_processes_measure_one_kernel_as_equal(pair: dict[str, Any]) -> None:
    found = compare_times(pair["first_us"], pair["same_us"])
    assert found.verdict is Verdict.EQUAL, found.sentence


@pytest.mark.parametrize("pair", OF_WORK, ids=WORK_NAMES)
def test_a_tenth_more_work_is_slower(pair: dict[str, Any]) -> None:
    found = compare_times(pair["first_us"], pair["tenth_more_us"])
    assert found.verdict is Verdict.SLOWER, found.sentence
