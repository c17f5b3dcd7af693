"""`runs charts`: files of charts, and what is said of those without a mark."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.support.chart_runs import run
from workbench.session.recording import open_history


@pytest.fixture
def runs(tmp_path: Path) -> None:
    with open_history(tmp_path) as history:
        for number, time in enumerate((358.0, 206.0)):
            history.add(run(number, {"time_us": time}, text_blob=None))


@pytest.mark.usefixtures("runs")
def test_each_chart_with_a_mark_is_a_file_and_of_the_others_it_is_said_why(
    cli: Any, tmp_path: Path
) -> None:
    done = cli("runs", "charts", "run0", "run1", "-o", str(tmp_path / "out"))
    assert done.status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "latency.svg",
        "speed-up.svg",
    ]
    ElementTree.parse(tmp_path / "out" / "latency.svg")
    assert "Stall breakdown: No run counted why warps wait" in done.stdout


@pytest.mark.usefixtures("runs")
def test_one_chart_as_csv_and_its_conclusion_as_json(cli: Any, tmp_path: Path) -> None:
    asked = ("--chart", "latency", "--format", "csv", "--json", "-o", str(tmp_path))
    done = cli("runs", "charts", "run0", "run1", *asked)
    (chart,) = done.json["charts"]
    assert chart["conclusion"] == "B is fastest, 206 µs: 1.74 × as fast as A."
    assert Path(chart["file"]).read_text().startswith("series,source,place")


@pytest.mark.usefixtures("runs")
def test_a_folder_that_cannot_be_written_is_said(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cli("runs", "charts", "run0", "run1", "-o", str(tmp_path / "file"))
    assert done.status == 2
    assert "cannot write" in done.stderr
