"""Charts of runs that an NVIDIA H200 gave (driver 580, TileLang 0.1.15)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.core.history import History
from workbench.core.targets.table import load_targets
from workbench.session.charts.banks import bank_conflicts
from workbench.session.charts.model import MEASURED
from workbench.session.charts.reading import chart_subject
from workbench.session.charts.roofline import roofline
from workbench.session.charts.speed import latency
from workbench.session.charts.subject import ChartSubject
from workbench.session.run_files import import_file

ARCHIVE = Path(__file__).resolve().parents[2] / "data" / "profiles" / "h200.tlw.zip"


@pytest.fixture
def subject(tmp_path: Path) -> Iterator[ChartSubject]:
    """The large matmul, the small one and the naive transpose."""
    with History(tmp_path / "history.sqlite3") as history:
        import_file(history, ARCHIVE)
        runs = {run.document: run for run in history.list().runs}
        chosen = [runs[name] for name in ("large_gemm.py", "gemm.py", "transpose.py")]
        yield chart_subject(history, chosen, load_targets().resolve)


def test_the_times_with_their_spread_and_their_predictions(subject: ChartSubject) -> None:
    chart = latency(subject)
    measured = {bar.row: bar for bar in chart.bars if bar.series == "H200/measured"}
    assert [round(measured[row].value, 1) for row in "ABC"] == [358.3, 14.5, 7.3]
    assert all(bar.low is not None and bar.low <= bar.value for bar in measured.values())
    assert len(chart.bars) == 6


def test_the_matmuls_stand_below_the_peak_and_the_transpose_is_said_to_compute_nothing(
    subject: ChartSubject,
) -> None:
    chart = roofline(subject)
    (measured,) = [c for c in chart.curves if c.series == f"H200/{MEASURED.value}"]
    assert all(point.y < 989.5 for point in measured.points)
    assert chart.missing == ("C: nothing that is counted is computed.",)
    assert [guide.label for guide in chart.guides][-1] == "tensor 989"


def test_the_line_of_the_transpose_that_conflicts(subject: ChartSubject) -> None:
    chart = bank_conflicts(subject)
    assert [place.name for place in chart.x.places] == ["C 26"]
