"""`runs report`: the file of a comparison, by runs and by a saved name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart_runs import run
from workbench.session.recording import open_history


@pytest.fixture(autouse=True)
def runs(tmp_path: Path) -> None:
    with open_history(tmp_path) as history:
        for number, time in enumerate((358.0, 206.0)):
            history.add(run(number, {"time_us": time}, text_blob=None))


def test_a_page_is_written_and_its_conclusion_said(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = cli("runs", "report", "run0", "run1", "--name", "Tiles", "-o", str(path))
    assert (done.status, done.stdout.partition(": ")[2][:18]) == (0, "Run B is fastest, ")
    assert "<title>Tiles</title>" in path.read_text()


def test_the_base_may_be_another_run(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    asked = ("runs", "report", "run0", "run1", "--base", "run1", "--json", "-o", str(path))
    assert cli(*asked).json["runs"] == ["run0", "run1"]
    assert json.loads(path.read_text())["base"] == "run1"


def test_a_saved_comparison_gives_its_name(cli: Any, tmp_path: Path) -> None:
    cli("runs", "compare", "run0", "run1", "--save", "tiles of a matmul")
    path = tmp_path / "report.md"
    done = cli("runs", "report", "--saved", "tiles of a matmul", "-o", str(path))
    assert done.status == 0
    assert path.read_text().startswith("# tiles of a matmul\n")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("run0", "run1", "-o", "report.pdf"), "may end in .html"),
        (("run0", "-o", "report.html"), "2 to 8 runs stand in a report, not 1"),
        (("-o", "report.html"), "name two to eight runs"),
    ],
)
def test_what_cannot_be_made_is_said(cli: Any, asked: tuple[str, ...], said: str) -> None:
    done = cli("runs", "report", *asked)
    assert done.status == 2
    assert said in done.stderr
